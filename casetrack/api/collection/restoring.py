"""Going back to an earlier state of a collection."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from casetrack.base.errors import SnapshotNotFound
from casetrack.base.records.snapshots import RestoreReport

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.base.records import Document
    from casetrack.base.records.snapshots import SnapshotInfo
    from casetrack.store.session import WriteSession
    from casetrack.store.snapshots import Point
    from casetrack.store.workspace import Workspace

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
