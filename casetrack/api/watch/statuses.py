"""How each watched folder is doing: one small file each, written by the program that watches it."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.base.files import private_folder, write_json
from casetrack.base.records.watches import WatchStatus
from casetrack.store.lock import try_lock

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.base.records.watches import Watch


class Statuses:
    """The files in ``watching``: ``<id>.json``, and the lock of who watches.

    Parameters
    ----------
    data_dir
        The data folder.
    """

    def __init__(self, data_dir: Path, /) -> None:
        self._home = data_dir / "watching"

    @property
    def home(self) -> Path:
        """The folder of the files; made by :meth:`lock_path`."""
        return self._home

    def lock_path(self, watch_id: str, /) -> Path:
        """Return the file whose lock says who watches, in a folder that is there."""
        # Where it cannot be made the lock cannot be had either, and that is told.
        with contextlib.suppress(OSError):
            private_folder(self._home)
        return self._home / f"{watch_id}.lock"

    def stored(self, watch_id: str, /) -> WatchStatus:
        """Return what was last written; a fresh status where nothing readable was.

        It is a report only: a lost one is written anew by the next sync.
        """
        try:
            text = (self._home / f"{watch_id}.json").read_text(encoding="utf-8")
            return WatchStatus.from_dict(json.loads(text))
        except (OSError, ValueError, KeyError, TypeError):
            return WatchStatus()

    def write(self, watch_id: str, status: WatchStatus, /) -> None:
        """Store a status.

        Raises
        ------
        DiskFull, NotWritable, StorageError
        """
        raw = status.as_dict()
        del raw["health_text"]
        write_json(self._home / f"{watch_id}.json", raw)

    def of(self, watch: Watch, /) -> WatchStatus:
        """Return how a watch is doing now: what was written, unless its writer is gone."""
        status = self.stored(watch.id)
        if not watch.enabled or watch.schedule == "manual":
            rest = replace(status, health="manual" if watch.enabled else "paused")
            return replace(rest, owner="", pending=0, next_sync_at=None)
        if not self._home.is_dir():
            return replace(status, health="unwatched", owner="")
        with try_lock(self.lock_path(watch.id)) as free:
            if free:
                return replace(status, health="unwatched", owner="", pending=0, next_sync_at=None)
        return status

    def forget(self, watch_id: str, /) -> None:
        """Remove the files of a watch that is gone, as far as nobody holds them."""
        for name in (f"{watch_id}.json", f"{watch_id}.lock"):
            with contextlib.suppress(OSError):
                (self._home / name).unlink(missing_ok=True)
