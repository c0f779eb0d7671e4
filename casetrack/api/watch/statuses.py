"""The status of each watched folder: one small file, written by the watching program."""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base import actor
from casetrack.base.files import private_folder, write_json
from casetrack.base.records.sync import SYNC_KINDS, SyncReport, Watch, WatchStatus
from casetrack.store.lock import try_lock

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Mapping, Sequence

    from casetrack.api.library import Library


class Statuses:
    """The files in ``watching``: ``<id>.json``, and the lock of the watching program."""

    def __init__(self, data_dir: Path, /) -> None:
        self.home = data_dir / "watching"

    def lock_path(self, watch_id: str, /) -> Path:
        """Return the lock file of the program that watches, in an existing folder."""
        # If the folder cannot be created, taking the lock fails and reports the reason.
        with contextlib.suppress(OSError):
            private_folder(self.home)
        return self.home / f"{watch_id}.lock"

    def stored(self, watch_id: str, /) -> WatchStatus:
        """Return the last status that was written; a new one if none can be read.

        It is only a report: the next sync writes a lost one again.
        """
        try:
            text = (self.home / f"{watch_id}.json").read_text(encoding="utf-8")
            return WatchStatus.from_dict(json.loads(text))
        except (OSError, ValueError, KeyError, TypeError):
            return WatchStatus()

    def write(self, watch_id: str, status: WatchStatus, /) -> None:
        """Store a status.

        Raises ``DiskFull``, ``NotWritable`` or ``StorageError``.
        """
        raw = status.as_dict()
        del raw["health_text"]
        write_json(self.home / f"{watch_id}.json", raw)

    def of(self, watch: Watch, /) -> WatchStatus:
        """Return the current status of a watch: the stored one, unless its writer has ended."""
        status = self.stored(watch.id)
        if not watch.enabled or watch.schedule == "manual":
            rest = replace(status, health="manual" if watch.enabled else "paused")
            return replace(rest, owner="", pending=0, next_sync_at=None)
        if not self.home.is_dir():
            return replace(status, health="unwatched", owner="")
        with try_lock(self.lock_path(watch.id)) as free:
            if free:
                return replace(status, health="unwatched", owner="", pending=0, next_sync_at=None)
        return status

    def forget(self, watch_id: str, /) -> None:
        """Remove the files of a deleted watch, except those that a program uses."""
        for name in (f"{watch_id}.json", f"{watch_id}.lock"):
            with contextlib.suppress(OSError):
                (self.home / name).unlink(missing_ok=True)


# Synchronises a watched folder and its collection.


class CollectionSync:
    """Calls :meth:`casetrack.api.collection.Collection.sync` with the watch's options."""

    def __init__(self, library: Library, /) -> None:
        self._library = library

    def __call__(
        self, watch: Watch, only: Sequence[Path] | None, cancel: threading.Event, /
    ) -> SyncReport:
        """Bring the collection up to date, or only some paths of it."""
        # The data folder can be inside a watched one, and changes with every sync.
        own = pattern_of(self._library.settings.data_dir, Path(watch.folder))
        collection = self._library.get(watch.collection_id)

        def sync(progress: Callable[..., None] | None, stop: threading.Event) -> SyncReport:
            with actor.acting("watched folder"):
                return collection.sync(
                    Path(watch.folder),
                    remove_deleted=watch.auto_remove_deleted,
                    recursive=watch.recursive,
                    include=watch.include,
                    exclude=(*watch.exclude, *own),
                    extensions=watch.file_extensions,
                    only=only,
                    progress=progress,
                    cancel=stop,
                )

        if only is not None:
            return sync(None, cancel)
        # A full comparison can take long: other programs see its progress, and can stop it.
        return self._library.run_job(
            "sync",
            sync,
            title=f"Comparing the watched folder {Path(watch.folder).name}",
            collection=collection.info,
            cancel=cancel,
        )


def pattern_of(inner: Path, folder: Path, /) -> tuple[str, ...]:
    """Return the gitignore pattern of a folder inside another one; empty if it is outside.

    >>> pattern_of(Path("/docs/CaseTrack"), Path("/docs"))
    ('/CaseTrack/',)
    """
    try:
        parts = inner.resolve().relative_to(folder.resolve()).parts
    except ValueError:
        return ()
    escaped = re.sub(r"([\\*?\[\]! ])", r"\\\1", "/".join(parts))
    return (f"/{escaped}/",) if parts else ()


def counts_of(report: SyncReport, /) -> dict[str, int]:
    """Return the number of files by outcome, without zeros."""
    return {kind: n for kind in SYNC_KINDS if (n := report.count(kind))}


def counts_text(counts: Mapping[str, int], /) -> str:
    """Return counts as text.

    >>> counts_text({"new": 2, "changed": 1})
    '2 new, 1 changed'
    """
    return ", ".join(f"{n:,} {kind}" for kind, n in counts.items() if n) or "nothing changed"
