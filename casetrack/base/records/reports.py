"""Reports of batches of files, progress, and health checks."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import PurePath
from typing import Annotated, Any, ClassVar, Literal

from casetrack.base.dataclass import dataclass
from casetrack.base.records import table
from casetrack.base.records.shape import HIDDEN, Record, Seconds

# Reports with a row per file; problems come first.


_NAMED = 3
_CHARS = 700
_MOST_PROBLEMS = 500
_WHY = "why, and what to do"


@dataclass(frozen=True, slots=True)
class UntakenFile(Record):
    """A file whose present content is not in its collection."""

    SHOWN = ("status", "path", "message", "hint", "since")

    path: str
    status: Literal["failed", "skipped"]  # `failed`, or `skipped` by a rule
    # code, message, hint: error code, reason and next step.
    code: str
    message: str
    hint: str
    document_id: str | None  # the document with its earlier text, or with the same content
    source: str | None  # name of its source, such as `git:platform`; `None` for a file
    since: datetime  # first occurrence (UTC)
    elsewhere: bool = False  # whether it was on the computer that exported the collection
    # Number of documents before an incomplete repair, less those deleted since.
    stored: Annotated[int, HIDDEN] = 0

    @property
    def failed(self) -> bool:
        """Whether reading failed."""
        return self.status == "failed"

    @property
    def why(self) -> str:
        """Reason and next step as one text."""
        return " ".join(filter(None, (self.message, self.hint)))


def untaken_text(files: Sequence[UntakenFile], /) -> str:
    """Return counts and first names of untaken files, or empty."""
    parts = []
    for status, what in (("failed", "could not be read"), ("skipped", "left out")):
        names = [PurePath(file.path).name or file.path for file in files if file.status == status]
        if names:
            more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
            noun = "file" if len(names) == 1 else "files"
            parts.append(f"{len(names):,} {noun} {what}: {', '.join(names[:_NAMED])}{more}.")
    return " ".join(parts)


class FileTable(table.Tabular[table.T]):
    """A report on files: problems first, names without their common folder.

    Data frames have the order of the report and absolute paths.
    """

    __slots__ = ()
    _STATE: ClassVar[str]
    """Column with the result of a file."""
    _PROBLEMS: ClassVar[tuple[str, ...]]
    """Values of problems, worst first."""
    _BESIDE: ClassVar[tuple[str, ...]]
    """Other displayed columns."""

    def _problems_and_rest(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        items = self._table()[1]
        folder = _shared_folder([str(getattr(item, "path")) for item in items])  # noqa: B009
        rows = [self._row(item, folder) for item in items]
        order = {state: place for place, state in enumerate(self._PROBLEMS)}
        bad = [row for row in rows if row[self._STATE] in order]
        bad.sort(key=lambda row: order[row[self._STATE]])
        return bad, [row for row in rows if row[self._STATE] not in order]

    def _row(self, item: object, folder: str) -> dict[str, Any]:
        values: dict[str, Any] = {n: getattr(item, n) for n in (self._STATE, *self._BESIDE)}
        reason = " ".join(filter(None, (getattr(item, n) for n in ("message", "hint"))))
        row = {self._STATE: values.pop(self._STATE), "file": getattr(item, "path"), **values}  # noqa: B009
        row[_WHY] = reason
        return {n: _without(v, folder) if isinstance(v, str) else v for n, v in row.items()}

    def _columns(self, rows: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
        known = list(rows)
        names = (self._STATE, "file", *self._BESIDE, _WHY)
        return tuple(n for n in names if n in names[:2] or any(row[n] for row in known))

    def __repr__(self) -> str:
        """Return counts, then the problems with reasons, then the other files."""
        bad, rest = self._problems_and_rest()
        lines = [f"  {r[self._STATE]}  {r['file']}: {r[_WHY]}" for r in bad[: table.TEXT_ROWS]]
        if more := table.more_text(len(bad), table.TEXT_ROWS):
            lines.append(f"  {more}")
        return "\n".join([self._heading(), *lines, *table.text_lines(self._columns(rest), rest)])

    def _repr_html_(self) -> str:
        bad, rest = self._problems_and_rest()
        limit = max(table.HTML_ROWS, min(len(bad), _MOST_PROBLEMS))
        rows: Sequence[Mapping[str, Any]] = [*bad, *rest]
        names = self._columns(rows)
        return table.table_html(names, rows, heading=self._heading(), limit=limit, chars=_CHARS)


def _shared_folder(paths: Sequence[str]) -> str:
    """Return the common folder of all files with its separator, or empty."""
    try:
        shared = os.path.commonpath([PurePath(path).parent for path in paths])
    except ValueError:  # No paths, or several drives.
        return ""
    folder = PurePath(shared)
    # Directly below the root of a disk the whole path is shown.
    return f"{folder}{os.sep}" if folder.is_absolute() and folder != folder.parent else ""


def _without(text: str, folder: str) -> str:
    return re.sub(rf"(?<![\w/\\]){re.escape(folder)}", "", text) if folder else text


FileStatus = Literal["ingested", "partial", "skipped", "failed"]
FILE_STATUSES: tuple[FileStatus, ...] = ("ingested", "partial", "skipped", "failed")


@dataclass(frozen=True, slots=True)
class FileOutcome(Record):
    """The result of one file of a batch."""

    SHOWN = ("status", "path", "pages", "chunks", "message", "hint")

    path: str
    status: FileStatus
    # code, message, hint: error code and reason of a skipped or failed file, or missing parts of a
    # partial one.
    code: str = ""
    message: str = ""
    hint: str = ""
    document_id: str | None = None
    document_name: str | None = None
    pages: int = 0
    chunks: int = 0
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    updated: bool = False  # whether it replaced an earlier version


@dataclass(frozen=True, slots=True, repr=False)
class IngestReport(FileTable[FileOutcome], Record):
    """The result of a batch: every file has exactly one outcome."""

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
        """Number of files with each status."""
        return {status: self.count(status) for status in FILE_STATUSES}

    @property
    def updated(self) -> int:
        """Number of files that replaced an earlier version."""
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
        """Return the number of files with one of *statuses*."""
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
    """Progress of a running batch; ``done`` never decreases, pages and chunks are totals."""

    done: int
    total: int
    file: str  # Of those being read the first that was begun
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
class HealthReport(table.Tabular[Check], Record):
    """The result of ``doctor``."""

    JSON = ("ok",)

    checks: tuple[Check, ...]
    # Descriptions of repairs before the checks; empty unless requested.
    repairs: tuple[str, ...] = ()
    unmended: tuple[str, ...] = ()  # failed repairs, with reason and next step

    @property
    def ok(self) -> bool:
        """Whether every check passed."""
        return all(c.ok for c in self.checks)

    def _table(self) -> tuple[type[Check], Sequence[Check]]:
        return Check, self.checks

    def _heading(self) -> str:
        bad = sum(not c.ok for c in self.checks)
        text = f"{len(self.checks):,} checks: " + (f"{bad:,} not passed" if bad else "all is well")
        return "; ".join([text, *self.repairs, *self.unmended])
