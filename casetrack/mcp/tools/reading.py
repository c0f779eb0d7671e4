"""Tools that read on from a place: pages, the chunks before and after, passages like it."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.mcp import graph_results as results
from casetrack.mcp import outputs
from casetrack.mcp.render import counted, span
from casetrack.mcp.render import graph as graph_text
from casetrack.mcp.render import relations as relations_text
from casetrack.mcp.results import LARGE_RESULT, answer, passage
from casetrack.mcp.session import Session, in_thread, locate
from casetrack.mcp.specs import READS, CollectionName, tool

if TYPE_CHECKING:
    from casetrack.collection import Collection
    from casetrack.records import Chunk, Document
    from casetrack.records.graph import SimilarChunk

_MOST = 50


class ReadingTools:
    """The tools of this module, for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @tool(
        "Read pages",
        READS,
        description="Get all chunks from a specific page range within a document. Use this to read "
        "through a section of a document sequentially. Returns the chunks in order, in full, with "
        "citation and source; where a range is too long for one answer, how to read on.",
        meta=LARGE_RESULT,
    )
    async def browse_pages(
        self,
        document_name: Annotated[str, Field(description="Document name or ID")],
        start_page: Annotated[int, Field(ge=1, description="First page to read")],
        end_page: Annotated[int, Field(ge=1, description="Last page to read")],
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.PagesOutput]:
        """Return the chunks of some pages."""
        target: Collection = await locate(self._session, collection)

        def work() -> "tuple[Document, list[Chunk]]":
            document = target.document(document_name)
            return document, target.browse(document.document_id, start_page, end_page)

        document, found = await in_thread(work)
        entries = [passage(chunk) for chunk in found]
        shown = results.fit(entries)
        more = None
        if shown < len(found):
            more = (
                f"{counted(len(found) - shown, 'chunk')} more on these pages: go on with "
                f"traverse_chunks from start_chunk_id {found[shown].chunk_id}."
            )
        head = f"{document.name}, pages {span(start_page, end_page)} of {document.page_count:,}: "
        head += counted(len(found), "chunk")
        return answer(
            graph_text.reading(head, found[:shown], more),
            {
                "collection": target.info.name,
                "notice": outputs.QUOTED,
                "document": results.document_name(document),
                "page_count": document.page_count,
                "start_page": start_page,
                "end_page": end_page,
                "total": len(found),
                "chunks": entries[:shown],
                "more": more,
            },
        )

    @tool(
        "Read on",
        READS,
        description="Navigate forward or backward through the chunks of a document from a starting "
        "point. Use this to read through a document sequentially from any position, such as a "
        "search result. Returns the starting chunk and those after or before it, in document "
        "order, in full, with citation and source, and how to read on.",
        meta=LARGE_RESULT,
    )
    async def traverse_chunks(
        self,
        start_chunk_id: Annotated[str, Field(description="UUID of the starting chunk")],
        direction: Annotated[
            Literal["forward", "backward"], Field(description="Direction to traverse")
        ] = "forward",
        count: Annotated[int, Field(ge=1, le=20, description="Number of chunks to return")] = 5,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.TraversalOutput]:
        """Return the chunks after or before another one."""
        target: Collection = await locate(self._session, collection)
        work = partial(target.traverse, start_chunk_id, direction=direction, count=count)
        found, more = results.nearest(await in_thread(work), direction)
        name = found[0].provenance.document_name
        head = f"{name}, {direction} from chunk {start_chunk_id}: {counted(len(found), 'chunk')}"
        return answer(
            graph_text.reading(head, found, more),
            {
                "collection": target.info.name,
                "notice": outputs.QUOTED,
                "start_chunk_id": start_chunk_id,
                "direction": direction,
                "chunks": [passage(chunk) for chunk in found],
                "more": more,
            },
        )

    @tool(
        "Similar passages",
        READS,
        description="Find chunks across all documents that are semantically similar to a given "
        "chunk. Use this to find other places in the collection that discuss the same topic as a "
        "paragraph. Returns the passages, most similar first, in full with citation, source and "
        "cosine similarity.",
        meta=LARGE_RESULT,
    )
    async def search_similar_chunks(
        self,
        chunk_id: Annotated[
            str, Field(description="UUID of the chunk to find similar content for")
        ],
        exclude_same_document: Annotated[
            bool,
            Field(
                description="Exclude results from the same document (default: true, for "
                "cross-document discovery)"
            ),
        ] = True,
        min_similarity: Annotated[
            float, Field(ge=0.0, le=1.0, description="Minimum cosine similarity threshold")
        ] = 0.6,
        top_k: Annotated[int, Field(ge=1, le=_MOST, description="Passages to return")] = 10,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.SimilarOutput]:
        """Return passages like another one."""
        target: Collection = await locate(self._session, collection)

        def work() -> "tuple[Chunk, tuple[SimilarChunk, ...]]":
            return target.chunk(chunk_id), target.similar_chunks(
                chunk_id,
                exclude_same_document=exclude_same_document,
                min_similarity=min_similarity,
                limit=top_k,
            )

        chunk, found = await in_thread(work)
        entries = [results.similar(each) for each in found]
        shown = results.fit(entries)
        pointers = [results.pointer(each.chunk) for each in found[shown:]]
        more = None
        if not found:
            more = (
                f"No passage is as similar as {min_similarity:g}. Lower min_similarity, or search "
                "by its words with search_documents."
            )
        elif len(found) == top_k:
            way = "raise top_k" if top_k < _MOST else "raise min_similarity"
            more = f"There may be more: {way}."
        return answer(
            relations_text.similar(chunk, found[:shown], pointers, more),
            {
                "collection": target.info.name,
                "notice": outputs.QUOTED,
                "chunk_id": chunk_id,
                "chunks": entries[:shown],
                "further": pointers,
                "more": more,
            },
        )
