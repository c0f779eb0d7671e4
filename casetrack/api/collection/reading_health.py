"""How well the documents of a collection could be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.records import CollectionHealth, Document, DocumentHealth
from casetrack.graph.opened import graph_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.store.datasets import Snapshot
    from casetrack.store.workspace import State


def reading_health(state: State, /) -> CollectionHealth:
    """Return formats, recognition, gaps and coverage, document by document."""
    graph = graph_of(state)
    documents = sorted(graph.documents, key=lambda d: (d.name.casefold(), d.path))
    bare = _bare_pages(state.snapshot, [d for d in documents if d.pages_without_text])
    return CollectionHealth(
        collection=graph.info.name,
        documents=tuple(_health_of(d, bare.get(d.revision, ())) for d in documents),
        coverage=dict(graph.coverage),
        notes=graph.notes,
        untaken=state.untaken(),
    )


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
