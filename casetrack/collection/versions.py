"""A collection as it was: snapshots, going back to one, and the whole of it as a file."""

from __future__ import annotations

import shutil
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from casetrack.collection.attending import attended, listener
from casetrack.collection.state import Opened
from casetrack.errors import SnapshotNotFound
from casetrack.records import Rows
from casetrack.records.snapshots import RestoreReport, SnapshotInfo

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.records import Document
    from casetrack.records.transfer import ExportReport
    from casetrack.store.session import WriteSession
    from casetrack.store.snapshots import Point

_AUTOMATIC = 20
_UNDO = "before-restore"


class Versions(Opened):
    """Earlier states of a collection, and a copy of the present one to take elsewhere."""

    def snapshots(self, *, automatic: int = _AUTOMATIC) -> Rows[SnapshotInfo]:
        """Return the states that the collection may go back to, the newest first.

        Parameters
        ----------
        automatic
            How many states to return besides the named ones. Every change leaves one behind,
            until it is cleaned away.

        Raises
        ------
        CollectionDamaged
            The data cannot be read.
        """
        from casetrack.store import snapshots

        return Rows(snapshots.states(self.folder, automatic=automatic), of=SnapshotInfo)

    def take_snapshot(self, name: str, /) -> SnapshotInfo:
        """Give the present state a name, and keep it until :meth:`remove_snapshot`.

        It takes room as the collection changes: what is deleted or replaced later stays on the
        disk.

        Parameters
        ----------
        name
            1 to 100 characters, not just a number; unique, letter case aside.

        Raises
        ------
        UsageError
            The name cannot be one.
        SnapshotExists
            It is taken.
        CollectionBusy, StorageError
        """
        from casetrack.store import snapshots
        from casetrack.store.lock import write_lock

        with write_lock(self.folder):
            return snapshots.take(self.folder, name)

    def remove_snapshot(self, name_or_number: str | int, /) -> SnapshotInfo:
        """Forget a named snapshot. What only it held goes with the next clean-up.

        Raises
        ------
        SnapshotNotFound
            No snapshot has this name.
        CollectionBusy, StorageError
        """
        from casetrack.store import snapshots
        from casetrack.store.lock import write_lock

        with write_lock(self.folder):
            info, gone = snapshots.remove(self.folder, name_or_number)
            for document_id in gone:
                shutil.rmtree(self.folder / "originals" / document_id, ignore_errors=True)
        return info

    @attended("Restoring")
    def restore(
        self,
        name_or_number: str | int,
        /,
        *,
        progress: Callable[[str, int, int], None] | bool | None = None,
        cancel: threading.Event | None = None,
    ) -> RestoreReport:
        """Bring the documents back to an earlier state.

        First the present state is taken as a snapshot ``before-restore-...``, so that this can be
        undone. Stopped or killed, every document is whole, as it is or as it was, and the same
        call goes on.

        Parameters
        ----------
        name_or_number
            As :meth:`snapshots` gives it.
        progress
            Called from this thread with what is being done, how much is done, and of how much. Or
            whether to show a bar, see :meth:`~casetrack.collection.Collection.ingest`.
        cancel
            Set it to stop.

        Raises
        ------
        SnapshotNotFound
            There is none, or it cannot be restored; the reason is told.
        CollectionReadOnly
            The collection is closed or archived.
        CollectionBusy, StorageError
        """
        from casetrack.store.session import write_session

        started, stop = time.monotonic(), cancel or threading.Event()
        # Before anything is begun, and again when nobody else can change it any more.
        self._restorable(name_or_number)
        with write_session(self.folder, cancel=cancel) as session:
            point = self._restorable(name_or_number)
            report = self._go_back(
                session, point, listener(progress) or (lambda _w, _d, _t: None), stop
            )
            if report.restored or report.removed:
                session.commit()
                self.workspace.catch_up()
        return replace(report, seconds=time.monotonic() - started)

    def _restorable(self, name_or_number: str | int) -> Point:
        from casetrack.store.snapshots import find

        point = find(self.folder, name_or_number)
        if point.info.restorable:
            return point
        raise SnapshotNotFound(
            f'The snapshot "{point.info.name or point.info.number}" cannot be restored. '
            f"{point.info.reason}",
            hint=_next_step(point, self.snapshot().profile),
        )

    def _go_back(
        self,
        session: WriteSession,
        point: Point,
        tell: Callable[[str, int, int], None],
        stop: threading.Event,
    ) -> RestoreReport:
        from casetrack.store import restore, snapshots
        from casetrack.store.datasets import open_snapshot
        from casetrack.store.reader_locks import lock_versions

        # Cleaning up goes on while this session writes.
        with lock_versions(self.folder, point.info.number, point.chunks.version):
            now = open_snapshot(self.folder)
            todo, lost = restore.with_copies(self.folder, restore.plan(now, point))
            undo: str | None = None
            back: list[Document] = []
            away: list[Document] = []
            if todo.back or todo.away:
                undo = snapshots.take(self.folder, _free_name(self.folder)).name
                back, away = restore.carry_out(session, todo, now.documents, tell=tell, cancel=stop)
        return RestoreReport(
            collection=self.name,
            snapshot=point.info.name or str(point.info.number),
            undo=undo,
            unchanged=todo.unchanged,
            restored=tuple(d.name for d in back),
            removed=tuple(d.name for d in away),
            lost_copies=lost,
            seconds=0.0,
            cancelled=len(back) < len(todo.back) or len(away) < len(todo.away),
        )

    @attended("Exporting")
    def export(
        self,
        path: str | Path,
        /,
        *,
        overwrite: bool = False,
        progress: Callable[[str, int, int], None] | bool | None = None,
        cancel: threading.Event | None = None,
    ) -> ExportReport:
        """Write the whole collection into one file, to keep it or to take it elsewhere.

        Only what is live goes in. The collection may be used and changed meanwhile; the file holds
        the state at the beginning. Until it is complete, nothing has its name.

        Parameters
        ----------
        path
            The file to write, or a folder, in which it gets the collection's name; the ending
            ``.ctcollection`` is added where there is none.
        overwrite
            Replace a file that is there.
        progress
            Called from this thread with what is being done, how much is done, and of how much. Or
            whether to show a bar, see :meth:`~casetrack.collection.Collection.ingest`.
        cancel
            Set it to stop.

        Raises
        ------
        UsageError
            The file is there already, or would lie in the collection's own folder.
        JobStopped
            *cancel* was set; nothing was written.
        CollectionDamaged
            The collection cannot be read.
        DiskFull, NotWritable, StorageError
            The file cannot be written.
        """
        from casetrack.transfer.pack import pack

        return pack(
            self.workspace,
            path,
            overwrite=overwrite,
            tell=listener(progress) or (lambda _what, _done, _total: None),
            cancel=cancel or threading.Event(),
        )


def _next_step(point: Point, profile: str) -> str:
    if point.info.profile not in {None, profile}:
        return (
            f"Bring the collection to that profile with `casetrack reindex --profile "
            f"{point.info.profile}` first; then restore."
        )
    return "See what can be restored with `casetrack snapshots list`."


def _free_name(folder: Path) -> str:
    from casetrack.store.snapshots import names

    base = name = f"{_UNDO}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    taken, number = names(folder), 1
    while name in taken:
        number += 1
        name = f"{base}-{number}"
    return name
