"""Execution of a sync: documents move, then files are read, then documents are removed.

In this order no text disappears before its new place exists, and the next sync completes a killed
one. The plan is made again under the write lock, so that two syncs of one folder do not conflict.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.base.config import resolve_path
from casetrack.base.errors import (
    CaseTrackError,
    CollectionBusy,
    FileNotFound,
    FolderUnsafe,
    JobStopped,
    Opt,
    StorageError,
    UsageError,
    WrongPathKind,
)
from casetrack.base.records import FileOutcome
from casetrack.ingest.discover import FoundFile
from casetrack.keep.sync.cache import HashCache
from casetrack.keep.sync.move import apply_moves
from casetrack.keep.sync.plan import Move, Plan, SyncPlanner, rows_of
from casetrack.keep.sync.report import Ended, build_report
from casetrack.keep.sync.scan import FolderScan, Scan, Scanner, Stopped, holds_any_file, is_below
from casetrack.store.excluded import excluded
from casetrack.store.originals import drop_copies
from casetrack.store.session import leftovers, write_session
from casetrack.store.untaken import UNFINISHED, begin, note

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from contextlib import AbstractContextManager

    from casetrack.base.records import IngestProgress
    from casetrack.base.records.sync import SyncReport
    from casetrack.ingest.build import Options
    from casetrack.ingest.walk import Rules
    from casetrack.keep.sync.cache import LedgerRow
    from casetrack.keep.sync.scan import Tell
    from casetrack.keep.sync.source import SourcePlace
    from casetrack.parse.base import ReadOptions
    from casetrack.store.datasets import Snapshot
    from casetrack.store.session import WriteSession
    from casetrack.store.workspace import Workspace

_log = logging.getLogger(__name__)
_ATTEMPTS = 3
_LOCK_SECONDS = -1.0  # wait for other writers without limit
_DELETED_TOGETHER = 500


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """User options of a sync; *again* also reads documents of an earlier pipeline again."""

    reading: ReadOptions
    options: Options
    remove_deleted: bool = False
    dry_run: bool = False
    again: bool = False


@dataclass(slots=True)
class FolderPlace:
    """A folder as the other side of a sync."""

    folder: Path
    rules: Rules
    cache: HashCache
    verify: bool
    only: tuple[Path, ...] | None
    force_removal: bool

    @property
    def names(self) -> tuple[str, str | None]:
        """Its path, and no label."""
        return str(self.folder), None

    def scan(self, rows: Sequence[LedgerRow], /, **given: Any) -> Scan:
        """Scan the folder; *given* are further arguments of :class:`Scanner`."""
        known = {row.path for row in rows}
        scanner = Scanner(
            self.folder, self.rules, self.cache, verify=self.verify, known=known, **given
        )
        return scanner.scan(self.only)

    def removal_error(self, gone: int, /) -> FolderUnsafe | None:
        """Return an error for a folder that no longer has any file."""
        if self.force_removal or holds_any_file(str(self.folder)):
            return None
        return FolderUnsafe(
            f"There are no files in {self.folder}, but the collection has {gone:,} document(s) "
            "from it. The disk may not be mounted, or the folder was moved. Nothing was removed.",
            hint="Reconnect the disk or restore the folder and sync again. If the files were "
            f"deleted on purpose, sync again with {Opt('force_removal')}.",
        )


def sync(
    workspace: Workspace,
    folder: str | Path,
    rules: Rules,
    wish: SyncOptions,
    /,
    *,
    verify: bool,
    only: Iterable[str | Path] | None,
    force_removal: bool,
    tell: Tell,
    cancel: threading.Event | None,
) -> SyncReport:
    """Sync a collection with a folder; for parameters and errors see ``Collection.sync``."""
    home = resolve_path(folder)
    named = None if only is None else tuple(resolve_path(path) for path in only)
    _check_folder(home, named)
    cache = HashCache(workspace.folder, home)
    if not wish.dry_run and not cache.is_kept:
        begin(workspace.folder, named or (home,))
    place = FolderPlace(home, rules, cache, verify, named, force_removal)
    return Sync(workspace, place, wish, tell, cancel or threading.Event()).run()


def _check_folder(folder: Path, only: Sequence[Path] | None) -> None:
    if not folder.exists():
        raise FileNotFound(folder)
    if not folder.is_dir():
        raise WrongPathKind(
            f"{folder} is a file, not a folder.", hint="Add a single file with ingest."
        )
    for path in only or ():
        if path != folder and not is_below(str(path), str(folder)):
            raise UsageError(
                f"{path} is not in {folder}.", hint="Name files and folders in that folder."
            )


@dataclass(slots=True)
class Sync:
    """One sync of a collection with a place."""

    workspace: Workspace
    place: FolderPlace | SourcePlace
    wish: SyncOptions
    tell: Tell
    cancel: threading.Event
    started: float = field(default_factory=time.perf_counter)
    scan: Scan = field(default_factory=lambda: FolderScan(""))
    plan: Plan = field(default_factory=Plan)
    ended: Ended = field(default_factory=Ended)
    conditions: str = ""
    """Reading conditions, computed on first use."""

    def run(self) -> SyncReport:
        """Run the sync."""
        cancelled = False
        try:
            self._look()
            if not self.wish.dry_run:
                self.place.cache.save()
                cancelled = self._do()
        except (Stopped, JobStopped):
            cancelled = True
        except Exception as error:
            if not self.wish.dry_run:
                self._note_failure(error)
            raise
        report = build_report(
            self.workspace.name,
            self.scan,
            self.plan,
            self.ended,
            dry_run=self.wish.dry_run,
            remove=self.wish.remove_deleted,
            cancelled=cancelled,
            seconds=time.perf_counter() - self.started,
        )
        if not self.wish.dry_run:
            self._remember()
            self._note(report)
        return report

    def _note(self, report: SyncReport) -> None:
        """Record the files that are missing or outdated in the collection."""
        is_whole = not report.cancelled and not report.problem
        problem = self.scan.problem
        note(
            self.workspace.folder,
            [*report.changes, *([self._failed(problem)] if problem else ())],
            present={row.path for row in rows_of(self._snapshot())},
            source=self.scan.source,
            is_over=lambda file: (
                (file.code == UNFINISHED and file.path in self.scan.looked_at)
                or (is_whole and self.scan.is_over(file))
            ),
        )

    def _note_failure(self, error: Exception) -> None:
        """Record that the sync failed, and the files that ended before."""
        results = [self._failed(error), *self.ended.outcomes.values()]
        try:
            note(self.workspace.folder, results, present=(), source=self.place.names[1])
        except StorageError as second:  # the first error may be the same; that one is raised
            _log.warning("The ledger of files cannot be written: %s", second)

    def _failed(self, error: Exception) -> FileOutcome:
        place, _ = self.place.names
        if isinstance(error, CaseTrackError):
            problem = (error.code, error.message, error.hint or "")
        else:
            message = f"The sync ended with an error ({type(error).__name__})."
            problem = ("unexpected", message, "See the log, then sync again.")
        return FileOutcome(place, "failed", *problem)

    def _look(self) -> None:
        rows = rows_of(self._snapshot())
        self.scan = self.place.scan(
            rows, tell=self.tell, cancel=self.cancel, remember=not self.wish.dry_run
        )
        self.plan = self._planner(rows).plan()
        if self.scan.source is not None and not self.wish.dry_run:
            self._settle(rows)  # fetch before other writers have to wait
        self._check_removal()

    def _settle(self, rows: Sequence[LedgerRow]) -> None:
        """Plan again until all files of the plan are unchanged since the scan."""
        reading = {file.path for file, _ in self.plan.to_read()}
        while self.scan.settle(self.plan.paths(), reading):
            self.plan = self._planner(rows).plan()
            reading = {file.path for file, _ in self.plan.to_read()}

    def _snapshot(self) -> Snapshot:
        return self.workspace.state().snapshot

    def _planner(self, rows: Sequence[LedgerRow]) -> SyncPlanner:
        return SyncPlanner(
            self.scan,
            rows,
            remove=self.wish.remove_deleted,
            read_with=self._read_with,
            excluded=excluded(self.workspace.folder),
            reading=self._reading() if self.wish.again else None,
        )

    def _reading(self) -> str:
        from casetrack.ingest.pipeline import Tools, load_pipeline

        workspace = self.workspace
        return load_pipeline(workspace.info.pipeline, Tools(), folder=workspace.folder).reading

    def _read_with(self) -> str:
        from casetrack.ingest.batch import reading_conditions

        if not self.conditions:
            self.conditions = reading_conditions(self.wish.reading)
        return self.conditions

    def _check_removal(self) -> None:
        """Refuse to empty a collection because of an empty place."""
        doubt = self.place.removal_error(len(self.plan.gone)) if self.plan.gone else None
        if doubt is None:
            return
        if self.wish.remove_deleted:
            raise doubt
        self.ended.notes.setdefault(doubt.message)

    # --- execution --------------------------------------------------------------------------

    def _do(self) -> bool:
        """Execute the plan; return whether it was stopped."""
        if not self.plan.is_idle(remove=self.wish.remove_deleted):
            begin(self.workspace.folder, self.scan.looked_at, source=self.scan.source)
        for _ in range(_ATTEMPTS):
            if self.plan.is_idle(remove=self.wish.remove_deleted):
                self.ended.missing = list(self.plan.gone)
                self._sweep()
                return False
            if self.plan.reads:
                return self._read_files()
            with self._write_session() as session:
                files, _ = self._begin(session)
                if not files:
                    self._end(session)
                session.commit()
                self.workspace.catch_up(is_changed=session.has_written)
            if not files:
                return self.cancel.is_set()
        raise JobStopped("Other programs keep changing this collection; nothing was lost.")

    def _sweep(self) -> None:
        """Sweep leftovers of a killed writer if nothing else is to do and no writer is active."""
        if leftovers(self.workspace.folder):
            with (
                contextlib.suppress(CollectionBusy),
                write_session(self.workspace.folder, timeout=0),
            ):
                pass

    def _write_session(self) -> AbstractContextManager[WriteSession]:
        return write_session(self.workspace.folder, timeout=_LOCK_SECONDS, cancel=self.cancel)

    def _read_files(self) -> bool:
        """Move documents, read files and remove documents; return whether it was stopped."""
        from casetrack.ingest.batch import open_batch
        from casetrack.ingest.outcomes import limit_notes

        wish, count = self.wish, len(self._found())
        with open_batch(
            self.workspace, count, wish.options, reading=wish.reading, cancel=self.cancel
        ) as batch:
            with self._write_session() as session:
                files, leaving = self._begin(session)
                outcomes = batch.ingest(session, files, leaving=leaving, progress=self._report)
                cancelled = any(o.code == "cancelled" for o in outcomes)
                if not cancelled and not self.cancel.is_set():
                    self._end(session)
                batch.end_reading()
                self.workspace.catch_up(is_changed=session.has_written)
            self.ended.outcomes = {o.path: o for o in outcomes}
            self.ended.notes |= dict.fromkeys((*batch.notes(), *limit_notes(outcomes)))
        return cancelled or self.cancel.is_set()

    def _found(self) -> list[FoundFile]:
        files = [
            FoundFile(
                Path(file.fetched or file.path),
                named=False,
                known_as=row.document_id if row else None,
                origin=file.origin,
            )
            for file, row in self.plan.to_read()
        ]
        order = {path: place for place, path in enumerate(self.scan.files)}
        return sorted(files, key=lambda f: order[f.shown])

    def _report(self, moment: IngestProgress) -> None:
        name = os.path.basename(moment.file)  # noqa: PTH119 - text, maybe not a file
        self.tell(f"reading {name}".rstrip(), moment.done, moment.total)

    def _begin(self, session: WriteSession) -> tuple[list[FoundFile], Collection[str]]:
        """Plan again under the write lock, and apply the moves."""
        rows = rows_of(self._snapshot())
        self.plan = self._planner(rows).plan()
        self._settle(rows)
        self._check_removal()
        moves = [move for move in self.plan.moves if not move.read_again]
        new = [Move(row, file, read_again=False) for file, row in self.plan.described]
        if moves or new:
            apply_moves(session, self._snapshot(), moves + new, tell=self.tell, cancel=self.cancel)
            self.ended.moved += moves
        leaving = [row for _, row in self.plan.changed]
        if self.wish.remove_deleted:
            going = self.plan.gone
            leaving += [*going, *self._planner(rows).attached_to(going)]
        return self._found(), {row.document_id for row in leaving}

    def _end(self, session: WriteSession) -> None:
        """Remove the documents without a file."""
        rows = {row.document_id: row for row in rows_of(self._snapshot())}
        # A file that is unreadable under its new extension no longer belongs to the document.
        candidates = self.plan.gone + [m.row for m in self.plan.moves if m.read_again]
        gone = [row for row in candidates if rows.get(row.document_id) == row]
        gone = [row for row in gone if self.scan.is_still_gone(row)]
        if not gone:
            return
        if not self.wish.remove_deleted:
            self.ended.missing = gone
            return
        if not self.scan.is_still_here():
            self.ended.missing = gone
            self.ended.notes.setdefault(
                f"{self.scan.place} disappeared during the sync, so nothing was removed. Sync "
                "again."
            )
            return
        self._remove(session, gone, list(rows.values()))

    def _remove(self, session: WriteSession, gone: list[LedgerRow], rows: list[LedgerRow]) -> None:
        planner = self._planner(rows)
        documents = self._snapshot().documents
        for start in range(0, len(gone), _DELETED_TOGETHER):
            if self.cancel.is_set():
                return
            group = gone[start : start + _DELETED_TOGETHER]
            ids = dict.fromkeys(r.document_id for r in (*group, *planner.attached_to(group)))
            removed = [documents[document_id] for document_id in ids]
            session.delete(removed)
            drop_copies(self.workspace.folder, removed)
            self.ended.removed += group
            self.tell("removing", start + len(group), len(gone))

    def _remember(self) -> None:
        """Record the files without text, which are skipped until they change."""
        for file in self.plan.new:
            outcome = self.ended.outcomes.get(file.path)
            if outcome is None or outcome.code != "no_text":
                continue
            inside = f"{file.path}/"
            if not any(path.startswith(inside) for path in self.ended.outcomes):
                self.place.cache.textless(file.path, self._read_with(), outcome.message)
        self.place.cache.save()
