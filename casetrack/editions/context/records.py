"""Records of the edition for developers: search results, documents and sources.

The field names are those of ctx, plus citation, page, lines, and a link to them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any

from casetrack.base.provenance import Provenance
from casetrack.base.records.search import SearchMode, Signal
from casetrack.base.records.shape import HIDDEN, FieldFormat, Record

Score = Annotated[float, FieldFormat(digits=6)]


@dataclass(frozen=True, slots=True)
class ContextScores(Record):
    """Scores of a passage."""

    JSON = ("...", "signals?", "fields?")

    # BM25; ``None``: not among the candidates.
    keyword_score: Annotated[float | None, FieldFormat(digits=6)]
    # Cosine; ``None``: not among the candidates.
    vector_score: Annotated[float | None, FieldFormat(digits=6)]
    # 0 to 1 within the candidates; ``None`` in the mode ``full``.
    keyword_normalised: Annotated[float | None, FieldFormat(digits=6)]
    # 0 to 1 within the candidates; ``None`` in the mode ``full``.
    vector_normalised: Annotated[float | None, FieldFormat(digits=6)]
    alpha: float | None  # Weight of the vectors; ``None`` in the mode ``full``
    blended: Score  # ``(1 - alpha) * keyword + alpha * vector``, or the score of the mode ``full``
    signals: dict[str, Signal] | None = None  # Scores of each stage, in the mode ``full``
    # Fields of the document, at its best passage; see :data:`casetrack.search.documents.FIELDS`
    fields: dict[str, float] | None = None


@dataclass(frozen=True, slots=True)
class ContextPlace(Record):
    """The place of a passage or of its quoted part."""

    JSON = (
        *("chunk_id=provenance.chunk_id", "index=provenance.chunk_index", "score"),
        *("citation=provenance.cite_lines", "page=provenance.page"),
        *("line_start=provenance.line_start", "line_end=provenance.line_end", "url"),
        *("hidden_warning=provenance.hidden_warning?", "explain=scores?"),
    )

    score: Score
    url: str | None  # Link to these lines, if its source has such links
    provenance: Annotated[Provenance, HIDDEN] = field(repr=False)
    scores: ContextScores | None = field(repr=False)

    @property
    def citation(self) -> str:
        """Document, page and lines."""
        return self.provenance.cite_lines()


@dataclass(frozen=True, slots=True)
class ContextHit(Record):
    """A document that matches a question."""

    JSON = (
        *("id", "score=place.score", "title", "source", "source_id", "updated_at", "snippet"),
        *("source_url", "chunk_id=place.provenance.chunk_id"),
        *("index=place.provenance.chunk_index", "citation=place.citation"),
        *("page=place.provenance.page", "line_start=place.provenance.line_start"),
        *("line_end=place.provenance.line_end", "url=place.url", "stale"),
        *("hidden_warning=place.provenance.hidden_warning?", "more", "explain=place.scores?"),
    )

    id: str
    title: str
    source: str
    source_id: str  # Id of the document in its source
    updated_at: datetime  # See :attr:`casetrack.base.records.Document.dated_at`
    snippet: str  # The part of its best passage that matches the question best
    source_url: str | None
    stale: bool  # Whether the source may be newer than the collection
    place: Annotated[ContextPlace, HIDDEN]  # Place of the snippet
    more: tuple[ContextPlace, ...]  # Places of its next best passages

    @property
    def score(self) -> float:
        """Probability that it answers, 0 to 1; in the mode ``full`` the score of its passage."""
        return self.place.score


@dataclass(frozen=True, slots=True)
class ContextResults(Record):
    """The answer to a question: documents, best first."""

    query: str
    mode: SearchMode  # The requested or the default mode
    results: tuple[ContextHit, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextChunk(Record):
    """A passage of a document."""

    JSON = (
        *("index", "text", "chunk_id=provenance.chunk_id", "citation=provenance.cite"),
        *("page=provenance.page", "line_start=provenance.line_start"),
        *("line_end=provenance.line_end", "url", "hidden_warning=provenance.hidden_warning?"),
    )

    text: str
    url: str | None  # Link to its lines, if its source has such links
    provenance: Annotated[Provenance, HIDDEN] = field(repr=False)

    @property
    def index(self) -> int:
        """Its position in the document, from 0."""
        return self.provenance.chunk_index


@dataclass(frozen=True, slots=True)
class ContextDocument(Record):
    """A document, complete or from one passage on."""

    id: str
    source: str
    source_id: str
    source_url: str | None
    title: str
    author: str | None
    created_at: datetime
    updated_at: datetime
    content_type: str  # Media type of the file
    body: str  # Text of the pages in order, separated by an empty line
    metadata: dict[str, Any]  # Further facts from its source and its file
    chunks: tuple[ContextChunk, ...]
    chunk_count: int
    next: int | None  # Index of the next passage; ``None`` at the end
    stale: bool  # Whether the source may be newer than the collection


@dataclass(frozen=True, slots=True)
class ContextSource(Record):
    """A source of documents."""

    name: str  # As users write it: ``git:platform``
    kind: str  # The first part of the name
    configured: bool  # Whether the config names it; other sources are kept without sync
    healthy: bool  # Whether the last sync of a configured source was complete
    notes: str | None  # Its problem and the next step
    documents: int
    chunks: int
    last_synced_at: datetime | None
    last_success_at: datetime | None  # Last sync that was complete
    stale: bool  # Whether the source may be newer than the collection


@dataclass(frozen=True, slots=True)
class ContextSources(Record):
    """All sources of a collection, sorted by name."""

    sources: tuple[ContextSource, ...]
