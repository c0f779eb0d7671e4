"""Upkeep frees space and never changes visible data, wherever it is stopped."""

from __future__ import annotations

import importlib
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import lance
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casetrack.base.errors import CollectionBusy, CollectionDamaged, StorageError
from casetrack.ingest.pipeline import Tools
from casetrack.keep.upkeep import needs_upkeep
from casetrack.store import upkeep
from casetrack.store.datasets import CHUNKS, DOCUMENTS, open_snapshot
from casetrack.store.info import update_info
from casetrack.store.lock import write_lock
from casetrack.store.session import write_session
from casetrack.store.upkeep import measure
from casetrack.store.workspace import State, Workspace
from fakes import FakeEncoders, NamesByList, WordEncoder

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library
    from casetrack.base.records import Document

    Store = Callable[..., Document]

ENCODER = WordEncoder("legal", 768)
TOOLS = Tools(None, ENCODER, 768, NamesByList(Ada_Bell="person", Bert_Dole="person"))
WORDS = "lease rent pump valve clause notice harbour crane invoice freight".split()


@pytest.fixture
def library(library: Library) -> Library:
    library.encoders = FakeEncoders(ENCODER)  # type: ignore[assignment]
    return library


def text_of(seed: int) -> str:
    source = random.Random(seed)
    words = " ".join(source.choices(WORDS, k=60))
    return f"Ada Bell of number{seed} wrote to Bert Dole on 3 May 2024. {words}."


def put(collection: Collection, store_text: Store, *seeds: int) -> None:
    """Store a document for each number, in a separate session."""
    for seed in seeds:
        with write_session(collection.folder) as session:
            store_text(session, f"{seed}.txt", text_of(seed), tools=TOOLS)


def put_together(collection: Collection, store_text: Store, count: int) -> None:
    """Store documents in one session, and so in one fragment."""
    with write_session(collection.folder) as session:
        for seed in range(count):
            store_text(session, f"{seed}.txt", text_of(seed), tools=TOOLS)


def seen(collection: Collection) -> dict[str, Any]:
    """Return the state visible to a reader: rows, search results, the map."""
    chunks = sorted(
        (c.provenance.chunk_id, c.text, repr(c.provenance))
        for d in collection.documents()
        for c in collection.read.chunks(d.document_id)
    )
    searches = {
        (word, mode): [(r.provenance.chunk_id, round(r.score, 9), r.text) for r in results]
        for word in ("pump clause", "harbour")
        for mode in ("keyword", "hybrid")
        for results in [collection.search(word, mode=mode, limit=5)]
    }
    rows = collection.sql("SELECT name, page_count FROM documents ORDER BY name").to_pylist()
    people = [(e.name, e.mention_count) for e in collection.map.entities(kind="person")]
    return {"chunks": chunks, "searches": searches, "rows": rows, "people": people}


# --- effect ----------------------------------------------------------------------------------


def opened_anew(collection: Collection, library: Library) -> Collection:
    settings = library.settings
    return type(collection)(Workspace(collection.folder, settings, library.encoders))


@pytest.mark.slow
def test_it_merges_and_clears_and_says_so(library: Library, store_text: Store) -> None:
    collection = library.create("Case", profile="legal")
    put(collection, store_text, *range(8))
    collection.delete_document("1.txt")
    before = measure(collection.folder)
    report = collection.admin.upkeep(secure=True)
    after = measure(collection.folder)
    assert report is not None
    assert (report.collection, report.secure, report.cancelled) == ("Case", True, False)
    assert (report.fragments_before, report.fragments_after) == (before.fragments, 2)
    assert (report.versions_before, report.versions_after) == (before.versions, 2)
    assert (after.deleted_rows, after.fragments, after.versions) == (0, 2, 2)
    assert report.bytes_before - report.bytes_after == report.freed_bytes > 0
    assert report.as_dict()["freed_bytes"] == report.freed_bytes
    assert len(collection.documents()) == 7


def test_versions_that_somebody_may_read_stay_for_a_while(
    library: Library, store_text: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = library.create("Case", profile="legal")
    put_together(collection, store_text, 3)
    collection.delete_document("1.txt")
    assert needs_upkeep(collection.workspace)
    old = open_snapshot(collection.folder)
    collection.admin.upkeep()
    assert old.scan(["text"]).num_rows == 2
    assert not needs_upkeep(collection.workspace), "not again within the quarter of an hour"
    monkeypatch.setattr(upkeep, "KEEP_SECONDS", 0.0)
    monkeypatch.setattr("casetrack.keep.upkeep.KEEP_SECONDS", 0.0)
    assert needs_upkeep(collection.workspace), "the old versions are due now"
    collection.admin.upkeep()
    assert not needs_upkeep(collection.workspace)
    assert measure(collection.folder).versions == 2


def test_tagged_versions_are_kept_and_do_not_count_as_due(
    library: Library, store_text: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "KEEP_SECONDS", 0.0)
    monkeypatch.setattr("casetrack.keep.upkeep.KEEP_SECONDS", 0.0)
    collection = library.create("Case", profile="legal")
    put(collection, store_text, 1, 2)
    tagged = {}
    for name in (CHUNKS, DOCUMENTS):
        dataset = lance.dataset(collection.folder / name)
        dataset.tags.create("snapshot-a", dataset.version)
        tagged[name] = dataset.version
    collection.delete_document("1.txt")
    collection.admin.upkeep()
    for name, version in tagged.items():
        assert lance.dataset(collection.folder / name, version=version).count_rows() == 2
    assert not needs_upkeep(collection.workspace)


def test_it_leaves_a_collection_alone_while_another_program_writes(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = library.create("Case", profile="legal")
    monkeypatch.setattr("casetrack.keep.upkeep._LOCK_SECONDS", 0.1)
    with write_lock(collection.folder):
        assert collection.admin.upkeep() is None
        assert collection.admin.upkeep(secure=True) is None
        with pytest.raises(CollectionBusy):
            collection.admin.upkeep(wait=True)
        assert library.upkeep() == ()
    assert [r.collection for r in library.upkeep()] == ["Case"]


@pytest.mark.slow
def test_closed_collections_are_kept_as_well(library: Library, store_text: Store) -> None:
    collection = library.create("Case", profile="legal")
    put(collection, store_text, 1, 2)
    update_info(collection.folder, lambda info: replace(info, status="closed"))
    (report,) = library.upkeep(secure=True)
    assert report.versions_after == 2


def test_cancelled_it_stops_and_is_done_later(library: Library, store_text: Store) -> None:
    collection = library.create("Case", profile="legal")
    put_together(collection, store_text, 6)
    collection.delete_document("1.txt")
    stop = threading.Event()
    stop.set()
    report = collection.admin.upkeep(secure=True, cancel=stop)
    assert report is not None
    assert report.cancelled
    assert needs_upkeep(collection.workspace)
    assert collection.admin.upkeep(secure=True, cancel=threading.Event()) is not None
    assert measure(collection.folder).versions == 2


# --- readers ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_reader_whose_state_is_cleaned_away_takes_the_newest(
    library: Library, store_text: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = library.create("Case", profile="legal")
    put(collection, store_text, *range(3))
    held = collection.workspace.state().snapshot
    reader = opened_anew(collection, library)
    collection.delete_document("1.txt")
    collection.admin.upkeep(secure=True)
    with pytest.raises(CollectionDamaged):
        held.scan(["text"])
    # The state goes away just after the reader has chosen it.
    workspace = reader.workspace
    newest, gone, asked = workspace.state, State(workspace, held), list[State]()

    def first_the_old_one() -> State:
        asked.append(newest() if len(asked) % 2 else gone)
        return asked[-1]

    monkeypatch.setattr(workspace, "state", first_the_old_one)
    kept = next(d for d in held.documents.values() if d.name == "2.txt")
    assert [c.text for c in reader.read.chunks(kept.document_id)] == [text_of(2)]
    assert len(asked) == 2
    assert reader.sql("SELECT count(*) AS n FROM chunks").to_pylist() == [{"n": 2}]


@pytest.mark.slow
def test_readers_and_upkeep_side_by_side(library: Library, store_text: Store) -> None:
    collection = library.create("Case", profile="legal")
    put(collection, store_text, *range(3))
    expected = len(collection.search("Ada Bell", mode="keyword", limit=50))
    rounds, stop = list[int](), threading.Event()

    def read() -> None:
        reader = opened_anew(collection, library)
        while not stop.is_set():
            rounds.append(len(reader.search("Ada Bell", mode="keyword", limit=50)))
            reader.read.chunks("0.txt")

    with ThreadPoolExecutor(2) as threads:
        readers = [threads.submit(read) for _ in range(2)]
        for seed in (10, 11):
            put(collection, store_text, seed)
            collection.delete_document(f"{seed}.txt", secure=True)
        while len(rounds) < 4 and not any(reader.done() for reader in readers):
            stop.wait(0.01)
        stop.set()
        for reader in readers:
            reader.result()
    assert set(rounds) <= {expected, expected + 1}


# --- nothing changes -------------------------------------------------------------------------


@pytest.mark.slow
@settings(
    max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    steps=st.lists(
        st.sampled_from(["add", "change", "delete", "upkeep", "secure"]), min_size=3, max_size=5
    )
)
def test_upkeep_at_any_moment_changes_nothing_that_is_seen(
    library: Library, store_text: Store, steps: list[str]
) -> None:
    for info in library.collections(status="all"):
        library.delete(info.id)
    collection = library.create("Case", profile="legal")
    put(collection, store_text, 0, 1)
    live, made = [0, 1], 2
    for step in steps:
        if step == "add" or (step != "upkeep" and step != "secure" and len(live) < 2):
            put(collection, store_text, made)
            live.append(made)
            made += 1
        elif step == "delete":
            collection.delete_document(f"{live.pop(0)}.txt")
        elif step == "change":
            old = collection.document(f"{live[0]}.txt")
            same = {"document_id": old.document_id, "replaces": old.revision}
            with write_session(collection.folder) as session:
                store_text(session, old.name, text_of(made), tools=TOOLS, **same)
            made += 1
        else:
            before = seen(collection)
            assert collection.admin.upkeep(secure=step == "secure") is not None
            assert seen(opened_anew(collection, library)) == before
    # No text came from a file.
    assert {c.name for c in collection.admin.doctor().checks if not c.ok} == {"source files"}


QUICK = ("store.upkeep.merge", "store.index.segment_files.write_json", "keep.upkeep.mark_done")
STEPS = (
    *("store.upkeep.compact", "store.upkeep.remove_snapshots", "store.upkeep.clean_versions"),
    *("store.upkeep.clean", "keep.upkeep.remove_stray_copies", "store.index.segment.save"),
    *("store.index.segment_files.remove_old", "graph.stored_segments.remove_old"),
    "graph.stored_segments.save",
)
MOMENTS = [
    *(pytest.param(step, "after", id=f"after {step}") for step in QUICK),
    *(pytest.param(s, "after", marks=pytest.mark.slow, id=f"after {s}") for s in STEPS),
    *(pytest.param(s, "before", marks=pytest.mark.slow, id=f"before {s}") for s in QUICK + STEPS),
]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("step", "when"), MOMENTS)
def test_stopped_at_any_step_the_collection_is_whole(
    library: Library, store_text: Store, monkeypatch: pytest.MonkeyPatch, step: str, when: str
) -> None:
    collection = library.create("Case", profile="legal")
    put_together(collection, store_text, 3)
    collection.workspace.catch_up()
    collection.delete_document("1.txt")
    before = seen(collection)
    module, _, name = f"casetrack.{step}".rpartition(".")
    real, stopped = getattr(importlib.import_module(module), name), list[str]()

    def stop(*args: Any, **kwargs: Any) -> None:
        stopped.append(name)
        if when == "after":
            real(*args, **kwargs)
        raise OSError("the power is gone")

    with monkeypatch.context() as patch:
        patch.setattr(f"{module}.{name}", stop)
        with pytest.raises((OSError, StorageError), match="the power is gone"):
            collection.admin.upkeep(secure=True)
    assert stopped
    fresh = opened_anew(collection, library)
    assert seen(fresh) == before
    assert fresh.admin.upkeep(secure=True) is not None
    after = measure(collection.folder)
    assert (after.deleted_rows, after.versions) == (0, 2)
    assert seen(fresh) == before


# --- writing itself stays bounded ------------------------------------------------------------


def test_versions_and_fragments_stay_bounded_while_many_write(
    library: Library, store_text: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "MOST_VERSIONS", 6)
    monkeypatch.setattr(upkeep, "_SHORTER_SECONDS", (0.0, 0.0))
    monkeypatch.setattr(upkeep, "_CLEAN_EVERY", 4)
    monkeypatch.setattr(upkeep, "_FANOUT", 4)
    collection = library.create("Case", profile="legal")
    put(collection, store_text, *range(12))
    result = measure(collection.folder)
    assert result.versions < 24  # more than 36 were made
    assert result.fragments < 16  # of 24
    assert len(collection.search("Ada Bell", mode="keyword", limit=50)) == 12


class _Part:
    """The attributes of a fragment that merging reads."""

    def __init__(self, number: int, rows: int) -> None:
        self.id, self.physical_rows, self.num_deletions = number, rows, 0


def test_a_large_fragment_is_copied_when_much_of_it_is_deleted() -> None:
    part = _Part(0, 8192)
    part.num_deletions = 2048
    assert upkeep.due_fragments([part]) == set()
    part.num_deletions += 1
    assert upkeep.due_fragments([part]) == {0}
