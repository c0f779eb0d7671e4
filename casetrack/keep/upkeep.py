"""Deletion of documents, and release of the space of deleted or replaced data."""

from __future__ import annotations

import contextlib
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base.errors import CollectionBusy, See, UsageError
from casetrack.base.records.snapshots import UpkeepReport
from casetrack.graph.opened import graph_of
from casetrack.store.index.stored_segments import index_home, segment_folder
from casetrack.store.originals import drop_copies, remove_stray_copies
from casetrack.store.place import stored_bytes
from casetrack.store.session import journalled, sweep, write_session
from casetrack.store.untaken import forget, note
from casetrack.store.upkeep import KEEP_SECONDS, live_bytes, mark_done, measure, prune_stage

if TYPE_CHECKING:
    import threading

    from casetrack.base.arguments import DocumentRef
    from casetrack.base.records import Document
    from casetrack.base.records.sync import SourceInfo
    from casetrack.store.datasets import Snapshot
    from casetrack.store.workspace import Workspace

_LOCK_SECONDS = 600.0
_READ_TOGETHER = 4096
_VIEWS_SECONDS = 30.0
"""Seconds to wait for another process that builds a view, for a complete removal."""


def needs_upkeep(workspace: Workspace, /) -> bool:
    """Return whether an upkeep is worthwhile; after a recent one, only for a large amount."""
    from casetrack.graph import stored_segments
    from casetrack.store import upkeep

    folder = workspace.folder
    if upkeep.is_pressing(folder):
        return True
    if upkeep.seconds_since(folder) < KEEP_SECONDS:
        return False
    if upkeep.is_due(folder):
        return True
    snapshot = workspace.state().snapshot
    index = segment_folder(index_home(folder), snapshot, snapshot.dimension)
    return index.has_dead(snapshot) or stored_segments.has_dead(folder, snapshot)


def freeable_bytes(workspace: Workspace, /) -> int:
    """Return the approximate bytes that an upkeep frees, without those of named snapshots."""
    folder = workspace.folder
    datasets = sum(stored_bytes(folder, name) for name in ("chunks.lance", "documents.lance"))
    return max(0, datasets - live_bytes(folder))


def upkeep(
    workspace: Workspace,
    /,
    *,
    secure: bool = False,
    wait: bool = False,
    cancel: threading.Event | None = None,
) -> UpkeepReport | None:
    """Free space; for parameters, result and errors see ``Collection.admin.upkeep``."""
    from casetrack.store.damage import damage_errors
    from casetrack.store.lock import write_lock

    with contextlib.ExitStack() as stack:
        try:
            seconds = _LOCK_SECONDS if wait else 0.0
            stack.enter_context(write_lock(workspace.folder, timeout=seconds, cancel=cancel))
        except CollectionBusy:
            if wait:
                raise
            return None
        with damage_errors(workspace.folder):
            return _Upkeep(workspace, secure=secure, cancel=cancel).run()


def delete_document(
    workspace: Workspace, named: DocumentRef, /, *, secure: bool, exclude: bool
) -> Document:
    """Delete a document; for parameters and errors see ``Collection.delete_document``."""
    from casetrack.store.excluded import exclude as keep_out

    workspace.require_active()
    with write_session(workspace.folder) as session:
        state = workspace.state()
        document = state.document(named, True)
        gone = [document, *state.attached_to(document)]
        if exclude:
            _require_own_file(document)
            # First: if the process is killed in between, a remaining document is not excluded.
            keep_out(workspace.folder, [document])
        session.delete(gone)
        forget(workspace.folder, {each.path for each in gone})
        # Before the session ends: the next writer completes it after a kill.
        drop_copies(workspace.folder, gone)
        workspace.catch_up()
    if secure:
        del state  # it maps files to be removed, which Windows refuses
        upkeep(workspace, secure=True, wait=True)
    return document


def forget_source(workspace: Workspace, name: str, /) -> SourceInfo:
    """Delete a source; for errors see ``Collection.forget_source``."""
    from casetrack.base.arguments import suggest
    from casetrack.keep.sync.cache import HashCache
    from casetrack.store.source_states import forgotten, source_infos

    workspace.require_active()
    with write_session(workspace.folder) as session:
        state = workspace.state()
        known = {info.source: info for info in source_infos(workspace.folder, state.snapshot)}
        if name not in known:
            raise UsageError(
                f"The collection has no source {name!r}{suggest(name, known)}.",
                hint=f"Its sources: {', '.join(known) or 'none'}.",
            )
        documents = state.documents()
        gone = {d.document_id: d for d in documents if d.source == name}
        while more := {
            d.document_id: d for d in documents if d.parent_id in gone and d.document_id not in gone
        }:
            gone |= more
        session.delete(gone.values())
        waiting = {file.path for file in state.untaken() if file.path.startswith(f"{name}/")}
        forget(workspace.folder, waiting | {each.path for each in gone.values()})
        drop_copies(workspace.folder, list(gone.values()))
        HashCache(workspace.folder, name).remove()
        # Last: after a kill, the source can be named again.
        forgotten(workspace.folder, name)
        workspace.catch_up()
    return known[name]


def _require_own_file(document: Document) -> None:
    if document.parent_id is not None:
        raise UsageError(
            f'"{document.name}" is an attachment, so it cannot be excluded alone.',
            hint="Nothing was deleted. Exclude its containing file, or delete it without "
            "excluding it.",
        )


def brought_back_by(workspace: Workspace, document: Document, /) -> str | None:
    """Return the synced folder or source that would add a deleted document again, if any."""
    from casetrack.keep.sync.cache import synced_places

    if document.parent_id is not None:
        return None
    if document.is_remote:
        return document.source
    path = Path(document.path)
    if not path.is_file():
        return None
    inside = (place for place in synced_places(workspace.folder) if path.is_relative_to(place))
    return max(inside, key=len, default=None)


class _Upkeep:
    """One upkeep of a collection under the write lock."""

    def __init__(
        self, workspace: Workspace, *, secure: bool, cancel: threading.Event | None
    ) -> None:
        from casetrack.store.index.segment_files import GRACE_SECONDS

        self._workspace, self._folder = workspace, workspace.folder
        self._secure, self._cancel = secure, cancel
        self._versions_grace = 0.0 if secure else KEEP_SECONDS
        self._views_grace = 0.0 if secure else GRACE_SECONDS
        self._removed: list[str] = []
        self._notes: list[str] = []

    def run(self) -> UpkeepReport:
        from casetrack.store import heads
        from casetrack.store.datasets import CHUNKS, DOCUMENTS, open_dataset
        from casetrack.store.history import repair_tags
        from casetrack.store.reader_locks import sweep_reader_locks
        from casetrack.store.scratch import sweep_spools

        started, before = time.perf_counter(), measure(self._folder)
        opened = (open_dataset(self._folder, name) for name in (DOCUMENTS, CHUNKS))
        heads.confirm(self._folder, *opened)
        sweep(self._folder)
        repair_tags(self._folder)
        sweep_reader_locks(self._folder)
        sweep_spools(self._folder)
        steps = (self._datasets, self._views, self._copies, self._stage, self._others)
        with journalled(self._folder):
            for step in steps:
                if not self._is_cancelled:
                    step()
        heads.note(
            self._folder, open_dataset(self._folder, DOCUMENTS), open_dataset(self._folder, CHUNKS)
        )
        if not self._is_cancelled:
            mark_done(self._folder)
        after = measure(self._folder)
        return UpkeepReport(
            collection=self._workspace.name,
            secure=self._secure,
            bytes_before=before.total_bytes,
            bytes_after=after.total_bytes,
            fragments_before=before.fragments,
            fragments_after=after.fragments,
            versions_before=before.versions,
            versions_after=after.versions,
            deleted_rows=before.deleted_rows - after.deleted_rows,
            seconds=time.perf_counter() - started,
            removed=tuple(self._removed),
            notes=tuple(self._notes),
            cancelled=self._is_cancelled,
        )

    @property
    def _is_cancelled(self) -> bool:
        return self._cancel is not None and self._cancel.is_set()

    def _datasets(self) -> None:
        """Remove deleted rows from the data files, then the versions that refer to them."""
        from casetrack.store import upkeep

        upkeep.compact(self._folder, cancel=self._cancel)
        if self._is_cancelled:
            return
        if self._secure:
            names = upkeep.remove_snapshots(self._folder)
            self._removed += [f'the snapshot "{name}"' for name in names]
            if upkeep.held_by_readers(self._folder):
                self._notes.append(
                    "An export or another long read still uses an earlier state with deleted "
                    f"documents. Wait for it to finish, then run {See('upkeep', secure=True)} "
                    "again."
                )
        upkeep.clean_versions(self._folder, self._versions_grace)

    def _views(self) -> None:
        """Remove deleted documents from the search index and the graph."""
        from casetrack.graph import stored_segments

        if self._secure:
            # Windows removes no file that this process still maps.
            self._workspace.forget()
        snapshot, home = self._snapshot(), index_home(self._folder)
        given = {"grace": self._views_grace, "wait": _VIEWS_SECONDS if self._secure else 0.0}
        index = segment_folder(home, snapshot, snapshot.dimension).purge(snapshot, **given)
        graph = stored_segments.purge(self._folder, snapshot, **given)
        if self._secure and not (index and graph):
            self._notes.append(
                "Another program is building the search index, or (on Windows) has it open; "
                "replaced files may still contain deleted text. Close it and run "
                f"{See('upkeep', secure=True)} again."
            )

    def _copies(self) -> None:
        count = remove_stray_copies(self._folder, self._snapshot())
        if count:
            self._removed.append(_counted(count, "copy", "copies") + " of deleted files")

    def _stage(self) -> None:
        """Remove outputs for deleted texts from a stopped reindex."""
        from casetrack.ingest.staleness import keyed
        from casetrack.ingest.steps.encoding import CONTEXT_COLUMNS
        from casetrack.store import rewrite
        from casetrack.store.index.segment_files import read_groups

        if not rewrite.is_unfinished(self._folder):
            return
        snapshot = self._snapshot()

        def live() -> set[bytes]:
            keys = set[bytes]()
            for table in read_groups(snapshot, snapshot.revisions, CONTEXT_COLUMNS, _READ_TOGETHER):
                keys.update(key for key, _ in keyed(table))
            return keys

        try:
            with rewrite.rewriting(self._folder):
                count = prune_stage(self._folder, rewrite.KEY, live)
        except CollectionBusy:
            if self._secure:
                self._notes.append(
                    "A running reindex still has model outputs of deleted passages; it removes "
                    "them at its end."
                )
            return
        if count:
            self._removed.append(
                f"outputs of a stopped reindex for {_counted(count, 'passage', 'passages')}"
            )

    def _others(self) -> None:
        """Remove backups, marks and sync records that may name deleted documents."""
        from casetrack.base.files import storage_errors
        from casetrack.base.jobs import JobStore
        from casetrack.store.info import info_lock
        from casetrack.store.marks import keep
        from casetrack.store.migrations.backup import KEEP, remove_backups
        from casetrack.store.source_states import FILE as SOURCES

        for backup in remove_backups(self._folder, older_than=None if self._secure else KEEP):
            self._removed.append(f"the backup of format {backup.version}")
        if not self._secure:
            return
        home = self._folder / "sync"
        with storage_errors(home):
            with info_lock(self._folder):
                (self._folder / SOURCES).unlink(missing_ok=True)
            if home.is_dir():
                shutil.rmtree(home)
        untaken = self._workspace.state().untaken()
        note(self._folder, (), present=(), is_over=lambda file: file not in untaken)
        gone = self._marks_of_gone()
        if count := keep(self._folder, lambda mark: mark.mark_id not in gone):
            self._removed.append(f"{_counted(count, 'mark', 'marks')} of deleted items")
        settings, info = self._workspace.settings, self._workspace.info
        JobStore(settings.data_dir).forget(info.id, running=False)

    def _marks_of_gone(self) -> set[str]:
        """Return the marks that may name deleted items, and the undone ones."""
        return {m.mark_id for m in graph_of(self._workspace.state()).marks if m.state != "in force"}

    def _snapshot(self) -> Snapshot:
        return self._workspace.state().snapshot


def _counted(count: int, one: str, several: str) -> str:
    return f"{count:,} {one if count == 1 else several}"
