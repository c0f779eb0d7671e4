"""Finding passages in a collection, and reading on from them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, get_args

from casetrack.collection.again import asks_again
from casetrack.collection.naming import find_chunk, find_document, several
from casetrack.collection.state import State
from casetrack.errors import UsageError
from casetrack.records import Chunk, ChunkWindow, RowList
from casetrack.store.find import chunks_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.collection.naming import DocumentRef, PassageRef
    from casetrack.records import (
        DocumentStructure,
        SearchMode,
        SearchResults,
    )
    from casetrack.retrieve.fuse import FusionMethod
    from casetrack.store.datasets import Snapshot
    from casetrack.views.index import Index


@asks_again
class Finding(State):
    """Search and passages."""

    def search(
        self,
        query: str,
        /,
        *,
        k: int = 10,
        mode: SearchMode | None = None,
        stages: Sequence[str] | str | None = None,
        document: DocumentRef | None = None,
        fusion: FusionMethod = "zscore",
        related: int = 0,
    ) -> SearchResults:
        """Return the *k* best passages, each with its source.

        Parameters
        ----------
        query
            A question or words.
        k
            1 to 1,000.
        mode
            ``keyword`` (BM25), ``semantic`` (vectors), ``hybrid`` (both, and learned words where
            the profile has them) or ``full`` (hybrid, then the best read token by token);
            ``None`` means full as far as the collection and the tier allow; a note says what the
            collection lacks.
        stages
            Instead of a mode the stages by name: ``bm25``, ``semantic``, ``sparse``,
            ``maxsim``, ``feedback``.
        document
            Only passages of this document: its name, path or id, or the document itself.
        fusion
            How several signals are joined: ``zscore`` or ``rrf``.
        related
            Add up to so many passages that the graph connects with those found: they mention the
            same rare names, or mean nearly the same.

        Raises
        ------
        UsageError
            The query is empty, or an argument does not fit.
        ModelNotFound
            *mode* asks for vectors and no model is installed.
        FreeTierLimit
            *mode* or *stages* ask for reranking, and the tier does not have it.
        DocumentNotFound, AmbiguousName
            There is no such *document*, or several bear the name.

        Examples
        --------
        >>> hits = collection.search("Who may end the lease early?", k=5)  # doctest: +SKIP
        >>> hits[0].citation, hits[0].text  # doctest: +SKIP
        """
        snapshot, index = self.index()
        return self.search_in(
            snapshot,
            index,
            query,
            k=k,
            mode=mode,
            stages=stages,
            document=document,
            fusion=fusion,
            related=related,
        )

    def search_in(
        self,
        snapshot: Snapshot,
        index: Index,
        query: str,
        /,
        *,
        k: int = 10,
        mode: SearchMode | None = None,
        stages: Sequence[str] | str | None = None,
        document: DocumentRef | None = None,
        fusion: FusionMethod = "zscore",
        related: int = 0,
    ) -> SearchResults:
        """Search one state of the collection, whatever is the newest; see :meth:`search`."""
        from casetrack.retrieve.plan import RERANK
        from casetrack.retrieve.search import search

        _check_search(query, k, fusion, related)
        stages = None if stages is None else several(stages)
        if mode == "full" or (stages is not None and set(stages) & set(RERANK)):
            self.entitlements.require("rerank")
        document_id = None if document is None else find_document(snapshot, document).document_id
        found = search(
            snapshot,
            index,
            query,
            collection=self.name,
            load_encoder=lambda: self._encoders.get(snapshot.profile, dimension=snapshot.dimension),
            k=k,
            mode=mode,
            stages=stages,
            document_id=document_id,
            fusion=fusion,
            rerank=self.entitlements.allows("rerank"),
            related=partial(self.context_graph().related, limit=related) if related else None,
        )
        license_status = self.entitlements.status()
        return replace(
            found,
            tier=license_status.tier.name,
            notes=(*found.notes, *license_status.notes),
            illustrate=self._illustrate,
        )

    def chunk(self, chunk_id: PassageRef, /) -> Chunk:
        """Return one chunk: that of an id, or the one in which a result or a quote stands.

        Raises
        ------
        ChunkNotFound
            No live chunk has this id.
        """
        return replace(find_chunk(self.snapshot(), chunk_id), illustrate=self._illustrate)

    def chunks(self, document: DocumentRef, /, *, page: int | None = None) -> RowList[Chunk]:
        """Return the chunks of a document in reading order, or those of one page.

        Raises
        ------
        DocumentNotFound, AmbiguousName
            See :meth:`document`.
        UsageError
            The document has no such page.

        Examples
        --------
        >>> collection.chunks("Lease.pdf", page=3).to_polars()["text"]  # doctest: +SKIP
        """
        snapshot = self.snapshot()
        row = find_document(snapshot, document)
        if page is not None and not 1 <= page <= row.page_count:
            raise UsageError(
                f'"{row.name}" has no page {page}.', hint=f"Its pages are 1 to {row.page_count}."
            )
        found = chunks_of(snapshot, row)
        return RowList((c for c in found if page is None or c.provenance.page == page), of=Chunk)

    def context(self, chunk_id: PassageRef, /, *, window: int = 1) -> ChunkWindow:
        """Return a chunk with up to *window* chunks before and after it in its document.

        The chunk is named by its id, or by what stands in it, such as a search result.

        Raises
        ------
        ChunkNotFound
            No live chunk has this id.
        UsageError
            *window* is less than 1.
        """
        if window < 1:
            raise UsageError(f"window must be 1 or more, not {window}.")
        snapshot = self.snapshot()
        chunk = find_chunk(snapshot, chunk_id)
        siblings = chunks_of(snapshot, snapshot.documents[chunk.provenance.document_id])
        place = next(i for i, c in enumerate(siblings) if c.chunk_id == chunk.chunk_id)
        return ChunkWindow(
            before=tuple(siblings[max(0, place - window) : place]),
            chunk=replace(chunk, illustrate=self._illustrate),
            after=tuple(siblings[place + 1 : place + 1 + window]),
        )

    def browse(self, document: DocumentRef, first: int, last: int, /) -> RowList[Chunk]:
        """Return the chunks of some pages of a document in reading order.

        Parameters
        ----------
        document
            Its name, path or id.
        first, last
            Pages, from 1, both included.

        Raises
        ------
        DocumentNotFound, AmbiguousName
            See :meth:`~casetrack.collection.Collection.document`.
        UsageError
            The document has no such pages.
        """
        snapshot = self.snapshot()
        row = find_document(snapshot, document)
        if not 1 <= first <= last <= row.page_count:
            raise UsageError(
                f'"{row.name}" has no pages {first} to {last}.',
                hint=f"Its pages are 1 to {row.page_count}; the first one comes first.",
            )
        found = (c for c in chunks_of(snapshot, row) if first <= c.provenance.page <= last)
        return RowList(found, of=Chunk)

    def traverse(
        self,
        chunk_id: PassageRef,
        /,
        *,
        direction: Literal["forward", "backward"] = "forward",
        count: int = 5,
    ) -> RowList[Chunk]:
        """Return a chunk and those after it in its document, or before it, in reading order.

        Parameters
        ----------
        chunk_id
            Where to begin: the id of a chunk, or what stands in it.
        direction
            Which way to go.
        count
            How many chunks, the first one among them.

        Raises
        ------
        ChunkNotFound
            No live chunk has this id.
        UsageError
            An argument does not fit.
        """
        if direction not in ("forward", "backward"):
            raise UsageError(f"Unknown direction {direction!r}.", hint="Use forward or backward.")
        if count < 1:
            raise UsageError(f"The number of chunks must be 1 or more, not {count}.")
        snapshot = self.snapshot()
        chunk = find_chunk(snapshot, chunk_id)
        siblings = chunks_of(snapshot, snapshot.documents[chunk.provenance.document_id])
        place = next(i for i, c in enumerate(siblings) if c.chunk_id == chunk.chunk_id)
        if direction == "forward":
            return RowList(siblings[place : place + count], of=Chunk)
        return RowList(siblings[max(0, place + 1 - count) : place + 1], of=Chunk)

    def structure(self, document: DocumentRef, /) -> DocumentStructure:
        """Return a document's headings with their levels and places, and what else it holds.

        Raises
        ------
        DocumentNotFound, AmbiguousName
            See :meth:`document`.
        """
        from casetrack.retrieve.structure import structure_of

        snapshot = self.snapshot()
        return structure_of(snapshot, find_document(snapshot, document))

    def table(self) -> Any:
        """Return the stored chunks as a LanceDB table, for tools of your own.

        It holds every stored row; live ones are those whose ``revision`` stands in ``documents``.
        """
        from casetrack.store.datasets import open_with_lancedb

        return open_with_lancedb(self.folder)


def _check_search(query: object, k: object, fusion: str, related: int) -> None:
    """Refuse what cannot be meant, before anything is opened for it.

    Raises
    ------
    UsageError
        An argument does not fit.
    """
    from casetrack.retrieve.fuse import FusionMethod

    if not isinstance(query, str):
        raise UsageError(
            f"The query is a {type(query).__name__}, not text.", hint="Ask in words, as text."
        )
    if not isinstance(k, Integral):
        raise UsageError(
            f"The number of results is a whole number, not {k!r}.", hint="Such as k=20."
        )
    if fusion not in get_args(FusionMethod):
        raise UsageError(
            f"Unknown fusion {fusion!r}.", hint=f"Use one of: {', '.join(get_args(FusionMethod))}."
        )
    if related < 0:
        raise UsageError(f"The number of related passages must be 0 or more, not {related}.")
