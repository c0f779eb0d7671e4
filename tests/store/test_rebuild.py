"""Rows that a dataset lost come back from data files, passages and copies; the rest is named."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from casetrack.api.library import Library
from casetrack.store.datasets import CHUNKS, DOCUMENTS, open_dataset
from casetrack.store.heads import manifests
from casetrack.store.session import write_session
from casetrack.store.untaken import LOST
from casetrack.store.upkeep import compact
from stub_source import StubSource

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection
    from casetrack.base.records import Document

NAMES = {"0.txt", "1.txt", "2.txt"}


@pytest.fixture
def collection(library: Library, store_text: Callable[..., Document]) -> Collection:
    """Return a collection of three documents in separate commits; a fourth was deleted."""
    result = library.create("Case")
    for number in range(4):
        with write_session(result.folder) as session:
            store_text(session, f"{number}.txt", f"Text number {number}.")
    result.admin.take_snapshot("all")
    result.delete_document("3.txt")
    return result


def fresh(collection: Collection) -> Collection:
    return Library(collection.workspace.settings).get(collection.info.id)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def shown(collection: Collection) -> tuple[set[str], int]:
    result = fresh(collection)
    result.admin.snapshots(limit=0)
    names = {d.name for d in result.documents()}
    return names, len(result.search("number", mode="keyword"))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("damage", [cut, Path.unlink])
def test_no_document_is_lost_with_a_file_of_the_list(
    collection: Collection, damage: Callable[[Path], None]
) -> None:
    home = collection.folder / DOCUMENTS / "data"
    for path in sorted(home.iterdir()):
        if not path.exists():
            continue  # merged with others by a repair
        damage(path)
        report = fresh(collection).admin.doctor(repair=True)
        assert shown(collection) == (NAMES, 3), path.name
        # Their files are missing, so the report names those with passages only.
        left = {name for name in NAMES if any(name in messages for messages in report.repairs)}
        assert left <= {name for name in NAMES if any(name in s for s in report.unmended)}
        assert not report.ok


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", [DOCUMENTS, CHUNKS])
@pytest.mark.parametrize("damage", [cut, Path.unlink])
def test_a_lost_manifest_loses_no_document_and_brings_none_back(
    collection: Collection, name: str, damage: Callable[[Path], None]
) -> None:
    for _ in range(2):
        path = next(iter(manifests(collection.folder, name).values())).path
        assert path is not None
        damage(path)
        fresh(collection).admin.doctor(repair=True)
        assert shown(collection) == (NAMES, 3)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("lost", [(DOCUMENTS,), (CHUNKS,), (DOCUMENTS, CHUNKS)])
@pytest.mark.parametrize("damage", [cut, Path.unlink])
def test_all_manifests_of_a_dataset_are_lost_at_once(
    collection: Collection, lost: tuple[str, ...], damage: Callable[[Path], None]
) -> None:
    for name in lost:
        for file in manifests(collection.folder, name).values():
            assert file.path is not None
            damage(file.path)
    fresh(collection).admin.doctor(repair=True)
    names, hits = shown(collection)
    # Without both lists a deletion leaves no trace.
    assert NAMES <= names <= NAMES | ({"3.txt"} if len(lost) == 2 else set())
    assert hits == len(names)


@pytest.mark.parametrize("has_copy", [True, False])
def test_a_rebuilt_entry_of_a_fetched_document_names_the_sync_that_completes_it(
    library: Library, has_copy: bool
) -> None:
    result, stub = library.create("Case"), StubSource({"docs/a.md": "Text number 1."})
    stub.facts["docs/a.md"] = {"url": "https://example.org/a", "metadata": {"stars": 3}}
    result.sync_source(stub)
    (before,) = result.documents()
    lost = [*(result.folder / DOCUMENTS / "data").iterdir()]
    for path in lost if has_copy else [*lost, result.folder / str(before.original_copy)]:
        path.unlink()
    report = fresh(result).admin.doctor(repair=True)
    (document,) = fresh(result).documents()
    assert (document.source, document.source_id) == ("git:stub", "docs/a.md")
    assert document.source_url is None
    assert any("git:stub" in line for line in report.repairs)
    assert bool(report.unmended) != has_copy
    fresh(result).sync_source(stub)
    (after,) = fresh(result).documents()
    assert (after.source_url, after.metadata) == (before.source_url, before.metadata)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("part", ["data", "_versions"])
def test_passages_and_a_part_of_the_list_are_lost_together(
    collection: Collection, part: str, tmp_path: Path
) -> None:
    """The documents without passages are named; those that are in no list are counted."""
    home, whole = collection.folder, tmp_path / "whole"
    (file,) = open_dataset(home, CHUNKS).get_fragments()[0].data_files()
    shutil.copytree(home, whole)
    for path in (home / DOCUMENTS / part).glob("*.*a*"):
        shutil.copytree(whole, home, dirs_exist_ok=True)
        (home / CHUNKS / "data" / file.path).unlink()
        path.unlink()
        report = fresh(collection).admin.doctor(repair=True)
        names = {document.name for document in fresh(collection).documents()}
        codes = [entry.code for entry in fresh(collection).workspace.state().untaken()]
        unmended = {name for name in names if f"{name}:" in str(report.unmended)}
        assert (names <= NAMES, len(names - unmended)) == (True, 2), path.name
        assert (names >= NAMES) == (codes != [LOST]), path.name
        shutil.rmtree(home)
        home.mkdir()


def test_documents_that_a_repair_did_not_find_are_reported_until_they_are_there(
    collection: Collection, store_text: Callable[..., Document], tmp_path: Path
) -> None:
    before = set(collection.folder.rglob("*.lance/*/*"))
    with write_session(collection.folder) as session:
        store_text(session, "more.txt", "More.")
        store_text(session, "last.txt", "Added last.")
    for path in set(collection.folder.rglob("*.lance/*/*")) - before:
        path.unlink()
    checks = fresh(collection).admin.doctor(repair=True).checks
    assert "files to read" in [check.name for check in checks if not check.ok]
    assert [f.code for f in fresh(collection).workspace.state().untaken()] == [LOST]
    assert not fresh(collection).admin.index_status().ok
    fresh(collection).delete_document("0.txt")
    for name, left in (("more.txt", [LOST]), ("last.txt", [])):
        (tmp_path / name).write_text(name)
        fresh(collection).ingest([tmp_path / name])
        codes = [f.code for f in fresh(collection).workspace.state().untaken()]
        assert codes == left, name


@pytest.mark.slow
def test_a_document_added_last_comes_back_with_its_passages(
    collection: Collection, store_text: Callable[..., Document]
) -> None:
    for name in (CHUNKS, DOCUMENTS):
        with write_session(collection.folder) as session:
            store_text(session, f"{name}.txt", f"Added number {name}.")
        path = next(iter(manifests(collection.folder, name).values())).path
        assert path is not None
        path.unlink()
        fresh(collection).admin.doctor(repair=True)
        assert f"{name}.txt" in shown(collection)[0]
    assert shown(collection)[1] == 5


def test_a_snapshot_whose_files_are_damaged_is_reported(collection: Collection) -> None:
    def snapshots() -> bool:
        (check,) = [c for c in fresh(collection).admin.doctor().checks if c.name == "snapshots"]
        return check.ok

    assert snapshots()
    for path in sorted((collection.folder / CHUNKS / "data").iterdir()):
        whole = path.read_bytes()
        cut(path)
        fresh(collection).admin.doctor()
        assert len(fresh(collection).admin.snapshots(limit=0)) == 1
        path.write_bytes(whole)
    damaged = []
    for path in sorted((collection.folder / DOCUMENTS / "data").iterdir()):
        whole = path.read_bytes()
        path.write_bytes(b"")
        damaged.append(fresh(collection).admin.doctor().ok)
        path.write_bytes(whole)
    assert not any(damaged)


def test_a_damaged_data_file_loses_no_document_that_a_snapshot_holds(
    collection: Collection, store_text: Callable[..., Document]
) -> None:
    with write_session(collection.folder) as session:
        store_text(session, "a.txt", "Text number 4.")
        store_text(session, "b.txt", "Text number 5.")
    collection.admin.take_snapshot("more")
    collection.delete_document("b.txt")
    home = collection.folder / CHUNKS / "data"
    before = set(home.iterdir())
    compact(collection.folder)
    (path,) = set(home.iterdir()) - before
    cut(path)
    report = fresh(collection).admin.doctor(repair=True)
    assert (report.unmended, shown(collection)) == ((), ({*NAMES, "a.txt"}, 4))
