"""The report of a sync or a dry run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from casetrack.base import errors
from casetrack.base.records.shape import from_members
from casetrack.base.records.sync import SYNC_KINDS, SyncChange, SyncKind, SyncReport
from casetrack.ingest.outcomes import repeated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.base.records import FileOutcome
    from casetrack.keep.sync.cache import FileState, LedgerRow
    from casetrack.keep.sync.plan import Move, Plan
    from casetrack.keep.sync.scan import Scan

KEPT = "The earlier text was kept."
_MEANWHILE = "changed_meanwhile"


@dataclass(slots=True)
class Ended:
    """Results of a sync.

    Attributes
    ----------
    moved
        Moves that were applied without reading.
    removed, missing
        Documents without a file that were removed, and that were kept.
    """

    outcomes: dict[str, FileOutcome] = field(default_factory=dict)
    moved: list[Move] = field(default_factory=list)
    removed: list[LedgerRow] = field(default_factory=list)
    missing: list[LedgerRow] = field(default_factory=list)
    notes: dict[str, None] = field(default_factory=dict)


def build_report(
    name: str,
    scan: Scan,
    plan: Plan,
    ended: Ended,
    /,
    *,
    dry_run: bool,
    remove: bool,
    cancelled: bool,
    seconds: float,
) -> SyncReport:
    """Return the report of a sync."""
    builder = _Builder(scan, plan, ended, remove=remove)
    changes = list(builder.planned() if dry_run else builder.done())
    changes += builder.aside()
    kinds = {kind: place for place, kind in enumerate(SYNC_KINDS)}
    places = {path: place for place, path in enumerate(scan.files)}
    last = len(places)
    changes.sort(key=lambda c: (kinds[c.kind], places.get(c.path, last), c.path))
    return SyncReport(
        collection=name,
        folder=scan.place,
        dry_run=dry_run,
        seen=scan.seen,
        unchanged=plan.unchanged + builder.unchanged - builder.settled_before(),
        hashed=scan.hashed,
        changes=tuple(changes),
        seconds=seconds,
        notes=tuple(ended.notes),
        cancelled=cancelled,
        problem=f"{scan.problem.message} {scan.problem.hint}".strip() if scan.problem else "",
    )


@dataclass(slots=True)
class _Builder:
    scan: Scan
    plan: Plan
    ended: Ended
    remove: bool
    unchanged: int = 0

    def settled_before(self) -> int:
        """Return the number of files moved before the plan was made again."""
        planned = {move.file.path for move in self.plan.moves}
        return sum(move.file.path not in planned for move in self.ended.moved)

    # --- dry run ----------------------------------------------------------------------------

    def planned(self) -> Iterator[SyncChange]:
        plan = self.plan
        for move in plan.moves:
            yield _moved(move)
        for file, row in (*plan.changed, *plan.again):
            yield SyncChange(
                "changed", file.path, document_id=row.document_id, document_name=row.name
            )
        for file in plan.new:
            yield SyncChange("new", file.path)
        for file, first in plan.repeats:
            yield SyncChange(
                "skipped",
                file.path,
                code=errors.DuplicateDocument.code,
                message=f"It has the same content as {first}.",
            )
        kind: SyncKind = "removed" if self.remove else "missing"
        for row in plan.gone:
            yield _without_file(kind, row)

    # --- results ------------------------------------------------------------------------------

    def done(self) -> Iterator[SyncChange]:
        plan, ended = self.plan, self.ended
        for move in ended.moved:
            yield _moved(move)
        for move in plan.moves:
            if move.read_again:
                yield from self._read(move.file, "moved", move.row, previous=move.row.path)
        for file, row in (*plan.changed, *plan.again):
            yield from self._read(file, "changed", row)
        for file in plan.new:
            yield from self._read(file, "new", None)
        for file, first in plan.repeats:
            outcome = ended.outcomes.get(first)
            if outcome is not None:
                yield from self._ended(file, "new", None, repeated(file.path, first, outcome))
        yield from self._attached()
        for row in ended.removed:
            yield _without_file("removed", row)
        for row in ended.missing:
            yield _without_file("missing", row)

    def _read(
        self, file: FileState, kind: SyncKind, row: LedgerRow | None, previous: str = ""
    ) -> Iterator[SyncChange]:
        outcome = self.ended.outcomes.get(file.path)
        if outcome is not None:
            yield from self._ended(file, kind, row, outcome, previous)

    def _ended(
        self,
        file: FileState,
        kind: SyncKind,
        row: LedgerRow | None,
        outcome: FileOutcome,
        previous: str = "",
    ) -> Iterator[SyncChange]:
        """Yield the change of an outcome; nothing if the file was not reached."""
        if outcome.code == "cancelled":
            return
        message = outcome.message
        if outcome.status in {"skipped", "failed"}:
            if row is not None and outcome.document_id == row.document_id:
                self.unchanged += 1  # another program has added it meanwhile
                return
            if outcome.status == "failed" and not file.is_settled:
                yield _unsettled(file.path)
                return
            kind = "failed" if row is not None and not previous else outcome.status
            message = f"{message} {KEPT}" if row is not None and not previous else message
        yield from_members(
            SyncChange,
            outcome,
            kind=kind,
            path=file.path,
            previous_path=previous if kind == "moved" else "",
            document_id=outcome.document_id or (row.document_id if row else None),
            document_name=outcome.document_name or (row.name if row else None),
            message=message,
        )

    def _attached(self) -> Iterator[SyncChange]:
        """Yield the attachments that could not be read."""
        for path, outcome in self.ended.outcomes.items():
            if outcome.status == "failed" and path not in self.scan.files:
                yield SyncChange(
                    "failed", path, code=outcome.code, message=outcome.message, hint=outcome.hint
                )

    # --- files without an action ----------------------------------------------------------------

    def aside(self) -> Iterator[SyncChange]:
        for file, row in self.plan.copies:
            error = errors.DuplicateDocument(file.path, row.name, row.document_id)
            yield SyncChange(
                "skipped",
                file.path,
                document_id=row.document_id,
                document_name=row.name,
                code=error.code,
                message=f"It belongs to the source {row.source}."
                if row.path == file.path
                else f'It has the same content as "{row.name}".',
            )
        for file in self.plan.excluded:
            left = errors.FileExcluded(file.path)
            yield SyncChange(
                "skipped", file.path, code=left.code, message=left.message, hint=left.hint
            )
        for file in self.plan.textless:
            yield SyncChange("skipped", file.path, code="no_text", message=file.reason)
        for file, owner in self.plan.troubled:
            if file.problem is not None:
                yield _troubled(file, file.problem, owner)
        for path in self.scan.unsettled:
            yield _unsettled(path)
        for path, reason in self.scan.skipped.items():
            yield SyncChange("skipped", path, code=errors.SourceSkipped.code, message=reason)


def _moved(move: Move) -> SyncChange:
    row = move.row
    return SyncChange(
        "moved",
        move.file.path,
        previous_path=row.path,
        document_id=row.document_id,
        document_name=row.name,
    )


def _without_file(kind: SyncKind, row: LedgerRow) -> SyncChange:
    return SyncChange(kind, row.path, document_id=row.document_id, document_name=row.name)


def _troubled(file: FileState, problem: errors.CaseTrackError, row: LedgerRow | None) -> SyncChange:
    failed = row is not None or isinstance(problem, (errors.FileUnreadable, errors.SourceError))
    return SyncChange(
        "failed" if failed else "skipped",
        file.path,
        document_id=row.document_id if row else None,
        document_name=row.name if row else None,
        code=problem.code,
        message=f"{problem.message} {KEPT}" if row else problem.message,
        hint=problem.hint or "",
    )


def _unsettled(path: str) -> SyncChange:
    return SyncChange(
        "skipped",
        path,
        code=_MEANWHILE,
        message="It changed or vanished while it was being compared.",
        hint="The next sync processes it.",
    )
