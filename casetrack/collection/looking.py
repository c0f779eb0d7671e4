"""Looking at a collection: pages, amounts, pictures of pages, and how well all was read."""

from __future__ import annotations

import itertools
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING

from casetrack.collection.again import asks_again
from casetrack.collection.map import Map
from casetrack.errors import ChunkNotFound, DocumentNotFound, UsageError
from casetrack.records import CollectionHealth, Document, DocumentHealth, Page, PageImage, Rows
from casetrack.store.find import chunks_of
from casetrack.workspace.arguments import document_name, is_document, passage_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.records import Chunk
    from casetrack.records.graph import Amount, EntityGraph
    from casetrack.store.datasets import Snapshot
    from casetrack.workspace.arguments import DocumentRef, PassageRef


@asks_again
class Looking(Map):
    """Pages, amounts, pictures, health."""

    def pages(self, document: DocumentRef, /) -> Rows[Page]:
        """Return the pages of a document that hold text, each with its whole text and its source.

        Parameters
        ----------
        document
            Its name, path or id, or the document itself.

        Raises
        ------
        DocumentNotFound, AmbiguousName
            See :meth:`document`.

        Examples
        --------
        >>> collection.pages("Lease.pdf").to_polars()["text"]  # doctest: +SKIP
        """
        snapshot = self.snapshot()
        chunks = chunks_of(snapshot, self.workspace.state().document(document))
        chunks.sort(key=lambda c: (c.provenance.page, c.provenance.char_start))
        pages = itertools.groupby(chunks, key=lambda c: c.provenance.page)
        return Rows((_page(number, list(found)) for number, found in pages), of=Page)

    def amounts(
        self,
        *,
        kind: str = "all",
        unit: str | None = None,
        least: float | None = None,
        most: float | None = None,
        document: DocumentRef | None = None,
        sort_by: str = "document",
        limit: int | None = 100,
    ) -> Rows[Amount]:
        """Return sums of money, percentages and quantities, each with the words that say it.

        Parameters
        ----------
        kind
            ``money``, ``percent``, ``quantity`` or ``all``.
        unit
            Only this unit, such as ``EUR``, ``percent`` or ``kg``.
        least, most
            Only values in this span, both included.
        document
            Only those of this document: its name, path or id, or the document itself.
        sort_by
            ``document`` (reading order) or ``value`` (the highest first; units are not converted).
        limit
            At most so many; ``None`` for all.

        Raises
        ------
        DocumentNotFound, AmbiguousName
            See :meth:`document`.
        UsageError
            An argument does not fit.

        Examples
        --------
        >>> collection.amounts(unit="EUR", sort_by="value", limit=5)  # doctest: +SKIP
        """
        from casetrack.answers.amounts import amounts

        bounds: tuple[tuple[str, object], ...] = (("least", least), ("most", most))
        for name, bound in bounds:
            if bound is not None and not isinstance(bound, Real):
                raise UsageError(f"{name} is {bound!r}, which is not a number.")
        chosen = None if document is None else self.workspace.state().document(document)
        return amounts(
            self.context_graph(),
            kind=kind,
            unit=unit,
            least=least,
            most=most,
            document=chosen,
            sort_by=sort_by,
            limit=limit,
        )

    def graph(self, name: str | None = None, /, *, depth: int = 2, limit: int = 20) -> EntityGraph:
        """Return entities and what connects them; a short name of :meth:`entity_graph`.

        Raises
        ------
        EntityNotFound, UsageError, FreeTierLimit
            See :meth:`entity_graph`.

        Examples
        --------
        >>> collection.graph("Halyard", depth=1).to_polars()  # doctest: +SKIP
        """
        return self.entity_graph(name, depth=depth, limit=limit)

    def page_image(
        self, place: PassageRef | DocumentRef, /, *, page: int | None = None
    ) -> PageImage:
        """Return a page as a picture, with the passage marked on it.

        Formats without pages to see, and files that are not there any more, get their stored text
        drawn; ``notes`` say so.

        Parameters
        ----------
        place
            A passage: a search result, a chunk, a mention, an event, a row of a frame, or a
            chunk's id. With *page*, a document: its name, path or id, or the document itself.
        page
            The page to show of that document, from 1, without marks.

        Raises
        ------
        ChunkNotFound
            No live chunk has this id.
        DocumentNotFound, AmbiguousName
            See :meth:`document`.
        UsageError
            The document has no such page, or *place* is not a passage.
        FileError
            Neither the page nor its text can be drawn.

        Examples
        --------
        >>> hits = collection.search("termination")  # doctest: +SKIP
        >>> collection.page_image(hits[0]).save("termination.png")  # doctest: +SKIP
        """
        from casetrack.viewer.page_picture import page_picture, passage_picture

        if page is None:
            drawn = passage_picture(self.workspace.state(), self._shown(place))
        elif is_document(place):
            drawn = page_picture(self.workspace.state(), document_name(place), page)
        else:
            raise UsageError(
                "A page can be chosen of a document only, and this is a passage.",
                hint='Leave `page` out, or name the document: page_image("Lease.pdf", page=3).',
            )
        return PageImage(
            png=drawn.png,
            citation=drawn.citation,
            document=drawn.document.name,
            page=drawn.page,
            is_text=drawn.is_text,
            notes=drawn.notes,
        )

    def _shown(self, place: PassageRef | DocumentRef) -> str:
        """Return the id of the chunk to show.

        Raises
        ------
        ChunkNotFound
            No live chunk has this id.
        UsageError
            It is no passage; of a document it is not said which page.
        """
        chunk_id = passage_id(place)  # type: ignore[arg-type]  # it refuses what is none
        try:
            self.chunk(chunk_id)
        except ChunkNotFound:
            try:
                named = self.workspace.state().document(chunk_id)
            except DocumentNotFound:
                named = None
            if named is None:
                raise
            raise UsageError(
                f'"{named.name}" is a document: which of its pages is to be shown?',
                hint=f'Such as page_image("{named.name}", page=1).',
            ) from None
        return chunk_id

    def health(self) -> CollectionHealth:
        """Return how well the documents could be read: formats, recognition, gaps, coverage.

        As a table it has one row per document. :meth:`doctor` checks what is stored.

        Examples
        --------
        >>> health = collection.health()  # doctest: +SKIP
        >>> health.formats, health.ocr_confidence, health.partial  # doctest: +SKIP
        """
        graph = self.context_graph()
        documents = sorted(graph.documents, key=lambda d: (d.name.casefold(), d.path))
        bare = _bare_pages(self.snapshot(), [d for d in documents if d.pages_without_text])
        return CollectionHealth(
            collection=graph.info.name,
            documents=tuple(_health_of(d, bare.get(d.revision, ())) for d in documents),
            coverage=dict(graph.coverage),
            notes=graph.notes,
        )


def _page(number: int, chunks: Sequence[Chunk]) -> Page:
    """Join the chunks of a page, which tile it and overlap."""
    parts, length = list[str](), 0
    for chunk in chunks:
        parts.append(chunk.text[max(0, length - chunk.provenance.char_start) :])
        length = max(length, chunk.provenance.char_end)
    places = [c.provenance for c in chunks]
    sure = [p.ocr_confidence for p in places if p.ocr_confidence is not None]
    rows = [p.row_end for p in places if p.row_end is not None]
    whole = replace(
        places[0],
        paragraph_end=max(p.paragraph_end for p in places),
        line_end=max(p.line_end for p in places),
        char_end=length,
        row_end=max(rows, default=None),
        ocr_confidence=min(sure, default=None),
        line_boxes=tuple(dict.fromkeys(box for p in places for box in p.line_boxes)),
    )
    return Page(number, "".join(parts), len(chunks), whole)


def _bare_pages(snapshot: Snapshot, documents: Sequence[Document]) -> dict[str, tuple[int, ...]]:
    """Return by revision the pages that hold no text, where their number is that of the ledger."""
    table = snapshot.scan(("revision", "page"), revisions=[d.revision for d in documents])
    filled: dict[str, set[int]] = {}
    for revision, page in zip(*(table[c].to_pylist() for c in ("revision", "page")), strict=True):
        filled.setdefault(revision, set()).add(page)
    bare = {}
    for document in documents:
        pages = set(range(1, document.page_count + 1)) - filled.get(document.revision, set())
        if len(pages) == document.pages_without_text:
            bare[document.revision] = tuple(sorted(pages))
    return bare


def _health_of(document: Document, bare_pages: tuple[int, ...]) -> DocumentHealth:
    return DocumentHealth(
        document_id=document.document_id,
        name=document.name,
        path=document.path,
        format=document.format,
        extraction_method=document.extraction_method,
        pages=document.page_count,
        pages_without_text=document.pages_without_text,
        ocr_pages=document.ocr_pages,
        ocr_engine=document.ocr_engine,
        ocr_confidence=document.ocr_confidence,
        chunks=document.chunk_count,
        missing=document.missing,
        bare_pages=bare_pages,
        warnings=document.warnings,
    )
