"""Search in a collection: which signals take part, and the cited passages of the winners."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from casetrack.errors import UsageError
from casetrack.records import SearchResult, SearchResults
from casetrack.retrieve.ranking import Ranked, StageTimes, rank
from casetrack.steps.words import index_terms

if TYPE_CHECKING:
    from casetrack.collection import Collection
    from casetrack.encoders import Encoders
    from casetrack.records import Chunk, SearchMode
    from casetrack.retrieve.fuse import FusionMethod
    from casetrack.store.datasets import Snapshot
    from casetrack.views.index import Index

MODES: tuple[SearchMode, ...] = ("keyword", "semantic", "hybrid")
MAX_RESULTS = 1000
MAX_QUERY_CHARS = 20_000


def search(
    collection: Collection,
    encoders: Encoders,
    query: str,
    /,
    *,
    k: int,
    mode: SearchMode | None,
    document: str | None,
    fusion: FusionMethod,
) -> SearchResults:
    """Search; see :meth:`casetrack.collection.Collection.search`."""
    started = time.perf_counter()
    _check(query, k, mode)
    times = StageTimes()
    info = collection.info
    snapshot, index = collection.index()
    document_id = collection.document(document).document_id if document else None
    times.lap("open")
    chosen, notes = _choose_mode(mode, index, encoders, info.model)
    terms = index_terms(query) if chosen != "semantic" else None
    vector = None
    if chosen != "keyword":
        vector = encoders.get(info.model).encode_query(query).dense
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
    stages = {"keyword": ("bm25",), "semantic": ("semantic",), "hybrid": ("bm25", "semantic")}
    documents = 1 if document_id else len(snapshot.documents)
    chunks = snapshot.documents[document_id].chunk_count if document_id else index.chunk_count
    return SearchResults(
        query=query,
        collection=info.name,
        mode=chosen,
        results=results,
        stages_used=stages[chosen],
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
    mode: SearchMode | None, index: Index, encoders: Encoders, model: str
) -> tuple[SearchMode, list[str]]:
    if mode is not None:
        if mode != "keyword":
            encoders.get(model)
        notes = [_few_vectors(index)] if mode != "keyword" and _lacks_vectors(index) else []
        return mode, notes
    if not index.chunk_count:
        return "keyword", ["This collection is empty. Ingest documents first."]
    if index.embedded_count and encoders.get_installed(model) is not None:
        return "hybrid", [_few_vectors(index)] if _lacks_vectors(index) else []
    remedy = "Run `casetrack models pull`, then ingest the same files again."
    return "keyword", [f"Keyword search only: there are no vectors to search. {remedy}"]


def _lacks_vectors(index: Index) -> bool:
    return index.embedded_count < index.chunk_count


def _few_vectors(index: Index) -> str:
    missing = index.chunk_count - index.embedded_count
    return (
        f"{missing:,} of {index.chunk_count:,} passages have no vector and are found by their "
        "words only. Run `casetrack models pull`, then ingest the same files again."
    )


def _results(snapshot: Snapshot, index: Index, ranked: list[Ranked]) -> list[SearchResult]:
    from casetrack.collection import CHUNK_COLUMNS, make_chunks

    wanted: dict[int, None] = {}
    rows = [_with_neighbours(index, r.place) for r in ranked]
    for row_ids in rows:
        wanted |= dict.fromkeys(i for i in row_ids if i is not None)
    table = snapshot.take(list(wanted), CHUNK_COLUMNS) if wanted else None
    by_id = {c.chunk_id: c for c in make_chunks(table, snapshot)} if table is not None else {}
    ids = table["chunk_id"].to_pylist() if table is not None else []
    by_row = {row: by_id[chunk_id] for row, chunk_id in zip(wanted, ids, strict=True)}
    results = []
    for number, (hit, (before, own, after)) in enumerate(zip(ranked, rows, strict=True), start=1):
        chunk = by_row[own]
        previous = by_row[before] if before is not None else None
        following = by_row[after] if after is not None else None
        results.append(
            SearchResult(
                rank=number,
                score=hit.score,
                text=chunk.text,
                provenance=chunk.provenance,
                context_before=_before(previous, chunk),
                context_after=_after(chunk, following),
                signals=hit.signals,
                before_citation=previous.citation if previous else None,
                after_citation=following.citation if following else None,
            )
        )
    return results


def _with_neighbours(index: Index, place: tuple[int, int]) -> tuple[int | None, int, int | None]:
    """Return the row ids of a chunk and of the chunks before and after it in its document."""
    data = index.segments[place[0]].data
    row_ids, revisions, row = data.column("row_id"), data.column("revision"), place[1]

    def neighbour(other: int) -> int | None:
        inside = 0 <= other < data.size and revisions[other] == revisions[row]
        return int(row_ids[other]) if inside else None

    return neighbour(row - 1), int(row_ids[row]), neighbour(row + 1)


def _before(previous: Chunk | None, chunk: Chunk) -> str | None:
    if previous is None:
        return None
    return previous.text[: _shared(previous, chunk) or None] or None


def _after(chunk: Chunk, following: Chunk | None) -> str | None:
    if following is None:
        return None
    overlap = chunk.provenance.char_end - following.provenance.char_start
    same_page = chunk.provenance.page == following.provenance.page
    return (following.text[max(0, overlap) :] if same_page else following.text) or None


def _shared(previous: Chunk, chunk: Chunk) -> int:
    """Return the (negative) index at which *previous* begins to overlap with *chunk*, or 0."""
    if previous.provenance.page != chunk.provenance.page:
        return 0
    return min(0, chunk.provenance.char_start - previous.provenance.char_end)
