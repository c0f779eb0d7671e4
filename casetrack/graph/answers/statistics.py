"""Counts of a collection: documents, pages, who and what is in it, what connects it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.provenance import iso_utc
from casetrack.base.records.graph import ENTITY_KINDS, CollectionStatistics
from casetrack.graph.answers.statements import ask

if TYPE_CHECKING:
    from casetrack.graph.graph import ContextGraph


def statistics(graph: ContextGraph, /, *, storage_bytes: int) -> CollectionStatistics:
    """Count what is in a collection.

    Parameters
    ----------
    storage_bytes
        Bytes of everything in its folder.
    """
    counts: dict[str, dict[str | None, int]] = {}
    for row in ask(graph, "statistics").to_pylist():
        counts.setdefault(row["measure"], {})[row["value"]] = row["count"]

    def one(measure: str) -> int:
        return counts[measure][None]

    def each(measure: str) -> dict[str, int]:
        return {str(value): count for value, count in counts.get(measure, {}).items()}

    kinds, coverage = each("entity kind"), graph.coverage
    partial, chunks = one("documents read in part"), one("chunks")
    return CollectionStatistics(
        collection=graph.info.name,
        document_count=one("documents"),
        page_count=one("pages"),
        chunk_count=chunks,
        storage_bytes=storage_bytes,
        document_types=each("document type"),
        file_formats=each("file format"),
        languages=each("language"),
        extraction_methods=each("extraction method"),
        entity_counts={kind: kinds.get(kind, 0) for kind in ENTITY_KINDS},
        mention_count=one("mentions"),
        reference_counts=each("reference type"),
        citation_count=one("citations"),
        edge_counts=each("edge type"),
        embedder_coverage=coverage,
        partial_documents=partial,
        pages_without_text=one("pages without text"),
        ocr_pages=one("pages read by OCR"),
        last_updated=iso_utc(max((d.updated_at for d in graph.documents), default=None)),
        notes=(
            *graph.notes,
            *_notes(partial, coverage["dense"], chunks, each("edge type").get("copy", 0)),
        ),
    )


def _notes(partial: int, dense: float, chunks: int, copies: int) -> list[str]:
    notes = []
    if copies:
        notes.append(
            "1 mail is a copy of another and counts once with it."
            if copies == 1
            else f"{copies:,} mails are copies of others and count once."
        )
    if partial:
        some = "1 document was" if partial == 1 else f"{partial} documents were"
        notes.append(f"{some} read in part only; what could not be read is not counted.")
    if chunks and dense < 1:
        notes.append(
            f"{round((1 - dense) * chunks)} of {chunks} passages have no vector; "
            "they are not compared by meaning."
        )
    return notes
