"""Earlier states of a collection, and the audit log."""

from __future__ import annotations

import csv
import io
import threading
import time
from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

from casetrack.api.collection.progress import ProgressDisplay, listener, shows_progress, silent
from casetrack.api.operation import ADDS, DELETES, READS, Arg, StateRef, at_most, operation
from casetrack.base.arrow_values import without_formula
from casetrack.base.errors import CaseTrackError, CollectionNotFound, See, SnapshotNotFound
from casetrack.base.files import write_atomic
from casetrack.base.provenance import iso_utc
from casetrack.base.records import Check, Document, Rows
from casetrack.base.records.snapshots import AuditCheck, AuditEntry, RestoreReport, SnapshotInfo
from casetrack.store import audit
from casetrack.store.datasets import open_snapshot
from casetrack.store.listing import scan
from casetrack.store.sealed import sealed_in
from casetrack.store.workspace import Workspace, raises_damage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from casetrack.base.config import Settings
    from casetrack.store.session import WriteSession
    from casetrack.store.snapshots import Point

# Restoring an earlier state of a collection.

_UNDO = "before-restore"


_State = Annotated[StateRef, Arg("Its name or its number in the list.", "SNAPSHOT", "snapshot")]
AUTOMATIC = 20


class EarlierStates:
    """Earlier states of a collection; a part of ``admin``."""

    _workspace: Workspace
    _display: ProgressDisplay | None

    @operation("snapshots list", READS, tool="list_snapshots", entries="snapshots", most=100)
    @raises_damage
    def snapshots(
        self, *, limit: Annotated[int, Arg(cli="--limit -k N", mcp="-", ge=0)] = AUTOMATIC
    ) -> Rows[SnapshotInfo]:
        """Return the states that the collection can be restored to, newest first.

        Named ones stay until they are removed. The others are left by every change and removed
        after some minutes.

        Parameters
        ----------
        limit
            Number of states in addition to the named ones.

        Raises
        ------
        CollectionDamaged
            The data cannot be read.
        """
        from casetrack.store import snapshots

        return Rows(snapshots.states(self._workspace.folder, automatic=limit), of=SnapshotInfo)

    @operation("snapshots take", ADDS, tool="take_snapshot")
    @raises_damage
    def take_snapshot(self, name: Annotated[str, Arg(cli="NAME")], /) -> SnapshotInfo:
        """Keep the current state of the collection under a name.

        It needs space only as the collection changes: content that is deleted or replaced later
        stays on the disk until the snapshot is removed.

        Parameters
        ----------
        name
            The name.

            1 to 100 characters, not just a number; unique, ignoring letter case.

        Raises
        ------
        UsageError
            The name is not valid.
        SnapshotExists
            The name is in use.
        CollectionBusy, StorageError
        """
        from casetrack.store import snapshots
        from casetrack.store.session import write_session

        folder = self._workspace.folder
        # A session first removes the rows of a stopped program, which the snapshot would keep.
        with write_session(folder, upkeep=True):
            taken = snapshots.take(folder, name)
            audit.note(folder, "snapshot taken", detail=f"number {taken.number}")
            return taken

    @operation("snapshots remove", DELETES)
    @raises_damage
    def remove_snapshot(self, name_or_number: _State, /) -> SnapshotInfo:
        """Remove a named snapshot; the collection stays the same.

        The next upkeep removes the data that only this snapshot contained.

        Raises
        ------
        SnapshotNotFound
            No snapshot has this name.
        CollectionBusy, StorageError
        """
        from casetrack.store import snapshots
        from casetrack.store.lock import write_lock
        from casetrack.store.originals import drop_copies_of

        folder = self._workspace.folder
        with write_lock(folder):
            info, gone = snapshots.remove(folder, name_or_number)
            for document_id in gone:
                drop_copies_of(folder, document_id)
        audit.note(folder, "snapshot removed", detail=f"number {info.number}")
        return info

    @operation("snapshots restore", DELETES, tool="restore_snapshot")
    @shows_progress("Restoring")
    @raises_damage
    def restore(
        self,
        name_or_number: _State,
        /,
        *,
        progress: Callable[[str, int, int], None] | bool | None = None,
        cancel: threading.Event | None = None,
    ) -> RestoreReport:
        """Restore the documents of the collection to an earlier state.

        The current state is kept as a snapshot ``before-restore-...``, so that this can be undone.
        Your files are not touched. When stopped, every document is in its old or its new state, and
        the same call continues.

        Parameters
        ----------
        progress
            Called from this thread with the current step, the work done and the total; or whether
            to show a bar, see :meth:`~casetrack.api.collection.Collection.ingest`.

        Raises
        ------
        SnapshotNotFound
            There is no such state, or it cannot be restored.
        CollectionReadOnly
            The collection is closed or archived.
        CollectionBusy, StorageError
        """
        from casetrack.store.session import write_session

        workspace, started = self._workspace, time.monotonic()
        # Before the work begins, and again under the lock, when no other program can change it.
        _restorable(workspace, name_or_number)
        with write_session(workspace.folder, cancel=cancel) as session:
            point = _restorable(workspace, name_or_number)
            tell, stop = listener(progress) or silent, cancel or threading.Event()
            report = _restore_state(workspace, session, point, tell, stop)
            if report.restored or report.removed:
                session.commit()
                workspace.catch_up()
        count = len(report.restored) + len(report.removed)
        audit.note(workspace.folder, "snapshot restored", count=count)
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


def _restore_state(
    workspace: Workspace,
    session: WriteSession,
    point: Point,
    tell: Callable[[str, int, int], None],
    stop: threading.Event,
) -> RestoreReport:
    from casetrack.store import restore, snapshots
    from casetrack.store.datasets import open_snapshot
    from casetrack.store.reader_locks import lock_versions

    # Cleaning up continues while this session writes.
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
            "Change the collection to that profile with "
            f"{See('reindex', profile=point.info.profile)} first; then restore."
        )
    return f"{See('snapshots list')} shows the states that can be restored."


def _free_name(folder: Path) -> str:
    from casetrack.store.snapshots import names

    base = name = f"{_UNDO}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    taken, number = names(folder), 1
    while name in taken:
        number += 1
        name = f"{base}-{number}"
    return name


# The audit log of a data folder: with current names, and as CSV.

_ID_CHARS = 4
_COLUMNS = (
    *("number", "at", "user", "program", "action", "collection_id", "collection", "count"),
    *("documents", "names", "detail", "previous", "digest"),
)
_REMEDY = (
    "Compare it with a copy that you exported, or with a backup. The program continues to add "
    "entries, and does not change existing ones."
)


class Audit:
    """The audit log of a data folder: ``library.audit``."""

    def __init__(self, settings: Settings, /) -> None:
        self._settings = settings

    @operation("audit list", READS)
    def entries(
        self,
        *,
        collection: Annotated[str | None, Arg(cli="--collection -c NAME")] = None,
        action: Annotated[str | None, Arg(cli="--action WORD")] = None,
        limit: Annotated[int | None, at_most("")] = 50,
    ) -> Rows[AuditEntry]:
        """Return the recorded changes in the data folder, newest first.

        Each has the user, the time, the program and the action: added, changed, deleted, marked,
        exported, sealed. Names are the current ones; deleted objects have only their ID. Searches
        are recorded too if config.toml has: [audit] searches = true.

        Parameters
        ----------
        collection
            Only changes of this collection; for a deleted one, its ID.
        action
            Only actions with this word: deleted, ...
        limit
            How many to list.

        Raises
        ------
        CollectionNotFound
            No entry has such a collection.
        StorageError
            The log cannot be read.
        """
        every = list(audit.entries(self._settings.data_dir))
        wanted = None if collection is None else self._ids_of(collection, every)
        entries = [
            entry
            for entry in every
            if wanted is None or entry.collection_id in wanted
            if action is None or action.casefold() in entry.action
        ]
        shown = entries[::-1] if limit is None else entries[::-1][:limit]
        return Rows(self._named(shown), of=AuditEntry, total=len(entries))

    def _ids_of(self, name: str, every: Iterable[AuditEntry]) -> set[str]:
        """Return the ids of an open, sealed or deleted collection."""
        wanted = name.strip().casefold()
        called = self._names_by_id()
        known = {e.collection_id for e in every if e.collection_id} | called.keys()
        by_name = {i for i, n in called.items() if n is not None and n.casefold() == wanted}
        matches = by_name or {i for i in known if len(wanted) >= _ID_CHARS and i.startswith(wanted)}
        if not matches:
            raise CollectionNotFound(name, (), [n for n in called.values() if n is not None])
        return matches

    def _names_by_id(self) -> dict[str, str | None]:
        """Return the names of the existing collections, open or sealed, by their ids."""
        home = self._settings.collections_dir
        return {s.id: s.name for s in sealed_in(home)} | {i.id: i.name for i in scan(home)[0]}

    @operation("audit verify", READS)
    def verify(self, kept: Annotated[str, Arg(cli="--digest SHA256")] = "", /) -> AuditCheck:
        """Check that no entry was changed, removed or inserted.

        Shows the digest of the last entry. Anyone who can write to the data folder could write a
        new log; note the digest elsewhere, and --digest detects that.

        Parameters
        ----------
        kept
            A digest that you noted earlier; the entries before it are compared.

        Raises
        ------
        StorageError
            The log cannot be read.
        """
        return audit.verify(self._settings.data_dir, kept.strip().lower())

    def check(self) -> Check:
        """Return the check as a line of ``doctor``."""
        try:
            report = self.verify()
        except CaseTrackError as error:
            return Check("audit log", ok=False, detail=error.message, remedy=error.hint)
        detail = f"{report.entries:,} entries, no gaps or changes"
        return Check(
            "audit log",
            ok=report.ok,
            detail=detail if report.ok else "; ".join(report.problems),
            remedy=_REMEDY,
        )

    def as_csv(self) -> str:
        """Return the whole log, oldest first, as a table for a spreadsheet.

        No text in it runs as a formula. It includes the digests of all entries. Raises
        ``StorageError`` if the log cannot be read.
        """
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(_COLUMNS)
        for entry in reversed(self.entries(limit=None)):
            writer.writerow(_row(entry))
        return text.getvalue()

    def export(self, path: Path, /) -> int:
        """Write :meth:`as_csv` to a file; return the number of entries.

        Raises ``DiskFull``, ``NotWritable`` or ``StorageError`` if it cannot be written.
        """
        text = self.as_csv()
        write_atomic(path, text.encode("utf-8-sig"))
        return sum(1 for _ in audit.entries(self._settings.data_dir))

    def _named(self, entries: Iterable[AuditEntry]) -> list[AuditEntry]:
        """Return entries with the names of objects that still exist."""
        shown = list(entries)
        home, called = self._settings.collections_dir, self._names_by_id()
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
    """Return the names of a collection's documents; empty if it is sealed or cannot be read."""
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
