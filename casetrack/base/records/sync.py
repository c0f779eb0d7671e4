"""What a sync found in a folder, and what it did about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from casetrack.base.records.files import FileTable
from casetrack.base.records.shape import Record, Seconds

SyncKind = Literal["new", "changed", "moved", "removed", "missing", "skipped", "failed"]
SYNC_KINDS: tuple[SyncKind, ...] = (
    "new",
    "changed",
    "moved",
    "removed",
    "missing",
    "skipped",
    "failed",
)


@dataclass(frozen=True, slots=True)
class SyncChange(Record):
    """One file or document that is not as it was, or could not be taken.

    Attributes
    ----------
    kind
        ``new`` and ``changed`` files were read; a ``moved`` one keeps its document, and is only
        read again where its extension changed; the file of a ``removed`` or ``missing`` document
        is gone, and the latter was kept; ``skipped`` and ``failed`` files were not read.
    path
        Where the file is, or was.
    previous_path
        Where a moved file was; empty otherwise.
    document_id, document_name
        Of the document that the file is; for a copy that was skipped, of the one that has its
        content.
    code, message, hint
        Why, and what to do; for people but for the code.
    pages, chunks
        What was read of it.
    warnings
        Of its reader.
    """

    SHOWN = ("kind", "path", "previous_path", "message", "hint")

    kind: SyncKind
    path: str
    previous_path: str = ""
    document_id: str | None = None
    document_name: str | None = None
    code: str = ""
    message: str = ""
    hint: str = ""
    pages: int = 0
    chunks: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExcludedFile(Record):
    """A file that was taken out of a collection for good, though it may still be there.

    Attributes
    ----------
    path
        Where it lay when its document was deleted; of a source's item its name there.
    name
        Of its document.
    file_hash
        SHA-256 of its content, hexadecimal.
    excluded_at
        When.
    """

    SHOWN = ("name", "path", "excluded_at")

    path: str
    name: str
    file_hash: str
    excluded_at: datetime


@dataclass(frozen=True, slots=True, repr=False)
class SyncReport(FileTable[SyncChange], Record):
    """The end of a sync.

    Attributes
    ----------
    collection
        Its name.
    folder
        Absolute path; of a source its name, such as ``git:platform``.
    dry_run
        Whether nothing was done: the changes are what would happen.
    seen
        Number of files in the folder, without those that were left out by rules.
    unchanged
        Number of files whose document is as they are.
    hashed
        Number of files that were read to compare them; the others had not been touched.
    changes
        Everything else, by kind, then in the order of the folder.
    seconds
        How long it took.
    notes
        What else there is to know.
    cancelled
        Whether it was stopped; what was finished is kept, and the next sync goes on.
    problem
        Why a source could not be listed to its end, and what to do; empty where it could. What was
        listed was taken in, and nothing was removed.
    """

    JSON = (
        *("collection", "folder", "dry_run", "seen", "unchanged", "hashed", "counts"),
        *("seconds", "cancelled", "problem", "notes", "changes"),
    )

    collection: str
    folder: str
    dry_run: bool
    seen: int
    unchanged: int
    hashed: int
    changes: tuple[SyncChange, ...]
    seconds: Seconds
    notes: tuple[str, ...] = ()
    cancelled: bool = False
    problem: str = ""

    _STATE = "kind"
    _PROBLEMS = ("failed", "missing", "skipped")
    _BESIDE = ("previous_path", "pages", "chunks")

    @property
    def counts(self) -> dict[str, int]:
        """Number of changes of each kind."""
        return {kind: self.count(kind) for kind in SYNC_KINDS}

    def count(self, *kinds: SyncKind) -> int:
        """Return how many changes are of one of *kinds*."""
        counts = Counter(change.kind for change in self.changes)
        return sum(counts[kind] for kind in kinds)

    def of(self, kind: SyncKind, /) -> tuple[SyncChange, ...]:
        """Return the changes of one kind."""
        return tuple(change for change in self.changes if change.kind == kind)

    def _table(self) -> tuple[type[SyncChange], Sequence[SyncChange]]:
        return SyncChange, self.changes

    def _heading(self) -> str:
        counts = [f"{self.count(k):,} {k}" for k in SYNC_KINDS if self.count(k)]
        would = " (nothing was done: this is what would happen)" if self.dry_run else ""
        said = f"{self.folder}{would}: {', '.join([*counts, f'{self.unchanged:,} unchanged'])}"
        stopped = ["stopped before the end; what was finished is kept"] if self.cancelled else []
        return "; ".join([said, *stopped, *filter(None, [self.problem]), *self.notes])
