"""Documents as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.mcp.outputs import QUOTED
from casetrack.mcp.render.pieces import METHODS, counted, quoted, size, table
from casetrack.provenance import iso_utc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.records import Document, DocumentStructure, Section
    from casetrack.records.graph import Entity


def document_line(document: Document, /) -> str:
    """Return one line of a list of documents."""
    kind = f" | {document.document_type}" if document.document_type else ""
    amount = f"{counted(document.page_count, 'page')}, {counted(document.chunk_count, 'chunk')}"
    return f"- {document.name} (ID: {document.document_id}) | {amount}{kind}"


def document_details(document: Document, /) -> str:
    """Return everything known about a document, one fact per line."""
    d = document
    silent = f" ({d.pages_without_text:,} without text)" if d.pages_without_text else ""
    average = f" ({d.char_count // d.chunk_count:,} characters on average)" if d.chunk_count else ""
    rows = [
        ("ID", d.document_id),
        ("File Path", d.path),
        ("Format", d.format),
        ("Type", d.document_type),
        ("Type Evidence", d.document_type_evidence),
        ("Attached To", d.parent_id),
        ("Title", d.title),
        ("Author", d.author),
        ("Written", iso_utc(d.content_created_at)),
        ("Last Changed", iso_utc(d.content_modified_at)),
        *((name.replace("_", " ").capitalize(), value) for name, value in d.properties),
        ("Language", d.language),
        ("Pages", f"{d.page_count:,}{silent}"),
        ("Chunks", f"{d.chunk_count:,}{average}"),
        ("Characters", f"{d.char_count:,}"),
        ("Extraction", METHODS.get(d.extraction_method, d.extraction_method)),
        ("OCR", ocr_line(d)),
        ("Size", size(d.file_size)),
        ("SHA256", d.file_hash),
        ("Modified", iso_utc(d.file_modified_at)),
        ("Ingested", iso_utc(d.ingested_at)),
        ("Copy", d.original_copy),
        ("Pipeline", d.pipeline),
        *(("Not Read", m) for m in d.missing),
        *(("Warning", w) for w in d.warnings),
    ]
    return f"Document: {d.name}\n\n{table(rows)}"


def ocr_line(document: Document, /) -> str | None:
    """Return how many pages were recognised, by what and how surely; ``None`` for none."""
    d = document
    if not d.ocr_pages:
        return None
    sure = f", confidence {d.ocr_confidence:.2f}" if d.ocr_confidence is not None else ""
    return f"{counted(d.ocr_pages, 'page')} by {d.ocr_engine}{sure}"


def structure(
    found: DocumentStructure, sections: Sequence[Section], entities: Sequence[Entity] = (), /
) -> str:
    """Return the answer of get_document_structure."""
    d = found.document
    head = f"Structure of {d.name}: {counted(len(found.sections), 'heading')}, "
    head += counted(d.page_count, "page")
    kinds = ", ".join(f"{n:,} {kind}" for kind, n in found.paragraph_kinds.items())
    lines = [
        f"{'  ' * (s.level - 1)}- {quoted(s.title)} [{s.citation}] chunk {s.chunk_id}"
        for s in sections
    ]
    outline = "\n".join(lines) or "It has no headings."
    attached = [f"Attachments:\n{chr(10).join(document_line(a) for a in found.attachments)}"]
    names = "; ".join(" ".join(e.name.split()) for e in entities)
    mentioned = [f"Mentions most: {names}"] if names else []
    parts = [head, outline, f"Paragraphs: {kinds}", *mentioned]
    parts += attached if found.attachments else []
    return "\n\n".join([*parts, QUOTED])
