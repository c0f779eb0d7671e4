"""Tools that return document text: search, chunks, context. All of it with its full source."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.api.operation import READS
from casetrack.api.sql.process import rows_of
from casetrack.base.errors import UsageError
from casetrack.base.records import Chunk, ChunkWindow, Document, SearchMode
from casetrack.faces.mcp import outputs, render
from casetrack.faces.mcp.budget import page_of
from casetrack.faces.mcp.concise import Telling, chunk_forms, telling
from casetrack.faces.mcp.render import counted, one_line
from casetrack.faces.mcp.results import (
    answer,
    bounded_chunk,
    cut,
    onward,
    passage,
    portion,
    source_links,
)
from casetrack.faces.mcp.search_page import MOST_RESULTS, ResultPage, SearchOutput, ShortSearch
from casetrack.faces.mcp.session import SessionTools, in_thread, locate
from casetrack.faces.mcp.specs import CollectionName, Offset, ResponseFormat, tool

if TYPE_CHECKING:
    from casetrack.api.collection import Collection

_HIGHLIGHT_ROOM = 6_000


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


class SearchTools(SessionTools):
    """The tools of this module, for one session."""

    @tool(
        "Search",
        READS,
        description="Start here for any question: finds passages by words and meaning. Returns "
        "each cited (file, page, lines), with chunk_id.",
        sets=("core", "search", "legal"),
        page="search",
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
        related: Annotated[int, Field(ge=0, le=20, description="More, linked by names")] = 0,
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
            found.search, query, documents=document_filter or None, related=related, **wanted
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


# The tool that asks a collection in read-only SQL.

_MOST = 500
_CELL_CHARS = 4_000
_AT_END = "LIMIT and OFFSET after an ORDER BY give the rest."


class QueryOutput(outputs.Quoting):
    """Rows in the order of the statement; ``more`` says what was left out."""

    columns: list[str]
    rows: list[list[Any]]
    more: str | None


class QueryTools(SessionTools):
    """The tool of this module, for one session."""

    @tool(
        "SQL",
        READS,
        description="One DuckDB SELECT over documents, chunks, entities, mentions, amounts, "
        "search('words'); SHOW TABLES lists all. Returns rows; select citation.",
        sets=("daily",),
    )
    async def query(
        self, sql: str, collection: CollectionName = None
    ) -> Annotated[CallToolResult, QueryOutput]:
        """Run a reading statement."""
        target: Collection = await locate(self._session, collection)
        # One more than is wanted tells whether there are others.
        found = await rows_of(self._session.library.settings, target.info, sql, limit=_MOST + 1)
        columns = list(found[0]) if found else []
        cells = [[_shown(value) for value in row.values()] for row in found]
        page = portion(cells[:_MOST], list, lambda _, row: _line(row))
        shown = len(page.items)
        parts = []
        if shown < len(found):
            parts.append(f"There are more than these {counted(shown, 'row')}: {_AT_END}")
        if any(isinstance(v, str) and len(v) > _CELL_CHARS for r in found for v in r.values()):
            parts.append(f"Texts end after {_CELL_CHARS:,} characters: use substr(text, start).")
        more = " ".join(parts) or None
        head = f"{target.info.name}: {counted(shown, 'row')}"
        lines = [head, *([_line(columns)] if columns else []), *page.blocks]
        return answer(
            "\n".join([*lines, *([more] if more else []), outputs.QUOTED]),
            {
                "collection": target.info.name,
                "notice": outputs.QUOTED,
                "columns": columns,
                "rows": list(page.entries),
                "more": more,
            },
        )


def _shown(value: Any) -> Any:
    """Return a value without the end of a very long text."""
    return cut(value, _CELL_CHARS) if isinstance(value, str) else value


def _line(cells: "list[Any]") -> str:
    """Return cells on a line that none of ours looks like, whatever a document holds."""
    return "> " + " | ".join("" if cell is None else one_line(str(cell)) for cell in cells)
