"""The index is a function of the live chunks: updates by deltas equal a rebuild."""

from __future__ import annotations

import json
import random
import shutil
import uuid
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casetrack.store.index.arrays import map_arrays, save_arrays
from casetrack.store.index.index import Index, open_index
from casetrack.store.session import write_session

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.api.library import Library

WORDS = "payment term notice supplier invoice delay penalty court law contract annex price".split()


def text_of(seed: int) -> str:
    source = random.Random(seed)
    return " ".join(source.choice(WORDS) for _ in range(source.randint(3, 900)))


def content(index: Index) -> dict[str, tuple[dict[str, int], int]]:
    """Return the term frequencies and the length of every live chunk in an index."""
    by_name: dict[str, tuple[dict[str, int], int]] = {}
    for part in index.segments:
        data = part.data
        ids = data.rows["chunk_id"].to_pylist()
        alive = np.ones(data.size, bool) if part.mask is None else part.mask
        for i, chunk_id in enumerate(ids):
            if alive[i]:
                by_name[chunk_id] = ({}, int(data.column("length")[i]))
        terms = data.terms.keys["key"].to_pylist()
        for term, posting in zip(terms, data.terms.find(terms), strict=True):
            for row, tf in zip(posting.rows, posting.values, strict=True):
                if alive[row]:
                    by_name[ids[row]][0][term] = int(tf)
    return by_name


def stored(collection: Collection) -> dict[str, tuple[dict[str, int], int]]:
    """Return the same from the stored rows themselves."""
    columns = ["chunk_id", "terms", "term_counts", "term_total"]
    rows = collection.workspace.state().snapshot.scan(columns).to_pylist()
    return {
        r["chunk_id"]: (dict(zip(r["terms"], r["term_counts"], strict=True)), r["term_total"])
        for r in rows
    }


@pytest.mark.slow
@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.tuples(st.sampled_from(["add", "change", "delete", "look"]), st.integers(0, 5)),
        min_size=1,
        max_size=12,
    )
)
def test_deltas_equal_a_rebuild(library: Library, store_text, changes) -> None:
    collection = library.create(str(uuid.uuid4()))
    for number, (what, which) in enumerate(changes):
        documents = sorted(collection.documents(), key=lambda d: d.name)
        chosen = documents[which % len(documents)] if documents else None
        if what == "look":
            _ = collection.workspace.state().index
        elif what == "add" or chosen is None:
            with write_session(collection.folder) as session:
                store_text(session, f"{number}.txt", text_of(number), text_of(number + 100))
        elif what == "delete":
            collection.delete_document(chosen.document_id)
        else:
            same = {"document_id": chosen.document_id, "replaces": chosen.revision}
            with write_session(collection.folder) as session:
                store_text(session, chosen.name, text_of(number + 7), **same)
    kept_up = collection.workspace.state().index
    expected = stored(collection)
    assert content(kept_up) == expected
    shutil.rmtree(collection.folder / "views", ignore_errors=True)
    rebuilt = open_index(collection.folder, collection.workspace.state().snapshot)
    assert content(rebuilt) == expected
    assert (rebuilt.chunk_count, rebuilt.average_length) == (
        kept_up.chunk_count,
        pytest.approx(kept_up.average_length),
    )


@pytest.fixture
def collection(library: Library, store_text) -> Collection:
    collection = library.create("C")
    for number in range(5):
        with write_session(collection.folder) as session:
            store_text(session, f"{number}.txt", text_of(number))
        _ = collection.workspace.state().index
    return collection


@pytest.mark.slow
def test_small_segments_are_merged(library: Library, store_text) -> None:
    collection = library.create("C")
    for number in range(16):
        with write_session(collection.folder) as session:
            store_text(session, f"{number}.txt", text_of(number))
        _ = collection.workspace.state().index
    assert content(collection.workspace.state().index) == stored(collection)
    manifest = json.loads((collection.folder / "views/index/manifest.json").read_text())
    assert len(manifest["segments"]) < 12


DAMAGES = ["manifest", "terms", "terms_keys", "dense", "missing", "format"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_index_is_rebuilt(collection: Collection, damage: str) -> None:
    home = collection.folder / "views" / "index"
    segment = next(p for p in home.iterdir() if p.is_dir())
    match damage:
        case "manifest":
            (home / "manifest.json").write_text("{torn")
        case "terms" | "terms_keys":
            (segment / f"{damage}.arrow").write_bytes(b"torn")
        case "dense":
            (segment / "dense.bin").write_bytes(b"")
        case "missing":
            shutil.rmtree(segment)
        case "format":
            (home / "manifest.json").write_text('{"format": 0, "segments": []}')
    assert content(open_index(collection.folder, collection.workspace.state().snapshot)) == stored(
        collection
    )


@pytest.mark.slow
def test_readers_do_without_the_lock(collection: Collection) -> None:
    import filelock

    shutil.rmtree(collection.folder / "views")
    home = collection.folder / "views" / "index"
    home.mkdir(parents=True)
    with filelock.FileLock(home / ".lock"):
        index = open_index(collection.folder, collection.workspace.state().snapshot)
        assert content(index) == stored(collection)
        assert not (home / "manifest.json").exists()


def test_a_full_disk_does_not_stop_searching(
    collection: Collection, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    shutil.rmtree(collection.folder / "views")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("casetrack.store.index.segment.save_arrays", full)
    index = open_index(collection.folder, collection.workspace.state().snapshot)
    assert content(index) == stored(collection)
    assert caplog.records
    assert [p.name for p in (collection.folder / "views/index").iterdir()] == [".lock"]


@pytest.mark.slow
def test_vectors_of_another_length_are_built_again(collection: Collection) -> None:
    snapshot = collection.workspace.state().snapshot
    home = collection.folder / "views" / "index"
    segment = next(p for p in home.iterdir() if p.is_dir())
    path = segment / "dense.bin"
    rows = len(map_arrays(path)["dense"])
    path.unlink()
    save_arrays(path, {"dense": np.ones((rows, 7), dtype=np.int8)})
    index = open_index(collection.folder, snapshot)
    assert {part.data.dimension for part in index.segments} == {index.dimension}
    assert content(index) == stored(collection)
    manifest = json.loads((home / "manifest.json").read_text())
    assert segment.name not in manifest["segments"]


@pytest.mark.slow
def test_many_revisions_are_read_by_their_files(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("casetrack.store.index.segment_files._FEW", 1)
    monkeypatch.setattr("casetrack.store.index.stored_segments.MAX_CHUNKS", 2)
    shutil.rmtree(collection.folder / "views")
    index = open_index(collection.folder, collection.workspace.state().snapshot)
    assert len(index.segments) > 1
    assert content(index) == stored(collection)


@pytest.mark.slow
def test_a_search_goes_on_while_the_index_is_replaced(collection: Collection, store_text) -> None:
    before = collection.workspace.state().index
    expected = content(before)
    for number in range(9):  # enough to merge the segments that are open
        with write_session(collection.folder) as session:
            store_text(session, f"more-{number}.txt", text_of(number + 50))
        _ = collection.workspace.state().index
    assert content(before) == expected
    assert content(collection.workspace.state().index) == stored(collection)
