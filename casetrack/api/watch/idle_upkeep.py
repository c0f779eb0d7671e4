"""Upkeep of collections without recent writes."""

from __future__ import annotations

import logging
import subprocess
import sys
from typing import TYPE_CHECKING

from casetrack.base.dataclass import dataclass
from casetrack.base.errors import CaseTrackError
from casetrack.store.folders import commit_stamp
from casetrack.store.place import is_remote_folder

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.library import Library
    from casetrack.api.watch.changes import Clock

    Upkeep = Callable[[Library, str, threading.Event], bool]

logger = logging.getLogger("casetrack.watch")

LOOK_SECONDS = 15.0
IDLE_SECONDS = 60.0
"""Seconds without writes after which a collection counts as idle."""
REST_SECONDS = 600.0
"""Minimum seconds between two upkeeps of a collection."""
SECOND_SECONDS = 960.0
"""Seconds between two checks: readers may use replaced data for a quarter of an hour."""
_CHECKS = 2
_POLL_SECONDS = 0.2
_DATASETS = ("documents.lance", "chunks.lance")


@dataclass(slots=True)
class _Seen:
    stamp: tuple[int, ...]
    changed_at: float | None = None
    rests_until: float = 0.0
    checks: int = 0


class IdleUpkeep:
    """Finds idle collections with changes, and runs their upkeep.

    A check costs a few calls to the file system and loads nothing. A collection with earlier states
    in its files at the start of this program counts as changed at that moment: the program that
    wrote it may have ended before their removal was allowed.
    """

    def __init__(self, library: Library, clock: Clock, /, *, upkeep: Upkeep | None = None) -> None:
        self._library = library
        self._upkeep = upkeep or run_upkeep
        self._clock = clock
        self._look_at = 0.0
        self._seen: dict[str, _Seen] | None = None

    def due(self) -> str | None:
        """Return the id of a collection whose upkeep is due, if there is one."""
        now = self._clock.monotonic()
        if self._seen is None or now >= self._look_at:
            self._look(now)
        for collection_id, seen in (self._seen or {}).items():
            idle = seen.changed_at is not None and now - seen.changed_at >= IDLE_SECONDS
            if idle and seen.checks and now >= seen.rests_until:
                return collection_id
        return None

    def run(self, collection_id: str, cancel: threading.Event, /) -> None:
        """Run the upkeep of a collection if it needs one; *cancel* keeps finished work.

        Errors are logged, and the upkeep is repeated later.
        """
        seen = (self._seen or {}).get(collection_id)
        if seen is None:
            return
        now = self._clock.monotonic()
        seen.rests_until = now + REST_SECONDS
        try:
            done = self._upkeep(self._library, collection_id, cancel)
        except CaseTrackError as error:
            logger.info("No upkeep of the collection %s: %s", collection_id, error.message)
            return
        if done:
            seen.checks -= 1
            seen.rests_until = now + SECOND_SECONDS
            seen.stamp = commit_stamp(self._library.settings.collections_dir / collection_id)

    def _look(self, now: float) -> None:
        self._look_at = now + LOOK_SECONDS
        first = self._seen is None
        known = self._seen or {}
        current: dict[str, _Seen] = {}
        for folder in _folders(self._library.settings.collections_dir):
            if is_remote_folder(folder):
                continue  # several computers can share it, and each would do the same
            stamp = commit_stamp(folder)
            seen = known.get(folder.name)
            if seen is None:
                seen = _Seen(stamp) if first else _Seen(stamp, now, checks=_CHECKS)
                if first and _has_earlier_states(folder):
                    seen.changed_at, seen.checks = now, 1
            elif seen.stamp != stamp:
                seen.stamp, seen.changed_at, seen.checks = stamp, now, _CHECKS
            current[folder.name] = seen
        self._seen = current


def run_upkeep(library: Library, collection_id: str, cancel: threading.Event, /) -> bool:
    """Run a collection's upkeep if it needs one; return false if it is written to or cancelled.

    In a program that has not loaded Lance, a child process does it, so that an idle server stays
    small. Raises ``CaseTrackError`` if the upkeep failed.
    """
    if "lance" in sys.modules:
        from casetrack.keep.upkeep import needs_upkeep

        collection = library.get(collection_id)
        return (
            not needs_upkeep(collection.workspace)
            or collection.admin.upkeep(cancel=cancel) is not None
        )
    command = ["upkeep", "--if-needed", "-c", collection_id]
    child = subprocess.Popen(
        [sys.executable, "-m", "casetrack", "--data-dir", library.settings.data_dir, *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )
    try:
        while not cancel.wait(_POLL_SECONDS):
            if child.poll() is not None:
                break
    finally:
        child.terminate()
        _, problem = child.communicate()
    if child.returncode and not cancel.is_set():
        raise CaseTrackError(problem.strip() or f"it ended with code {child.returncode}")
    return not cancel.is_set()


def _has_earlier_states(folder: Path) -> bool:
    versions = (folder / name / "_versions" for name in _DATASETS)
    return any(sum(1 for _ in home.glob("*.manifest")) > 1 for home in versions)


def _folders(home: Path) -> list[Path]:
    try:
        return [f for f in home.iterdir() if not f.name.startswith(".")]
    except OSError:
        return []
