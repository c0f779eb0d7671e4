"""Earlier states of a collection, and the log of what was changed."""

from __future__ import annotations

import csv
import io
import threading
import time
from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from casetrack.base.arrow_values import without_formula
from casetrack.base.errors import CaseTrackError, See, SnapshotNotFound
from casetrack.base.files import write_atomic
from casetrack.base.provenance import iso_utc
from casetrack.base.records import Check, Rows
from casetrack.base.records.snapshots import AuditCheck, AuditEntry, RestoreReport
from casetrack.store import audit
from casetrack.store.datasets import open_snapshot
from casetrack.store.listing import scan
from casetrack.store.sealed import sealed_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from casetrack.base.config import Settings
    from casetrack.base.records import Document
    from casetrack.base.records.snapshots import SnapshotInfo
    from casetrack.store.session import WriteSession
    from casetrack.store.snapshots import Point
    from casetrack.store.workspace import Workspace

# Going back to an earlier state of a collection.

_UNDO = "before-restore"


def remove_snapshot(folder: Path, name_or_number: str | int, /) -> SnapshotInfo:
    """Forget a named snapshot of the collection in *folder*, and the copies that only it held.

    Raises
    ------
    SnapshotNotFound
        No snapshot has this name.
    CollectionBusy, StorageError
    """
    from casetrack.store import snapshots
    from casetrack.store.lock import write_lock
    from casetrack.store.originals import drop_copies_of

    with write_lock(folder):
        info, gone = snapshots.remove(folder, name_or_number)
        for document_id in gone:
            drop_copies_of(folder, document_id)
    return info


def restore(
    workspace: Workspace,
    name_or_number: str | int,
    /,
    *,
    tell: Callable[[str, int, int], None],
    cancel: threading.Event | None,
) -> RestoreReport:
    """Bring the documents back; parameters and errors are those of ``Collection.admin.restore``."""
    from casetrack.store.session import write_session

    started, stop = time.monotonic(), cancel or threading.Event()
    # Before anything is begun, and again when nobody else can change it any more.
    _restorable(workspace, name_or_number)
    with write_session(workspace.folder, cancel=cancel) as session:
        point = _restorable(workspace, name_or_number)
        report = _go_back(workspace, session, point, tell, stop)
        if report.restored or report.removed:
            session.commit()
            workspace.catch_up()
    return replace(report, seconds=time.monotonic() - started)


def _restorable(workspace: Workspace, name_or_number: str | int) -> Point:
    from casetrack.store.snapshots import find

    point = find(workspace.folder, name_or_number)
    if point.info.restorable:
        return point
    raise SnapshotNotFound(
        f'The snapshot "{point.info.name or point.info.number}" cannot be restored. '
        f"{point.info.reason}",
        hint=_next_step(point, workspace.state().snapshot.profile),
    )


def _go_back(
    workspace: Workspace,
    session: WriteSession,
    point: Point,
    tell: Callable[[str, int, int], None],
    stop: threading.Event,
) -> RestoreReport:
    from casetrack.store import restore, snapshots
    from casetrack.store.datasets import open_snapshot
    from casetrack.store.reader_locks import lock_versions

    # Cleaning up goes on while this session writes.
    with lock_versions(workspace.folder, point.info.number, point.chunks.version):
        now = open_snapshot(workspace.folder)
        todo, lost = restore.with_copies(workspace.folder, restore.plan(now, point))
        undo: str | None = None
        back: list[Document] = []
        away: list[Document] = []
        if todo.back or todo.away:
            undo = snapshots.take(workspace.folder, _free_name(workspace.folder)).name
            back, away = restore.carry_out(session, todo, now.documents, tell=tell, cancel=stop)
    return RestoreReport(
        collection=workspace.name,
        snapshot=point.info.name or str(point.info.number),
        undo=undo,
        unchanged=todo.unchanged,
        restored=tuple(d.name for d in back),
        removed=tuple(d.name for d in away),
        lost_copies=lost,
        seconds=0.0,
        cancelled=len(back) < len(todo.back) or len(away) < len(todo.away),
    )


def _next_step(point: Point, profile: str) -> str:
    if point.info.profile not in {None, profile}:
        return (
            "Bring the collection to that profile with "
            f"{See('reindex', profile=point.info.profile)} first; then restore."
        )
    return f"See what can be restored with {See('snapshots list')}."


def _free_name(folder: Path) -> str:
    from casetrack.store.snapshots import names

    base = name = f"{_UNDO}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    taken, number = names(folder), 1
    while name in taken:
        number += 1
        name = f"{base}-{number}"
    return name


# Reading the audit log of a data folder: with the names of what is still there, and as CSV.

_COLUMNS = (
    *("number", "at", "user", "program", "action", "collection_id", "collection", "count"),
    *("documents", "names", "detail", "previous", "digest"),
)
_REMEDY = (
    "Compare it with a copy that you exported, or with a backup. The program goes on adding to it, "
    "and changes nothing that stands in it."
)


class AuditLog:
    """Who did what in a data folder: ``library.audit``.

    Parameters
    ----------
    settings
        Of the data folder.
    """

    def __init__(self, settings: Settings, /) -> None:
        self._settings = settings

    def entries(
        self,
        *,
        collection_id: str | None = None,
        action: str | None = None,
        limit: int | None = None,
    ) -> Rows[AuditEntry]:
        """Return what was done, the last first.

        Parameters
        ----------
        collection_id
            Only what was done to this collection; it may be gone.
        action
            Only actions that contain this word, such as ``deleted``.
        limit
            At most so many.

        Raises
        ------
        StorageError
            The log cannot be read.
        """
        found = [
            entry
            for entry in audit.entries(self._settings.data_dir)
            if collection_id in {None, entry.collection_id}
            if action is None or action.casefold() in entry.action
        ]
        total = len(found)
        found = found[::-1] if limit is None else found[::-1][:limit]
        return Rows(self._named(found), of=AuditEntry, total=total)

    def verify(self, kept: str = "", /) -> AuditCheck:
        """Check that the log is as it was written; *kept* is a digest noted elsewhere.

        Raises
        ------
        StorageError
            The log cannot be read.
        """
        return audit.verify(self._settings.data_dir, kept)

    def check(self) -> Check:
        """Return that as a line of ``doctor``."""
        try:
            found = self.verify()
        except CaseTrackError as error:
            return Check("audit log", ok=False, detail=error.message, remedy=error.hint)
        detail = f"{found.entries:,} entries, each follows on the one before it"
        return Check(
            "audit log",
            ok=found.ok,
            detail=detail if found.ok else "; ".join(found.problems),
            remedy=_REMEDY,
        )

    def as_csv(self) -> str:
        """Return all of it, the oldest first, as a table for a spreadsheet.

        No text in it runs as a formula. The digests of all entries are in it.

        Raises
        ------
        StorageError
            The log cannot be read.
        """
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(_COLUMNS)
        for entry in reversed(self.entries()):
            writer.writerow(_row(entry))
        return text.getvalue()

    def export(self, path: Path, /) -> int:
        """Write :meth:`as_csv` to a file; return the number of entries.

        Raises
        ------
        DiskFull, NotWritable, StorageError
            It cannot be written.
        """
        text = self.as_csv()
        write_atomic(path, text.encode("utf-8-sig"))
        return sum(1 for _ in audit.entries(self._settings.data_dir))

    def _named(self, entries: Iterable[AuditEntry]) -> list[AuditEntry]:
        """Return entries with the names of what is still there."""
        shown = list(entries)
        home = self._settings.collections_dir
        called: dict[str, str | None] = {s.id: s.name for s in sealed_in(home)}
        called |= {info.id: info.name for info in scan(home)[0]}
        wanted = {e.collection_id for e in shown if e.documents and e.collection_id in called}
        names: dict[str, dict[str, str]] = defaultdict(dict)
        for collection_id in wanted - {None}:
            names[str(collection_id)] = _names_in(home / str(collection_id))
        return [
            replace(
                entry,
                collection=called.get(entry.collection_id or ""),
                names=tuple(names[entry.collection_id or ""].get(d, "") for d in entry.documents),
            )
            for entry in shown
        ]


def _names_in(folder: Path) -> dict[str, str]:
    """Return the names of a collection's documents; none where it cannot be read, or is sealed."""
    try:
        return {i: d.name for i, d in open_snapshot(folder).documents.items()}
    except CaseTrackError:
        return {}


def _row(entry: AuditEntry) -> list[object]:
    texts = {
        "at": iso_utc(entry.at),
        "documents": " ".join(entry.documents),
        "names": "; ".join(n for n in entry.names if n),
    }
    values = [texts.get(n, getattr(entry, n)) for n in _COLUMNS]
    return [without_formula(v) if isinstance(v, str) else v for v in values]
