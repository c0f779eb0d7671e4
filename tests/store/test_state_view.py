"""The file that opens a collection without Lance: equal to Lance, and valid for one state only."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.store import state_view
from casetrack.store.datasets import open_snapshot
from casetrack.store.passages import MARK_COLUMNS
from casetrack.store.session import write_session

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.library import Library
    from casetrack.base.records import Document
    from casetrack.store.datasets import Snapshot

SEARCH = """
import sys
from casetrack.api.library import Library
from casetrack.base.config import load_settings
results = Library(load_settings(sys.argv[1])).get("Case").search("number")
assert [hit.pinpoint for hit in results]
print("lance" in sys.modules, *(hit.text for hit in results))
"""


def facts(snapshot: Snapshot) -> tuple[Any, ...]:
    named = (snapshot.version, snapshot.chunks_version, snapshot.profile, snapshot.generation)
    files = [(file.path, file.rows, file.number) for file in snapshot.token_files]
    rows = snapshot.documents.table.to_pylist()
    return (*named, snapshot.dimension, snapshot.columns, files, rows)


@pytest.fixture
def folder(library: Library, store_text: Callable[..., Document]) -> Path:
    folder = library.create("Case").folder
    for number in range(2):
        with write_session(folder) as session:
            store_text(session, f"{number}.txt", f"Text number {number}.")
    return folder


def test_it_equals_lance(folder: Path) -> None:
    assert not (folder / state_view.FILE).exists() or state_view._read(folder) is None
    state_view.open_kept(folder)
    kept = state_view._read(folder)
    assert kept is not None
    assert not kept._open
    assert facts(kept) == facts(open_snapshot(folder))
    assert kept.is_current()


def test_another_state_is_opened_by_lance(
    folder: Path, library: Library, store_text: Callable[..., Document]
) -> None:
    before = state_view.open_kept(folder)
    with write_session(folder) as session:
        store_text(session, "new.txt", "A third text.")
    assert not before.is_current()
    assert state_view._read(folder) is None
    assert len(state_view.open_kept(folder).documents) == 3
    assert len(state_view.open_kept(folder).documents) == 3


@pytest.mark.parametrize("damage", ["flip", "cut", "empty"])
def test_a_damaged_file_counts_as_none(folder: Path, damage: str) -> None:
    expected = facts(state_view.open_kept(folder))
    path = folder / state_view.FILE
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes({"flip": bytes(data), "cut": data[:-9], "empty": b""}[damage])
    assert state_view._read(folder) is None
    assert facts(state_view.open_kept(folder)) == expected
    assert state_view._read(folder) is not None


def test_fields_of_marks_equal_those_of_lance(folder: Path, library: Library) -> None:
    state = library.get("Case").workspace.state()
    index = state.index
    places = [(n, row) for n, part in enumerate(index.segments) for row in range(part.data.size)]
    expected = state.snapshot.take(index.row_ids(places), MARK_COLUMNS).to_pylist()
    assert index.rows_at(places, MARK_COLUMNS) == expected


def test_a_search_with_marks_does_not_import_lance(folder: Path, library: Library) -> None:
    data = str(library.settings.data_dir)
    found = [
        subprocess.run(
            [sys.executable, "-c", SEARCH, data], check=True, capture_output=True, text=True
        ).stdout.split(maxsplit=1)
        for _ in range(2)
    ]
    assert found[1][0] == "False"
    assert found[0][1] == found[1][1]
