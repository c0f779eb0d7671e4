"""Reports: how the files of a batch ended, how far it is, and whether all is well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from casetrack.base.records.files import FileTable
from casetrack.base.records.shape import Record, Seconds
from casetrack.base.records.table import Tabular

FileStatus = Literal["ingested", "partial", "skipped", "failed"]
FILE_STATUSES: tuple[FileStatus, ...] = ("ingested", "partial", "skipped", "failed")


@dataclass(frozen=True, slots=True)
class FileOutcome(Record):
    """How one file of a batch ended.

    Attributes
    ----------
    code, message, hint
        Why a file was skipped or failed, or what of a partial one is missing; for people but for
        the code.
    updated
        Whether it took the place of an earlier version.
    """

    SHOWN = ("status", "path", "pages", "chunks", "message", "hint")

    path: str
    status: FileStatus
    code: str = ""
    message: str = ""
    hint: str = ""
    document_id: str | None = None
    document_name: str | None = None
    pages: int = 0
    chunks: int = 0
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    updated: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class IngestReport(FileTable[FileOutcome], Record):
    """The end of a batch: every file has exactly one outcome."""

    JSON = (
        *("files", "counts", "updated", "pages", "chunks", "seconds", "cancelled", "notes"),
        "outcomes",
    )

    outcomes: tuple[FileOutcome, ...]
    seconds: Seconds
    notes: tuple[str, ...] = ()
    cancelled: bool = False

    _STATE = "status"
    _PROBLEMS = ("failed", "partial", "skipped")
    _BESIDE = ("pages", "chunks")

    @property
    def files(self) -> int:
        """Number of files."""
        return len(self.outcomes)

    @property
    def counts(self) -> dict[str, int]:
        """Number of files that ended in each way."""
        return {status: self.count(status) for status in FILE_STATUSES}

    @property
    def updated(self) -> int:
        """Number of files that took the place of an earlier version."""
        return sum(o.updated for o in self.outcomes)

    @property
    def pages(self) -> int:
        """Number of pages that were read."""
        return sum(o.pages for o in self.outcomes)

    @property
    def chunks(self) -> int:
        """Number of chunks that were made."""
        return sum(o.chunks for o in self.outcomes)

    def count(self, *statuses: FileStatus) -> int:
        """Return how many files ended with one of *statuses*."""
        counts = Counter(o.status for o in self.outcomes)
        return sum(counts[s] for s in statuses)

    def _table(self) -> tuple[type[FileOutcome], Sequence[FileOutcome]]:
        return FileOutcome, self.outcomes

    def _heading(self) -> str:
        counts = [f"{self.count(s):,} {s}" for s in FILE_STATUSES if self.count(s)]
        files = f"{len(self.outcomes):,} {'file' if len(self.outcomes) == 1 else 'files'}"
        parts = [f"{files}: {', '.join(counts)}" if counts else files, f"{self.seconds:.1f} s"]
        stopped = ["stopped before the end; what was finished is kept"] if self.cancelled else []
        return "; ".join([*parts, *stopped, *self.notes])


@dataclass(frozen=True, slots=True)
class IngestProgress:
    """A moment of a running batch, for progress bars.

    ``done`` never shrinks; ``pages`` counts all pages read so far, ``chunks`` all chunks made.
    """

    done: int
    total: int
    file: str
    pages: int
    chunks: int


@dataclass(frozen=True, slots=True)
class Check(Record):
    """One line of a health report."""

    SHOWN = ("ok", "name", "detail", "remedy")

    name: str
    ok: bool
    detail: str
    remedy: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class HealthReport(Tabular[Check], Record):
    """The result of ``doctor``: all checks, well only when every one is.

    Attributes
    ----------
    repairs
        What was mended before the checks, in words; empty where nobody asked for it.
    unmended
        What could not be mended, why, and what to do.
    """

    JSON = ("ok",)

    checks: tuple[Check, ...]
    repairs: tuple[str, ...] = ()
    unmended: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every check passed."""
        return all(c.ok for c in self.checks)

    def _table(self) -> tuple[type[Check], Sequence[Check]]:
        return Check, self.checks

    def _heading(self) -> str:
        bad = sum(not c.ok for c in self.checks)
        said = f"{len(self.checks):,} checks: " + (f"{bad:,} not passed" if bad else "all is well")
        return "; ".join([said, *self.repairs, *self.unmended])
