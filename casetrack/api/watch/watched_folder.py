"""One watched folder: collects its changes, decides when it is synced, writes its status."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from collections.abc import Callable, Iterable
from datetime import datetime, tzinfo
from pathlib import PurePath

from casetrack.api.watch.changes import Changes, Clock, FileState, OsNotifier, file_state, moment
from casetrack.api.watch.statuses import Statuses, counts_of
from casetrack.api.watch.watch_list import next_full
from casetrack.base.dataclass import dataclass, field, replace
from casetrack.base.errors import CaseTrackError, StorageError
from casetrack.base.records.sync import Health, SyncReport, Watch, WatchStatus
from casetrack.store.lock import try_lock

# Files whose changes are ignored: locks, unfinished downloads, files of editors and systems.

_ENDINGS = (*".part .partial .crdownload .download .opdownload .tmp .temp .swp .swx ~".split(),)
_NAMES = frozenset({"thumbs.db", "desktop.ini", "4913"})
"""``4913`` is the file that vim creates to test whether it can write into a folder."""


def is_noise(name: str, /) -> bool:
    """Return whether a file or folder of this name is never part of a collection.

    These are hidden files of Unix, lock files of office programs (``~$``), unfinished downloads,
    and working copies of editors, which are renamed at the end.
    """
    folded = name.casefold()
    return folded.startswith((".", "~$")) or folded.endswith(_ENDINGS) or folded in _NAMES


class Filter:
    """Selects the paths below a watched folder that can belong to its collection.

    *recursive* includes subfolders; *extensions* (``.pdf``) selects files, ``None`` takes all.
    *outside* is the data folder, which is excluded because its files change with every sync.
    """

    def __init__(
        self,
        folder: str,
        /,
        *,
        recursive: bool = True,
        extensions: Iterable[str] | None = None,
        outside: str | None = None,
    ) -> None:
        self._prefix = os.path.join(folder, "")  # noqa: PTH118 - hot
        self._recursive = recursive
        self._extensions = None if extensions is None else frozenset(extensions)
        self._outside = None if outside is None else os.path.join(outside, "")  # noqa: PTH118

    def wants(self, path: str, is_folder: bool, /) -> bool:
        """Return whether a change at *path* may change the collection."""
        if not path.startswith(self._prefix):
            return False
        if self._outside is not None and (path + os.sep).startswith(self._outside):
            return False
        parts = PurePath(path[len(self._prefix) :]).parts
        if not self._recursive and (len(parts) > 1 or is_folder):
            return False
        if any(is_noise(part) for part in parts):
            return False
        if is_folder or self._extensions is None:
            return True
        return PurePath(parts[-1]).suffix.lower() in self._extensions


logger = logging.getLogger("casetrack.watch")

TAKEOVER_SECONDS = 3.0
"""Seconds between attempts to watch a folder that another program watches."""
FOLDER_SECONDS = 5.0
"""Seconds between checks that the folder exists and is the same."""
REFOLLOW_SECONDS = 600.0
"""Seconds between attempts to get notifications after the system refused them."""
RETRY_SECONDS = (10.0, 1800.0)
"""The pause after the first failure, which doubles with each further one, and the longest pause."""
CANCELLED_SECONDS = 30.0
SET_BACK_SECONDS = 120.0
CHANGED_MEANWHILE = "changed_meanwhile"
"""The code of files that a sync skipped because they changed meanwhile."""
_POLL_SECONDS = (60.0, 3600.0)
_POLL_SHARE = 200.0
"""Comparing a folder can take at most a two-hundredth of the time."""
_PENDING_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class SyncTask:
    """A sync to do now.

    *paths* are the changes, ``None`` for the whole folder; *began_wall* and *began* are its start
    on both clocks; setting *cancel* stops it.
    """

    watch: Watch
    paths: tuple[str, ...] | None
    began_wall: float
    began: float
    cancel: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True)
class WatchContext:
    """Shared values of all watched folders of a manager.

    *owner* is this program's name; *outside* is the data folder, whose changes are ignored; *zone*
    is the time zone of daily times, ``None`` for the machine's.
    """

    statuses: Statuses
    clock: Clock
    notifier: OsNotifier
    owner: str
    outside: str
    zone: tzinfo | None = None
    state_of: Callable[[str], FileState] = file_state


class WatchedFolder:
    """Keeps one folder in sync. One thread calls :meth:`step`; others report changes to it."""

    def __init__(self, watch: Watch, context: WatchContext, /) -> None:
        self.watch = watch
        self.resting = False
        self._context = context
        self._changes = Changes(context.state_of)
        self._lock: contextlib.ExitStack | None = None
        self._task: SyncTask | None = None
        self._whole_now = False
        self._failures = 0
        self._identity: tuple[int, int] | None = None
        self._note = ""
        self._try_at = self._folder_at = self._follow_at = self._retry_at = 0.0
        self._poll_at = self._retry_wall = 0.0
        self._status = self._written = WatchStatus()
        self._written_at = 0.0

    # --- the manager's side ---------------------------------------------------------------

    @property
    def owned(self) -> bool:
        """Whether this program watches the folder."""
        return self._lock is not None

    @property
    def has_work(self) -> bool:
        """Whether waiting work needs a check soon."""
        return self.owned and (self._changes.waiting or self._task is not None)

    @property
    def size(self) -> int:
        """Number of remembered paths."""
        return len(self._changes)

    def step(self, *, busy: bool) -> None:
        """Do the due work except syncs; *busy* is true while another folder is synced."""
        if not self.watch.enabled or self.watch.schedule == "manual":
            if self.owned:
                self.release()
            return
        now = self._context.clock.monotonic()
        if not self.owned and not self._take_over(now):
            return
        self._check_folder(now)
        self._changes.settle(now)
        self._write_status(now, busy=busy)

    def next_task(self) -> SyncTask | None:
        """Return the sync to do now and mark it as begun, or return ``None``."""
        context = self._context
        now, wall = context.clock.monotonic(), context.clock.wall()
        idle = self.owned and self._task is None and not self.resting
        if not idle or self._identity is None or now < self._retry_at:
            return None
        due = self._due(wall)
        polled = bool(self._note) and now >= self._poll_at
        if self._whole_now or polled or (due is not None and due <= wall):
            self._changes.whole_begins(now)
            self._task = SyncTask(self.watch, None, wall, now)
        else:
            batch = self._changes.take(now)
            if batch is not None:
                self._task = SyncTask(self.watch, batch.paths, wall, now)
        if self._task is not None:
            self._whole_now = False
            self._write_status(now, busy=False)
        return self._task

    def finished(self, task: SyncTask, outcome: SyncReport | Exception, /) -> None:
        """Record the end of a task, and plan the next steps."""
        now, wall = self._context.clock.monotonic(), self._context.clock.wall()
        self._task = None
        if task.paths is None:
            lowest, highest = _POLL_SECONDS
            self._poll_at = now + min(max((now - task.began) * _POLL_SHARE, lowest), highest)
        if isinstance(outcome, Exception):
            self._fail(outcome, now)
        elif outcome.cancelled:
            self._whole_now = True
            self._retry_at = now + CANCELLED_SECONDS
        else:
            for change in getattr(outcome, "changes", ()):
                if change.code == CHANGED_MEANWHILE:
                    self._changes.touch(change.path, now)
            self._failures = 0
            self._status = replace(
                self._status,
                last_sync_at=moment(wall),
                last_full_at=(
                    moment(task.began_wall) if task.paths is None else self._status.last_full_at
                ),
                counts=counts_of(outcome),
                last_error="",
                next_step="",
            )
        if self.owned:
            self._write_status(now, busy=False)

    def change(self, watch: Watch, /) -> None:
        """Continue with other options for the same folder."""
        before, self.watch = self.watch, watch
        same_work = replace(
            before, schedule=watch.schedule, daily_time=watch.daily_time, enabled=watch.enabled
        )
        if same_work == watch:
            return
        # Other files may have to be added or ignored now.
        self._identity, self._folder_at = None, 0.0
        self.compare()
        self.cancel()

    def compare(self) -> None:
        """Compare the whole folder as soon as possible."""
        self._whole_now = True
        self._retry_at = 0.0

    def cancel(self) -> None:
        """Stop a running sync at the next file."""
        if self._task is not None:
            self._task.cancel.set()

    def release(self) -> None:
        """Release the folder to other programs."""
        self.cancel()
        self._context.notifier.forget(self.watch.id)
        self._identity = None
        self._changes.clear()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    # --- parts of a step ------------------------------------------------------------------

    def _take_over(self, now: float) -> bool:
        """Try to become the only program that watches this folder."""
        if now < self._try_at:
            return False
        self._try_at = now + TAKEOVER_SECONDS
        stack = contextlib.ExitStack()
        path = self._context.statuses.lock_path(self.watch.id)
        if not stack.enter_context(try_lock(path)):
            stack.close()
            return False
        self._lock = stack
        stored = self._context.statuses.stored(self.watch.id)
        self._status = replace(stored, owner=self._context.owner, note="")
        self._identity, self._folder_at, self._failures = None, 0.0, 0
        self.compare()  # changes before the start of watching are unknown
        return True

    def _check_folder(self, now: float) -> None:
        """Follow the folder; again if it was replaced, or its notifications ended."""
        if now < self._folder_at:
            return
        self._folder_at = now + FOLDER_SECONDS
        identity = _identity(self.watch.folder)
        notifier, key = self._context.notifier, self.watch.id
        if identity is None:
            if self._identity is not None:
                notifier.forget(key)
                self._changes.clear()
            self._identity = None
            return
        same = identity == self._identity
        if same and (notifier.alive(key) or (self._note and now < self._follow_at)):
            return
        if not (same and self._note):
            self.compare()
        self._identity = identity
        self._follow(now)

    def _follow(self, now: float) -> None:
        # If the watched folder is a link, notifications contain its target.
        real = os.path.realpath(self.watch.folder)
        wanted = Filter(
            self.watch.folder,
            recursive=self.watch.recursive,
            extensions=self.watch.file_extensions,
            outside=self._context.outside,
        )
        changes, clock, folder = self._changes, self._context.clock, self.watch.folder

        def on_change(path: str, is_folder: bool) -> None:
            shown = folder + path[len(real) :] if path.startswith(real) else path
            if wanted.wants(shown, is_folder):
                changes.touch(shown, clock.monotonic())

        self._note = self._context.notifier.follow(
            self.watch.id, real, on_change, recursive=self.watch.recursive
        )
        self._follow_at = now + REFOLLOW_SECONDS

    def _fail(self, error: Exception, now: float) -> None:
        first, longest = RETRY_SECONDS
        pause = min(first * 2.0 ** min(self._failures, 20), longest)
        self._retry_at, self._retry_wall = now + pause, self._context.clock.wall() + pause
        self._failures += 1
        self._whole_now = True  # single paths are irrelevant for a full comparison
        if isinstance(error, CaseTrackError):
            message, hint = error.message, error.hint
        else:
            logger.error("Syncing %s failed", self.watch.folder, exc_info=error)
            message = f"{type(error).__name__}: {error}"
            hint = "This is a bug in CaseTrack; see the log of the watching program."
        self._status = replace(self._status, last_error=message, next_step=hint)

    def _due(self, wall: float) -> float | None:
        if self._status.last_full_at is None:
            return wall
        last = self._status.last_full_at.timestamp()
        if last > wall + SET_BACK_SECONDS:  # a clock that was set back must not cause a delay
            return wall
        return next_full(self.watch, last, zone=self._context.zone)

    def _write_status(self, now: float, *, busy: bool) -> None:
        status = replace(
            self._status,
            health=self._health(busy=busy),
            owner=self._context.owner,
            pending=-1 if self._changes.whole else len(self._changes),
            next_sync_at=self._next(),
            note=self._note,
        )
        same = replace(status, pending=self._written.pending) == self._written
        if status == self._written or (same and now - self._written_at < _PENDING_SECONDS):
            return
        try:
            self._context.statuses.write(self.watch.id, status)
        except StorageError as error:
            # A full disk must not stop the watching; the next step tries again.
            logger.info("The status of %s cannot be written: %s", self.watch.folder, error.message)
            return
        self._written, self._written_at = status, now

    def _next(self) -> datetime | None:
        if self._failures and not self.resting:
            return moment(self._retry_wall)
        if self.resting or self._status.last_full_at is None:
            return None
        due = self._due(self._context.clock.wall())
        return None if due is None else moment(due)

    def _health(self, *, busy: bool) -> Health:
        if self.resting:
            return "resting"
        if self._task is not None:
            return "syncing"
        if self._identity is None:
            return "folder_missing"
        if self._failures:
            return "error"
        if self._whole_now:
            return "queued" if busy else "syncing"
        if self._changes.waiting:
            return "queued" if busy else "settling"
        return "watching" if self._context.notifier.alive(self.watch.id) else "scheduled"


def _identity(folder: str) -> tuple[int, int] | None:
    """Return a value that identifies a folder at its path; ``None`` if it does not exist."""
    try:
        status = os.stat(folder)  # noqa: PTH116 - a str, asked for every few seconds
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if os.path.isdir(folder) else None  # noqa: PTH112
