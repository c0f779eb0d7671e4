"""A sealed file is read as it was written, where it was written, or not at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casetrack.store.index.arrays import is_whole, map_arrays, read_table, save_arrays, write_table

TABLE = pa.table({"word": ["harbour", "rent", None], "count": [1, 2, 3]})


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "words.arrow"
    write_table(TABLE, path)
    return path


def test_a_table_is_read_as_it_was_written(table: Path) -> None:
    assert read_table(table).equals(TABLE)
    assert is_whole(table)


@pytest.mark.parametrize("count", [0, 1, 5])
def test_arrays_are_read_as_they_were_written(tmp_path: Path, count: int) -> None:
    arrays = {"a": np.arange(count * 3, dtype=np.int8).reshape(count, 3), "b": np.ones(count)}
    save_arrays(tmp_path / "x.bin", arrays)
    result = map_arrays(tmp_path / "x.bin")
    assert {n: a.tolist() for n, a in result.items()} == {n: a.tolist() for n, a in arrays.items()}


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_whatever_happens_to_a_file_it_is_not_read(table: Path, data: st.DataObject) -> None:
    whole = table.read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1), "place")
    bit = data.draw(st.integers(0, 7), "bit")
    flipped = whole[:place] + bytes([whole[place] ^ 1 << bit]) + whole[place + 1 :]
    zeros = whole[:place] + bytes(len(whole) - place)
    try:
        for damaged in (
            flipped,
            whole[:place],
            whole + whole[place:],
            *([zeros] * (zeros != whole)),
        ):
            table.write_bytes(damaged)
            assert not is_whole(table)
            with pytest.raises(ValueError, match="words"):
                read_table(table)
    finally:
        table.write_bytes(whole)
    assert is_whole(table)


@pytest.mark.slow
def test_a_file_in_the_place_of_another_is_not_read(table: Path, tmp_path: Path) -> None:
    for place in (tmp_path / "names.arrow", tmp_path / "other" / "words.arrow"):
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(table.read_bytes())
        assert not is_whole(place)


def test_a_folder_may_be_renamed_once_it_is_whole(tmp_path: Path) -> None:
    making = tmp_path / ".part.tmp"
    making.mkdir()
    write_table(TABLE, making / "words.arrow")
    making.rename(tmp_path / "part")
    assert read_table(tmp_path / "part" / "words.arrow").equals(TABLE)
