"""Sync of a collection with a source, by the same plan and steps as with a folder."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import threading
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from casetrack.base.files import UNFINISHED, remove_unfinished, storage_errors
from casetrack.ingest.build import Options
from casetrack.ingest.intake import read_options
from casetrack.keep.sources.base import Source, label
from casetrack.keep.sync.cache import HashCache, LedgerRow
from casetrack.keep.sync.listing import Lister
from casetrack.keep.sync.run import Sync, SyncOptions
from casetrack.store.source_states import begun, ended

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from casetrack.base.errors import FolderUnsafe
    from casetrack.base.records.sync import SyncReport
    from casetrack.keep.sync.scan import Scan, Tell
    from casetrack.store.workspace import Workspace

_SPOOL = "fetched."
_TOUCH_SECONDS = 60.0


@dataclass(slots=True)
class SourcePlace:
    """A source as the other side of a sync."""

    source: Source
    cache: HashCache
    spool: Path
    full: bool
    since: datetime | None
    until: datetime | None
    limit: int | None
    touched: float = field(default_factory=time.monotonic)

    @property
    def names(self) -> tuple[str, str | None]:
        """Its label, twice."""
        return label(self.source), label(self.source)

    def scan(self, rows: Sequence[LedgerRow], /, **given: Any) -> Scan:
        """List the source, and fetch unknown items; *given* are arguments of :class:`Lister`."""
        name = label(self.source)
        lister = Lister(
            self.source,
            self.cache,
            self.spool,
            since=self.since,
            until=self.until,
            limit=self.limit,
            holds=any(row.source == name for row in rows),
            verify=self.full,
            known={row.path for row in rows},
            **given,
        )
        return lister.scan()

    def removal_error(self, gone: int, /) -> FolderUnsafe | None:  # noqa: ARG002 - listings are complete
        """Return ``None``: an empty listing marks no document as deleted."""
        return None


def sync_source(
    workspace: Workspace,
    source: Source,
    /,
    *,
    full: bool = False,
    dry_run: bool = False,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int | None = None,
    remove: bool = True,
    passwords: Sequence[str] = (),
    ocr: str | None = None,
    ocr_language: str | None = None,
    tell: Tell,
    cancel: threading.Event | None = None,
) -> SyncReport:
    """Sync with a source; for parameters and errors see ``Collection.sync_source``."""
    if not dry_run:
        workspace.require_active()
    settings, name = workspace.settings, label(source)
    wish = SyncOptions(
        read_options(settings, passwords, ocr, ocr_language),
        Options(force=full, copy_original=settings.copy_originals),
        remove,
        dry_run,
        again=full,
    )
    stop = cancel or threading.Event()
    with contextlib.closing(source), _spool(workspace.folder) as spool:
        cache = HashCache(workspace.folder, name)
        place = SourcePlace(source, cache, spool, full, since, until, limit)
        run = Sync(workspace, place, wish, _with_spool(spool, tell), stop)
        if dry_run:
            return _with_notes(run.run(), source)
        started = datetime.now(UTC)
        begun(workspace.folder, name, started)
        report = _with_notes(run.run(), source)
        is_part = any(bound is not None for bound in (since, until, limit))
        ended(workspace.folder, name, started, report, is_part=is_part)
    return report


def _with_notes(report: SyncReport, source: Source) -> SyncReport:
    return replace(report, notes=(*report.notes, *source.notes))


@contextlib.contextmanager
def _spool(folder: Path) -> Iterator[Path]:
    """Create a temporary folder for fetched items, next to the collection's other files."""
    home = folder / "sync"
    spool = home / f".{_SPOOL}{secrets.token_hex(6)}{UNFINISHED}"
    with storage_errors(home):
        home.mkdir(exist_ok=True)
        remove_unfinished(home, of=_SPOOL, below=False)
        spool.mkdir()
    try:
        yield spool
    finally:
        shutil.rmtree(spool, ignore_errors=True)


def _with_spool(spool: Path, tell: Tell) -> Tell:
    """Return a progress callback that also marks the spool as in use."""
    touched = time.monotonic()

    def hear(what: str, done: int, total: int, /) -> None:
        nonlocal touched
        if time.monotonic() - touched > _TOUCH_SECONDS:
            touched = time.monotonic()
            with contextlib.suppress(OSError):
                os.utime(spool)
        tell(what, done, total)

    return hear
