"""What the edition for people who code returns: documents found, read, and where they come from.

The names are those that its users' programs know; what is ours stands beside them: the citation,
the page and the lines of what is quoted, and the address that opens it there.
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
    """How the score of a passage came about.

    Attributes
    ----------
    keyword_score, vector_score
        BM25 and cosine, as they are; ``None`` where the list does not hold the passage.
    keyword_normalised, vector_normalised
        The same from 0 to 1 within its list; 0 where the list does not hold it.
    alpha
        Weight of the vectors.
    blended
        The score of the passage: ``(1 - alpha) * keyword + alpha * vector``.
    signals
        In the mode ``full``, which does not blend: what each stage said. There the scores from 0
        to 1 and alpha are ``None``.
    """

    JSON = ("...", "signals?")

    keyword_score: Annotated[float | None, FieldFormat(digits=6)]
    vector_score: Annotated[float | None, FieldFormat(digits=6)]
    keyword_normalised: Annotated[float | None, FieldFormat(digits=6)]
    vector_normalised: Annotated[float | None, FieldFormat(digits=6)]
    alpha: float | None
    blended: Score
    signals: dict[str, Signal] | None = None


@dataclass(frozen=True, slots=True)
class ContextPlace(Record):
    """Where something was found: a passage, or what of it is quoted.

    Attributes
    ----------
    index
        Position of the passage in its document, from 0, as ``get`` counts.
    citation, page, line_start, line_end
        Page and lines from 1, inclusive.
    url
        Opens the document at these lines, where its source has such addresses.
    scores
        How the score came about, where that was asked for.
    """

    JSON = (
        *("chunk_id=provenance.chunk_id", "index=provenance.chunk_index", "score"),
        *("citation=provenance.cite_lines", "page=provenance.page"),
        *("line_start=provenance.line_start", "line_end=provenance.line_end", "url"),
        *("hidden_warning=provenance.hidden_warning?", "explain=scores?"),
    )

    score: Score
    url: str | None
    provenance: Annotated[Provenance, HIDDEN] = field(repr=False)
    scores: ContextScores | None = field(repr=False)

    @property
    def citation(self) -> str:
        """Document, page and lines."""
        return self.provenance.cite_lines()


@dataclass(frozen=True, slots=True)
class ContextHit(Record):
    """A document that was found.

    Attributes
    ----------
    id
        Of the document.
    source, source_id
        Where it comes from, and what that calls it.
    updated_at
        When it was last changed; see :attr:`casetrack.base.records.Document.dated_at`.
    snippet
        What of its best passage says most on the question, as it stands there.
    source_url
        Where a person finds the document.
    stale
        Whether the collection may be behind the source.
    place
        Where the snippet stands; its facts are those of the result.
    more
        Where its next best passages stand.
    """

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
    source_id: str
    updated_at: datetime
    snippet: str
    source_url: str | None
    stale: bool
    place: Annotated[ContextPlace, HIDDEN]
    more: tuple[ContextPlace, ...]

    @property
    def score(self) -> float:
        """That of its best passage, 0 to 1."""
        return self.place.score


@dataclass(frozen=True, slots=True)
class ContextResults(Record):
    """The answer to a question: documents, the best first.

    Attributes
    ----------
    mode
        What was asked for, or what was chosen.
    notes
        What the user should know.
    """

    query: str
    mode: SearchMode
    results: tuple[ContextHit, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextChunk(Record):
    """A passage of a document that is read.

    Attributes
    ----------
    index
        Its position in the document, from 0.
    url
        Opens the document at its lines, where its source has such addresses.
    """

    JSON = (
        *("index", "text", "chunk_id=provenance.chunk_id", "citation=provenance.cite"),
        *("page=provenance.page", "line_start=provenance.line_start"),
        *("line_end=provenance.line_end", "url", "hidden_warning=provenance.hidden_warning?"),
    )

    text: str
    url: str | None
    provenance: Annotated[Provenance, HIDDEN] = field(repr=False)

    @property
    def index(self) -> int:
        """Its position in the document, from 0."""
        return self.provenance.chunk_index


@dataclass(frozen=True, slots=True)
class ContextDocument(Record):
    """A document that is read, whole or from some passage on.

    Attributes
    ----------
    content_type
        Of the file, as HTTP writes it.
    body
        Its text: pages in order, each followed by an empty line.
    metadata
        Further facts that its source and the file tell.
    chunks
        Its passages, in order.
    chunk_count
        How many it has.
    stale
        Whether the collection may be behind its source.
    next
        The index to go on from; ``None`` at its end.
    """

    id: str
    source: str
    source_id: str
    source_url: str | None
    title: str
    author: str | None
    created_at: datetime
    updated_at: datetime
    content_type: str
    body: str
    metadata: dict[str, Any]
    chunks: tuple[ContextChunk, ...]
    chunk_count: int
    next: int | None
    stale: bool


@dataclass(frozen=True, slots=True)
class ContextSource(Record):
    """Where documents of a collection come from.

    Attributes
    ----------
    name, kind
        As users write it (``git:platform``), and the first part of that.
    configured
        Whether the configuration names it; what it does not name is kept as it was.
    healthy
        Whether the collection is in step with it: nothing is known to be wrong, and what the
        configuration names was taken in.
    notes
        What is wrong with it, and what to do; ``None`` for nothing.
    documents, chunks
        How much there is of it.
    last_synced_at, last_success_at
        When it was last looked at, and when all of it was last in step; ``None`` for never.
    stale
        Whether the collection may be behind it.
    """

    name: str
    kind: str
    configured: bool
    healthy: bool
    notes: str | None
    documents: int
    chunks: int
    last_synced_at: datetime | None
    last_success_at: datetime | None
    stale: bool


@dataclass(frozen=True, slots=True)
class ContextSources(Record):
    """All places that documents of a collection come from, by name."""

    sources: tuple[ContextSource, ...]
