"""Token matrices are read from their files and equal those of Lance, after any file operation."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import lance
import numpy as np
import pyarrow as pa
import pytest

from casetrack.store.data_files import data_files
from casetrack.store.index import background, matrices
from casetrack.store.index.matrices import Matrices, home_of


def rows_of(first: int, count: int, *, size: int = 5000, nulls: bool = True) -> pa.Table:
    random = np.random.default_rng(first)
    values: list[bytes | None] = [
        random.bytes(int(n)) for n in random.integers(size // 2, size, count)
    ]
    if nulls:
        values[::7] = [None] * len(values[::7])
    return pa.table(
        {"number": range(first, first + count), "tokens": pa.array(values, pa.binary())}
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for first in (0, 60, 120):
        lance.write_dataset(
            rows_of(first, 60),
            tmp_path / "chunks.lance",
            mode="append" if first else "create",
            enable_stable_row_ids=True,
        )
    return tmp_path


def opened(folder: Path) -> tuple[Any, Any]:
    """Return a collection's snapshot, and a list of the requests to Lance."""
    chunks, asked = lance.dataset(folder / "chunks.lance"), list[int]()

    def take(rows: list[int], columns: list[str]) -> pa.Table:
        asked.extend(rows)
        return chunks._take_rows(rows, columns=columns)

    files = data_files(chunks, "tokens")
    return SimpleNamespace(chunks=chunks, take=take, token_files=files), asked


def stored(snapshot: Any) -> dict[int, bytes | None]:
    table = snapshot.chunks.scanner(columns=["tokens"], with_row_id=True).to_table()
    return dict(zip(table["_rowid"].to_pylist(), table["tokens"].to_pylist(), strict=True))


def check(folder: Path, *, from_lance: bool) -> None:
    snapshot, asked = opened(folder)
    expected = stored(snapshot)
    rows = np.random.default_rng(1).permutation([*expected, *expected]).tolist()
    assert Matrices(folder, snapshot).take(rows) == [expected[row] for row in rows]
    assert bool(asked) is from_lance


def test_they_are_read_past_lance_once_their_places_are_known(folder: Path) -> None:
    check(folder, from_lance=True)
    assert matrices.build_all(folder) == 3
    check(folder, from_lance=False)
    assert matrices.build_all(folder) == 0
    assert Matrices(folder, opened(folder)[0]).take([]) == []


def test_rows_that_came_changed_or_went_are_as_lance_has_them(folder: Path) -> None:
    matrices.build_all(folder)
    chunks = lance.dataset(folder / "chunks.lance")
    chunks.delete("number < 20")
    changed = rows_of(70, 5, nulls=False)
    chunks.merge_insert("number").when_matched_update_all().execute(changed)
    lance.write_dataset(rows_of(500, 30), folder / "chunks.lance", mode="append")
    matrices.build_all(folder)
    check(folder, from_lance=False)
    lance.dataset(folder / "chunks.lance").optimize.compact_files()
    check(folder, from_lance=True)
    assert matrices.build_all(folder) == 1
    assert len(list(home_of(folder).glob("*.bin"))) == 1, "what was merged is forgotten"
    check(folder, from_lance=False)


def test_what_was_opened_before_goes_on_when_its_files_are_cleaned_away(folder: Path) -> None:
    matrices.build_all(folder)
    snapshot, asked = opened(folder)
    expected, before = stored(snapshot), Matrices(folder, snapshot)
    row = next(r for r, value in expected.items() if value)
    assert before.take([row]) == [expected[row]]
    assert not asked
    for path in (folder / "chunks.lance" / "data").iterdir():
        path.rename(path.with_suffix(".away"))
    with pytest.raises((OSError, ValueError)):
        # Lance is asked, and gives its usual answer.
        before.take([row])


@pytest.mark.parametrize("harm", [b"", b"CTARRAY1 and nothing else"])
def test_damaged_places_are_no_places(folder: Path, harm: bytes) -> None:
    matrices.build_all(folder)
    for path in home_of(folder).glob("*.bin"):
        path.write_bytes(harm)
    check(folder, from_lance=True)


def test_values_that_lance_packs_are_asked_of_lance(tmp_path: Path) -> None:
    lance.write_dataset(
        rows_of(0, 4000, size=20, nulls=False),
        tmp_path / "chunks.lance",
        enable_stable_row_ids=True,
    )
    matrices.build_all(tmp_path)
    snapshot, _ = opened(tmp_path)
    expected = stored(snapshot)
    assert Matrices(tmp_path, snapshot).take([*expected]) == [*expected.values()]


def test_a_process_is_started_for_many_only(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = list[Path]()
    monkeypatch.setattr(background, "start", lambda _, of: started.append(of))
    snapshot, _ = opened(folder)
    Matrices(folder, snapshot).take([0])
    assert not started
    monkeypatch.setattr(matrices, "LEAST_ROWS", 180)
    Matrices(folder, snapshot).take([0])
    assert started == [folder]
    matrices.build_all(folder)
    Matrices(folder, snapshot).take([0])
    assert started == [folder]


def test_the_process_finds_the_places(folder: Path) -> None:
    assert background.start("casetrack.store.index.matrices", folder)
    assert not background.start("casetrack.store.index.matrices", folder), "it is at work"
    snapshot, asked = opened(folder)
    used = Matrices(folder, snapshot)
    deadline = 600
    while len(list(home_of(folder).glob("*.bin"))) < 3 and deadline:
        time.sleep(0.1)
        deadline -= 1
    assert used.take([3]) == [stored(snapshot)[3]]
    assert not asked
