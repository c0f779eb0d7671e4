"""Tools that return document text: search, chunks, context. All of it with its full source."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, TypedDict

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.errors import UsageError
from casetrack.mcp import outputs, render
from casetrack.mcp.budget import ROOM, page_of
from casetrack.mcp.concise import Telling, chunk_forms, telling
from casetrack.mcp.results import (
    Portion,
    addresses,
    answer,
    bounded_chunk,
    bounded_source,
    onward,
    part_of,
    passage,
    portion,
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
from casetrack.records.shape import SOURCE
from casetrack.records.types import Spread
from casetrack.retrieve.pinpoint.hits import query_terms
from casetrack.retrieve.pinpoint.snippet import best_part, opening
from casetrack.retrieve.pinpoint.snippet import part_of as part_of_result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from casetrack.collection import Collection
    from casetrack.records import RelatedChunk

MOST_RESULTS = 100
"""How far results can be paged through: up to there, asking for more does not change the order."""
_RELATED_ROOM = 4_000
_HIGHLIGHT_ROOM = 6_000
_NEAR_CHARS = 200
_MOST_ALSO = 5
"""Passages of a result's place that are listed; there may be hundreds of one text."""
_FIRST, _FIRST_CHARS, _LATER_CHARS = 2, 900, 600
"""Characters that a concise answer quotes of the first results, and of each after them."""


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
    chunks: list[outputs.Passage]


class ContextOutput(outputs.Quoting):
    """A chunk between its neighbours; ``more`` says how to read those that did not fit."""

    before: list[outputs.Passage]
    chunk: outputs.Passage
    after: list[outputs.Passage]
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


class ShortAnswer(TypedDict):
    """A value that may answer, as it stands in the text, and whether it alone fits."""

    text: str
    sure: bool


class ShortResult(TypedDict):
    """The same in its concise form: the part of the passage that answers, word for word.

    ``citation`` and ``chars`` are those of ``text``; ``at`` says where in it the answer stands.
    """

    rank: int
    relevance: float
    answer: NotRequired[ShortAnswer]
    text: str
    citation: str
    at: NotRequired[str]
    chars: str
    chunk_id: str
    source: str
    collection: NotRequired[str]
    table_header: NotRequired[str]
    ocr_confidence: NotRequired[float]
    ocr_warning: NotRequired[str]
    legal_citations: NotRequired[list[str]]
    also: NotRequired[list[str]]
    explain: NotRequired[dict[str, Signal]]


class RelatedPassage(outputs.Passage):
    """A passage that the graph connects with the results; ``reason`` says how, in words."""

    weight: float
    reason: str


class SearchOutput(outputs.Quoting, outputs.Paged):
    """The answer to a query, best result first."""

    found: Annotated[SearchResults, Spread()]
    next_step: str | None
    results: list[Result]
    related: NotRequired[list[RelatedPassage]]
    related_further: NotRequired[list[Annotated[Chunk, outputs.POINTER]]]
    reading: NotRequired[dict[str, Any]]
    stage_ms: NotRequired[dict[str, float]]


class ShortSearch(TypedDict):
    """The concise form of the answer; ``sources`` has the documents that its results point to."""

    collection: str
    evidence: str
    relevance: float
    notes: NotRequired[list[str]]
    notice: str
    results: list[ShortResult]
    related: NotRequired[list[dict[str, Any]]]
    related_further: NotRequired[list[Annotated[Chunk, outputs.POINTER]]]
    reading: NotRequired[dict[str, Any]]
    stage_ms: NotRequired[dict[str, float]]
    sources: NotRequired[dict[str, dict[str, str]]]
    next_offset: NotRequired[int]
    next_step: NotRequired[str]


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
        top_k: Annotated[int, Field(ge=1, le=50)] = 5,
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
        collections: Annotated[
            list[str] | None, Field(description='Several, ranked together; ["all"]')
        ] = None,
        offset: Offset = 0,
        response_format: ResponseFormat = "concise",
    ) -> Annotated[CallToolResult, SearchOutput, ShortSearch]:
        """Search a collection, or several."""
        k = min(offset + top_k, MOST_RESULTS)
        wanted: dict[str, Any] = {
            "limit": k,
            "mode": mode,
            "kinds": kinds or None,
            "since": since or None,
            "until": until or None,
            "min_relevance": min_relevance,
        }
        if collections:
            if document_filter or related or collection:
                raise UsageError(
                    "collections was given together with document_filter, related or collection, "
                    "which are about one collection.",
                    hint="Nothing was searched. Leave out the one or the other.",
                )
            ids = await in_thread(partial(self._ids_of, collections))
            across = partial(
                self._session.library.search, query, collections=list(ids.values()), **wanted
            )
            results = await in_thread(across)
            page = ResultPage(results, "", Telling(response_format), explain=explain, ids=ids)
            return await in_thread(partial(page.answer, offset, k))
        found: Collection = await locate(self._session, collection)
        work = partial(
            found.search,
            query,
            documents=document_filter or None,
            related=related,
            **wanted,
        )
        results = await in_thread(work)
        told = await telling(response_format, found)
        page = ResultPage(results, found.info.id, told, explain=explain)
        return await in_thread(partial(page.answer, offset, k))

    def _ids_of(self, names: list[str]) -> dict[str, str]:
        """Return the ids of collections by their names; ``all`` names all but archived ones."""
        library, everything = self._session.library, self._session.infos()
        is_all = [n.strip().lower() for n in names] == ["all"]
        if is_all and not any(info.name.lower() == "all" for info in everything):
            found = [info for info in everything if info.status != "archived"]
        else:
            found = [library.find(name) for name in names]
        if not found:
            raise UsageError(
                "There is no collection to search.", hint="Make one with create_collection first."
            )
        return {info.name: info.id for info in found}

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
        response_format: ResponseFormat = "concise",
    ) -> Annotated[CallToolResult, ChunkOutput]:
        """Return one chunk."""
        found: Collection = await locate(self._session, collection)
        told = await telling(response_format, found)
        whole = await in_thread(partial(found.read.chunk, chunk_id))
        chunk, marked = bounded_chunk(whole), whole.as_dict()["highlight"]
        omitted = 0
        if marked is not None:
            lines, _ = page_of(marked["lines"], lambda line: line, room=_HIGHLIGHT_ROOM)
            omitted = len(marked["lines"]) - len(lines)
            marked = marked | {"lines": lines}
        facts = {"collection": found.info.name, "notice": outputs.QUOTED}
        entry = told.entry(passage(chunk, found.info.id))
        if told.concise:
            text = render.reading("", [render.told("", entry)], None)
            return answer(text, told.whole(facts | entry))
        marks = {"highlight": marked, "highlight_omitted": omitted}
        links = source_links(found.info.id, [chunk.provenance])
        return answer(render.chunk(chunk), facts | entry | marks, links)

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
        response_format: ResponseFormat = "concise",
    ) -> Annotated[CallToolResult, ChunksOutput]:
        """Return a document's chunks."""
        found: Collection = await locate(self._session, collection)

        def work() -> tuple[Document, list[Chunk]]:
            document = found.document(document_name)
            return document, found.read.chunks(document.document_id, page=page_filter)

        document, chunks = await in_thread(work)
        told = await telling(response_format, found)
        entry, block = chunk_forms(told, found.info.id, render.number)
        shown = portion(
            chunks, entry, block, offset=offset, limit=limit, room=told.room, beside=told.beside
        )
        where = f" on page {page_filter}" if page_filter is not None else ""
        head = f"{document.name}: {render.counted(len(chunks), 'chunk')}{where}"
        if len(shown.items) < len(chunks):
            head += f", {len(shown.items)} of them shown"
        return answer(
            render.reading(head, shown.blocks, onward(shown.next_offset)),
            told.whole(
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
                }
            ),
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
        response_format: ResponseFormat = "concise",
    ) -> Annotated[CallToolResult, ContextOutput]:
        """Return a chunk between its neighbours."""
        found: Collection = await locate(self._session, collection)
        around = await in_thread(partial(found.read.context, chunk_id, window=window))
        told = await telling(response_format, found)
        labels = {chunk.chunk_id: label for label, chunk in render.labelled(around)}
        entry, block = chunk_forms(
            told, found.info.id, lambda chunk: f"--- {labels[chunk.chunk_id]} ---"
        )
        nearest = _outward(around)
        shown = portion(nearest, entry, block, room=told.room, beside=told.beside)
        kept = list(zip(shown.items, shown.entries, shown.blocks, strict=True))
        kept.sort(key=lambda item: item[0].provenance.chunk_index)
        middle = [chunk.chunk_id for chunk, _, _ in kept].index(around.chunk.chunk_id)
        entries = [structured for _, structured, _ in kept]
        more = None
        if len(kept) < len(nearest):
            first, last = (told.chunk_id(kept[end][0].chunk_id) for end in (0, -1))
            more = (
                f"{render.counted(len(nearest) - len(kept), 'chunk')} did not fit: go on with "
                f"traverse_chunks, backward from start_chunk_id {first}, or forward from {last}."
            )
        name = around.chunk.provenance.document_name
        return answer(
            render.reading(f"Context in {name}", [text for _, _, text in kept], more),
            told.whole(
                {
                    "collection": found.info.name,
                    "notice": outputs.QUOTED,
                    "before": entries[:middle],
                    "chunk": entries[middle],
                    "after": entries[middle + 1 :],
                    "more": more,
                }
            ),
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
    telling
        How it is told: a concise answer quotes the part of each result that answers.
    explain
        Whether each stage's scores are told.
    noun
        What a collection is called.
    ids
        Of several collections, by their names.
    """

    def __init__(
        self,
        results: "SearchResults",
        collection_id: str,
        telling: Telling,
        /,
        *,
        explain: bool = False,
        noun: str = "Collection",
        ids: "Mapping[str, str] | None" = None,
    ) -> None:
        self._found = results
        self._ids = ids or {}
        self._collection_id = collection_id
        self._telling = telling
        self._explain = explain
        self._noun = noun
        self._near = False
        self._terms = query_terms(results.query) if telling.concise else frozenset()

    def answer(self, offset: int, k: int, /) -> CallToolResult:
        """Return the results from *offset* on, of the *k* that were asked for."""
        found, related, concise = self._found, self._found.related, self._telling.concise
        room = ROOM - _RELATED_ROOM if related else ROOM
        show = partial(
            portion,
            found.results,
            self._entry,
            self._block,
            offset=offset,
            room=room,
            beside=self._telling.beside,
        )
        shown = show()
        if shown.next_offset is not None and not concise:
            # Another result is worth more than the far ends of what stands beside this one.
            self._near = True
            shown = show()
        after = shown.next_offset
        if after is None and len(found.results) == k < MOST_RESULTS:
            after = k
        step = _next_step(offset, k, len(shown.items), after)
        facts = replace(found, results=shown.items, query=render.shown_query(found.query))
        structured = self._head(facts) | {"results": shown.entries}
        structured |= {"next_offset": after, "next_step": step}
        if not concise:
            structured["offset"] = offset
        blocks, more = list(shown.blocks), [s for s in (onward(after), step) if s]
        if related:
            beside = self._related(ROOM - shown.cost)
            further = [
                self._telling.entry(outputs.POINTER.of(each.chunk))
                for each in related[len(beside.items) :]
            ]
            structured |= {"related": beside.entries, "related_further": further}
            blocks += [*beside.blocks, *_pointers(further)]
        text = render.search_results(
            facts,
            explain=self._explain,
            concise=concise,
            blocks=blocks,
            more=more,
            noun=self._noun,
        )
        links = [] if concise or self._ids else [result.provenance for result in shown.items]
        structured = self._telling.whole(structured)
        return answer(text, structured, source_links(self._collection_id, links))

    def _head(self, facts: "SearchResults") -> dict[str, Any]:
        """Return what is told of the search itself."""
        found = facts.as_dict(explain=self._explain)
        found = {k: v for k, v in found.items() if k not in ("results", "related")}
        if self._telling.concise:
            found = {k: v for k, v in found.items() if k in ShortSearch.__annotations__}
            if not found["notes"]:
                del found["notes"]
        return found | {"notice": outputs.QUOTED}

    def _entry(self, result: "SearchResult") -> dict[str, Any]:
        also = result.also[:_MOST_ALSO]
        result = replace(result, provenance=bounded_source(result.provenance), also=also)
        if self._telling.concise:
            return self._short(result)
        raw = {"rank": result.rank, **result.as_dict(explain=self._explain)}
        # The whole text stands beside it: the best part of it is enough.
        raw["pinpoint"] = raw["pinpoint"][:1]
        if self._near:
            raw["context"] = _nearest(raw["context"])
        key = self._ids.get(result.collection or "", self._collection_id)
        return raw | addresses(result.provenance, key)

    def _short(self, result: "SearchResult") -> dict[str, Any]:
        """Return a result as the part of it that answers, with the place of just that part."""
        size = _FIRST_CHARS if result.rank <= _FIRST else _LATER_CHARS
        text, place = part_of_result(result, self._terms, size=size)
        entry: dict[str, Any] = {"rank": result.rank, "relevance": round(result.relevance, 2)}
        if result.answer is not None:
            entry["answer"] = {"text": result.answer.text, "sure": result.answer.sure}
        entry |= {"text": text, "citation": place.cite()}
        if result.pinpoint and (at := result.pinpoint[0].where) not in entry["citation"]:
            entry["at"] = at
        entry |= self._telling.place(SOURCE.of(place))
        if result.also:
            entry["also"] = [str(same) for same in result.also]
        if result.collection:
            entry["collection"] = result.collection
        if self._explain:
            entry["explain"] = {name: s.as_dict() for name, s in result.signals.items()}
        return entry

    def _block(self, result: "SearchResult", entry: dict[str, Any]) -> str:
        if self._telling.concise:
            signals = result.signals if self._explain else {}
            return render.short_result(entry, signals)
        return render.search_result(result, explain=self._explain)

    def _related(self, room: int) -> "Portion[RelatedChunk]":
        def entry(each: "RelatedChunk") -> dict[str, Any]:
            raw: dict[str, Any] = dict(passage(each.chunk, self._collection_id))
            raw |= {"weight": round(each.weight, 6), "reason": each.reason}
            return self._telling.entry(raw)

        def block(each: "RelatedChunk", told: dict[str, Any]) -> str:
            return render.related(each, told if self._telling.concise else None)

        everything = [replace(r, chunk=self._quoted(r.chunk)) for r in self._found.related]
        return portion(everything, entry, block, room=room, beside=self._telling.beside)

    def _quoted(self, chunk: Chunk) -> Chunk:
        """Return a passage with a bounded source, and only its best part where that is wanted."""
        chunk = bounded_chunk(chunk)
        if not self._telling.concise:
            return chunk
        rows = chunk.provenance.sheet_name is not None
        return part_of(chunk, best_part(chunk.text, self._terms, size=_LATER_CHARS, rows=rows))


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
