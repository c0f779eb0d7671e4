"""Reading in a collection: passages, pages, the structure of documents."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from casetrack.api.collection.drawing import drawn
from casetrack.api.operation import EVERY, READS, Arg, DocumentRef, PassageRef, at_most, operation
from casetrack.base import arguments
from casetrack.base.errors import ChunkNotFound, DocumentNotFound, UsageError
from casetrack.base.records import Chunk, Page, PageImage, Passages, Rows, SearchResult
from casetrack.base.records.shape import from_members

if TYPE_CHECKING:
    from casetrack.base.records import ChunkWindow, Document, DocumentStructure
    from casetrack.store.workspace import State, Workspace

_Document = Annotated[
    DocumentRef, Arg("Name, path or ID of the document.", "DOCUMENT", "document_name")
]
_CHUNK = "A chunk's id from search results."


class Read:
    """Texts of a collection's documents: ``collection.read``."""

    def __init__(self, workspace: Workspace, /) -> None:
        self._workspace = workspace
        self._draw = partial(drawn, workspace.folder, workspace.settings)

    @operation("chunk", READS, tool="get_chunk", sets=("search",))
    def chunk(self, chunk_id: Annotated[PassageRef, Arg(_CHUNK, "ID")], /) -> Chunk:
        """Return one chunk: that of an id, of a result or of a quote.

        Raises
        ------
        ChunkNotFound
            No live chunk has this id.
        """
        chunk = self._workspace.ask(lambda state: state.chunk(chunk_id))
        return replace(chunk, illustrate=self._draw)

    @operation(
        "chunks",
        READS,
        command="read DOCUMENT",
        tool="get_document_chunks",
        most=EVERY,
        per_call=(50, 200),
    )
    def chunks(
        self,
        document: _Document,
        /,
        *,
        page: Annotated[int | None, Arg(cli="--page N", mcp="page_filter", ge=1)] = None,
    ) -> Passages:
        """Return the chunks of a document in reading order, or those of one page.

        Parameters
        ----------
        page
            Only this page.

        Raises
        ------
        UsageError
            The document has no such page.

        Examples
        --------
        >>> collection.read.chunks("Lease.pdf", page=3).to_polars()["text"]  # doctest: +SKIP
        """

        def read(state: State) -> Passages:
            record = state.document(document)
            if page is not None:
                arguments.require_pages(record, page, page)
            every = state.chunks_of(record)
            chosen = (c for c in every if page is None or c.provenance.page == page)
            return Passages(chosen, document=record)

        return self._workspace.ask(read)

    def pages(self, document: DocumentRef, /) -> Rows[Page]:
        """Return the pages of a document that have text, each with its whole text and its source.

        Examples
        --------
        >>> collection.read.pages("Lease.pdf").to_polars()["text"]  # doctest: +SKIP
        """
        from casetrack.api.collection.listing import pages_of

        return self._workspace.ask(
            lambda state: Rows(pages_of(state.chunks_of(state.document(document))), of=Page)
        )

    @operation(
        "context",
        READS,
        command="chunk ID --window N",
        tool="get_source_context",
        sets=("core", "search", "map", "legal"),
    )
    def context(
        self,
        chunk_id: Annotated[PassageRef, Arg(_CHUNK, "ID")],
        /,
        *,
        window: Annotated[
            int, Arg(cli="--window N", note="Chunks each side", ge=1, le=50, mcp_le=5)
        ] = 1,
    ) -> ChunkWindow:
        """Return a chunk with up to *window* chunks before and after it in its document.

        Parameters
        ----------
        chunk_id
            The id of a chunk, or an object with a passage, such as a search result.
        window
            How many chunks before and after it.

        Raises
        ------
        ChunkNotFound
            No live chunk has this id.
        UsageError
            *window* is less than 1.
        """
        arguments.within("window", window, 1)
        answer = self._workspace.ask(lambda state: state.around(chunk_id, window))
        return replace(answer, chunk=replace(answer.chunk, illustrate=self._draw))

    @operation(
        "pages",
        READS,
        command="read DOCUMENT --pages N-M",
        tool="browse_pages",
        sets=("core", "search", "legal"),
        most=EVERY,
        entries="chunks",
    )
    def browse(
        self,
        document: _Document,
        first: Annotated[int, Arg(cli="FIRST", mcp="start_page", ge=1)],
        last: Annotated[int, Arg(cli="LAST", mcp="end_page", ge=1)],
        /,
    ) -> Passages:
        """Return the chunks of some pages of a document in reading order.

        Parameters
        ----------
        first
            The first page.
        last
            The last page.

        Raises
        ------
        UsageError
            The document has no such pages.
        """

        def read(state: State) -> Passages:
            record = state.document(document)
            # A caller that does not know the number of pages asks for more.
            begins = first <= record.page_count
            arguments.require_pages(record, first, min(last, record.page_count) if begins else last)
            chosen = (c for c in state.chunks_of(record) if first <= c.provenance.page <= last)
            return Passages(chosen, document=record)

        return self._workspace.ask(read)

    @operation(
        "traverse", READS, command="read --from ID", tool="traverse_chunks", sets=("search",)
    )
    def traverse(
        self,
        chunk_id: Annotated[PassageRef, Arg(_CHUNK, "ID", "start_chunk_id")],
        /,
        *,
        direction: Annotated[Literal["forward", "backward"], Arg(cli="--direction")] = "forward",
        limit: Annotated[int, at_most("count", le=200, mcp_le=20)] = 5,
    ) -> Passages:
        """Return a chunk and the following or preceding ones of its document, in reading order.

        Parameters
        ----------
        chunk_id
            The first chunk: its id, or an object with a passage.
        direction
            Reading direction.
        limit
            How many chunks.

            The first one counts.

        Raises
        ------
        ChunkNotFound
            No live chunk has this id.
        """
        arguments.one_of("direction", direction, ("forward", "backward"))
        arguments.within("limit", limit, 1)

        def read(state: State) -> Passages:
            chunks, place = state.siblings(chunk_id)
            document = state.snapshot.documents[chunks[place].provenance.document_id]
            if direction == "forward":
                return Passages(chunks[place : place + limit], document=document, start=0)
            before = chunks[max(0, place + 1 - limit) : place + 1]
            return Passages(before, document=document, start=len(before) - 1)

        return self._workspace.ask(read)

    @operation(
        "structure",
        READS,
        command="document NAME --structure",
        tool="get_document_structure",
        sets=("search",),
        most=EVERY,
    )
    def structure(self, document: _Document, /) -> DocumentStructure:
        """Return a document's headings with their levels and places, and its other parts."""
        from casetrack.search.structure import structure_of

        return self._workspace.ask(
            lambda state: structure_of(state.snapshot, state.document(document))
        )

    def same_entry(self, document: Document, /) -> tuple[Document, ...]:
        """Return the other documents with the docket and number of a court paper."""
        from casetrack.graph.paper_sources import same_entry

        if not document.docket_entry:
            return ()
        records = self._workspace.ask(lambda state: list(state.snapshot.documents.values()))
        return same_entry(records, document)

    def page_image(
        self, place: PassageRef | DocumentRef, /, *, page: int | None = None
    ) -> PageImage:
        """Return a page as a picture, with the passage marked on it.

        In a search result, the answer is marked strongly, the passage lightly. For formats without
        pages, and files that no longer exist, the stored text is drawn, and ``notes`` report it.
        Raises ``ChunkNotFound`` if no live chunk has this id; ``UsageError`` if the document has no
        such page, or *place* is not a passage; ``FileError`` if neither the page nor its text can
        be drawn.

        Parameters
        ----------
        place
            A passage: a search result, a chunk, a mention, an event, a row of a frame, or a chunk's
            id. With *page*, a document: its name, path, id or record.
        page
            The page of that document, from 1, without marks.

        Examples
        --------
        >>> hits = collection.search("termination")  # doctest: +SKIP
        >>> collection.read.page_image(hits[0]).save("termination.png")  # doctest: +SKIP
        """
        from casetrack.api.viewer.page_picture import page_picture, passage_picture

        if page is None:
            strong = place.strong_boxes if isinstance(place, SearchResult) else ()
            drawn = self._workspace.ask(
                lambda state: passage_picture(state, _shown(state, place), strong=strong)
            )
        elif arguments.is_document(place):
            name = arguments.document_name(place)
            drawn = self._workspace.ask(lambda state: page_picture(state, name, page))
        else:
            raise UsageError(
                "`page` can only be used with a document, and this is a passage.",
                hint='Omit `page`, or enter the document: page_image("Lease.pdf", page=3).',
            )
        return from_members(PageImage, drawn, document=drawn.document.name)

    def table(self) -> Any:
        """Return the stored chunks as a LanceDB table, for other tools.

        It has all stored rows; the ``revision`` of live ones is in ``documents``. ``dense`` can be
        searched directly, see :func:`casetrack.question_vectors`; :func:`casetrack.unpack_tokens`
        decodes ``tokens``. Raises ``PackageMissing`` if LanceDB is not installed.
        """
        from casetrack.store.datasets import open_with_lancedb

        return open_with_lancedb(self._workspace.folder)


def _shown(state: State, place: PassageRef | DocumentRef) -> str:
    """Return the id of the chunk to show.

    Raises ``ChunkNotFound`` if no live chunk has this id; ``UsageError`` if it is not a passage, or
    it is a document without a page.
    """
    chunk_id = arguments.passage_id(place)  # type: ignore[arg-type]  # it refuses what is none
    try:
        state.chunk(chunk_id)
    except ChunkNotFound:
        try:
            named = state.document(chunk_id)
        except DocumentNotFound:
            named = None
        if named is None:
            raise
        raise UsageError(
            f'"{named.name}" is a document, so a page is required.',
            hint=f'Such as page_image("{named.name}", page=1).',
        ) from None
    return chunk_id
