"""All chunks replaced in one commit, and the outputs of models that outlive a killed run."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import lance
import numpy as np
import pyarrow as pa
import pytest

from casetrack.base import schema
from casetrack.base.errors import CollectionBusy, StorageError, UsageError
from casetrack.store import datasets
from casetrack.store.rewrite import Stage, in_force, is_unfinished, rewriting, settle, swap
from casetrack.store.session import write_session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from casetrack.api.library import Library
    from casetrack.base.records import Document

    Store = Callable[..., Document]

COLUMNS = ("dense", "tokens", "sparse_terms")


@pytest.fixture
def folder(library: Library, store_text: Store) -> Path:
    """The folder of a collection with some chunks."""
    collection = library.create("C")
    with write_session(collection.folder) as session:
        for number in range(3):
            store_text(session, f"{number}.txt", f"Document {number} says nothing. " * 200)
    return collection.folder


def remade(folder: Path, dimension: int, value: float) -> Iterator[pa.RecordBatch]:
    """Yield the stored chunks with other vectors."""
    layout = schema.table("chunks").arrow(dimension=dimension)
    for batch in lance.dataset(folder / "chunks.lance").to_batches():
        vectors = np.full(batch.num_rows * dimension, value, dtype=np.float32)
        dense = pa.FixedSizeListArray.from_arrays(pa.array(vectors), dimension)
        columns = {n: batch[n] for n in layout.names} | {"dense": dense}
        yield pa.RecordBatch.from_arrays(
            [columns[f.name].cast(f.type) for f in layout], schema=layout
        )


def plain(folder: Path) -> list[dict[str, Any]]:
    names = [n for n in schema.table("chunks").names if n not in {"dense", "checksum"}]
    return list(lance.dataset(folder / "chunks.lance").to_table(columns=names).to_pylist())


@pytest.mark.needs("lancedb")
def test_the_swap_keeps_everything_but_what_it_replaces(folder: Path) -> None:
    import lancedb

    before, old = plain(folder), datasets.open_snapshot(folder)
    assert (old.profile, old.dimension, old.generation) == ("mini", 384, "")
    swap(folder, remade(folder, 5, 0.5), profile="legal", dimension=5)
    assert plain(folder) == before
    new = datasets.open_snapshot(folder)
    assert (new.profile, new.dimension) == ("legal", 5)
    assert new.generation
    assert new.revisions == old.revisions
    assert not old.is_current()
    assert old.scan(["text"]).num_rows == new.scan(["text"]).num_rows == len(before)
    # A reader of the old state gets the old vectors; its rows are never mistaken for new ones.
    ids = [set(s.scan(["text"], with_row_id=True)["_rowid"].to_pylist()) for s in (old, new)]
    assert not ids[0] & ids[1]
    assert old.take(sorted(ids[0])[:1], ["text"]).num_rows == 1
    outside = lancedb.connect(folder).open_table("chunks")
    assert outside.count_rows() == len(before)
    assert outside.schema.field("dense").type.list_size == 5
    swap(folder, remade(folder, 5, 0.25), profile="legal", dimension=5)
    assert datasets.open_snapshot(folder).generation not in {"", new.generation}


@pytest.mark.slow
def test_the_mark_outlives_other_changes(folder: Path, store_text: Store, library: Library) -> None:
    swap(folder, remade(folder, 384, 0.5), profile="legal", dimension=384)
    before = datasets.open_snapshot(folder)
    with write_session(folder) as session:
        store_text(session, "more.txt", "More is said here.")
    library.get("C").delete_document("0.txt")
    lance.dataset(folder / "chunks.lance").optimize.compact_files()
    after = datasets.open_snapshot(folder)
    assert len(after.documents) == 3
    assert (after.profile, after.generation) == (before.profile, before.generation)


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0, 60])
def test_a_state_that_was_found_new_is_old_after_the_next_commit(
    folder: Path, library: Library, store_text: Store, seconds: int
) -> None:
    """Also where nothing had changed for long, and Lance is not asked each time."""
    for name in ("chunks.lance", "documents.lance"):
        long_ago = time.time() - seconds
        os.utime(folder / name / "_versions", (long_ago, long_ago))
    state = datasets.open_snapshot(folder)
    assert state.is_current()
    assert state.is_current()
    with write_session(library.get("C").folder) as session:
        store_text(session, "later.txt", "One more. " * 200)
    assert not state.is_current()


def test_an_error_on_the_way_changes_nothing(folder: Path) -> None:
    before = datasets.open_snapshot(folder)

    def broken() -> Iterator[pa.RecordBatch]:
        yield next(remade(folder, 5, 0.5))
        raise UsageError("stop")

    with pytest.raises(UsageError):
        swap(folder, broken(), profile="legal", dimension=5)
    with pytest.raises(StorageError):
        swap(folder, remade(folder, 6, 0.5), profile="legal", dimension=5)
    assert before.is_current()


@pytest.mark.slow
def test_the_chunks_say_whose_vectors_they_are(library: Library, folder: Path) -> None:
    info = library.get("C").info
    assert in_force(folder, info) is info
    Stage(folder, "models", COLUMNS, 5)
    assert is_unfinished(folder)
    swap(folder, remade(folder, 5, 0.5), profile="legal", dimension=5)
    assert (in_force(folder, info).profile, in_force(folder, info).dimension) == ("legal", 5)
    assert '"mini"' in (folder / "collection.json").read_text()
    settle(folder)
    assert '"legal"' in (folder / "collection.json").read_text()


def outputs(*numbers: int) -> dict[str, list[object]]:
    return {
        "dense": [[float(n)] * 5 for n in numbers],
        "tokens": [None if n % 2 else bytes([n]) * n for n in numbers],
        "sparse_terms": [list(range(n)) for n in numbers],
    }


def keys(*numbers: int) -> list[bytes]:
    return [b"key %d" % n for n in numbers]


def check_stage(stage: Stage, *numbers: int) -> None:
    assert len(stage) == len(set(numbers))
    for order in (numbers, numbers[::-1], numbers + numbers[:1], numbers[:1], ()):
        table = stage.take(keys(*order))
        wanted = outputs(*order)
        assert {name: table[name].to_pylist() for name in COLUMNS} == wanted


def test_outputs_are_found_again(folder: Path) -> None:
    stage = Stage(folder, "models", COLUMNS, 5)
    stage.add(outputs(1, 2, 3), keys(1, 2, 3))
    stage.add(outputs(8), keys(8))
    check_stage(stage, 3, 8, 1, 2)
    check_stage(Stage(folder, "models", COLUMNS, 5), 3, 8, 1, 2)
    with pytest.raises(KeyError):
        stage.take(keys(9))
    assert keys(8)[0] in stage
    assert keys(9)[0] not in stage


@pytest.mark.sampled(2)
@pytest.mark.parametrize("damage", ["cut", "empty", "other", "unfinished"])
def test_what_a_killed_run_left_half_written_counts_as_nothing(folder: Path, damage: str) -> None:
    stage = Stage(folder, "models", COLUMNS, 5)
    stage.add(outputs(1, 2), keys(1, 2))
    (whole,) = (folder / "rewrite" / "models").iterdir()
    data = whole.read_bytes()
    stage.add(outputs(3), keys(3))
    if damage == "unfinished":
        whole.rename(whole.with_suffix(".tmp"))
    else:
        whole.write_bytes({"cut": data[:-40], "empty": b"", "other": b"x" * 999}[damage])
    check_stage(Stage(folder, "models", COLUMNS, 5), 3)


def test_outputs_of_other_models_are_dropped(folder: Path) -> None:
    Stage(folder, "models", COLUMNS, 5).add(outputs(1), keys(1))
    assert len(Stage(folder, "other", COLUMNS, 5)) == 0
    stage = Stage(folder, "models", COLUMNS, 5)
    assert len(stage) == 0
    stage.clear()
    assert not is_unfinished(folder)


def test_a_deleted_collection_does_not_come_back(library: Library, folder: Path) -> None:
    stage = Stage(folder, "models", COLUMNS, 5)
    library.delete("C")
    with pytest.raises(StorageError):
        stage.add(outputs(1), keys(1))
    assert not folder.exists()


@pytest.mark.slow
def test_one_at_a_time(folder: Path) -> None:
    with rewriting(folder), pytest.raises(CollectionBusy), rewriting(folder):
        pytest.fail("two at a time")
    with rewriting(folder):
        assert (folder / ".rewrite.lock").exists()
