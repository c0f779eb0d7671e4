"""The life of a collection: its names and notes, closing, archiving, deleting; many at once."""

from __future__ import annotations

import logging
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.api.library import Library
from casetrack.base.errors import (
    CollectionBusy,
    CollectionExists,
    CollectionGone,
    CollectionNotFound,
    CollectionReadOnly,
    UsageError,
)
from casetrack.store.info import update_info
from casetrack.store.lock import write_lock
from casetrack.store.rewrite import rewriting
from casetrack.store.session import sweep, write_session

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection

ROOT = Path(__file__).parents[1]


@pytest.fixture
def case(library: Library, tmp_path: Path, store_text: Callable[..., object]) -> Collection:
    """The collection "Case" with one document; a file of its name is there as well."""
    collection = library.create("Case", tags=["harbour"])
    text = "The ferry leaves at noon."
    (tmp_path / "ferry.txt").write_text(text, encoding="utf-8")
    with write_session(collection.folder) as session:
        store_text(session, "ferry.txt", text)
    return collection


# --- status ----------------------------------------------------------------------------------

TO = {"active": "reopen", "closed": "close", "archived": "archive"}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("wished", TO)
@pytest.mark.parametrize("before", TO)
def test_every_turn_of_the_status(library: Library, before: str, wished: str) -> None:
    wish = TO[wished]
    after = "archived" if (before, wished) == ("archived", "closed") else wished
    changed = after != before
    collection = library.create("Case")
    getattr(collection.admin, TO[before])()
    long_ago = datetime(2024, 3, 12, tzinfo=UTC)
    update_info(collection.folder, lambda info: replace(info, updated_at=long_ago))
    change = getattr(collection.admin, wish)()
    assert (change.before, change.info.status, change.changed) == (before, after, changed)
    assert collection.info == change.info
    assert (collection.info.updated_at > long_ago) == changed
    assert [i.status for i in Library(library.settings).collections()] == [after]


WRITERS: dict[str, Callable[[Collection, Path], Any]] = {
    "ingest": lambda c, folder: c.ingest([folder / "ferry.txt"], force=True),
    "delete": lambda c, _: c.delete_document("ferry.txt"),
    "reindex": lambda c, _: c.admin.reindex(),
    "rename": lambda c, _: c.admin.rename("Other"),
    "describe": lambda c, _: c.admin.describe(description="x"),
    "tag": lambda c, _: c.admin.tag(add=["x"]),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("writer", "wish"), [*((writer, "close") for writer in WRITERS), ("ingest", "archive")]
)
def test_a_closed_collection_takes_no_change(
    case: Collection, tmp_path: Path, writer: str, wish: str
) -> None:
    getattr(case.admin, wish)()
    before = case.info
    # Another process has the lock: a refused call does not wait for it.
    with write_lock(case.folder), pytest.raises(CollectionReadOnly) as caught:
        WRITERS[writer](case, tmp_path)
    assert "casetrack collection reopen 'Case'" in caught.value.hint
    assert case.info == before
    assert [d.name for d in case.documents()] == ["ferry.txt"]
    assert len(case.search("ferry", mode="keyword")) == 1
    case.admin.reopen()
    if wish == "close" and writer != "reindex":  # there is no model here
        WRITERS[writer](case, tmp_path)


def test_a_session_is_refused_under_the_lock(case: Collection) -> None:
    """The writer checked the status before the collection was closed, and got the lock after."""
    case.admin.close()
    with pytest.raises(CollectionReadOnly), write_session(case.folder):
        pytest.fail("it was let in")
    with write_session(case.folder, upkeep=True) as session:
        assert session.id


def test_views_of_a_closed_collection_are_rebuilt(case: Collection) -> None:
    case.admin.archive()
    shutil.rmtree(case.folder / "views", ignore_errors=True)
    again = Library(case.workspace.settings).get("Case")
    assert len(again.search("ferry", mode="keyword")) == 1
    assert (case.folder / "views").is_dir()


def test_closing_waits_for_a_writer(case: Collection) -> None:
    started, release = threading.Event(), threading.Event()

    def write() -> None:
        with write_lock(case.folder):
            started.set()
            release.wait(60)

    writer = threading.Thread(target=write)
    writer.start()
    started.wait(60)
    with pytest.raises(CollectionBusy) as caught:
        case.admin.close(timeout=0.1)
    assert "casetrack jobs list" in caught.value.hint
    assert case.info.status == "active"
    threading.Timer(0.2, release.set).start()
    assert case.admin.close(timeout=5).changed
    writer.join()


def test_a_reindex_at_work_keeps_it_open(case: Collection) -> None:
    with rewriting(case.folder), pytest.raises(CollectionBusy):
        case.admin.archive(timeout=0.1)
    assert case.admin.archive().changed


# --- names and notes -------------------------------------------------------------------------


def test_a_new_name_leaves_the_rest(case: Collection, library: Library) -> None:
    before = case.info
    info = case.admin.rename("  Harbour Case ")
    assert (info.id, info.name, info.created_at) == (before.id, "Harbour Case", before.created_at)
    assert case.folder.name == info.id
    assert library.get("harbour case").documents() == case.documents()
    with pytest.raises(CollectionNotFound):
        library.get("Case")
    assert (
        case.admin.rename("HARBOUR CASE").name == "HARBOUR CASE"
    )  # its own name, in other letters
    library.create("Case")
    with pytest.raises(CollectionExists):
        case.admin.rename("cASE")
    with pytest.raises(UsageError):
        case.admin.rename(" ")


def test_notes(case: Collection) -> None:
    info = case.admin.describe(
        description=" About boats ", reference="B-7", collection_type="Research"
    )
    assert (info.description, info.reference, info.type) == ("About boats", "B-7", "research")
    info = case.admin.describe(reference="")
    assert (info.description, info.reference, info.type) == ("About boats", None, "research")
    with pytest.raises(UsageError, match="novel"):
        case.admin.describe(collection_type="novel")
    long_ago = datetime(2024, 3, 12, tzinfo=UTC)
    update_info(case.folder, lambda info: replace(info, updated_at=long_ago))
    with pytest.raises(UsageError):
        case.admin.describe(description="About boats")
    assert case.info.updated_at == long_ago
    assert case.admin.describe(description="About ships").updated_at > long_ago


TAGGED = [
    ({"add": ["urgent", "Harbour"]}, ("harbour", "urgent")),
    ({"remove": ["HARBOUR"]}, ()),
    ({"only": ["b", "a", "B "]}, ("b", "a")),
    ({"only": ()}, ()),
    ({"only": ["x"], "add": ["y"]}, ("x", "y")),
    ({"remove": ["harbour"], "add": ["Harbour"]}, ("Harbour",)),
]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("options", "tags"), TAGGED)
def test_tags(case: Collection, options: dict[str, Any], tags: tuple[str, ...]) -> None:
    assert case.admin.tag(**options).tags == tags
    assert case.info.tags == tags


@pytest.mark.parametrize(
    "options", [{"remove": ["gone"]}, {"add": [" "]}, {"add": ["a\nb"]}, {"only": ["x" * 101]}]
)
def test_tags_that_do_not_fit(case: Collection, options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        case.admin.tag(**options)
    assert case.info.tags == ("harbour",)


def test_an_update_is_whole_or_not_at_all(case: Collection, library: Library) -> None:
    library.create("Taken")
    before = case.info
    for wrong in ({"remove_tags": ["gone"]}, {"collection_type": "novel"}, {"name": "taken"}):
        wishes: dict[str, Any] = {"name": "New", "description": "New"} | wrong
        with pytest.raises(UsageError):
            case.admin.update(**wishes)
        assert case.info == before


@pytest.mark.slow
def test_changes_at_the_same_moment_are_all_kept(case: Collection, tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"{number}.txt").write_text(f"Paper number {number}.", encoding="utf-8")

    def ingest() -> None:
        for number in range(2):
            case.ingest([tmp_path / f"{number}.txt"])

    with ThreadPoolExecutor(4) as pool:
        done = [pool.submit(ingest)]
        done += [pool.submit(case.admin.tag, add=[f"tag {n}"]) for n in range(8)]
        done += [
            pool.submit(case.admin.rename, "Renamed"),
            pool.submit(case.admin.describe, reference="R"),
        ]
        for each in done:
            each.result()
    info = case.info
    assert set(info.tags) == {"harbour", *(f"tag {n}" for n in range(8))}
    assert (info.name, info.reference) == ("Renamed", "R")
    assert len(case.documents()) == 3


# --- several at once -------------------------------------------------------------------------

RACE = """
import sys
from casetrack.base.errors import CollectionExists
from casetrack.api.library import Library
library = Library.open(sys.argv[1])
mine = library.get(sys.argv[3]) if len(sys.argv) > 3 else None
print("ready", flush=True)
sys.stdin.readline()
try:
    made = mine.admin.rename(sys.argv[2]) if mine else library.create(sys.argv[2])
    print("won")
except CollectionExists as error:
    print("lost")
"""


@pytest.mark.slow
def test_of_all_who_take_one_name_one_wins(library: Library) -> None:
    """Two rename a collection and two create one, each in its own process."""
    ids = [library.create(name).info.id for name in ("A", "B")]
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", RACE, str(library.settings.data_dir), *each],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        for each in (["New", ids[0]], ["new", ids[1]], ["NEW"], ["nEW"])
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    ended = sorted(process.communicate("\n", timeout=60)[0].strip() for process in processes)
    assert ended == ["lost", "lost", "lost", "won"]
    assert [i.name.casefold() for i in library.collections()].count("new") == 1


# --- deleting --------------------------------------------------------------------------------


def test_a_later_caller_gets_an_error(case: Collection, library: Library, tmp_path: Path) -> None:
    Library(library.settings).delete("Case")
    for act in (
        lambda: case.ingest([tmp_path / "ferry.txt"]),
        lambda: case.delete_document("ferry.txt"),
        lambda: case.admin.rename("Other"),
        case.admin.close,
        lambda: update_info(case.folder, lambda info: info),
        lambda: case.info,
    ):
        with pytest.raises(CollectionGone):
            act()
        assert not case.folder.exists()
    with pytest.raises(CollectionNotFound):
        library.get("Case")


def test_a_folder_that_only_its_lock_brought_back_is_removed(
    case: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at the folder and the lock in it, the folder goes away."""
    import filelock

    real, gone = filelock.FileLock.acquire, case.folder.with_name(".deleted-case")

    def acquire(self: Any, *arguments: Any, **options: Any) -> Any:
        if not gone.exists():
            case.folder.rename(gone)
        return real(self, *arguments, **options)

    monkeypatch.setattr(filelock.FileLock, "acquire", acquire)
    with pytest.raises(CollectionGone), write_lock(case.folder):
        pytest.fail("it was let in")
    assert not case.folder.exists()


def test_deleting_waits_for_nobody_forever(
    case: Collection, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    from casetrack.store import folders

    monkeypatch.setattr(folders, "_DELETE_SECONDS", 0.1)
    with write_lock(case.folder), pytest.raises(CollectionBusy):
        library.delete("Case")
    assert [d.name for d in case.documents()] == ["ferry.txt"]
    library.delete("Case")
    assert library.collections() == []


def test_views_that_a_search_brought_back_are_no_collection(
    case: Collection, library: Library
) -> None:
    """A search that began before the deletion writes its views after it."""
    library.delete("Case")
    (case.folder / "views" / "index").mkdir(parents=True)
    (case.folder / ".write.lock").touch()
    assert library.collections() == []
    assert library.damaged() == []
    with pytest.raises(CollectionGone), write_session(case.folder):
        pytest.fail("it was let in")
    library.create("Other")
    assert not case.folder.exists()


# --- completed work of other programs is reported --------------------------------------------


def test_what_a_killed_writer_left_is_told(
    case: Collection,
    store_text: Callable[..., object],
    caplog: pytest.LogCaptureFixture,
    messages: Callable[..., None],
) -> None:
    class Killed(BaseException):
        pass

    def write() -> None:
        with write_session(case.folder) as session:
            store_text(session, "half.txt", "Half a story.", "And its second page.")
            session._finished.clear()  # the process ends between the two commits
            session.commit()
            raise Killed

    with pytest.raises(Killed):
        write()
    with caplog.at_level(logging.WARNING, "casetrack.repairs"), write_lock(case.folder):
        assert sweep(case.folder) == 1
        assert sweep(case.folder) == 0
    (record,) = caplog.records
    messages(record.getMessage())
    assert [d.name for d in case.documents()] == ["ferry.txt"]


def test_a_writer_killed_before_it_wrote_needs_no_words(
    case: Collection, caplog: pytest.LogCaptureFixture
) -> None:
    (case.folder / "journal").mkdir(exist_ok=True)
    (case.folder / "journal" / "0123456789abcdef").touch()
    with caplog.at_level(logging.WARNING, "casetrack.repairs"), write_lock(case.folder):
        assert sweep(case.folder) == 1
    assert caplog.records == []
