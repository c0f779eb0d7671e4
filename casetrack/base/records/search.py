"""The results of a search with their signals, pinpoints and display."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, Literal, SupportsIndex, TypedDict, get_args, overload

from casetrack.base.dataclass import dataclass, field, replace
from casetrack.base.provenance import Box, Provenance
from casetrack.base.records.passages import Chunk, Illustrate, Quote, passage_html
from casetrack.base.records.reading import NO_LOCATION, Answer, LocateAnswer, Pinpoint, Reading
from casetrack.base.records.shape import HIDDEN, INLINE, NO_JSON, FieldFormat, Record, Share
from casetrack.base.records.table import Tabular


@dataclass(frozen=True, slots=True)
class FacetValue(Record):
    """A value of a facet, and the number of passages that have it."""

    value: str  # for a filter: the id of a document or an entity, a kind, a language, a year
    label: str  # for display
    passages: int


@dataclass(frozen=True, slots=True)
class Facet(Record):
    """A property that narrows passages."""

    name: str  # `document`, `kind`, `year`, `person`, `organization`, `language` or `source`
    values: tuple[FacetValue, ...]  # the most frequent and the chosen values
    total: int  # number of all values


@dataclass(frozen=True, slots=True)
class Facets(Record):
    """The facets of a question, in display order."""

    passages: int  # number of passages that match the question and its filters
    facets: tuple[Facet, ...]
    # Number of passages without extracted entities; if any, people and organizations are omitted.
    unread: int = 0


SearchMode = Literal["keyword", "semantic", "hybrid", "full"]
SEARCH_MODES: tuple[SearchMode, ...] = get_args(SearchMode)
Evidence = Literal["strong", "weak", "none"]
"""Whether passages answer a question: yes, possibly, or probably not."""
NO_ANSWER = "Probably not in these documents: what follows is only the nearest."
_SHOWN_CHARS = 400
_SHOWN_ALSO = 3
_NEAR_WORD = 24
"""Distance within which an excerpt is cut between words."""


@dataclass(frozen=True, slots=True)
class Signal(Record):
    """One retrieval signal of a result: raw score, rank (1-based), contribution to the total.

    *rank* is ``None`` if the signal's list lacks the chunk, *score* if the signal was not computed:
    token matrices are read for the best candidates only. Signals that are independent of the words
    have no list.
    """

    score: float | None
    rank: int | None
    contribution: float
    has_list: Annotated[bool, HIDDEN] = True

    def describe(self) -> str:
        """Return it as text, such as ``0.4213 (rank 2), adds +1.3050``."""
        rank = "not in its list" if self.rank is None else f"rank {self.rank}"
        score = "not looked at" if self.score is None else f"{self.score:.4f}"
        ranked = f" ({rank})" if self.has_list and self.score is not None else ""
        return f"{score}{ranked}, adds {self.contribution:+.4f}"


class Searched(TypedDict):
    """Number of searched documents and chunks."""

    documents: int
    chunks: int


class Context(TypedDict):
    """The text before and after a result, each with its citation."""

    before: str | None
    before_citation: str | None
    after: str | None
    after_citation: str | None


NO_CONTEXT = Context(before=None, before_citation=None, after=None, after_citation=None)


@dataclass(frozen=True, slots=True)
class SamePlace(Record):
    """A passage that a result represents.

    *reason* is ``the same text``, ``nearly the same text``, ``the next passage`` or ``the passage
    before``.
    """

    citation: str
    chunk_id: str
    reason: str
    document_id: Annotated[str, HIDDEN] = field(repr=False)
    page: Annotated[int, HIDDEN] = field(repr=False)

    def __str__(self) -> str:
        """Return it as text, such as ``the same text: Offer.eml, p. 2``."""
        return f"{self.reason}: {self.citation}"


@dataclass(frozen=True, slots=True)
class SearchResult(Record):
    """One result with its source, context and signals.

    *also* are passages that it represents: copies, and neighbours that share text with it.

    The context is the text of the neighbouring chunks without the overlap; each side has its own
    citation, because it may be on another page.

    *relevance* (0 to 1) and *evidence* estimate, comparably for all collections and questions,
    whether it is an answer; *score* only orders the results of one search.

    *collection* is set in a search over several collections.
    """

    JSON = (
        *("text", "score", "relevance", "evidence", "provenance", "pinpoint", "answer", "context"),
        "collection?",
    )
    SHOWN = ("rank", "score", "citation", "text")

    rank: Annotated[int, NO_JSON]
    score: Annotated[float, FieldFormat(digits=6)]
    text: str
    provenance: Provenance
    signals: Annotated[dict[str, Signal], HIDDEN] = field(repr=False)
    also: Annotated[tuple[SamePlace, ...], HIDDEN] = ()
    relevance: Share = 0.0
    evidence: Evidence = "weak"
    collection: str | None = None
    illustrate: Annotated[Illustrate | None, HIDDEN] = field(
        default=None, repr=False, compare=False
    )
    locate: Annotated[LocateAnswer | None, HIDDEN] = field(default=None, repr=False, compare=False)
    cites: Annotated[Callable[[], tuple[str, ...]] | None, HIDDEN] = field(
        default=None, repr=False, compare=False
    )
    around: Annotated[Callable[[], Context] | None, HIDDEN] = field(
        default=None, repr=False, compare=False
    )

    @property
    def legal_citations(self) -> tuple[str, ...]:
        """Citations of authorities in its text, read on demand.

        Such as ``Daubert v. Merrell Dow Pharmaceuticals, Inc., 509 U.S. 579 (1993)``.
        """
        return self.cites() if self.cites else ()

    @property
    def pinpoint(self) -> tuple[Pinpoint, ...]:
        """One to three most relevant sentences, rows or clauses, best first; computed on demand."""
        return (self.locate() if self.locate else NO_LOCATION).pinpoint

    @property
    def answer(self) -> Answer | None:
        """The date, name, place, number, amount or phrase that answers, or ``None`` if uncertain.

        At most one of the first five results has one; of several collections, only the first
        result. Hidden text never has one.
        """
        is_hidden = bool(self.pinpoint and self.pinpoint[0].place.hidden)
        is_later = self.collection is not None and self.rank != 1
        if is_later or self.evidence == "none" or self.locate is None or is_hidden:
            return None
        return self.locate().answer

    @property
    def chunk_id(self) -> str:
        """Id of the chunk."""
        return self.provenance.chunk_id

    @property
    def strong_boxes(self) -> tuple[Box, ...]:
        """Rectangles of the pinpoints' lines on the page; empty without layout."""
        return tuple(line.box for part in self.pinpoint for line in part.place.line_boxes)

    @property
    def _strong(self) -> list[tuple[int, int]]:
        offset = self.provenance.char_start
        return [(p.char_start - offset, p.char_end - offset) for p in self.pinpoint]

    def excerpt(self, size: int, /) -> tuple[str, list[tuple[int, int]]]:
        """Return about *size* characters around the best pinpoint, and the spans of pinpoints."""
        best = self._strong[0] if self.pinpoint else (0, 0)
        start = max(0, min(best[0] - size // 4, len(self.text) - size))
        start = min(_at_word(self.text, start), best[0])
        end = _at_word(self.text, max(best[1], start + size))
        before, after = "\u2026 " if start else "", " \u2026" if end < len(self.text) else ""
        shift = len(before) - start
        inside = [(a + shift, b + shift) for a, b in self._strong if start <= a and b <= end]
        return f"{before}{self.text[start:end]}{after}", inside

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.provenance.cite()

    @property
    def context(self) -> Context:
        """The surrounding text with its citations, read on demand."""
        return self.around() if self.around else NO_CONTEXT

    def as_dict(self, *, explain: bool = False) -> dict[str, Any]:
        """Return the canonical JSON form of PRD 08 §7; *explain* adds the signals."""
        raw = Record.as_dict(self)
        if self.also:
            raw["also"] = [same.as_dict() for same in self.also]
        if cited := self.legal_citations:
            raw["legal_citations"] = list(cited)
        if explain:
            raw["explain"] = {name: s.as_dict() for name, s in self.signals.items()}
        return raw

    def __repr__(self) -> str:
        """Return rank, citation, score and words as readable text."""
        return f"{self.rank}. {self.citation}  [{self.score:.3f}]\n{self.text}"

    def _repr_html_(self) -> str:
        drawn = {self.chunk_id: self.strong_boxes}
        pictures = self.illustrate(drawn) if self.illustrate else {}
        picture = pictures.get(self.chunk_id)
        passage = passage_html(self.provenance, self.text, picture, self._strong)
        others = html.escape(also_text(self.also))
        also = f"<p><small>{others}</small></p>" if others else ""
        return f"<p>{self.rank}. <small>score {self.score:.3f}</small></p><p>{passage}</p>{also}"


@dataclass(frozen=True, slots=True)
class RelatedChunk(Record):
    """A chunk that the graph connects with a result; *weight* is 0..1."""

    chunk: Annotated[Chunk, INLINE]
    weight: Annotated[float, FieldFormat(digits=6)]
    reason: str


@dataclass(frozen=True, slots=True)
class ComputedPart(Record):
    """A document, name, number or value of a computed answer, with its place."""

    name: str
    value: str | None  # such as `2024-10-18` or `1,340,064 GBP`
    quote: Annotated[Quote, INLINE]

    @property
    def shown(self) -> str:
        """Name and value, such as ``Invoice 7.pdf: 1,340,064 GBP``."""
        return self.name if self.value is None else f"{self.name}: {self.value}"


@dataclass(frozen=True, slots=True)
class ComputedAnswer(Record):
    """A list, count, sum or extreme that was computed from the map or from a table."""

    text: str  # such as `3 documents`
    how: str  # the set, its filter, the number of values, and what was left out
    total: int  # the number of all parts
    parts: tuple[ComputedPart, ...]  # the first of them


@dataclass(frozen=True, slots=True)
class SearchResults(Tabular[SearchResult], Record):
    """The results of one query."""

    JSON = (
        *("query", "collection", "mode", "results_count", "search_time_ms", "tier"),
        *("stages_used", "searched", "relevance", "evidence", "notes", "results"),
    )

    query: str
    collection: str
    mode: SearchMode
    results: tuple[SearchResult, ...]
    stages_used: tuple[str, ...]  # such as `("bm25", "semantic", "maxsim")`
    stage_ms: Annotated[dict[str, float], HIDDEN]  # milliseconds per stage
    search_time_ms: Annotated[float, FieldFormat(digits=2)]
    searched_documents: Annotated[int, HIDDEN]
    searched_chunks: Annotated[int, HIDDEN]
    notes: tuple[str, ...] = ()  # warnings, such as a missing model
    # Connected chunks of the graph, if requested.
    related: Annotated[tuple[RelatedChunk, ...], HIDDEN] = ()
    tier: str = "free"
    # relevance, evidence: estimate, 0 to 1 and as a word, that the results contain an answer;
    # `none` means probably not.
    relevance: Share = 0.0
    evidence: Evidence = "weak"
    # The analysis of the question.
    reading: Annotated[Reading | None, HIDDEN] = field(default=None, repr=False)
    # The answer to a question for a list, count, sum or extreme, if it can be computed.
    computed: Annotated[ComputedAnswer | None, HIDDEN] = None
    # Draws passages by their ids, for notebooks.
    illustrate: Annotated[Illustrate | None, HIDDEN] = field(
        default=None, repr=False, compare=False
    )

    @property
    def results_count(self) -> int:
        """The number of results."""
        return len(self.results)

    @property
    def searched(self) -> Searched:
        """Number of searched documents and chunks."""
        return {"documents": self.searched_documents, "chunks": self.searched_chunks}

    def __iter__(self) -> Iterator[SearchResult]:
        """Iterate over the results, best first."""
        return (self._drawable(result) for result in self.results)

    def __len__(self) -> int:
        """Return the number of results."""
        return len(self.results)

    @overload
    def __getitem__(self, index: SupportsIndex, /) -> SearchResult: ...
    @overload
    def __getitem__(self, index: slice, /) -> SearchResults: ...
    def __getitem__(self, index: SupportsIndex | slice, /) -> SearchResult | SearchResults:
        """Return one result, or the results of a slice."""
        if isinstance(index, slice):
            return replace(self, results=self.results[index])
        return self._drawable(Tabular.__getitem__(self, index))

    def _drawable(self, result: SearchResult) -> SearchResult:
        """Return a result that can draw itself in a notebook."""
        return replace(result, illustrate=self.illustrate) if self.illustrate else result

    @property
    def _verdict(self) -> tuple[str, ...]:
        return (NO_ANSWER,) if self.results and self.evidence == "none" else ()

    def _table(self) -> tuple[type[SearchResult], Sequence[SearchResult]]:
        return SearchResult, self.results

    def as_dict(self, *, explain: bool = False) -> dict[str, Any]:
        """Return the canonical JSON form of PRD 08 §7."""
        raw = Record.as_dict(self)
        if self.computed is not None:
            raw["computed"] = self.computed.as_dict()
        if self.related:
            raw["related"] = [r.as_dict() for r in self.related]
        if explain:
            raw["results"] = [r.as_dict(explain=True) for r in self.results]
            if self.reading is not None:
                raw["reading"] = self.reading.as_dict()
            raw["stage_ms"] = {k: round(v, 3) for k, v in self.stage_ms.items()}
        return raw

    def __repr__(self) -> str:
        """Return the results as readable text with their citations."""
        head = f'{len(self.results)} results for "{self.query}" in {self.collection}'
        lines = [f"{head} ({self.mode}, {self.search_time_ms:.0f} ms)"]
        lines += [*self._verdict, *self.notes]
        if self.computed is not None:
            lines += [f"Computed: {self.computed.text} ({self.computed.how})"]
            lines += [f"  - {p.shown}: {p.quote.citation}" for p in self.computed.parts]
        for r in self.results:
            best = r.pinpoint[0].text if r.pinpoint else r.text
            text = " ".join(best.split())
            lines += [f"{r.rank:>3}. {r.citation}  [{r.score:.3f}]", f"     {text[:160]}"]
            if others := also_text(r.also):
                lines.append(f"     {others}")
        return "\n".join(lines)

    def _computed_html(self) -> str:
        if self.computed is None:
            return ""
        parts = "".join(
            f"<li>{html.escape(p.shown)}: <small>{html.escape(p.quote.citation)}</small></li>"
            for p in self.computed.parts
        )
        head = f"<b>{html.escape(self.computed.text)}</b> ({html.escape(self.computed.how)})"
        return f"<p>{head}</p><ul>{parts}</ul>"

    def _repr_html_(self) -> str:
        drawn = {r.chunk_id: r.strong_boxes for r in self.results}
        pictures = self.illustrate(drawn) if self.illustrate and drawn else {}
        rows = ""
        for r in self.results:
            text, strong = r.excerpt(_SHOWN_CHARS)
            passage = passage_html(r.provenance, text, pictures.get(r.chunk_id), strong)
            if others := also_text(r.also):
                passage += f"<br><small>{html.escape(others)}</small>"
            rows += (
                f"<tr><td>{r.rank}</td><td>{r.score:.3f}</td>"
                f"<td style='text-align:left'>{passage}</td></tr>"
            )
        return (
            f"<p>{len(self.results)} results for <i>{html.escape(self.query)}</i> in "
            f"{html.escape(self.collection)} ({self.mode}, {self.search_time_ms:.0f} ms)</p>"
            + "".join(f"<p>{html.escape(note)}</p>" for note in (*self._verdict, *self.notes))
            + self._computed_html()
            + "<table><tr><th>#</th><th>score</th><th style='text-align:left'>passage</th></tr>"
            f"{rows}</table>"
        )


def also_text(also: Sequence[SamePlace], /) -> str:
    """Return the represented passages on one line, the first ones with citations; may be empty.

    Examples
    --------
    >>> also_text([SamePlace("Mail.eml, p. 1", "c", "the same text", "d", 1)])
    'Also: the same text: Mail.eml, p. 1'
    """
    if not also:
        return ""
    shown = "; ".join(map(str, also[:_SHOWN_ALSO]))
    more = f"; and {len(also) - _SHOWN_ALSO} more" if len(also) > _SHOWN_ALSO else ""
    return f"Also: {shown}{more}"


def _at_word(text: str, at: int) -> int:
    """Return the start of the next word if it is near, else *at*."""
    if not 0 < at < len(text) or text[at - 1].isspace():
        return min(at, len(text))
    space = next((i for i in range(at, min(at + _NEAR_WORD, len(text))) if text[i].isspace()), None)
    return at if space is None else space + 1
