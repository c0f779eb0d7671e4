"""Search in a collection: which signals take part, and the cited passages of the winners."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from casetrack.errors import ModelNotFound, UsageError
from casetrack.records import SearchResult, SearchResults
from casetrack.retrieve.ranking import Ranked, StageTimes, rank
from casetrack.steps.words import index_terms
from casetrack.store.passages import CITE_COLUMNS, PLACE_COLUMNS, make_provenance

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.models.encoder import Encoding
    from casetrack.provenance import Provenance
    from casetrack.records import SearchMode
    from casetrack.retrieve.fuse import FusionMethod
    from casetrack.retrieve.ranking import Place
    from casetrack.store.datasets import Snapshot
    from casetrack.views.index import Index


class QueryEncoder(Protocol):
    """What search needs of a model."""

    def encode_query(self, text: str, /) -> Encoding:
        """Return the encoding of a question."""
        ...


MODES: tuple[SearchMode, ...] = ("keyword", "semantic", "hybrid")
MAX_RESULTS = 1000
MAX_QUERY_CHARS = 20_000
_STAGES: dict[SearchMode, tuple[str, ...]] = {
    "keyword": ("bm25",),
    "semantic": ("semantic",),
    "hybrid": ("bm25", "semantic"),
}


def search(
    snapshot: Snapshot,
    index: Index,
    query: str,
    /,
    *,
    collection: str,
    load_encoder: Callable[[], QueryEncoder],
    k: int,
    mode: SearchMode | None,
    document_id: str | None,
    fusion: FusionMethod,
) -> SearchResults:
    """Search one state of a collection; see :meth:`casetrack.collection.Collection.search`.

    Parameters
    ----------
    snapshot, index
        What is live, and its index.
    query
        The question.
    collection
        Name, for the answer.
    load_encoder
        Returns the collection's model; called only where vectors take part.
    k, mode, document_id, fusion
        As the user asked.
    """
    started = time.perf_counter()
    _check(query, k, mode)
    times = StageTimes()
    chosen, encoder, notes = _choose_mode(mode, index, load_encoder)
    terms = index_terms(query) if chosen != "semantic" else None
    vector = None
    if encoder is not None:
        vector = encoder.encode_query(query).dense
        times.lap("encode")
    if terms is not None and not terms and vector is None:
        notes.append("The query has no searchable word; only very common words or signs.")
    ranked = rank(
        index,
        k,
        terms=terms,
        vector=vector,
        document_id=document_id,
        fusion=fusion,
        times=times,
    )
    results = tuple(_results(snapshot, index, ranked))
    times.lap("fetch")
    documents = 1 if document_id else len(snapshot.documents)
    chunks = snapshot.documents[document_id].chunk_count if document_id else index.chunk_count
    return SearchResults(
        query=query,
        collection=collection,
        mode=chosen,
        results=results,
        stages_used=_STAGES[chosen],
        stage_ms=times.milliseconds,
        search_time_ms=(time.perf_counter() - started) * 1000,
        searched_documents=documents,
        searched_chunks=chunks,
        notes=tuple(notes),
    )


def _check(query: str, k: int, mode: SearchMode | None) -> None:
    if not query.strip():
        raise UsageError("The query is empty.", hint="Ask a question or give some words.")
    if len(query) > MAX_QUERY_CHARS:
        raise UsageError(
            f"The query has {len(query):,} characters; at most {MAX_QUERY_CHARS:,} are allowed.",
            hint="Ask a shorter question.",
        )
    if not 1 <= k <= MAX_RESULTS:
        raise UsageError(f"The number of results must be 1 to {MAX_RESULTS:,}, not {k}.")
    if mode is not None and mode not in MODES:
        raise UsageError(f"Unknown mode {mode!r}.", hint=f"Use one of: {', '.join(MODES)}.")


def _choose_mode(
    mode: SearchMode | None, index: Index, load_encoder: Callable[[], QueryEncoder]
) -> tuple[SearchMode, QueryEncoder | None, list[str]]:
    """Return the mode, the model where it takes part, and what the user should know."""
    if mode == "keyword":
        return mode, None, []
    if not index.chunk_count:
        return mode or "keyword", None, ["This collection is empty. Ingest documents first."]
    notes = [_few_vectors(index)] if index.embedded_count < index.chunk_count else []
    if mode is not None:
        return mode, load_encoder(), notes
    if index.embedded_count:
        try:
            return "hybrid", load_encoder(), notes
        except ModelNotFound as error:
            return "keyword", None, [f"Keyword search only: {error.message} {error.hint}"]
    remedy = "Run `casetrack models pull`, then ingest the same files again."
    return "keyword", None, [f"Keyword search only: there are no vectors to search. {remedy}"]


def _few_vectors(index: Index) -> str:
    missing = index.chunk_count - index.embedded_count
    return (
        f"{missing:,} of {index.chunk_count:,} passages have no vector and are found by their "
        "words only. Run `casetrack models pull`, then ingest the same files again."
    )


@dataclass(frozen=True, slots=True)
class _Passage:
    """A chunk as a result shows it."""

    text: str
    provenance: Provenance


def _results(snapshot: Snapshot, index: Index, ranked: list[Ranked]) -> list[SearchResult]:
    threes = [_with_neighbours(index, r.place) for r in ranked]
    neighbours = [p for before, _, after in threes for p in (before, after) if p is not None]
    passages = _passages(snapshot, index, [r.place for r in ranked], neighbours)
    results = []
    for number, (hit, (before, own, after)) in enumerate(zip(ranked, threes, strict=True), start=1):
        chunk = passages[own]
        previous = passages[before] if before else None
        following = passages[after] if after else None
        results.append(
            SearchResult(
                rank=number,
                score=hit.score,
                text=chunk.text,
                provenance=chunk.provenance,
                context_before=_before(previous, chunk),
                context_after=_after(chunk, following),
                signals=hit.signals,
                before_citation=previous.provenance.cite() if previous else None,
                after_citation=following.provenance.cite() if following else None,
            )
        )
    return results


def _with_neighbours(index: Index, place: Place) -> tuple[Place | None, Place, Place | None]:
    """Return a chunk's place with those of the chunks before and after it in its document."""
    number, row = place
    data = index.segments[number].data
    revisions = data.column("revision")

    def neighbour(other: int) -> Place | None:
        inside = 0 <= other < data.size and revisions[other] == revisions[row]
        return (number, other) if inside else None

    return neighbour(row - 1), place, neighbour(row + 1)


def _passages(
    snapshot: Snapshot, index: Index, hits: list[Place], neighbours: list[Place]
) -> dict[Place, _Passage]:
    """Read the texts from Lance, all at once, and the sources from the index.

    A neighbour's source is good for its citation alone.
    """
    places = list(dict.fromkeys([*hits, *neighbours]))
    if not places:
        return {}
    row_ids = [int(index.segments[n].data.column("row_id")[row]) for n, row in places]
    texts = snapshot.take(row_ids, ["text"])["text"].to_pylist()
    sources = _sources(index, set(places).difference(hits), CITE_COLUMNS)
    sources |= _sources(index, set(hits), PLACE_COLUMNS)
    return {
        place: _Passage(text, make_provenance(sources[place], snapshot))
        for place, text in zip(places, texts, strict=True)
    }


def _sources(
    index: Index, places: set[Place], columns: tuple[str, ...]
) -> dict[Place, dict[str, Any]]:
    found: dict[Place, dict[str, Any]] = {}
    for number in {n for n, _ in places}:
        rows = sorted(row for n, row in places if n == number)
        read = index.segments[number].data.places_of(rows, columns)
        found |= {(number, row): source for row, source in zip(rows, read, strict=True)}
    return found


def _before(previous: _Passage | None, chunk: _Passage) -> str | None:
    if previous is None:
        return None
    shared = previous.provenance.char_end - chunk.provenance.char_start
    if previous.provenance.page != chunk.provenance.page or shared <= 0:
        return previous.text
    return previous.text[:-shared] or None


def _after(chunk: _Passage, following: _Passage | None) -> str | None:
    if following is None:
        return None
    shared = chunk.provenance.char_end - following.provenance.char_start
    if following.provenance.page != chunk.provenance.page or shared <= 0:
        return following.text
    return following.text[shared:] or None
