"""Earlier states: named, kept for a while, brought back whole."""

from __future__ import annotations

import itertools
import json
import os
import tempfile
import threading
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import lance
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casetrack.api.library import Library
from casetrack.base import errors
from casetrack.base.config import load_settings
from casetrack.ingest.pipeline import Tools
from casetrack.store import datasets, reader_locks, snapshots
from casetrack.store.info import update_info
from casetrack.store.lock import write_lock
from casetrack.store.rewrite import swap
from casetrack.store.session import write_session
from fakes import WordEncoder
from tests.keep.transfer.conftest import with_copy

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.base.records import Document

    Store = Callable[..., Document]

TOOLS = Tools(encoder=WordEncoder("mini", token_width=None))


@pytest.fixture
def case(library: Library, store_text: Store) -> Collection:
    """A collection with the documents a, b and c."""
    collection = library.create("Case")
    with write_session(collection.folder) as session:
        for name in "abc":
            store_text(session, f"{name}.txt", f"Document {name} says this. " * 120, tools=TOOLS)
    return collection


def state(collection: Collection) -> dict[str, Any]:
    """Return all rows by document, without revisions and dependent columns."""
    snapshot = datasets.open_snapshot(collection.folder)
    by_name: dict[str, Any] = {}
    for document in snapshot.documents.values():
        names = [n for n in snapshot.chunks.schema.names if n not in {"revision", "checksum"}]
        rows = snapshot.scan(names, revisions=[document.revision]).to_pylist()
        row = document.as_row() | {"revision": None}
        by_name[document.document_id] = (row, sorted(rows, key=lambda r: r["chunk_index"]))
    return by_name


def names(collection: Collection) -> list[str]:
    return sorted(d.name for d in collection.documents())


def tags(collection: Collection) -> set[str]:
    return {
        tag
        for name in ("chunks.lance", "documents.lance")
        for tag in lance.dataset(collection.folder / name).tags.list()
    }


def clean_up(folder: Path) -> None:
    """Remove every version that no tag keeps."""
    for name in ("chunks.lance", "documents.lance"):
        lance.dataset(folder / name).cleanup_old_versions(
            timedelta(0), error_if_tagged_old_versions=False, delete_unverified=True
        )


def replace_text(collection: Collection, store_text: Store, name: str, text: str) -> None:
    old = collection.document(name)
    same = {"document_id": old.document_id, "replaces": old.revision}
    with write_session(collection.folder) as session:
        store_text(session, old.name, text, tools=TOOLS, **same)


@pytest.mark.slow
def test_a_named_snapshot_brings_everything_back_after_any_clean_up(
    case: Collection, store_text: Store
) -> None:
    before = state(case)
    taken = case.admin.take_snapshot("  Before Clean-up ")
    assert taken.name == "Before Clean-up"
    assert (taken.documents, taken.restorable, taken.current) == (3, True, True)
    case.delete_document("a.txt")
    replace_text(case, store_text, "b.txt", "Something else altogether. " * 90)
    with write_session(case.folder) as session:
        store_text(session, "d.txt", "A new one.", tools=TOOLS)
    clean_up(case.folder)
    changed = state(case)
    report = case.admin.restore("before clean-up")
    assert state(case) == before
    assert sorted(report.restored) == ["a.txt", "b.txt"]
    assert (report.removed, report.unchanged, report.cancelled) == (("d.txt",), 1, False)
    assert case.search("document", mode="keyword").results
    assert report.undo is not None
    clean_up(case.folder)
    case.admin.restore(report.undo)
    assert state(case) == changed


@pytest.mark.slow
def test_the_first_state_of_all_is_the_empty_one(case: Collection) -> None:
    first = case.admin.snapshots()[-1]
    assert (first.documents, first.restorable) == (0, True)
    report = case.admin.restore(first.number)
    assert (names(case), len(report.removed)) == ([], 3)
    case.admin.restore(str(report.undo))
    assert names(case) == ["a.txt", "b.txt", "c.txt"]
    result = case.admin.snapshots(limit=1)
    assert len([s for s in result if s.name is None]) == 1
    assert result[0].current


@pytest.mark.slow
def test_a_restore_with_nothing_to_do_does_nothing(case: Collection) -> None:
    case.admin.take_snapshot("now")
    version = datasets.open_snapshot(case.folder).version
    report = case.admin.restore("now")
    assert (report.undo, report.restored, report.removed, report.unchanged) == (None, (), (), 3)
    assert datasets.open_snapshot(case.folder).version == version
    assert [s.name for s in case.admin.snapshots() if s.name] == ["now"]


def test_a_stopped_restore_is_completed_by_the_next_one(case: Collection) -> None:
    before = state(case)
    case.admin.take_snapshot("all")
    for name in "abc":
        case.delete_document(f"{name}.txt")
    stop = threading.Event()

    def after_two(_what: str, done: int, _total: int) -> None:
        if done == 1:
            stop.set()

    report = case.admin.restore("all", progress=after_two, cancel=stop)
    assert (len(report.restored), report.cancelled) == (2, True)
    assert len(names(case)) == 2
    report = case.admin.restore("all")
    assert (report.unchanged, len(report.restored), report.cancelled) == (2, 1, False)
    assert state(case) == before


def test_names(case: Collection) -> None:
    for name in ("Größe", "grosse", "a b", "a-b", "con", "?", "../x", "A.B", "été " * 20):
        case.admin.take_snapshot(name)
    files = sorted((case.folder / "snapshots").iterdir())
    assert len(files) == len({f.name.casefold() for f in files}) == 9
    assert all(f.stem.split(".")[-1].isalnum() or "-" in f.stem for f in files)
    assert not {"con.json", "CON.json"} & {f.name for f in files}
    with pytest.raises(errors.SnapshotExists, match='"A B"'):
        case.admin.take_snapshot("A B")
    assert case.admin.remove_snapshot("GRÖSSE").name == "Größe"
    for name in ("", " ", "12", "x" * 101, "a\nb"):
        with pytest.raises(errors.UsageError):
            case.admin.take_snapshot(name)
    assert len([s for s in case.admin.snapshots(limit=0) if s.name]) == 8


def test_an_unknown_snapshot_is_told_with_those_that_are_known(
    case: Collection, messages: Callable[[str], None]
) -> None:
    case.admin.take_snapshot("first")
    with pytest.raises(errors.SnapshotNotFound) as caught:
        case.admin.restore("second")
    messages(str(caught.value))
    with pytest.raises(errors.SnapshotNotFound):
        case.admin.restore(4711)
    newest, unnamed = case.admin.snapshots()
    assert (newest.name, unnamed.name) == ("first", None)
    with pytest.raises(errors.SnapshotNotFound, match=str(unnamed.number)):
        case.admin.remove_snapshot(unnamed.number)
    assert not (case.folder / "journal").is_dir() or not list((case.folder / "journal").iterdir())


@pytest.mark.slow
def test_removing_a_snapshot_frees_what_it_held(case: Collection) -> None:
    case.admin.take_snapshot("all")
    case.delete_document("a.txt")
    clean_up(case.folder)
    held = len(list((case.folder / "chunks.lance" / "_versions").glob("*.manifest")))
    assert case.admin.remove_snapshot("all").documents == 3
    clean_up(case.folder)
    assert len(list((case.folder / "chunks.lance" / "_versions").glob("*.manifest"))) == held - 1
    assert tags(case) == set()
    assert [s.name for s in case.admin.snapshots()] == [None]


@pytest.mark.slow
def test_a_closed_collection_can_be_kept_but_not_brought_back(case: Collection) -> None:
    case.admin.take_snapshot("before")
    case.delete_document("a.txt")
    update_info(case.folder, lambda info: replace(info, status="closed"))
    case.admin.take_snapshot("after")
    with pytest.raises(errors.CollectionReadOnly):
        case.admin.restore("before")
    case.admin.remove_snapshot("after")
    assert names(case) == ["b.txt", "c.txt"]


def test_another_profile_than_now_is_refused_in_words(case: Collection) -> None:
    case.admin.take_snapshot("old models")
    batches = lance.dataset(case.folder / "chunks.lance").to_batches()
    swap(case.folder, batches, profile="legal", dimension=384)
    (actual,) = [s for s in case.admin.snapshots() if s.name]
    assert (actual.restorable, actual.profile) == (False, "mini")
    with pytest.raises(errors.SnapshotNotFound, match=r"mini .* legal") as caught:
        case.admin.restore("old models")
    assert "casetrack reindex --profile mini" in caught.value.hint


def test_passages_that_were_cleaned_away_are_not_promised(case: Collection) -> None:
    number = case.admin.snapshots()[0].number
    case.delete_document("a.txt")
    lance.dataset(case.folder / "chunks.lance").cleanup_old_versions(timedelta(0))
    (old,) = [s for s in case.admin.snapshots() if s.number == number]
    assert not old.restorable
    assert old.reason
    with pytest.raises(errors.SnapshotNotFound, match=str(number)):
        case.admin.restore(number)


def note_with_copy(case: Collection, store_text: Store) -> Path:
    """Store a document with a copy of its file; return the path of the copy."""
    with write_session(case.folder) as session:
        made = store_text(session, "n.txt", "A note on the harbour.", tools=TOOLS)
        session.finish(with_copy(case, made, b"A note on the harbour."))
    return case.folder / str(case.document("n.txt").original_copy)


def test_copies_outlive_a_restore_that_removes_their_document(
    case: Collection, store_text: Store
) -> None:
    case.admin.take_snapshot("empty of it")
    copy = note_with_copy(case, store_text)
    with_it = state(case)
    undo = case.admin.restore("empty of it").undo
    assert copy.is_file()
    assert case.admin.restore(str(undo)).lost_copies == ()
    assert state(case) == with_it
    case.delete_document("n.txt")
    case.admin.upkeep()
    assert copy.is_file(), "the snapshot still has the document"
    assert case.admin.restore(str(undo)).lost_copies == ()
    copy.unlink()
    case.delete_document("n.txt")
    report = case.admin.restore(str(undo))
    assert report.lost_copies == ("n.txt",)
    assert case.document("n.txt").original_copy is None


@pytest.mark.slow
def test_removing_the_last_snapshot_of_a_document_removes_its_copy(
    case: Collection, store_text: Store
) -> None:
    case.admin.take_snapshot("before it")
    copy = note_with_copy(case, store_text)
    undo = str(case.admin.restore("before it").undo)
    case.admin.remove_snapshot("before it")
    assert copy.is_file()
    case.admin.remove_snapshot(undo)
    assert not copy.exists()


# --- halves that a killed program leaves ------------------------------------------------------


def test_less_than_half_counts_for_nothing_and_is_swept(
    case: Collection, caplog: pytest.LogCaptureFixture
) -> None:
    case.admin.take_snapshot("whole")
    lance.dataset(case.folder / "documents.lance").tags.create("snapshot-one-tag", 1)
    note = {"name": "no-tags", "created_at": "2026-01-01T00:00:00Z"}
    (case.folder / "snapshots" / "no-tags.json").write_text(json.dumps(note))
    assert [s.name for s in case.admin.snapshots() if s.name] == ["whole"]
    case.admin.take_snapshot("other")
    assert {s.name for s in case.admin.snapshots() if s.name} == {"whole", "other"}
    assert tags(case) == {"snapshot-whole", "snapshot-other"}
    assert not (case.folder / "snapshots" / "no-tags.json").exists()
    assert len(caplog.records) == 2


@pytest.mark.sampled(1)
@pytest.mark.parametrize("content", [None, b"\0\0"], ids=["lost", "torn"])
def test_a_note_is_rebuilt_from_its_tags(
    case: Collection, caplog: pytest.LogCaptureFixture, content: bytes | None
) -> None:
    case.admin.take_snapshot("whole")
    case.admin.take_snapshot("Übergabe, 2nd")
    before, path = state(case), case.folder / "snapshots" / "whole.json"
    for note in path.parent.iterdir():
        note.unlink() if content is None else note.write_bytes(content)
    case.delete_document("a.txt")
    actual = {s.name for s in case.admin.snapshots() if s.name}
    assert "whole" in actual
    assert len(actual) == 2
    assert path.exists()
    assert ('"whole"' in caplog.text) is (content is None)
    case.admin.restore("whole")
    assert state(case) == before
    for name in actual:
        case.admin.remove_snapshot(name)
    assert tags(case) == {t for t in tags(case) if "before-restore" in t}


@pytest.mark.slow
def test_a_killed_removal_is_as_if_nobody_had_asked(
    case: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    case.admin.take_snapshot("whole")
    drop = snapshots.drop_tag

    def drop_and_die(folder: Path, tag: str) -> None:
        drop(folder, tag)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(snapshots, "drop_tag", drop_and_die)
        with pytest.raises(KeyboardInterrupt):
            case.admin.remove_snapshot("whole")
    case.delete_document("a.txt")
    case.admin.restore("whole")
    assert len(case.documents()) == 3


@pytest.mark.sampled(2)
@pytest.mark.parametrize("failing", ["first tag", "second tag", "note"])
def test_taking_fails_anywhere_and_leaves_no_snapshot(
    case: Collection, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    tag_manager = type(lance.dataset(case.folder / "chunks.lance").tags)
    create, calls = tag_manager.create, itertools.count(1)

    def failing_create(self: Any, *arguments: Any) -> None:
        if next(calls) == {"first tag": 1, "second tag": 2}.get(failing):
            no_room()
        create(self, *arguments)

    def no_room(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patch:
        patch.setattr(tag_manager, "create", failing_create)
        if failing == "note":
            patch.setattr("casetrack.store.snapshots.write_note", no_room)
        with pytest.raises((errors.CaseTrackError, OSError)):
            case.admin.take_snapshot("x")
    assert [s.name for s in case.admin.snapshots() if s.name] == []
    assert case.admin.take_snapshot("x").documents == 3


def test_a_hold_keeps_files_and_a_dead_one_is_removed(case: Collection) -> None:
    with reader_locks.locked_snapshot(case.folder) as held:
        case.delete_document("a.txt")
        case.delete_document("b.txt")
        clean_up(case.folder)
        with write_lock(case.folder):
            assert reader_locks.sweep_reader_locks(case.folder) == 0
        assert len(set(held.scan(["document_id"])["document_id"].to_pylist())) == 3
    assert tags(case) == set()
    ledger = lance.dataset(case.folder / "documents.lance")
    ledger.tags.create("reader-lock-feed", ledger.version)
    with write_lock(case.folder):
        assert reader_locks.sweep_reader_locks(case.folder) == 1
    assert tags(case) == set()
    assert list((case.folder / "reader-locks").iterdir()) == []


def test_a_hold_of_a_state_that_is_not_the_newest_is_tried_again(
    case: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = reader_locks.open_snapshot
    calls: list[int] = []

    def overtaken(folder: Path) -> Any:
        snapshot = newest(folder)
        calls.append(snapshot.version)
        if len(calls) == 1:
            case.delete_document("a.txt")
            clean_up(folder)
        elif len(calls) == 2:
            case.delete_document("b.txt")
        return snapshot

    monkeypatch.setattr(reader_locks, "open_snapshot", overtaken)
    with reader_locks.locked_snapshot(case.folder) as held:
        assert [d.name for d in held.documents.values()] == ["c.txt"]
        assert len(calls) == 3
        assert len(tags(case)) == 1
    assert tags(case) == set()


# --- any history ------------------------------------------------------------------------------

STEP = st.tuples(
    st.sampled_from(["add", "replace", "delete", "take", "restore", "clean", "compact"]),
    st.integers(0, 5),
)


@pytest.mark.slow
@settings(
    max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=st.lists(STEP, min_size=3, max_size=9))
def test_any_history_comes_back(store_text: Store, steps: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as home:
        collection = Library(load_settings(home)).create("H")
        kept: dict[str, dict[str, Any]] = {}
        for count, (what, number) in enumerate(steps):
            documents = sorted(collection.documents(), key=lambda d: d.document_id)
            chosen = documents[number % len(documents)].name if documents else None
            text = f"Step {count} of number {number}. " * (40 * number + 1)
            if what == "add":
                with write_session(collection.folder) as session:
                    store_text(session, f"{count}.txt", text, tools=TOOLS)
            elif what == "replace" and chosen:
                replace_text(collection, store_text, chosen, text)
            elif what == "delete" and chosen:
                collection.delete_document(chosen)
            elif what == "take":
                kept[f"s{count}"] = state(collection)
                collection.admin.take_snapshot(f"s{count}")
            elif what == "restore" and kept:
                collection.admin.restore(sorted(kept)[number % len(kept)])
            elif what == "clean":
                clean_up(collection.folder)
            elif what == "compact":
                lance.dataset(collection.folder / "chunks.lance").optimize.compact_files()
        for name, rows in kept.items():
            collection.admin.restore(name)
            assert state(collection) == rows
            _ = collection.workspace.state().index  # derived views follow
