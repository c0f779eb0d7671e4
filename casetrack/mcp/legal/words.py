"""Cases and their documents as text, in the requirement's words, and as facts for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.mcp.render.pieces import counted, one_line, size
from casetrack.mcp.results import bounded_collection
from casetrack.provenance import iso_utc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.records import CollectionInfo, CollectionStats, Document

NEXT_STEP = "Ingest documents with ingest_document."
ACTIVE_NOW = "This is now your active case."
NO_CASES = "Create one with create_case."
_LIST_CHARS = 300
_METHODS = {
    "Native": "Native extraction",
    "Hybrid": "Native extraction and OCR",
    "Spreadsheet": "Spreadsheet cells",
}


def short_id(info: CollectionInfo, /) -> str:
    """Return as much of a case's ID as tells it from others."""
    return info.id[:8]


def kind_text(kind: str, /) -> str:
    """Return a kind of case or document as people write it.

    Examples
    --------
    >>> kind_text("personal_injury")
    'Personal Injury'
    """
    return kind.replace("_", " ").title()


def case_title(info: CollectionInfo, /) -> str:
    """Return a case's name, and its number where it has one: ``Smith v. Jones (24-cv-1234)``."""
    return f"{info.name} ({info.reference})" if info.reference else info.name


def created(info: CollectionInfo, said: str, /) -> str:
    """Return the answer of create_case; *said* is whether it is active now."""
    return (
        f'Created case "{info.name}" (ID: {short_id(info)}).\n'
        f"Type: {kind_text(info.type)}\n"
        f"{said}\n\n"
        f"Next: {NEXT_STEP}"
    )


def amount(stats: CollectionStats, /) -> str:
    """Return how much a case holds: ``12 documents, 890 chunks``."""
    documents = counted(stats.document_count, "document")
    return f"{documents}, {counted(stats.chunk_count, 'chunk')}"


def cases_head(total: int, status: str, /) -> str:
    """Return the first line of a list of cases."""
    kind = "" if status == "all" else f" {status}"
    return f"Cases ({total:,}{kind}):"


def case_line(
    info: CollectionInfo, stats: CollectionStats | None, problem: str, /, *, active: bool
) -> str:
    """Return a case of a list, on two lines."""
    held = f"cannot be read: {problem}"
    if stats is not None:
        held = amount(stats).replace(", ", " | ", 1)
    number = f"{one_line(info.reference)} | " if info.reference else ""
    return (
        f"{'*' if active else ' '} {info.name} [{info.status.upper()}]"
        f"{' <-- current' if active else ''}\n"
        f"  {number}{kind_text(info.type)} | {held} | Created {info.created_at:%Y-%m-%d}"
    )


def case_details(
    info: CollectionInfo, stats: CollectionStats, documents: Sequence[str], tier: str, /
) -> str:
    """Return the answer of get_case_info.

    Parameters
    ----------
    documents
        A line for each document that is listed.
    tier
        What the tier in force is called.
    """
    number = f"Number: {one_line(info.reference)}\n" if info.reference else ""
    listed = "\n".join([f"Documents ({stats.document_count:,}):", *documents])
    pages = counted(stats.page_count, "page")
    return (
        f"Case: {info.name}\n"
        f"{number}"
        f"Type: {kind_text(info.type)} | Status: {info.status.capitalize()}\n"
        f"Created: {info.created_at:%Y-%m-%d}\n\n"
        f"{listed}\n\n"
        f"Total: {pages}, {counted(stats.chunk_count, 'chunk')}\n"
        f"Storage: {size(stats.storage_bytes)} (embeddings + index)\n"
        f"Embedders: {info.profile}, BM25 ({tier} tier)"
    )


def document_line(document: Document, /) -> str:
    """Return a document of a list: ``Complaint.pdf - 45 pages, 234 chunks (Native extraction)``."""
    pages = counted(document.page_count, "page")
    held = f"{pages}, {counted(document.chunk_count, 'chunk')}"
    return f"{one_line(document.name)} - {held} ({reading(document)})"


def reading(document: Document, /) -> str:
    """Return how a document was read; recognised text with how sure that is."""
    if document.extraction_method == "Ocr" and document.ocr_confidence is not None:
        return f"OCR, {document.ocr_confidence:.0%} confidence"
    return _METHODS.get(document.extraction_method, document.extraction_method.upper())


def case_facts(
    info: CollectionInfo, is_active: bool, amounts: dict[str, int | None], problem: str, /
) -> dict[str, Any]:
    """Return what programs are told of a case."""
    bounded = bounded_collection(info, _LIST_CHARS)
    return {
        "id": info.id,
        "name": info.name,
        "case_number": bounded.reference,
        "case_type": info.type,
        "status": info.status,
        "created_at": iso_utc(info.created_at),
        "is_active": is_active,
        **amounts,
        "problem": problem,
    }
