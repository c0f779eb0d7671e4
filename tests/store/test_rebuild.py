"""Rows that a dataset lost come back from data files, passages and copies; the rest is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from casetrack.library import Library
from casetrack.store.datasets import CHUNKS, DOCUMENTS
from casetrack.store.heads import manifests
from casetrack.store.session import write_session

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.collection import Collection
    from casetrack.records import Document

NAMES = {"0.txt", "1.txt", "2.txt"}


@pytest.fixture
def collection(library: Library, store_text: Callable[..., Document]) -> Collection:
    """Return a collection of three documents, each of its own commit; a fourth was deleted."""
    found = library.create("Case")
    for number in range(4):
        with write_session(found.folder) as session:
            store_text(session, f"{number}.txt", f"Text number {number}.")
    found.admin.take_snapshot("all")
    found.delete_document("3.txt")
    return found


def fresh(collection: Collection) -> Collection:
    return Library(collection.workspace.settings).get(collection.info.id)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def unlink(path: Path) -> None:
    path.unlink()


def shown(collection: Collection) -> tuple[set[str], int]:
    found = fresh(collection)
    found.admin.snapshots(limit=0)
    names = {d.name for d in found.documents()}
    return names, len(found.search("number", mode="keyword"))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("damage", [cut, unlink])
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
        # Their files are gone, so the report names those of which only the passages are left.
        left = {name for name in NAMES if any(name in said for said in report.repairs)}
        assert left <= {name for name in NAMES if any(name in s for s in report.unmended)}
        assert not report.ok


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", [DOCUMENTS, CHUNKS])
@pytest.mark.parametrize("damage", [cut, unlink])
def test_a_lost_manifest_loses_no_document_and_brings_none_back(
    collection: Collection, name: str, damage: Callable[[Path], None]
) -> None:
    for _ in range(2):
        path = next(iter(manifests(collection.folder, name).values())).path
        assert path is not None
        damage(path)
        fresh(collection).admin.doctor(repair=True)
        assert shown(collection) == (NAMES, 3)


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
