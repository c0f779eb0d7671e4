"""Changes of files, collected in batches once the files no longer change."""

from __future__ import annotations

import errno
import logging
import os
import stat
import threading
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from casetrack.base.dataclass import dataclass
from casetrack.base.files import private_folder

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent, FileSystemEventHandler
    from watchdog.observers.api import BaseObserver, ObservedWatch

# The two clocks of watching; tests replace them.


class Clock:
    """Wall clock and monotonic clock.

    Attributes
    ----------
    wall
        Returns seconds since 1970 (UTC); it continues in the machine's sleep, and can jump.
    monotonic
        Returns seconds that never go back, from an arbitrary zero.
    """

    wall = staticmethod(time.time)
    monotonic = staticmethod(time.monotonic)


def moment(wall: float, /) -> datetime:
    """Return a wall clock's seconds as a moment in UTC, to the millisecond."""
    return datetime.fromtimestamp(round(wall, 3), UTC)


DEBOUNCE_SECONDS = 2.0
"""Seconds without changes of a path, with an equal file state at both ends."""
BATCH_SECONDS = 30.0
"""Seconds between syncs of a folder with constant changes; only its unchanged files are read."""
PATIENCE_SECONDS = 600.0
"""Seconds between reads of a file with constant changes, such as a log."""
MOST_PATHS = 500
"""Above this number the whole folder is compared, which costs less than many single paths."""

FileState = tuple[int, int]
"""Size and modification time (ns); see :func:`file_state`."""
_GONE: FileState = (-1, -1)
_FOLDER: FileState = (-2, -2)


@dataclass(frozen=True, slots=True)
class Batch:
    """Changed paths that are ready, sorted; ``None`` is the whole folder.

    A folder includes all paths below it.
    """

    paths: tuple[str, ...] | None


@dataclass(slots=True)
class _Touched:
    first: float
    last: float
    state: FileState | None = None
    seen_at: float = 0.0
    stable: bool = False


def file_state(path: str, /) -> FileState:
    """Return size and modification time of a file; fixed values for a folder or a missing file."""
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return _GONE
    if stat.S_ISDIR(status.st_mode):
        return _FOLDER
    return status.st_size, status.st_mtime_ns


class Changes:
    """Changed paths of one watched folder, for several threads.

    Times are seconds of a monotonic clock. Memory is limited to :data:`MOST_PATHS` paths.
    *state_of* returns the state of a file, see :func:`file_state`.
    """

    def __init__(self, state_of: Callable[[str], FileState] = file_state, /) -> None:
        self._state_of = state_of
        self._lock = threading.Lock()
        self._touched: dict[str, _Touched] = {}
        self._whole: _Touched | None = None

    def __len__(self) -> int:
        """Return the number of waiting paths; 0 also while the whole folder waits."""
        return len(self._touched)

    @property
    def whole(self) -> bool:
        """Whether there were too many paths to store them separately."""
        return self._whole is not None

    @property
    def waiting(self) -> bool:
        """Whether anything waits."""
        return self._whole is not None or bool(self._touched)

    def touch(self, path: str, now: float, /) -> None:
        """Record a change at *path*."""
        with self._lock:
            if self._whole is not None:
                self._whole.last = now
                return
            known = self._touched.get(path)
            if known is not None:
                known.last, known.state, known.stable = now, None, False
            elif len(self._touched) < MOST_PATHS:
                self._touched[path] = _Touched(now, now)
            else:
                first = min(t.first for t in self._touched.values())
                self._touched.clear()
                self._whole = _Touched(first, now)

    def whole_begins(self, now: float, /) -> None:
        """Drop the changes that a comparison of the whole folder, which begins now, finds anyway.

        Files that may still be written stay, so that the end of the writing is not missed.
        """
        with self._lock:
            self._whole = None
            for path in [p for p, t in self._touched.items() if now - t.last >= DEBOUNCE_SECONDS]:
                del self._touched[path]

    def clear(self) -> None:
        """Remove all changes."""
        with self._lock:
            self._whole = None
            self._touched.clear()

    def settle(self, now: float, /) -> None:
        """Check the files that have not changed for a while; call it every second or so."""
        with self._lock:
            for path, touched in self._touched.items():
                if not touched.stable:
                    self._settle(path, touched, now)

    def take(self, now: float, /) -> Batch | None:
        """Return and remove the changes that are ready, or return ``None``."""
        with self._lock:
            if self._whole is not None:
                return self._take_whole(self._whole, now)
            stable = [p for p, t in self._touched.items() if t.stable]
            if not stable:
                return None
            since = min(self._touched[path].first for path in stable)
            if len(stable) < len(self._touched) and now - since < BATCH_SECONDS:
                return None
            for path in stable:
                del self._touched[path]
            return Batch(_outermost(stable))

    def _settle(self, path: str, touched: _Touched, now: float) -> None:
        if now - touched.first >= PATIENCE_SECONDS:
            touched.stable = True
            return
        if touched.state is None:
            touched.state, touched.seen_at = self._state_of(path), now
            return
        if now - touched.seen_at < DEBOUNCE_SECONDS:
            return
        state = self._state_of(path)
        if state == touched.state:
            touched.stable = True
        else:  # it grows without notifications, as on network drives
            touched.state, touched.seen_at, touched.last = state, now, now

    def _take_whole(self, whole: _Touched, now: float) -> Batch | None:
        if now - whole.last < DEBOUNCE_SECONDS and now - whole.first < BATCH_SECONDS:
            return None
        self._whole = None
        return Batch(None)


def _parts(path: str) -> list[str]:
    # Each path before all paths below it, and those before its neighbours.
    return list(PurePath(path).parts)


def _outermost(paths: Iterable[str]) -> tuple[str, ...]:
    """Return *paths* sorted, without those below another one."""
    kept: list[str] = []
    for path in sorted(paths, key=_parts):
        if not kept or not path.startswith(kept[-1] + os.sep):
            kept.append(path)
    return tuple(kept)


# Notifications of changed files from the operating system, as far as it has any.

logger = logging.getLogger("casetrack.watch")

Heard = Callable[[str, bool], None]
"""Called from another thread with the path that changed, and whether it is a folder."""

_NETWORK = frozenset(
    "nfs nfs4 cifs smb smb2 smb3 smbfs afpfs webdav davfs fuse.sshfs sshfs fuse.rclone 9p drvfs "
    "vboxsf prl_fs vmhgfs fuse.vmhgfs-fuse ceph glusterfs fuse.glusterfs lustre afs ncpfs".split()
)
_OVERFLOW = "overflowed"


class _Losses(logging.Handler):
    """Detects an overflow of the system's queue, which ``watchdog`` reports only in its log."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.any = False

    def emit(self, record: logging.LogRecord) -> None:
        """Record an overflow."""
        if _OVERFLOW in record.getMessage():
            self.any = True


class OsNotifier:
    """The operating system's notifications, by ``watchdog``, which is loaded at first use.

    *probe* is a folder outside of all watched ones. If it cannot be followed after a large folder,
    the system's limit was reached.
    """

    def __init__(self, probe: Path, /) -> None:
        self._probe = probe
        self._observer: BaseObserver | None = None
        self._followed: dict[str, tuple[ObservedWatch, FileSystemEventHandler]] = {}
        self._losses = _Losses()

    def follow(self, key: str, folder: str, on_change: Heard, /, *, recursive: bool) -> str:
        """Call *on_change* for each change below *folder*, under the name *key*.

        Return why some or all changes are not reported, as a clause; empty if all are.
        """
        self.forget(key)
        try:
            observer = self._running()
            handler = _handler(on_change)
            observed = observer.schedule(
                handler, folder, recursive=recursive, event_filter=_event_types()
            )
            self._followed[key] = (observed, handler)
            self._try_probe(observer)
        except OSError as error:
            self.forget(key)
            return _refusal(error)
        return _network_note(folder)

    def forget(self, key: str, /) -> None:
        """Stop following a folder."""
        pair = self._followed.pop(key, None)
        if pair is None or self._observer is None:
            return
        observed, handler = pair
        if any(other == observed for other, _ in self._followed.values()):
            self._observer.remove_handler_for_watch(handler, observed)
        else:
            self._observer.unschedule(observed)

    def alive(self, key: str, /) -> bool:
        """Return whether the thread for a folder's notifications runs."""
        pair = self._followed.get(key)
        if pair is None or self._observer is None or not self._observer.is_alive():
            return False
        return any(e.watch == pair[0] and e.is_alive() for e in tuple(self._observer.emitters))

    def lost(self) -> bool:
        """Return whether the system's queue overflowed since the last call."""
        lost, self._losses.any = self._losses.any, False
        return lost

    def stop(self) -> None:
        """End all threads."""
        logging.getLogger("watchdog").removeHandler(self._losses)
        observer, self._observer = self._observer, None
        self._followed.clear()
        if observer is not None:
            observer.stop()
            observer.join(5.0)

    def _running(self) -> BaseObserver:
        if self._observer is None or not self._observer.is_alive():
            from watchdog.observers import Observer

            logging.getLogger("watchdog").addHandler(self._losses)
            self._followed.clear()
            self._observer = Observer()
            self._observer.daemon = True
            self._observer.start()
        return self._observer

    def _try_probe(self, observer: BaseObserver) -> None:
        # If the limit is reached inside a folder, watchdog silently skips the rest of it.
        private_folder(self._probe)
        observer.unschedule(observer.schedule(_handler(lambda _path, _folder: None), self._probe))


def _event_types() -> list[type[FileSystemEvent]]:
    from watchdog import events

    return [
        events.FileCreatedEvent,
        events.FileModifiedEvent,
        events.FileClosedEvent,
        events.FileDeletedEvent,
        events.FileMovedEvent,
        events.DirCreatedEvent,
        events.DirDeletedEvent,
        events.DirMovedEvent,
    ]


def _handler(on_change: Heard) -> FileSystemEventHandler:
    from watchdog.events import FileSystemEventHandler

    class Handler(FileSystemEventHandler):
        def on_any_event(self, event: FileSystemEvent) -> None:
            for path in (event.src_path, getattr(event, "dest_path", "")):
                if path:
                    on_change(os.fsdecode(path), event.is_directory)

    return Handler()


def _refusal(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return (
            "the system's limit of watched folders is reached (raise fs.inotify.max_user_watches), "
            "so the folder is compared regularly instead"
        )
    if error.errno == errno.EMFILE:
        return (
            "the system's limit of watching programs is reached (raise "
            "fs.inotify.max_user_instances), so the folder is compared regularly instead"
        )
    reason = error.strerror or str(error)
    return f"the system reports no changes here ({reason}), so it is compared regularly"


def _network_note(folder: str) -> str:
    kind = filesystem_of(folder)
    if kind not in _NETWORK:
        return ""
    return (
        f"the folder is on a network drive ({kind}), where the system does not report all "
        "changes, so it is also compared regularly"
    )


def filesystem_of(folder: str, /) -> str:
    """Return the type of a folder's file system, such as ``ext4`` or ``nfs4``; empty if unknown."""
    import psutil

    best, kind = -1, ""
    for partition in psutil.disk_partitions(all=True):
        mount = os.path.join(partition.mountpoint, "")  # noqa: PTH118 - keeps the ending slash
        if os.path.join(folder, "").startswith(mount) and len(mount) > best:  # noqa: PTH118
            remote = "remote" in partition.opts.split(",")
            best, kind = len(mount), "smb" if remote else partition.fstype.lower()
    return kind
