"""Columns are read at some places as Arrow reads them."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pytest

from casetrack.store.index.arrays import reader

_MOMENT = datetime(2024, 3, 12, 8, 30, tzinfo=UTC)
_EARLY = datetime(1969, 7, 20, 20, 17, 40, 123456, UTC)
_LAST = datetime.max.replace(tzinfo=UTC)
COLUMNS = {
    "numbers": pa.array([3, 1, 2, 5], pa.int32()),
    "numbers, some missing": pa.array([3, None, 2, 5], pa.int32()),
    "fractions": pa.array([0.5, 1.5, float("inf"), -2.0], pa.float64()),
    "yes and no": pa.array([True, False, True, True]),
    "texts": pa.array(["a", "", "Größe", "漢字"]),
    "texts, some missing": pa.array(["a", None, "", "漢字"]),
    "nothing": pa.nulls(4, pa.string()),
    "lists": pa.array([["a", "b"], [], None, ["c"]], pa.list_(pa.string())),
    "moments": pa.array([_MOMENT, None, _MOMENT, _MOMENT], pa.timestamp("us", "UTC")),
    "moments, all there": pa.array([_MOMENT, _EARLY, _MOMENT, _LAST], pa.timestamp("us", "UTC")),
    "moments of another zone": pa.array([_MOMENT] * 4, pa.timestamp("us", "Europe/Berlin")),
    "part of another": pa.array(["no", "a", "b", "c", "d"]).slice(1),
    "codes": pa.array(["a", "b", "a", "b"]).dictionary_encode(),
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("places", [[], [0], [3, 1, 1, 2]])
def test_a_column_is_read_as_arrow_reads_it(name: str, places: list[int]) -> None:
    column = COLUMNS[name]
    expected = column.take(pa.array(places, pa.int64())).to_pylist()
    for each in (column, pa.chunked_array([column]), pa.chunked_array([column[:2], column[2:]])):
        read = reader(each)(np.array(places, dtype=np.intp))
        assert read == expected
        assert [type(value) for value in read] == [type(value) for value in expected]


@pytest.mark.parametrize("kind", [pa.int32(), pa.string(), pa.bool_()])
def test_an_empty_column_has_nothing_to_read(kind: pa.DataType) -> None:
    assert reader(pa.array([], kind))(np.array([], dtype=np.intp)) == []
