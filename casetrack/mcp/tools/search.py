"""Tools that return document text: search, chunks, context. All of it with its full source."""

from functools import partial
from typing import TYPE_CHECKING, Annotated

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.mcp import outputs, render
from casetrack.mcp.results import LARGE_RESULT, answer, next_offset, passage
from casetrack.mcp.session import Session, in_thread, locate
from casetrack.mcp.specs import READS, CollectionName, tool
from casetrack.records import Chunk, Document, SearchMode

if TYPE_CHECKING:
    from casetrack.collection import Collection


class SearchTools:
    """The tools of this module, for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @tool(
        "Search documents",
        READS,
        description="Search across all documents in the active collection using semantic and "
        "keyword search. Returns results with FULL provenance: source document filename, file "
        "path, page, paragraph, line numbers, character offsets, extraction method, timestamps. "
        "Every result is traceable to its exact source location. Each has a ready citation, "
        "neighbouring text, and a chunk_id for get_chunk and get_source_context.",
        meta=LARGE_RESULT,
    )
    async def search_documents(
        self,
        query: Annotated[
            str,
            Field(
                description="Natural language search query (e.g., 'Q3 revenue analysis', "
                "'vendor payment terms', 'project timeline')"
            ),
        ],
        top_k: Annotated[int, Field(ge=1, le=50, description="Number of results to return")] = 10,
        document_filter: Annotated[
            str | None,
            Field(description="Optional: restrict search to a specific document name or ID"),
        ] = None,
        mode: Annotated[
            SearchMode | None,
            Field(
                description="Optional: search by words (keyword), by meaning (semantic), by both "
                "(hybrid), or by both with the best passages read word by word (full). Default: "
                "the fullest that the collection allows"
            ),
        ] = None,
        explain: Annotated[
            bool,
            Field(description="Also return each stage's score and rank per result, and its time"),
        ] = False,
        related: Annotated[
            int,
            Field(
                ge=0,
                le=20,
                description="Also return up to so many passages connected with the results: they "
                "mention the same rare names, or mean nearly the same",
            ),
        ] = 0,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.SearchOutput]:
        """Search a collection."""
        found: Collection = await locate(self._session, collection)
        work = partial(
            found.search, query, k=top_k, mode=mode, document=document_filter, related=related
        )
        results = await in_thread(work)
        structured = results.as_dict(explain=explain)
        passages = structured.pop("results")
        return answer(
            render.search_results(results, explain=explain),
            {**structured, "notice": outputs.QUOTED, "results": passages},
        )

    @tool(
        "Chunk",
        READS,
        description="Get a specific chunk by ID with its full text, provenance (source file, page, "
        "paragraph, line, character offsets), and embedding status. Returns also a ready citation "
        "and, for formats with a layout, the rectangles of its lines on the page.",
    )
    async def get_chunk(
        self,
        chunk_id: Annotated[str, Field(description="UUID of the chunk")],
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.ChunkOutput]:
        """Return one chunk."""
        found: Collection = await locate(self._session, collection)
        chunk = await in_thread(partial(found.chunk, chunk_id))
        head = {"collection": found.info.name, "notice": outputs.QUOTED}
        return answer(render.chunk(chunk), {**head, **chunk.as_dict()})

    @tool(
        "Chunks of a document",
        READS,
        description="List all chunks in a document with their provenance. Shows where every piece "
        "of text came from: page, paragraph, line numbers, and character offsets. Use this to "
        "understand how a document was chunked and indexed, or to read it in order. Returns text, "
        "citation and source of each chunk; next_offset says where to go on in a long document.",
        meta=LARGE_RESULT,
    )
    async def get_document_chunks(
        self,
        document_name: Annotated[str, Field(description="Document name or ID")],
        page_filter: Annotated[
            int | None,
            Field(ge=1, description="Optional: only show chunks from this page number"),
        ] = None,
        collection: CollectionName = None,
        offset: Annotated[int, Field(ge=0, description="Number of chunks to pass over")] = 0,
        limit: Annotated[int, Field(ge=1, le=200, description="Number of chunks to return")] = 50,
    ) -> Annotated[CallToolResult, outputs.ChunksOutput]:
        """Return a document's chunks."""
        found: Collection = await locate(self._session, collection)

        def work() -> tuple[Document, list[Chunk]]:
            document = found.document(document_name)
            return document, found.chunks(document.document_id, page=page_filter)

        document, chunks = await in_thread(work)
        shown, total = chunks[offset : offset + limit], len(chunks)
        after = next_offset(offset, len(shown), total)
        where = f" on page {page_filter}" if page_filter is not None else ""
        text = render.chunk_list(document.name, shown, total=total, where=where)
        if after is not None:
            text += f"\n\nMore from offset {after}."
        return answer(
            text,
            {
                "collection": found.info.name,
                "notice": outputs.QUOTED,
                "document": document.name,
                "document_id": document.document_id,
                "page_filter": page_filter,
                "total": total,
                "offset": offset,
                "next_offset": after,
                "chunks": [passage(chunk) for chunk in shown],
            },
        )

    @tool(
        "Context of a chunk",
        READS,
        description="Get the surrounding context for a chunk -- the chunks immediately before and "
        "after it in the original document. Useful for understanding the full context around a "
        "search result. Returns text, citation and source of the chunk and of its neighbours.",
        meta=LARGE_RESULT,
    )
    async def get_source_context(
        self,
        chunk_id: Annotated[str, Field(description="UUID of the chunk to get context for")],
        window: Annotated[
            int,
            Field(ge=1, le=5, description="Number of chunks before and after to include"),
        ] = 1,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.ContextOutput]:
        """Return a chunk between its neighbours."""
        found: Collection = await locate(self._session, collection)
        around = await in_thread(partial(found.context, chunk_id, window=window))
        return answer(
            render.context(around),
            {
                "collection": found.info.name,
                "notice": outputs.QUOTED,
                "before": [passage(chunk) for chunk in around.before],
                "chunk": passage(around.chunk),
                "after": [passage(chunk) for chunk in around.after],
            },
        )
