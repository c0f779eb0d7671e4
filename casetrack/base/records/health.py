"""Quality of the reading and of the index of documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated, Literal, TypedDict

from casetrack.base.dataclass import dataclass
from casetrack.base.groups import spans_of
from casetrack.base.provenance import DOUBTFUL_BELOW
from casetrack.base.records.reports import UntakenFile, untaken_text
from casetrack.base.records.shape import HIDDEN, NO_COLUMN, Record, Seconds, Share
from casetrack.base.records.table import Tabular, table_html

# State of the index compared with the present files and models.

SourceState = Literal["unchanged", "changed", "missing", "unreadable", "untested"]
"""State of a source file; ``untested`` means a large file with a new time only."""
IndexProblem = Literal[
    "stale",
    "incomplete",
    "no_models",
    "earlier_reading",
    "source_changed",
    "source_untested",
    "source_missing",
    "source_unreadable",
    "partial",
]
PROBLEMS: dict[IndexProblem, str] = {
    "stale": "made by other models or an earlier version",
    "incomplete": "something of its index is missing",
    "no_models": "without vectors, since no model is installed",
    "earlier_reading": "read from its file by an earlier version",
    "source_changed": "the file has changed since",
    "source_untested": "the file may have changed since",
    "source_missing": "the file is not there any more",
    "source_unreadable": "the file cannot be read",
    "partial": "read in part",
}
"""Descriptions of problems, most important first."""
Action = Literal["none", "pull_models", "reindex", "reparse", "verify", "settings", "file"]
"""Remedies: download the models; rebuild from the stored text, or from the file; compare the file;
change settings or limits; restore the file.
"""
_ACTIONS: dict[IndexProblem, Action] = {
    "source_changed": "reparse",
    "earlier_reading": "reparse",
    "no_models": "pull_models",
    "stale": "reindex",
    "incomplete": "reindex",
    "source_untested": "verify",
    "source_unreadable": "file",
    "source_missing": "file",
    "partial": "settings",
}
OUTPUTS = ("dense", "sparse", "tokens", "terms", "names")
"""Outputs per chunk: dense vector (E1), learned term weights (E6), token matrix (E12), keyword
terms (E13), and names.
"""


@dataclass(frozen=True, slots=True)
class DocumentIndex(Record):
    """State of one document's index."""

    JSON = (
        *("document_id", "name", "path", "chunks", "coverage", "source", "problems"),
        *("reason", "action"),
    )
    COLUMNS = (
        *("document_id", "name", "path", "chunks", "source", "problems", "reason", "action"),
        *(f"{output}=coverage.{output}" for output in OUTPUTS),
    )
    SHOWN = ("name", "chunks", "source", "reason", "action")

    document_id: str
    name: str
    path: str
    chunks: int
    # For each output of the profile, the number of chunks that the present models have processed.
    coverage: dict[str, int]
    source: SourceState  # state of its file; for an attachment, of the file that contains it
    problems: tuple[IndexProblem, ...] = ()  # most important first
    missing: Annotated[tuple[str, ...], HIDDEN] = ()  # descriptions of the unread parts of the file

    @property
    def ok(self) -> bool:
        """Whether there are no problems."""
        return not self.problems

    @property
    def action(self) -> Action:
        """The first remedy."""
        return first_action(self.problems)

    @property
    def reason(self) -> str:
        """Description of the problems, or empty."""
        lacking = [
            f"{self.chunks - count:,} of {self.chunks:,} chunks without {name}"
            for name, count in self.coverage.items()
            if count < self.chunks
        ]
        words = [PROBLEMS[p] for p in self.problems if p not in {"incomplete", "partial"}]
        if "incomplete" in self.problems:
            words += lacking or [PROBLEMS["incomplete"]]
        if "partial" in self.problems:
            words.append(f"read in part: {' '.join(self.missing)}")
        return "; ".join(words)


class Coverage(TypedDict):
    """Number of chunks with an output, and their share (0 to 1)."""

    chunks: int
    share: float


@dataclass(frozen=True, slots=True, repr=False)
class IndexStatus(Tabular[DocumentIndex], Record):
    """State of the index of a collection or of one document."""

    JSON = (
        *("collection", "profile", "models", "ok", "chunks", "coverage=shares", "problems"),
        *("action", "seconds", "documents", "untaken"),
    )

    collection: str
    profile: str  # models for its vectors
    models: bool  # whether the models are installed, which the check of their outputs requires
    outputs: Annotated[tuple[str, ...], HIDDEN]  # outputs of this profile per chunk, see `OUTPUTS`
    documents: tuple[DocumentIndex, ...]  # by name
    seconds: Seconds
    # Files whose present content is not in the collection, failed ones first.
    untaken: tuple[UntakenFile, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether no document has a problem and no file failed."""
        return all(d.ok for d in self.documents) and not any(f.failed for f in self.untaken)

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return sum(d.chunks for d in self.documents)

    @property
    def coverage(self) -> dict[str, int]:
        """For each output, the number of chunks that have it."""
        return {name: sum(d.coverage[name] for d in self.documents) for name in self.outputs}

    @property
    def shares(self) -> dict[str, Coverage]:
        """The coverage with shares of all chunks; empty without chunks."""
        counts = self.coverage.items() if self.chunks else ()
        return {n: {"chunks": count, "share": round(count / self.chunks, 4)} for n, count in counts}

    @property
    def problems(self) -> dict[IndexProblem, int]:
        """Number of documents with each problem, most important first."""
        counts = Counter(p for d in self.documents for p in d.problems)
        return {p: counts[p] for p in PROBLEMS if counts[p]}

    @property
    def action(self) -> Action:
        """The first remedy for all documents."""
        return first_action(tuple(self.problems))

    def _table(self) -> tuple[type[DocumentIndex], Sequence[DocumentIndex]]:
        return DocumentIndex, self.documents

    def _heading(self) -> str:
        parts = [f"{count:,} {PROBLEMS[p]}" for p, count in self.problems.items()]
        parts += [untaken_text(self.untaken)] if self.untaken else []
        count = f"{len(self.documents):,} {'document' if len(self.documents) == 1 else 'documents'}"
        return f"{count}: {'; '.join(parts) or 'all as they would be made now'}"


def first_action(problems: tuple[IndexProblem, ...], /) -> Action:
    """Return the first remedy for *problems*; reading the file again also corrects most others."""
    return next((action for p, action in _ACTIONS.items() if p in problems), "none")


_MOST_SPANS = 8
_WHY_CHARS = 500


@dataclass(frozen=True, slots=True)
class DocumentHealth(Record):
    """Quality of the reading of one document."""

    JSON = ("...", "why")
    COLUMNS = JSON
    SHOWN = (
        *("name", "format", "pages", "pages_without_text", "ocr_pages", "ocr_confidence"),
        "why",
    )

    document_id: str
    name: str
    path: str
    format: str
    extraction_method: str
    pages: int
    # pages_without_text, ocr_pages: number of pages without readable text, and of pages read by
    # OCR.
    pages_without_text: int
    ocr_pages: int
    ocr_engine: str | None
    ocr_confidence: float | None  # 0..1; `None` without OCR
    chunks: int
    missing: tuple[str, ...]  # descriptions of the unread parts of the file
    # Numbers of the pages without text, from 1; empty if unknown.
    bare_pages: Annotated[tuple[int, ...], NO_COLUMN] = ()
    warnings: tuple[str, ...] = ()  # warnings of its reader

    @property
    def is_unsure(self) -> bool:
        """Whether the OCR confidence is so low that the text should be checked."""
        return self.ocr_confidence is not None and self.ocr_confidence < DOUBTFUL_BELOW

    @property
    def why(self) -> str:
        """Description of the problems, or empty."""
        parts = [*self.missing]
        if self.pages_without_text:
            parts.append(self._bare_text())
        if self.is_unsure:
            recognised = (
                "1 recognised page"
                if self.ocr_pages == 1
                else (f"{self.ocr_pages:,} recognised pages")
            )
            parts.append(f"Confidence of {recognised}: {self.ocr_confidence:.0%}.")
        return " ".join([*parts, *self.warnings])

    def _bare_text(self) -> str:
        count = self.pages_without_text
        which = f" ({_spans(self.bare_pages)})" if self.bare_pages else ""
        return f"{count:,} of {_pages(self.pages)} without text{which}."

    @property
    def needs_a_look(self) -> bool:
        """Whether a part is missing, a page has no text, or the OCR confidence is low."""
        return bool(self.missing or self.pages_without_text or self.is_unsure)


@dataclass(frozen=True, slots=True, repr=False)
class CollectionHealth(Tabular[DocumentHealth], Record):
    """Quality of the reading of a collection; as a table one row per document."""

    JSON = (
        *("collection", "document_count", "formats", "extraction_methods", "ocr_pages"),
        *("ocr_confidence", "pages_without_text", "coverage", "partial=partial.name", "notes"),
        "untaken",
    )

    collection: str
    documents: tuple[DocumentHealth, ...]  # by name
    # Share of the chunks with each output of the models, 0..1: dense, tokens, sparse, names.
    coverage: dict[str, Share]
    notes: tuple[str, ...] = ()
    # Files whose present content is not in the collection, failed ones first.
    untaken: tuple[UntakenFile, ...] = ()

    @property
    def document_count(self) -> int:
        """Number of documents."""
        return len(self.documents)

    @property
    def ocr_pages(self) -> int:
        """Number of pages read by OCR."""
        return sum(d.ocr_pages for d in self.documents)

    @property
    def pages_without_text(self) -> int:
        """Number of pages without readable text."""
        return sum(d.pages_without_text for d in self.documents)

    @property
    def formats(self) -> dict[str, int]:
        """Documents by format, the most frequent first."""
        return _counts(d.format for d in self.documents)

    @property
    def extraction_methods(self) -> dict[str, int]:
        """Documents by the origin of their text, most frequent first."""
        return _counts(d.extraction_method for d in self.documents)

    @property
    def ocr_confidence(self) -> Share | None:
        """Mean over all pages read by OCR, 0..1; ``None`` without any."""
        read = [(d.ocr_confidence, d.ocr_pages) for d in self.documents if d.ocr_pages]
        known = [(sure, pages) for sure, pages in read if sure is not None]
        pages = sum(count for _, count in known)
        return sum(sure * count for sure, count in known) / pages if pages else None

    @property
    def partial(self) -> tuple[DocumentHealth, ...]:
        """Documents with unread parts."""
        return tuple(d for d in self.documents if d.missing)

    @property
    def needs_a_look(self) -> tuple[DocumentHealth, ...]:
        """Documents to check; see :attr:`DocumentHealth.needs_a_look`."""
        return tuple(d for d in self.documents if d.needs_a_look)

    def _table(self) -> tuple[type[DocumentHealth], Sequence[DocumentHealth]]:
        return DocumentHealth, self.documents

    def _heading(self) -> str:
        return f"{self.collection}: " + "; ".join(f"{what}: {text}" for what, text in self._facts())

    def _facts(self) -> list[tuple[str, str]]:
        pages = sum(d.pages for d in self.documents)
        sure = self.ocr_confidence
        recognised = _pages(self.ocr_pages) + ("" if sure is None else f", confidence {sure:.0%}")
        return [
            ("documents", f"{len(self.documents):,} with {_pages(pages)}"),
            ("formats", _listed(self.formats)),
            ("text from", _listed(self.extraction_methods)),
            ("recognised from pictures", recognised),
            ("pages without text", f"{self.pages_without_text:,}"),
            ("read in part", f"{len(self.partial):,} documents"),
            ("models", ", ".join(f"{n} {share:.0%}" for n, share in self.coverage.items())),
        ]

    def __repr__(self) -> str:
        """Return counts, and the documents to check, as readable text."""
        lines = [f"{self.collection}", *(f"  {what}: {text}" for what, text in self._facts())]
        lines += [f"  to look at: {d.name}: {d.why}" for d in self.needs_a_look]
        lines += [f"  {f.status}: {f.path}: {f.why}" for f in self.untaken]
        return "\n".join([*lines, *self.notes])

    def _repr_html_(self) -> str:
        facts = [{"what": what, "": text} for what, text in self._facts()]
        html = table_html(("what", ""), facts, heading=self.collection)
        if self.untaken:
            files = [{n: getattr(f, n) for n in ("status", "path", "why")} for f in self.untaken]
            html += table_html(
                ("status", "path", "why"), files, heading="Files not ingested", chars=_WHY_CHARS
            )
        if not self.needs_a_look:
            return html
        names = ("name", "format", "pages", "pages_without_text", "ocr_confidence", "why")
        rows = [{n: getattr(d, n) for n in names} for d in self.needs_a_look]
        return html + table_html(names, rows, heading="Documents to look at", chars=_WHY_CHARS)


def _pages(count: int) -> str:
    return f"{count:,} {'page' if count == 1 else 'pages'}"


def _spans(numbers: Sequence[int]) -> str:
    """Return page numbers as ranges: ``p. 3, 5-9``."""
    spans = spans_of(sorted(numbers))
    shown = [f"{a}" if a == b else f"{a}-{b}" for a, b in spans[:_MOST_SPANS]]
    return f"p. {', '.join(shown)}{' and more' if len(spans) > _MOST_SPANS else ''}"


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items(), key=lambda pair: (-pair[1], pair[0])))


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())
