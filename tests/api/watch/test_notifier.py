"""The manager with real news of a real folder: every way in which files change."""

from __future__ import annotations

import errno
import logging
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from casetrack.api.watch.changes import OsNotifier, filesystem_of
from casetrack.api.watch.manager import WatchManager
from casetrack.api.watch.statuses import Statuses
from casetrack.api.watch.watch_list import WatchList
from watching import Report

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator, Sequence

    from casetrack.api.library import Library
    from casetrack.base.records.sync import Watch

    Until = Callable[..., None]


class Notes:
    """A sync that records the paths to compare, relative to the folder."""

    def __init__(self) -> None:
        self.calls: list[set[str] | None] = []

    def __call__(
        self, watch: Watch, only: Sequence[Path] | None, cancel: threading.Event, /
    ) -> Report:
        folder = Path(watch.folder)
        names = None if only is None else {p.relative_to(folder).as_posix() for p in only}
        self.calls.append(names)
        return Report()

    def parts(self) -> set[str]:
        """Return all single paths so far, and forget the calls."""
        calls, self.calls = self.calls, []
        assert None not in calls
        return set().union(*(c for c in calls if c))


@pytest.fixture
def notes() -> Notes:
    return Notes()


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make real time pass faster without a change of batches."""
    monkeypatch.setattr("casetrack.api.watch.changes.DEBOUNCE_SECONDS", 0.6)
    monkeypatch.setattr("casetrack.api.watch.watched_folder.FOLDER_SECONDS", 0.2)
    for name in ("STEP_SECONDS", "WORKING_SECONDS", "LIST_SECONDS"):
        monkeypatch.setattr(f"casetrack.api.watch.manager.{name}", 0.1)


@pytest.fixture
def watched(
    library: Library, place: Path, notes: Notes, until: Until
) -> Iterator[tuple[Path, WatchManager]]:
    """A folder with some files that a running manager watches."""
    collection = library.create("Acme")
    for name in ("letter.docx", "sub/old.txt", "sub/deep/older.txt"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text("first")
    WatchList(library.settings.data_dir).add(collection.info.id, place)
    manager = WatchManager(library, sync=notes)
    manager.start()
    until(lambda: notes.calls)
    assert notes.calls == [None]
    notes.calls.clear()
    yield place, manager
    manager.stop()


def test_files_that_change_in_every_way(
    watched: tuple[Path, WatchManager], notes: Notes, until: Until, tmp_path: Path
) -> None:
    place, _ = watched
    # A new file, one that is changed, one that goes, one in a new folder.
    (place / "new.txt").write_text("new")
    (place / "sub" / "old.txt").write_text("second")
    (place / "sub" / "deep" / "older.txt").unlink()
    (place / "fresh").mkdir()
    (place / "fresh" / "inside.txt").write_text("inside")
    until(lambda: notes.calls)
    assert notes.parts() == {"new.txt", "sub/old.txt", "sub/deep/older.txt", "fresh"}

    # An office program: a lock file, and a new file under another name that takes the old place.
    (place / "~$letter.docx").write_text("lock")
    (place / "~WRD0001.tmp").write_text("second")
    (place / "letter.docx").rename(place / "~WRL0002.tmp")
    (place / "~WRD0001.tmp").rename(place / "letter.docx")
    (place / "~WRL0002.tmp").unlink()
    (place / "~$letter.docx").unlink()
    until(lambda: notes.calls)
    assert notes.calls == [{"letter.docx"}]
    notes.calls.clear()

    # An editor that deletes and rewrites; a download that gets its name at the end.
    (place / "new.txt").unlink()
    (place / "new.txt").write_text("second")
    (place / "film.pdf.part").write_bytes(b"1")
    (place / "film.pdf.part").rename(place / "film.pdf")
    until(lambda: notes.calls)
    assert notes.calls == [{"new.txt", "film.pdf"}]
    notes.calls.clear()

    # Folders that move about, come in and go out.
    outside = tmp_path / "outside"
    shutil.copytree(place / "sub", outside)
    (place / "sub").rename(place / "moved")
    outside.rename(place / "came")
    (place / "fresh").rename(tmp_path / "went")
    until(lambda: notes.calls)
    assert {"sub", "moved", "came", "fresh"} <= notes.parts()

    # The content of a moved folder is still followed.
    (place / "moved" / "old.txt").write_text("third")
    until(lambda: notes.calls)
    assert notes.calls == [{"moved/old.txt"}]


def test_a_folder_that_goes_and_comes_back(
    watched: tuple[Path, WatchManager], notes: Notes, until: Until, library: Library
) -> None:
    place, _ = watched
    (watch,) = WatchList(library.settings.data_dir).watches()
    statuses = Statuses(library.settings.data_dir)
    shutil.rmtree(place)
    until(lambda: statuses.of(watch).health == "folder_missing")
    calls = len(notes.calls)
    place.mkdir()
    (place / "back.txt").write_text("back")
    until(lambda: None in notes.calls[calls:])
    until(lambda: statuses.of(watch).health == "watching")
    notes.calls.clear()
    (place / "more.txt").write_text("more")
    until(lambda: notes.calls)
    assert notes.calls == [{"more.txt"}]


def test_the_same_folder_for_two_collections(
    watched: tuple[Path, WatchManager], notes: Notes, until: Until, library: Library
) -> None:
    place, _ = watched
    watch_list = WatchList(library.settings.data_dir)
    other, _ = watch_list.add(library.create("Other").info.id, place)
    until(lambda: notes.calls == [None])
    (place / "new.txt").write_text("new")
    until(lambda: notes.calls == [None, {"new.txt"}, {"new.txt"}])
    watch_list.remove({other.id})
    until(lambda: not Statuses(watch_list.data_dir).lock_path(other.id).exists())
    notes.calls.clear()
    (place / "newer.txt").write_text("newer")
    until(lambda: notes.calls)
    assert notes.calls == [{"newer.txt"}]


@pytest.mark.parametrize(
    ("number", "words"),
    [(errno.ENOSPC, "max_user_watches"), (errno.EMFILE, "max_user_instances"), (errno.EIO, "")],
)
def test_where_the_system_refuses_news_it_is_reported(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    notifier = OsNotifier(tmp_path / "probe")
    received: list[str] = []
    assert notifier.follow("a", str(place), lambda p, _: received.append(p), recursive=True) == ""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(type(notifier._observer), "schedule", refuse)
    note = notifier.follow("b", str(place), lambda _p, _f: None, recursive=True)
    assert words in note
    assert not notifier.alive("b")
    assert notifier.alive("a")
    notifier.stop()
    assert not notifier.alive("a")


def test_lost_news_are_noticed(place: Path, tmp_path: Path) -> None:
    notifier = OsNotifier(tmp_path / "probe")
    notifier.follow("a", str(place), lambda _p, _f: None, recursive=True)
    assert not notifier.lost()
    logging.getLogger("watchdog.observers.inotify_c").warning("Inotify queue overflowed; lost")
    assert notifier.lost()
    assert not notifier.lost()
    notifier.stop()


def test_the_file_system_of_a_folder(place: Path) -> None:
    assert filesystem_of(str(place)) not in {"", "nfs4"}


def test_a_network_drive_is_reported(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("casetrack.api.watch.changes.filesystem_of", lambda _: "cifs")
    notifier = OsNotifier(tmp_path / "probe")
    note = notifier.follow("a", str(place), lambda _p, _f: None, recursive=True)
    assert "network drive (cifs)" in note
    assert notifier.alive("a")  # notifications count nevertheless
    notifier.stop()
