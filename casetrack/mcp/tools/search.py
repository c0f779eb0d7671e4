"""Tools that return document text: search, chunks, context. All of it with its full source."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NotRequired

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.mcp import outputs, render
from casetrack.mcp.budget import ROOM, page_of
from casetrack.mcp.results import (
    Portion,
    addresses,
    answer,
    bounded_chunk,
    bounded_source,
    onward,
    passage,
    portion,
    quoting,
    short_passage,
    source_links,
)
from casetrack.mcp.session import Session, in_thread, locate
from casetrack.mcp.specs import READS, CollectionName, Offset, ResponseFormat, tool
from casetrack.records import (
    Chunk,
    ChunkWindow,
    Document,
    SamePlace,
    SearchMode,
    SearchResult,
    SearchResults,
    Signal,
)
from casetrack.records.types import Spread
from casetrack.retrieve.pinpoint.hits import query_terms
from casetrack.retrieve.pinpoint.snippet import best_part, opening

if TYPE_CHECKING:
    from casetrack.collection import Collection
    from casetrack.records import RelatedChunk

MOST_RESULTS = 100
"""How far results can be paged through: up to there, asking for more does not change the order."""
_RELATED_ROOM = 4_000
_HIGHLIGHT_ROOM = 6_000
_NEAR_CHARS = 200
_MOST_ALSO = 5
"""Passages of a result's place that are listed; there may be hundreds of one text."""


class ChunkOutput(outputs.Passage, outputs.Quoting):
    """One chunk; ``highlight`` holds the rectangles of its first lines on the page."""

    highlight: dict[str, Any] | None
    highlight_omitted: int


class ChunksOutput(outputs.Quoting, outputs.Paged):
    """A document's chunks in reading order."""

    document: str
    document_id: str
    page_filter: int | None
    total: int
    chunks: list[outputs.Passage] | list[outputs.ShortPassage]


class ContextOutput(outputs.Quoting):
    """A chunk between its neighbours; ``more`` says how to read those that did not fit."""

    before: list[outputs.Passage] | list[outputs.ShortPassage]
    chunk: outputs.Passage | outputs.ShortPassage
    after: list[outputs.Passage] | list[outputs.ShortPassage]
    more: str | None


class Result(outputs.Addresses):
    """One search result; ``explain`` names each stage where that was asked for.

    ``pinpoint`` says where in its text the answer stands: the best part of it.
    ``legal_citations`` are the authorities that its text cites, ``also`` passages that belong to
    the same place, such as the same text elsewhere.
    """

    rank: int
    result: Annotated[SearchResult, Spread()]
    legal_citations: NotRequired[list[str]]
    also: NotRequired[list[SamePlace]]
    explain: NotRequired[dict[str, Signal]]


class ShortResult(outputs.Addresses):
    """The same in its concise form: what answers, word for word, without what stands around it."""

    rank: int
    result: Annotated[SearchResult, Spread("text", "context", "citation_short")]
    also: NotRequired[list[SamePlace]]
    explain: NotRequired[dict[str, Signal]]


class RelatedPassage(outputs.Passage):
    """A passage that the graph connects with the results; ``reason`` says how, in words."""

    weight: float
    reason: str


class ShortRelatedPassage(outputs.ShortPassage):
    """The same in its concise form."""

    weight: float
    reason: str


class SearchOutput(outputs.Quoting, outputs.Paged):
    """The answer to a query, best result first."""

    found: Annotated[SearchResults, Spread()]
    next_step: str | None
    results: list[Result] | list[ShortResult]
    related: NotRequired[list[RelatedPassage] | list[ShortRelatedPassage]]
    related_further: NotRequired[list[Annotated[Chunk, outputs.POINTER]]]
    reading: NotRequired[dict[str, Any]]
    stage_ms: NotRequired[dict[str, float]]


class SearchTools:
    """The tools of this module, for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @tool(
        "Search",
        READS,
        description="Start here for any question: finds passages by words and meaning. Returns "
        "each cited (file, page, lines), with chunk_id.",
        sets=("core", "search", "legal"),
    )
    async def search_documents(
        self,
        query: str,
        top_k: Annotated[int, Field(ge=1, le=50)] = 10,
        document_filter: Annotated[str | list[str] | None, Field(description="Name or ID")] = None,
        kinds: Annotated[list[str] | None, Field(description="Such as contract, pdf")] = None,
        since: Annotated[str | None, Field(description="YYYY-MM-DD")] = None,
        until: str | None = None,
        mode: Annotated[SearchMode | None, Field(description="Default: the best")] = None,
        explain: Annotated[bool, Field(description="Scores of each stage")] = False,
        min_relevance: Annotated[float | None, Field(ge=0, le=1, description="Hide others")] = None,
        related: Annotated[
            int,
            Field(ge=0, le=20, description="More, linked by names"),
        ] = 0,
        collection: CollectionName = None,
        offset: Offset = 0,
        response_format: ResponseFormat = "detailed",
    ) -> Annotated[CallToolResult, SearchOutput]:
        """Search a collection."""
        found: Collection = await locate(self._session, collection)
        k = min(offset + top_k, MOST_RESULTS)
        work = partial(
            found.search,
            query,
            limit=k,
            mode=mode,
            documents=document_filter or None,
            kinds=kinds or None,
            since=since or None,
            until=until or None,
            related=related,
            min_relevance=min_relevance,
        )
        results = await in_thread(work)
        page = ResultPage(
            results, found.info.id, concise=response_format == "concise", explain=explain
        )
        return await in_thread(partial(page.answer, offset, k))

    @tool(
        "Chunk",
        READS,
        description="One chunk alone, by its chunk_id. Returns its whole text, citation, source "
        "and line rectangles.",
        sets=("search",),
    )
    async def get_chunk(
        self,
        chunk_id: str,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, ChunkOutput]:
        """Return one chunk."""
        found: Collection = await locate(self._session, collection)
        whole = await in_thread(partial(found.read.chunk, chunk_id))
        chunk, marked = bounded_chunk(whole), whole.as_dict()["highlight"]
        omitted = 0
        if marked is not None:
            lines, _ = page_of(marked["lines"], lambda line: line, room=_HIGHLIGHT_ROOM)
            omitted = len(marked["lines"]) - len(lines)
            marked = marked | {"lines": lines}
        return answer(
            render.chunk(chunk),
            {
                "collection": found.info.name,
                "notice": outputs.QUOTED,
                **passage(chunk, found.info.id),
                "highlight": marked,
                "highlight_omitted": omitted,
            },
            source_links(found.info.id, [chunk.provenance]),
        )

    @tool(
        "Read chunks",
        READS,
        description="Read a document from its beginning, or one page, in chunks. Returns text, "
        "citation and source of each.",
    )
    async def get_document_chunks(
        self,
        document_name: Annotated[str, Field(description="Name or ID")],
        page_filter: Annotated[int | None, Field(ge=1, description="Only this page")] = None,
        collection: CollectionName = None,
        offset: Offset = 0,
        limit: Annotated[int, Field(ge=1, le=200)] = 50,
        response_format: ResponseFormat = "detailed",
    ) -> Annotated[CallToolResult, ChunksOutput]:
        """Return a document's chunks."""
        found: Collection = await locate(self._session, collection)

        def work() -> tuple[Document, list[Chunk]]:
            document = found.document(document_name)
            return document, found.read.chunks(document.document_id, page=page_filter)

        document, chunks = await in_thread(work)
        entry, span = quoting(response_format, found.info.id)
        shown = portion(
            chunks,
            entry,
            lambda chunk: render.numbered(chunk, span(chunk)),
            offset=offset,
            limit=limit,
        )
        where = f" on page {page_filter}" if page_filter is not None else ""
        head = f"{document.name}: {render.counted(len(chunks), 'chunk')}{where}"
        if len(shown.items) < len(chunks):
            head += f", {len(shown.items)} of them shown"
        return answer(
            render.reading(head, shown.blocks, onward(shown.next_offset)),
            {
                "collection": found.info.name,
                "notice": outputs.QUOTED,
                "document": document.name,
                "document_id": document.document_id,
                "page_filter": page_filter,
                "total": len(chunks),
                "offset": offset,
                "next_offset": shown.next_offset,
                "chunks": shown.entries,
            },
        )

    @tool(
        "Context",
        READS,
        description="Read around a search result. Returns its chunk between its neighbours, with "
        "citations and sources.",
        sets=("core", "search", "map", "legal"),
    )
    async def get_source_context(
        self,
        chunk_id: str,
        window: Annotated[int, Field(ge=1, le=5, description="Chunks each side")] = 1,
        collection: CollectionName = None,
        response_format: ResponseFormat = "detailed",
    ) -> Annotated[CallToolResult, ContextOutput]:
        """Return a chunk between its neighbours."""
        found: Collection = await locate(self._session, collection)
        around = await in_thread(partial(found.read.context, chunk_id, window=window))
        entry, span = quoting(response_format, found.info.id)
        labels = {chunk.chunk_id: label for label, chunk in render.labelled(around)}

        def block(chunk: Chunk) -> str:
            return render.passage(f"--- {labels[chunk.chunk_id]} ---", chunk, span(chunk))

        nearest = _outward(around)
        shown = portion(nearest, entry, block)
        kept = list(zip(shown.items, shown.entries, shown.blocks, strict=True))
        kept.sort(key=lambda item: item[0].provenance.chunk_index)
        middle = [chunk.chunk_id for chunk, _, _ in kept].index(around.chunk.chunk_id)
        entries = [structured for _, structured, _ in kept]
        more = None
        if len(kept) < len(nearest):
            more = (
                f"{render.counted(len(nearest) - len(kept), 'chunk')} did not fit: go on with "
                f"traverse_chunks, backward from start_chunk_id {kept[0][0].chunk_id}, "
                f"or forward from {kept[-1][0].chunk_id}."
            )
        name = around.chunk.provenance.document_name
        return answer(
            render.reading(f"Context in {name}", [text for _, _, text in kept], more),
            {
                "collection": found.info.name,
                "notice": outputs.QUOTED,
                "before": entries[:middle],
                "chunk": entries[middle],
                "after": entries[middle + 1 :],
                "more": more,
            },
        )


def _outward(window: ChunkWindow) -> list[Chunk]:
    """Return a chunk, then its neighbours, the nearest first."""
    sides = (window.before[::-1], window.after)
    nearest = [side[n : n + 1] for n in range(max(map(len, sides))) for side in sides]
    return [window.chunk, *(chunk for pair in nearest for chunk in pair)]


class ResultPage:
    """Some results of a search, in both forms.

    Parameters
    ----------
    results
        What was found.
    collection_id
        Where.
    concise
        Whether only what answers is quoted, word for word.
    explain
        Whether each stage's scores are told.
    noun
        What a collection is called.
    """

    def __init__(
        self,
        results: "SearchResults",
        collection_id: str,
        /,
        *,
        concise: bool,
        explain: bool = False,
        noun: str = "Collection",
    ) -> None:
        self._found = results
        self._collection_id = collection_id
        self._concise = concise
        self._explain = explain
        self._noun = noun
        self._near = False
        self._terms = query_terms(results.query) if concise else frozenset()

    def answer(self, offset: int, k: int, /) -> CallToolResult:
        """Return the results from *offset* on, of the *k* that were asked for."""
        found, related = self._found, self._found.related
        room = ROOM - _RELATED_ROOM if related else ROOM
        shown = portion(found.results, self._entry, self._block, offset=offset, room=room)
        if shown.next_offset is not None and not self._concise:
            # Another result is worth more than the far ends of what stands beside this one.
            self._near = True
            shown = portion(found.results, self._entry, self._block, offset=offset, room=room)
        after = shown.next_offset
        if after is None and len(found.results) == k < MOST_RESULTS:
            after = k
        step = _next_step(offset, k, len(shown.items), after)
        facts = replace(found, results=shown.items, query=render.shown_query(found.query))
        structured = facts.as_dict(explain=self._explain)
        structured.pop("results")
        structured.pop("related", None)
        structured |= {"offset": offset, "next_offset": after, "next_step": step}
        structured |= {"notice": outputs.QUOTED, "results": shown.entries}
        blocks, more = list(shown.blocks), [s for s in (onward(after), step) if s]
        if related:
            beside = self._related(ROOM - shown.cost)
            further = [
                {"chunk_id": each.chunk.chunk_id, "citation": each.chunk.citation}
                for each in related[len(beside.items) :]
            ]
            structured |= {"related": beside.entries, "related_further": further}
            blocks += [*beside.blocks, *_pointers(further)]
        text = render.search_results(
            facts, explain=self._explain, blocks=blocks, more=more, noun=self._noun
        )
        sources = [result.provenance for result in shown.items]
        return answer(text, structured, source_links(self._collection_id, sources))

    def _span(self, text: str, sheet: str | None) -> tuple[int, int] | None:
        return best_part(text, self._terms, rows=sheet is not None) if self._concise else None

    def _entry(self, result: "SearchResult") -> dict[str, Any]:
        result = replace(
            result,
            provenance=bounded_source(result.provenance),
            also=result.also[:_MOST_ALSO],
        )
        raw = {"rank": result.rank, **result.as_dict(explain=self._explain)}
        if self._concise:
            for name in ("text", "context", "citation_short", "legal_citations"):
                raw.pop(name, None)
        else:
            # The whole text stands beside it: the best part of it is enough.
            raw["pinpoint"] = raw["pinpoint"][:1]
            if self._near:
                raw["context"] = _nearest(raw["context"])
        return raw | addresses(result.provenance, self._collection_id)

    def _block(self, result: "SearchResult") -> str:
        return render.search_result(result, concise=self._concise, explain=self._explain)

    def _related(self, room: int) -> "Portion[RelatedChunk]":
        def span(each: "RelatedChunk") -> tuple[int, int] | None:
            return self._span(each.chunk.text, each.chunk.provenance.sheet_name)

        def entry(each: "RelatedChunk") -> dict[str, Any]:
            part_of, key = span(each), self._collection_id
            if part_of is None:
                raw: dict[str, Any] = dict(passage(each.chunk, key))
            else:
                raw = dict(short_passage(each.chunk, part_of, key))
            return raw | {"weight": round(each.weight, 6), "reason": each.reason}

        everything = [replace(r, chunk=bounded_chunk(r.chunk)) for r in self._found.related]
        return portion(everything, entry, lambda r: render.related(r, span(r)), room=room)


def _nearest(context: dict[str, Any]) -> dict[str, Any]:
    """Return the text around a result without what is far from it."""
    before, after = context["before"], context["after"]
    if before and len(before) > _NEAR_CHARS:
        # The first of these words may have lost its beginning; the last ones never do.
        before = f"\u2026 {before[-_NEAR_CHARS:].partition(' ')[2] or before[-_NEAR_CHARS:]}"
    if after and len(after) > _NEAR_CHARS:
        start, end = opening(after, size=_NEAR_CHARS)
        after = f"{after[start:end]} \u2026"
    return context | {"before": before, "after": after}


def _next_step(offset: int, k: int, shown: int, after: int | None) -> str | None:
    """Return what to do where a search gives nothing, or no more."""
    if not shown:
        return "There are no more results." if offset else render.NOTHING_FOUND
    if after is None and k == MOST_RESULTS and offset + shown == k:
        return (
            f"A search goes no further than {MOST_RESULTS} results: ask more narrowly, or use "
            "document_filter."
        )
    return None


def _pointers(further: list[dict[str, str]]) -> list[str]:
    lines = [f"  - {render.one_line(p['citation'])} | chunk {p['chunk_id']}" for p in further]
    return ["\n".join(["Also related (see get_chunk):", *lines])] if lines else []
