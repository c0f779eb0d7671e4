"""Finding passages in a collection, and reading on from them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, get_args

from casetrack.collection.again import asks_again
from casetrack.collection.state import Opened
from casetrack.errors import UsageError
from casetrack.records import Chunk, ChunkWindow, RowList
from casetrack.workspace.arguments import several

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.records import (
        DocumentStructure,
        SearchMode,
        SearchResults,
    )
    from casetrack.retrieve.fuse import FusionMethod
    from casetrack.workspace import State
    from casetrack.workspace.arguments import DocumentRef, PassageRef


@asks_again
class Finding(Opened):
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
        return self.search_in(
            self.workspace.state(),
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
        state: State,
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
        document_id = None if document is None else state.document(document).document_id
        snapshot, encoders = state.snapshot, self.workspace.encoders
        found = search(
            snapshot,
            state.index,
            query,
            collection=self.name,
            load_encoder=lambda: encoders.get(snapshot.profile, dimension=snapshot.dimension),
            k=k,
            mode=mode,
            stages=stages,
            document_id=document_id,
            fusion=fusion,
            rerank=self.entitlements.allows("rerank"),
            related=partial(state.graph.related, limit=related) if related else None,
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
        return replace(self.workspace.state().chunk(chunk_id), illustrate=self._illustrate)

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
        state = self.workspace.state()
        row = state.document(document)
        if page is not None and not 1 <= page <= row.page_count:
            raise UsageError(
                f'"{row.name}" has no page {page}.', hint=f"Its pages are 1 to {row.page_count}."
            )
        found = state.chunks_of(row)
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
        found = self.workspace.state().around(chunk_id, window)
        return replace(found, chunk=replace(found.chunk, illustrate=self._illustrate))

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
        state = self.workspace.state()
        row = state.document(document)
        if not 1 <= first <= last <= row.page_count:
            raise UsageError(
                f'"{row.name}" has no pages {first} to {last}.',
                hint=f"Its pages are 1 to {row.page_count}; the first one comes first.",
            )
        found = (c for c in state.chunks_of(row) if first <= c.provenance.page <= last)
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
        siblings, place = self.workspace.state().siblings(chunk_id)
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

        state = self.workspace.state()
        return structure_of(state.snapshot, state.document(document))

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
