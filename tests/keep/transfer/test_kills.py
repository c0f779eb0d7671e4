"""Killed at any instant, nothing half done is visible, and the next run goes on."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import casetrack
from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.store import datasets
from tests.keep.transfer.conftest import fill

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection

ROOT = Path(casetrack.__file__).parents[1]
WORK = """
import itertools, sys
from casetrack.api.library import Library
home, what, out = sys.argv[1:]
library = Library.open(home)
case = library.get("Case")
case.admin.export(out, overwrite=True)
print("ready", flush=True)
for number in itertools.count():
    if what == "export":
        case.admin.export(out, overwrite=True)
    elif what == "import":
        library.import_archive(out, name=f"copy {number}")
    elif what == "take":
        case.admin.take_snapshot(f"number {number}")
        if number % 2:
            case.admin.remove_snapshot(f"number {number - 1}")
    else:
        case.admin.restore("three" if number % 2 else "one")
"""


def rows(collection: Collection) -> dict[str, list[dict[str, Any]]]:
    """Return the chunks by the name of their document, each document whole."""
    snapshot = datasets.open_snapshot(collection.folder)
    by_name = {}
    for document in snapshot.documents.values():
        table = snapshot.scan(["chunk_index", "text"], revisions=[document.revision])
        assert table.num_rows == document.chunk_count, document.name
        by_name[document.name] = sorted(table.to_pylist(), key=lambda r: r["chunk_index"])
    return by_name


def killed(home: Path, what: str, out: Path, seconds: float) -> None:
    """Let a process repeat *what*, and kill it."""
    arguments = [sys.executable, "-c", WORK, str(home), what, str(out)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, cwd=ROOT, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(seconds)
        assert process.poll() is None
        process.kill()


def check_export(library: Library, out: Path, whole: dict[str, Any]) -> None:
    # The file is the old or the new one; the next export removes half-written files.
    copy = library.get(library.import_archive(out).collection_id)
    assert rows(copy) == whole
    library.delete(copy.info.id)
    library.get("Case").admin.export(out, overwrite=True)
    assert [p.name for p in out.parent.iterdir() if p.name.startswith(".casetrack")] == []


def check_import(library: Library, out: Path, whole: dict[str, Any]) -> None:
    del out
    for info in library.collections():
        if info.name != "Case":
            assert rows(library.get(info.id)) == whole
            library.delete(info.id)
    assert library.damaged() == []


def check_take(library: Library, out: Path, whole: dict[str, Any]) -> None:
    del out
    case = library.get("Case")
    assert rows(case) == whole
    before = [s for s in case.admin.snapshots() if s.name]
    assert all(s.restorable for s in before)
    for snapshot in before:
        if snapshot.name not in {"one", "three"}:
            case.admin.remove_snapshot(str(snapshot.name))
    case.admin.take_snapshot("again")
    case.admin.remove_snapshot("again")
    files = {p.stem for p in (case.folder / "snapshots").iterdir() if p.suffix == ".json"}
    for name in ("documents.lance", "chunks.lance"):
        kept = datasets.open_dataset(case.folder, name).tags.list()
        assert {t for t in kept if t.startswith("snapshot-")} == {f"snapshot-{f}" for f in files}


def check_restore(library: Library, out: Path, whole: dict[str, Any]) -> None:
    del out
    case = library.get("Case")
    result = rows(case)
    assert result.items() <= whole.items() or all(result[n] == whole[n] for n in result)
    case.admin.restore("one")
    assert rows(case) == {"a.txt": whole["a.txt"]}
    case.admin.restore("three")
    assert rows(case) == whole
    for snapshot in case.admin.snapshots():
        if snapshot.name and snapshot.name.startswith("before-restore"):
            case.admin.remove_snapshot(snapshot.name)


CHECKS: dict[str, Callable[[Library, Path, dict[str, Any]], None]] = {
    "export": check_export,
    "import": check_import,
    "take": check_take,
    "restore": check_restore,
}


@pytest.fixture
def world(tmp_path: Path) -> tuple[Path, Library, dict[str, Any]]:
    """A data folder whose collection has three documents, and a snapshot with one of them."""
    library = Library(load_settings(tmp_path / "home"))
    case = library.create("Case")
    fill(case)
    whole = rows(case)
    case.admin.take_snapshot("three")
    for name in ("b.txt", "copied.txt"):
        case.delete_document(name)
    case.admin.take_snapshot("one")
    case.admin.restore("three")
    for snapshot in case.admin.snapshots():
        if snapshot.name and snapshot.name.startswith("before-restore"):
            case.admin.remove_snapshot(snapshot.name)
    return tmp_path / "home", library, whole


def run(
    world: tuple[Path, Library, dict[str, Any]], what: str, times: int, seed: int, out: Path
) -> None:
    home, library, whole = world
    dice = random.Random(seed)
    for number in range(times):
        killed(home, what, out, dice.uniform(0.0, 0.4))
        CHECKS[what](library, out, whole)
        assert library.get("Case").name == "Case", number


@pytest.mark.slow
def test_killed_once(world: tuple[Path, Library, dict[str, Any]], tmp_path: Path) -> None:
    run(world, "import", 1, 3, tmp_path / "out" / "case.ctcollection")


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("what", CHECKS)
def test_killed_again_and_again(
    world: tuple[Path, Library, dict[str, Any]], what: str, tmp_path: Path
) -> None:
    run(world, what, 8, 11, tmp_path / "out" / "case.ctcollection")
