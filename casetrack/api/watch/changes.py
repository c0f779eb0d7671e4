"""Changes that were heard and not yet taken in: batched, and only when the files are still."""

from __future__ import annotations

import os
import stat
import threading
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

DEBOUNCE_SECONDS = 2.0
"""A path must be left alone for so long, and a file look the same at both ends of that time."""
BATCH_SECONDS = 30.0
"""A folder that is never quiet is synced so often, with those of its files that are."""
PATIENCE_SECONDS = 600.0
"""A file that is never quiet, such as a log, is taken as it is so often."""
MOST_PATHS = 500
"""Beyond it the whole folder is compared, which costs less than many single paths."""

FileState = tuple[int, int]
"""Size and modification time (ns); see :func:`file_state`."""
_GONE: FileState = (-1, -1)
_FOLDER: FileState = (-2, -2)


@dataclass(frozen=True, slots=True)
class Batch:
    """Changed paths that are ready.

    Attributes
    ----------
    paths
        Sorted; a folder stands for all below it. ``None``: the whole folder.
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
    """Return size and modification time of a file; fixed values where it is gone or a folder."""
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return _GONE
    if stat.S_ISDIR(found.st_mode):
        return _FOLDER
    return found.st_size, found.st_mtime_ns


class Changes:
    """Touched paths of one watched folder. Threads may touch while another takes.

    Times are seconds of a monotonic clock. Memory is bounded by :data:`MOST_PATHS` paths.

    Parameters
    ----------
    state_of
        Returns the state of a file; see :func:`file_state`.
    """

    def __init__(self, state_of: Callable[[str], FileState] = file_state, /) -> None:
        self._state_of = state_of
        self._lock = threading.Lock()
        self._touched: dict[str, _Touched] = {}
        self._whole: _Touched | None = None

    def __len__(self) -> int:
        """Return how many paths wait; 0 also while the whole folder does."""
        return len(self._touched)

    @property
    def whole(self) -> bool:
        """Whether there were too many paths to keep them apart."""
        return self._whole is not None

    @property
    def waiting(self) -> bool:
        """Whether anything waits."""
        return self._whole is not None or bool(self._touched)

    def touch(self, path: str, now: float, /) -> None:
        """Note that something happened at *path*."""
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
        """Drop what a comparison of the whole folder, which begins now, finds anyway.

        Files that may still be written stay, so that their end is not missed.
        """
        with self._lock:
            self._whole = None
            for path in [p for p, t in self._touched.items() if now - t.last >= DEBOUNCE_SECONDS]:
                del self._touched[path]

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._whole = None
            self._touched.clear()

    def settle(self, now: float, /) -> None:
        """Look at the files that were left alone for a while; call it every second or so."""
        with self._lock:
            for path, touched in self._touched.items():
                if not touched.stable:
                    self._settle(path, touched, now)

    def take(self, now: float, /) -> Batch | None:
        """Return what is ready and forget it, or ``None`` where nothing is."""
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
        else:  # it grows although nothing was heard of it, as on network drives
            touched.state, touched.seen_at, touched.last = state, now, now

    def _take_whole(self, whole: _Touched, now: float) -> Batch | None:
        if now - whole.last < DEBOUNCE_SECONDS and now - whole.first < BATCH_SECONDS:
            return None
        self._whole = None
        return Batch(None)


def _parts(path: str) -> list[str]:
    # Each path before all that lies below it, and that before its neighbours.
    return list(PurePath(path).parts)


def _outermost(paths: Iterable[str]) -> tuple[str, ...]:
    """Return *paths* sorted, without those that lie below another one."""
    kept: list[str] = []
    for path in sorted(paths, key=_parts):
        if not kept or not path.startswith(kept[-1] + os.sep):
            kept.append(path)
    return tuple(kept)
