"""The last written state is known: a lost state is reported, and tags are rebuilt."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from casetrack.api.library import Library
from casetrack.base.errors import CollectionDamaged
from casetrack.store import heads
from casetrack.store.datasets import CHUNKS, DOCUMENTS, open_snapshot
from casetrack.store.session import write_session

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.base.records import Document


@pytest.fixture
def collection(library: Library, store_text: Callable[..., Document]) -> Collection:
    """Return a collection of two documents, with a snapshot of the first alone."""
    result = library.create("Case")
    for number in range(2):
        with write_session(result.folder) as session:
            store_text(session, f"{number}.txt", f"Text number {number}.")
        if not number:
            result.admin.take_snapshot("one document")
    return result


def fresh(collection: Collection) -> Collection:
    return Library(collection.workspace.settings).get(collection.info.id)


def newest(collection: Collection, name: str) -> Path:
    path = next(iter(heads.manifests(collection.folder, name).values())).path
    assert path is not None
    return path


def zeros(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def unlink(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("name", [DOCUMENTS, CHUNKS])
@pytest.mark.parametrize("damage", [zeros, flip, unlink])
def test_a_newest_state_that_is_lost_is_reported_and_the_one_before_counts(
    collection: Collection, name: str, damage: Callable[[Path], None]
) -> None:
    damage(newest(collection, name))
    with pytest.raises(CollectionDamaged) as raised:
        open_snapshot(collection.folder)
    assert "casetrack doctor" in raised.value.hint
    assert not fresh(collection).admin.doctor().ok
    report = fresh(collection).admin.doctor(repair=True)
    assert report.repairs
    assert {d.name for d in fresh(collection).documents()} <= {"0.txt", "1.txt"}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", [DOCUMENTS, CHUNKS])
def test_nobody_writes_over_a_state_that_is_lost(collection: Collection, name: str) -> None:
    unlink(newest(collection, name))
    with pytest.raises(CollectionDamaged):
        fresh(collection).admin.upkeep()
    with pytest.raises(CollectionDamaged), write_session(collection.folder):
        pytest.fail("a session began")  # pragma: no cover
    report = fresh(collection).admin.doctor(repair=True)
    assert report.repairs
    assert fresh(collection).admin.upkeep() is not None


@pytest.mark.slow
def test_a_document_of_another_collection_is_not_taken_over(
    collection: Collection, library: Library, store_text: Callable[..., Document]
) -> None:
    other = library.create("Other")
    for number in range(2):
        with write_session(other.folder) as session:
            store_text(session, f"other {number}.txt", f"Other number {number}.")
    ours, theirs = (
        max((c.folder / DOCUMENTS / "data").iterdir(), key=lambda path: path.stat().st_mtime_ns)
        for c in (collection, other)
    )
    kept = ours.read_bytes()
    ours.write_bytes(theirs.read_bytes())
    theirs.write_bytes(kept)
    for damaged, name in ((collection, "other"), (other, "0.txt")):
        opened = fresh(damaged)
        assert not opened.admin.doctor().ok
        with pytest.raises(CollectionDamaged):
            opened.admin.upkeep()
        report = fresh(damaged).admin.doctor(repair=True)
        assert report.repairs
        result = fresh(damaged)
        # Its passages are all there, so the document is as well.
        assert len(result.documents()) == 2
        assert not any(document.name.startswith(name) for document in result.documents())
        assert len(result.search("number", mode="keyword")) == 2


@pytest.mark.slow
@pytest.mark.parametrize("content", ["", "{}", "null", '{"documents": 900, "digest": "x"}'])
def test_a_note_that_is_damaged_says_nothing(collection: Collection, content: str) -> None:
    (collection.folder / heads.FILE).write_text(content)
    assert len(open_snapshot(collection.folder).documents) == 2
    assert fresh(collection).admin.doctor(repair=True).repairs == ()
    assert heads.counted(collection.folder) is not None


def test_counts_are_those_of_the_newest_state_or_none(collection: Collection) -> None:
    noted = heads.counted(collection.folder)
    assert noted is not None
    assert (noted.rows, noted.passages) == (2, 2)
    opened = collection.stats()
    assert Library(collection.workspace.settings).stats(collection.info) == opened
    unlink(newest(collection, DOCUMENTS))
    assert heads.counted(collection.folder) is None


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", [DOCUMENTS, CHUNKS])
@pytest.mark.parametrize("damage", [zeros, unlink, lambda path: path.write_text('{"version": 1}')])
def test_the_tag_of_a_snapshot_is_rebuilt(
    collection: Collection, name: str, damage: Callable[[Path], None]
) -> None:
    (tag,) = (collection.folder / name / "_refs" / "tags").iterdir()
    whole = json.loads(tag.read_bytes())
    damage(tag)
    (state,) = fresh(collection).admin.snapshots(limit=0)
    assert (state.name, state.documents, state.restorable) == ("one document", 1, True)
    assert fresh(collection).admin.upkeep() is not None
    assert json.loads(tag.read_bytes())["version"] == whole["version"]
    fresh(collection).admin.restore("one document")
    assert [d.name for d in fresh(collection).documents()] == ["0.txt"]


@pytest.mark.slow
def test_a_snapshot_whose_state_is_lost_is_reported(collection: Collection) -> None:
    (tag,) = (collection.folder / DOCUMENTS / "_refs" / "tags").iterdir()
    heads.manifests(collection.folder, DOCUMENTS)[json.loads(tag.read_bytes())["version"]].remove()
    (state,) = fresh(collection).admin.snapshots(limit=0)
    assert (state.name, state.restorable) == ("one document", False)
    assert state.reason
    assert fresh(collection).admin.remove_snapshot("one document").name == "one document"
    assert not fresh(collection).admin.snapshots(limit=0)


def test_the_facts_of_two_collections_that_were_swapped(library: Library) -> None:
    folders = [library.create(name).folder for name in ("Case", "Other")]
    files = [folder / "collection.json" for folder in folders]
    one, other = (path.read_bytes() for path in files)
    files[0].write_bytes(other)
    files[1].write_bytes(one)
    result = Library(library.settings).collections()
    assert {i.id: i.name for i in result} == {folders[0].name: "Case", folders[1].name: "Other"}


def test_a_damaged_collection_hides_no_other(library: Library, collection: Collection) -> None:
    library.create("Other")
    for path in (collection.folder / CHUNKS / "_versions").iterdir():
        path.write_bytes(b"nothing")
    opened = Library(library.settings)
    assert {i.name for i in opened.collections()} == {"Case", "Other"}
    assert opened.stats(library.get("Other").info).document_count == 0
    assert [r.collection for r in opened.upkeep()] == ["Other"]
    names = {c.name for c in opened.doctor(repair=True).checks if not c.ok}
    assert "Case: source files" in names
    assert not [name for name in names if name.startswith("Other")]
