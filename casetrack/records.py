"""What the library returns: documents, chunks, search results, reports. Plain frozen records.

Everything that carries document text carries its :class:`~casetrack.provenance.Provenance`
(invariant P4). ``as_dict`` gives the JSON form used by the command line and by MCP.
"""

from __future__ import annotations

import base64
import html
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from casetrack.provenance import Provenance, iso_utc

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    import polars as pl
    import pyarrow as pa

CollectionStatus = Literal["active", "closed", "archived"]
FileStatus = Literal["ingested", "partial", "skipped", "failed"]
FILE_STATUSES: tuple[FileStatus, ...] = ("ingested", "partial", "skipped", "failed")
SearchMode = Literal["keyword", "semantic", "hybrid"]
Illustrate = Callable[[Sequence[str]], Mapping[str, "Picture"]]
"""Draws passages by their chunk ids; those that it can say nothing about are left out."""

COLLECTION_TYPES = (
    "archive",
    "business",
    "compliance",
    "contract",
    "financial",
    "hr",
    "operations",
    "other",
    "project",
    "research",
    "sales",
    "technical",
)
DOCUMENT_TYPES = (
    "contract",
    "report",
    "spreadsheet",
    "presentation",
    "correspondence",
    "memo",
    "proposal",
    "invoice",
    "policy",
    "other",
)


@dataclass(frozen=True, slots=True)
class CollectionInfo:
    """A collection's own facts, as kept in its ``collection.json``."""

    id: str
    name: str
    type: str
    status: CollectionStatus
    description: str | None
    reference: str | None
    tags: tuple[str, ...]
    edition: str
    schema_version: int
    pipeline: str
    model: str
    created_at: datetime
    updated_at: datetime

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        raw = asdict(self)
        return raw | {
            "tags": list(self.tags),
            "created_at": iso_utc(self.created_at),
            "updated_at": iso_utc(self.updated_at),
        }


@dataclass(frozen=True, slots=True)
class CollectionStats:
    """Counts of live rows, and the bytes of everything in the collection's folder."""

    document_count: int
    page_count: int
    chunk_count: int
    storage_bytes: int


@dataclass(frozen=True, slots=True)
class Document:
    """One row of the ledger; the columns are described in ``schemas/v2/documents.toml``."""

    document_id: str
    revision: str
    name: str
    path: str
    format: str
    document_type: str | None
    title: str | None
    author: str | None
    language: str | None
    page_count: int
    pages_without_text: int
    chunk_count: int
    char_count: int
    extraction_method: str
    file_hash: str
    file_size: int
    file_modified_at: datetime
    original_copy: str | None
    pipeline: str
    pipeline_fingerprint: str
    warnings: tuple[str, ...]
    ingested_at: datetime
    updated_at: datetime
    document_type_evidence: str | None = None
    parent_id: str | None = None
    content_created_at: datetime | None = None
    content_modified_at: datetime | None = None
    properties: tuple[tuple[str, str], ...] = ()
    ocr_pages: int = 0
    ocr_engine: str | None = None
    ocr_confidence: float | None = None
    missing: tuple[str, ...] = ()
    read_with: str | None = None

    @classmethod
    def from_row(cls, row: Mapping[str, Any], /) -> Document:
        """Build it from a row of ``documents``."""
        values = {name: row[name] for name in cls.__dataclass_fields__}
        properties = values["properties"] or ()
        return cls(
            **values
            | {
                "warnings": tuple(values["warnings"] or ()),
                "missing": tuple(values["missing"] or ()),
                "properties": tuple((p["name"], p["value"]) for p in properties),
                "ocr_pages": values["ocr_pages"] or 0,
            }
        )

    def as_row(self) -> dict[str, Any]:
        """Return it as a row of ``documents``."""
        return asdict(self) | {
            "warnings": list(self.warnings),
            "missing": list(self.missing),
            "properties": [{"name": name, "value": value} for name, value in self.properties],
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form: times as ISO 8601 in UTC, properties as an object."""
        raw = self.as_row() | {"properties": dict(self.properties)}
        for name in _DOCUMENT_TIMES:
            raw[name] = iso_utc(raw[name])
        return raw


_DOCUMENT_TIMES = (
    "content_created_at",
    "content_modified_at",
    "file_modified_at",
    "ingested_at",
    "updated_at",
)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a passage on its page (PNG), or why there is none; *note* may be empty."""

    png: bytes | None
    note: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk of text with its full provenance.

    ``chunk_count`` is the number of chunks of its document; ``embedders`` names the models whose
    output the chunk holds. ``illustrate`` draws passages by their ids, for notebooks.
    """

    text: str
    provenance: Provenance
    embedders: tuple[str, ...]
    chunk_count: int
    illustrate: Illustrate | None = field(default=None, repr=False, compare=False)

    @property
    def chunk_id(self) -> str:
        """Id of the chunk."""
        return self.provenance.chunk_id

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.provenance.cite()

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form: text, citation and source."""
        return {
            "text": self.text,
            "citation": self.provenance.cite(),
            "citation_short": self.provenance.cite_short(),
            "source": self.provenance.source(),
            "chunk_count": self.chunk_count,
            "embedders": list(self.embedders),
            "highlight": highlight(self.provenance),
        }

    def _repr_html_(self) -> str:
        pictures = self.illustrate([self.chunk_id]) if self.illustrate else {}
        return _passage_html(self.provenance, self.text, pictures.get(self.chunk_id))


def _passage_html(provenance: Provenance, text: str, picture: Picture | None) -> str:
    """Show a passage in a notebook: citation, picture of its place, words."""
    lines = [f"<b>{html.escape(provenance.cite())}</b>"]
    if provenance.is_doubtful and (doubt := provenance.ocr_note()):
        lines.append(f"<em>{html.escape(doubt[0].upper() + doubt[1:])}</em>")
    if picture is not None and picture.png is not None:
        data = base64.b64encode(picture.png).decode("ascii")
        lines.append(
            f"<img alt='The passage, marked on its page' src='data:image/png;base64,{data}' "
            "style='max-width:100%;height:auto;margin:.5em 0;border:1px solid #8886'>"
        )
    if picture is not None and picture.note:
        lines.append(f"<small>{html.escape(picture.note)}</small>")
    return "<br>".join([*lines, html.escape(text)])


def highlight(provenance: Provenance, /) -> dict[str, Any] | None:
    """Return the rectangles that mark the chunk on its page, in points; ``None`` without layout."""
    if not provenance.line_boxes:
        return None
    return {
        "page": provenance.page,
        "page_width": provenance.page_width,
        "page_height": provenance.page_height,
        "unit": "points, origin top left",
        "lines": [
            {"line": b.line, "box": [round(v, 2) for v in (b.box.x0, b.box.y0, b.box.x1, b.box.y1)]}
            for b in provenance.line_boxes
        ],
    }


@dataclass(frozen=True, slots=True)
class ChunkWindow:
    """A chunk with its neighbours in the same document, in reading order."""

    before: tuple[Chunk, ...]
    chunk: Chunk
    after: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of a document: its level (from 1), its words, and where it stands.

    ``chunk_id`` is the chunk that holds it; ``char_start`` and ``char_end`` are code points into
    the page's text.
    """

    level: int
    title: str
    page: int
    paragraph: int
    char_start: int
    char_end: int
    chunk_id: str
    citation: str


@dataclass(frozen=True, slots=True)
class DocumentStructure:
    """A document as a table of contents.

    Attributes
    ----------
    document
        Its row of the ledger.
    sections
        All headings in reading order.
    paragraph_kinds
        Number of paragraphs of each kind: body, heading, list, quote, table, footnote, code.
    attachments
        Documents attached to it.
    """

    document: Document
    sections: tuple[Section, ...]
    paragraph_kinds: dict[str, int]
    attachments: tuple[Document, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "document": self.document.as_dict(),
            "sections": [asdict(s) for s in self.sections],
            "paragraph_kinds": dict(self.paragraph_kinds),
            "attachments": [a.as_dict() for a in self.attachments],
        }


@dataclass(frozen=True, slots=True)
class Signal:
    """What one retrieval signal said of one result: raw score, rank (1-based), fused share.

    *rank* is ``None`` where the signal's own list did not hold the chunk.
    """

    score: float
    rank: int | None
    contribution: float


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One hit with its source, the text around it, and why it stands where it does.

    The context is the neighbouring chunks' text without what overlaps with the hit; each side
    has its own citation, since it may lie on another page.
    """

    rank: int
    score: float
    text: str
    provenance: Provenance
    context_before: str | None
    context_after: str | None
    signals: dict[str, Signal] = field(repr=False)
    before_citation: str | None = None
    after_citation: str | None = None

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.provenance.cite()

    def as_dict(self, *, explain: bool = False) -> dict[str, Any]:
        """Return the canonical JSON form of PRD 08 §7, with the signals where *explain*."""
        raw: dict[str, Any] = {
            "text": self.text,
            "score": round(self.score, 6),
            "citation": self.provenance.cite(),
            "citation_short": self.provenance.cite_short(),
            "source": self.provenance.source(),
            "context": {
                "before": self.context_before,
                "before_citation": self.before_citation,
                "after": self.context_after,
                "after_citation": self.after_citation,
            },
        }
        if explain:
            raw["explain"] = {name: asdict(s) for name, s in self.signals.items()}
        return raw


@dataclass(frozen=True, slots=True)
class SearchResults:
    """The answer to one query.

    Attributes
    ----------
    stages_used
        Signals that took part, such as ``("bm25", "semantic")``.
    stage_ms
        Milliseconds per stage.
    searched_documents, searched_chunks
        How much was searched.
    notes
        What the user should know, such as that no model is installed.
    illustrate
        Draws passages by their ids, for notebooks.
    """

    query: str
    collection: str
    mode: SearchMode
    results: tuple[SearchResult, ...]
    stages_used: tuple[str, ...]
    stage_ms: dict[str, float]
    search_time_ms: float
    searched_documents: int
    searched_chunks: int
    notes: tuple[str, ...] = ()
    tier: str = "free"
    illustrate: Illustrate | None = field(default=None, repr=False, compare=False)

    def __iter__(self) -> Iterator[SearchResult]:
        """Iterate over the results, best first."""
        return iter(self.results)

    def __len__(self) -> int:
        """Return the number of results."""
        return len(self.results)

    def __getitem__(self, index: int, /) -> SearchResult:
        """Return one result by position."""
        return self.results[index]

    def as_dict(self, *, explain: bool = False) -> dict[str, Any]:
        """Return the canonical JSON form of PRD 08 §7."""
        raw: dict[str, Any] = {
            "query": self.query,
            "collection": self.collection,
            "mode": self.mode,
            "results_count": len(self.results),
            "search_time_ms": round(self.search_time_ms, 2),
            "tier": self.tier,
            "stages_used": list(self.stages_used),
            "searched": {"documents": self.searched_documents, "chunks": self.searched_chunks},
            "notes": list(self.notes),
            "results": [r.as_dict(explain=explain) for r in self.results],
        }
        if explain:
            raw["stage_ms"] = {k: round(v, 3) for k, v in self.stage_ms.items()}
        return raw

    def to_arrow(self) -> pa.Table:
        """Return the results as an Arrow table, one row each, with every field of the source."""
        import pyarrow as pa

        rows = [
            {"rank": r.rank, "score": r.score, "text": r.text, "citation": r.citation}
            | r.provenance.source()
            | {"context_before": r.context_before, "context_after": r.context_after}
            for r in self.results
        ]
        return pa.Table.from_pylist(rows)

    def to_polars(self) -> pl.DataFrame:
        """Return the results as a Polars data frame."""
        import polars as pl

        frame = pl.from_arrow(self.to_arrow())
        if not isinstance(frame, pl.DataFrame):  # an empty table converts to a frame as well
            frame = frame.to_frame()
        return frame

    def __repr__(self) -> str:
        """Return the results as readable text with their citations."""
        head = f'{len(self.results)} results for "{self.query}" in {self.collection}'
        lines = [f"{head} ({self.mode}, {self.search_time_ms:.0f} ms)", *self.notes]
        for r in self.results:
            text = " ".join(r.text.split())
            lines += [f"{r.rank:>3}. {r.citation}  [{r.score:.3f}]", f"     {text[:160]}"]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        ids = [r.provenance.chunk_id for r in self.results]
        pictures = self.illustrate(ids) if self.illustrate and ids else {}
        rows = ""
        for r in self.results:
            text = " ".join(r.text.split())[:400]
            passage = _passage_html(r.provenance, text, pictures.get(r.provenance.chunk_id))
            rows += (
                f"<tr><td>{r.rank}</td><td>{r.score:.3f}</td>"
                f"<td style='text-align:left'>{passage}</td></tr>"
            )
        return (
            f"<p>{len(self.results)} results for <i>{html.escape(self.query)}</i> in "
            f"{html.escape(self.collection)} ({self.mode}, {self.search_time_ms:.0f} ms)</p>"
            f"<table><tr><th>#</th><th>score</th><th>passage</th></tr>{rows}</table>"
        )


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """How one file of a batch ended.

    Attributes
    ----------
    code, message, hint
        Why a file was skipped or failed, or what of a partial one is missing; for people but for
        the code.
    updated
        Whether it took the place of an earlier version.
    """

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


@dataclass(frozen=True, slots=True)
class IngestReport:
    """The end of a batch: every file has exactly one outcome."""

    outcomes: tuple[FileOutcome, ...]
    seconds: float
    notes: tuple[str, ...] = ()
    cancelled: bool = False

    def count(self, *statuses: FileStatus) -> int:
        """Return how many files ended with one of *statuses*."""
        counts = Counter(o.status for o in self.outcomes)
        return sum(counts[s] for s in statuses)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form: counts and one object per file."""
        return {
            "files": len(self.outcomes),
            "counts": {status: self.count(status) for status in FILE_STATUSES},
            "updated": sum(o.updated for o in self.outcomes),
            "pages": sum(o.pages for o in self.outcomes),
            "chunks": sum(o.chunks for o in self.outcomes),
            "seconds": round(self.seconds, 3),
            "cancelled": self.cancelled,
            "notes": list(self.notes),
            "outcomes": [asdict(o) | {"warnings": list(o.warnings)} for o in self.outcomes],
        }


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
class Check:
    """One line of a health report."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class HealthReport:
    """The result of ``doctor``: all checks, well only when every one is."""

    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether every check passed."""
        return all(c.ok for c in self.checks)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"ok": self.ok, "checks": [asdict(c) for c in self.checks]}
