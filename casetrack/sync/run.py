"""Carries out a sync: documents follow their files, then files are read, then documents go.

In this order no text vanishes before it is there again, and a sync that is killed at any moment
leaves a collection that the next one completes. What is done is settled from the state that is
found once the write lock is held, so that two syncs of one folder end as one.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from casetrack.errors import FileNotFound, FolderUnsafe, JobStopped, UsageError, WrongPathKind
from casetrack.ingest.discover import Found
from casetrack.store.originals import drop_copies
from casetrack.store.session import write_session
from casetrack.sync.cache import HashCache
from casetrack.sync.move import apply_moves
from casetrack.sync.plan import Plan, Planner, Row, rows_of
from casetrack.sync.report import Ended, build_report
from casetrack.sync.scan import Scan, Scanner, Stopped, holds_any_file, is_below, presence

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Collection, Sequence

    from casetrack.ingest.run import Frame
    from casetrack.ingest.walk import Rules
    from casetrack.records import IngestProgress, IngestReport
    from casetrack.records.sync import SyncReport
    from casetrack.store.datasets import Snapshot
    from casetrack.store.session import WriteSession

_ATTEMPTS = 3
_LOCK_SECONDS = -1.0  # other writers are waited for as long as it takes
_DELETED_TOGETHER = 500


class TakeIn(Protocol):
    """Takes files into the collection, see :meth:`casetrack.collection.Collection.ingest`."""

    def __call__(
        self, files: list[Found], frame: Frame, progress: Callable[[IngestProgress], None], /
    ) -> IngestReport:
        """Return what became of the files that the frame has settled on."""
        ...


@dataclass(frozen=True, slots=True)
class Context:
    """The collection that is synced, and who is told.

    Attributes
    ----------
    folder
        The collection's folder.
    name
        Its name.
    snapshot
        Returns its newest state.
    take_in
        Takes in files.
    catch_up
        Brings its views along; called while the write lock is held.
    read_with
        Returns what files are read with.
    tell
        Called with what is done, how much, and of how much.
    cancel
        Set by who wants to stop.
    """

    folder: Path
    name: str
    snapshot: Callable[[], Snapshot]
    take_in: TakeIn
    catch_up: Callable[[], None]
    read_with: Callable[[], str]
    tell: Callable[[str, int, int], None]
    cancel: threading.Event


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user wants of a sync; see :meth:`casetrack.collection.Collection.sync`."""

    rules: Rules
    remove_deleted: bool = False
    dry_run: bool = False
    verify: bool = False
    only: tuple[Path, ...] | None = None
    force_removal: bool = False


def sync(context: Context, folder: Path, wish: Wish, /) -> SyncReport:
    """Sync a collection with *folder*, an absolute path.

    Raises
    ------
    FileNotFound, WrongPathKind, FileUnreadable
        The folder is not there, is a file, or cannot be listed.
    FolderUnsafe
        It is empty, and all documents below it would be removed.
    UsageError
        A path to look at lies outside the folder.
    CollectionReadOnly, CollectionBusy, StorageError, ModelError
        It cannot go on; what was finished is kept.
    """
    _check_folder(folder, wish.only)
    return _Sync(context, folder, wish).run()


def _check_folder(folder: Path, only: Sequence[Path] | None) -> None:
    if not folder.exists():
        raise FileNotFound(folder)
    if not folder.is_dir():
        raise WrongPathKind(
            f"{folder} is a file, not a folder.", hint="Take a single file in with ingest."
        )
    for path in only or ():
        if path != folder and not is_below(str(path), str(folder)):
            raise UsageError(
                f"{path} does not lie in {folder}.", hint="Name files and folders in that folder."
            )


@dataclass(slots=True)
class _Sync:
    """One sync; it is the frame of the batch that reads the files."""

    context: Context
    folder: Path
    wish: Wish
    started: float = field(default_factory=time.perf_counter)
    scan: Scan = field(init=False)
    plan: Plan = field(init=False)
    cache: HashCache = field(init=False)
    ended: Ended = field(default_factory=Ended)

    def run(self) -> SyncReport:
        self.cache = HashCache(self.context.folder, self.folder)
        self.scan, self.plan = Scan(str(self.folder), None, (0, 0)), Plan()
        cancelled = False
        try:
            self._look()
            if not self.wish.dry_run:
                self.cache.save()
                cancelled = self._do()
        except (Stopped, JobStopped):
            cancelled = True
        if not self.wish.dry_run:
            self._remember()
        return build_report(
            self.context.name,
            self.scan,
            self.plan,
            self.ended,
            dry_run=self.wish.dry_run,
            remove=self.wish.remove_deleted,
            cancelled=cancelled,
            seconds=time.perf_counter() - self.started,
        )

    def _look(self) -> None:
        rows = rows_of(self.context.snapshot())
        scanner = Scanner(
            self.folder,
            self.wish.rules,
            self.cache,
            verify=self.wish.verify,
            known={row.path for row in rows},
            tell=self.context.tell,
            cancel=self.context.cancel,
            remember=not self.wish.dry_run,
        )
        self.scan = scanner.scan(self.wish.only)
        self.plan = self._planner(rows).plan()
        self._guard()

    def _planner(self, rows: Sequence[Row]) -> Planner:
        return Planner(
            self.scan, rows, remove=self.wish.remove_deleted, read_with=self.context.read_with
        )

    def _guard(self) -> None:
        """Refuse to empty a collection because of a folder that is empty."""
        if not self.plan.gone or holds_any_file(str(self.folder)):
            return
        empty = (
            f"There is no file at all in {self.folder}, while the collection has "
            f"{len(self.plan.gone):,} document(s) from it. Is the disk not mounted, or was the "
            "folder moved?"
        )
        if not self.wish.remove_deleted:
            self.ended.notes.setdefault(f"{empty} Nothing was removed.")
        elif not self.wish.force_removal:
            raise FolderUnsafe(
                f"{empty} Nothing was removed.",
                hint="Bring the disk or the folder back and sync again. If the files are really "
                "gone, repeat the command with --force-removal (force_removal=True).",
            )

    # --- doing it ---------------------------------------------------------------------------

    def _do(self) -> bool:
        """Carry out the plan; returns whether it was stopped."""
        context = self.context
        for _ in range(_ATTEMPTS):
            if self.plan.is_idle(remove=self.wish.remove_deleted):
                self.ended.missing = list(self.plan.gone)
                return False
            if self.plan.reads:
                report = context.take_in(self._found(), self, self._hear)
                self.ended.outcomes = {o.path: o for o in report.outcomes}
                self.ended.notes |= dict.fromkeys(report.notes)
                return report.cancelled or context.cancel.is_set()
            with write_session(
                context.folder, timeout=_LOCK_SECONDS, cancel=context.cancel
            ) as session:
                files, _ = self.begin(session)
                if not files:
                    self.end(session)
                session.commit()
                context.catch_up()
            if not files:
                return context.cancel.is_set()
        raise JobStopped("Other programs change this collection all the time; nothing was lost.")

    def _found(self) -> list[Found]:
        plan = self.plan
        known = [(file, row) for file, row in (*plan.changed, *plan.again)]
        known += [(move.file, move.row) for move in plan.moves if move.read_again]
        found = [Found(Path(f.path), named=False, known_as=r.document_id) for f, r in known]
        found += [Found(Path(file.path), named=False) for file in plan.new]
        order = {path: place for place, path in enumerate(self.scan.files)}
        return sorted(found, key=lambda f: order[str(f.path)])

    def _hear(self, moment: IngestProgress) -> None:
        name = os.path.basename(moment.file)  # noqa: PTH119 - text, may be no file
        self.context.tell(f"reading {name}".rstrip(), moment.done, moment.total)

    def begin(self, session: WriteSession, /) -> tuple[list[Found], Collection[str]]:
        """Plan anew from the state that nobody changes any more, and move what has moved."""
        rows = rows_of(self.context.snapshot())
        while True:
            self.plan = self._planner(rows).plan()
            known = len(self.scan.files)
            self.scan.settle(self.plan.paths())
            if len(self.scan.files) == known:
                break
        self._guard()
        moves = [move for move in self.plan.moves if not move.read_again]
        if moves:
            apply_moves(session, self.context.snapshot(), moves, self.context)
            self.ended.moved += moves
        leaving = [row for _, row in self.plan.changed]
        if self.wish.remove_deleted:
            going = self.plan.gone
            leaving += [*going, *self._planner(rows).attached_to(going)]
        return self._found(), {row.document_id for row in leaving}

    def end(self, session: WriteSession, /) -> None:
        """Remove the documents whose files are gone."""
        rows = {row.document_id: row for row in rows_of(self.context.snapshot())}
        # A file that cannot be read under its new extension is no longer the document's.
        candidates = self.plan.gone + [m.row for m in self.plan.moves if m.read_again]
        gone = [row for row in candidates if rows.get(row.document_id) == row]
        gone = [row for row in gone if self._is_still_gone(row)]
        if not gone:
            return
        if not self.wish.remove_deleted:
            self.ended.missing = gone
            return
        if not self._is_same_folder():
            self.ended.missing = gone
            self.ended.notes.setdefault(
                f"{self.folder} went away during the sync, so nothing was removed. Sync again."
            )
            return
        self._remove(session, gone, list(rows.values()))

    def _is_still_gone(self, row: Row) -> bool:
        replaced = row.path in self.scan.files
        return replaced or presence(row.path) == "gone"

    def _is_same_folder(self) -> bool:
        try:
            facts = self.folder.stat()
        except OSError:
            return False
        return (facts.st_dev, facts.st_ino) == self.scan.home

    def _remove(self, session: WriteSession, gone: list[Row], rows: list[Row]) -> None:
        planner = self._planner(rows)
        documents = self.context.snapshot().documents
        for start in range(0, len(gone), _DELETED_TOGETHER):
            if self.context.cancel.is_set():
                return
            group = gone[start : start + _DELETED_TOGETHER]
            ids = dict.fromkeys(r.document_id for r in (*group, *planner.attached_to(group)))
            found = [documents[document_id] for document_id in ids]
            session.delete(found)
            drop_copies(self.context.folder, found)
            self.ended.removed += group
            self.context.tell("removing", start + len(group), len(gone))

    def _remember(self) -> None:
        """Note the files without text, so that no time is spent on them until they change."""
        for file in self.plan.new:
            outcome = self.ended.outcomes.get(file.path)
            if outcome is None or outcome.code != "no_text":
                continue
            inside = f"{file.path}/"
            if not any(path.startswith(inside) for path in self.ended.outcomes):
                self.cache.textless(file.path, self.context.read_with(), outcome.message)
        self.cache.save()
