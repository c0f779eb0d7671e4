"""Collections and their documents as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.base.provenance import iso_utc
from casetrack.faces.mcp.outputs import QUOTED
from casetrack.faces.mcp.render.pieces import (
    METHODS,
    counted,
    excerpt,
    one_line,
    phrase,
    size,
    table,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.base.records import (
        CollectionInfo,
        CollectionStats,
        Document,
        DocumentStructure,
        Section,
    )
    from casetrack.base.records.graph import Entity

NEXT_STEP = "Ingest documents with ingest_document."
ACTIVE_NOW = "This is now your active collection."


def created(info: CollectionInfo, remembered: str = ACTIVE_NOW, /) -> str:
    """Return the answer of create_collection; *remembered* says whether it is active now."""
    return (
        f'Created collection "{info.name}" (ID: {info.id}).\n'
        f"Type: {info.type.capitalize()}\n"
        f"{remembered}\n\n"
        f"Next: {NEXT_STEP}"
    )


def sizes(stats: CollectionStats, /) -> str:
    """Return a collection's counts in one line."""
    return ", ".join(
        [
            counted(stats.document_count, "document"),
            counted(stats.page_count, "page"),
            counted(stats.chunk_count, "chunk"),
            size(stats.storage_bytes),
        ]
    )


def collection_line(
    info: CollectionInfo, stats: CollectionStats | None, problem: str, /, *, active: bool
) -> str:
    """Return one line of a list of collections."""
    mark = "* " if active else "- "
    amount = sizes(stats) if stats is not None else f"cannot be read: {problem}"
    tags = f" | tags: {excerpt(', '.join(info.tags))}" if info.tags else ""
    about = f" | {excerpt(info.description)}" if info.description else ""
    return (
        f"{mark}{info.name} (ID: {info.id}) | {info.type} | {info.status} | {amount}{tags}{about}"
    )


def collection_details(info: CollectionInfo, stats: CollectionStats, folder: str, /) -> str:
    """Return a collection's facts, one per line."""
    rows = [
        ("ID", info.id),
        ("Type", info.type),
        ("Status", info.status),
        ("Reference", info.reference),
        ("About", info.description),
        ("Tags", ", ".join(info.tags)),
        ("Documents", f"{stats.document_count:,}"),
        ("Pages", f"{stats.page_count:,}"),
        ("Chunks", f"{stats.chunk_count:,}"),
        ("Storage", size(stats.storage_bytes)),
        ("Folder", folder),
        ("Profile", info.profile),
        ("Pipeline", info.pipeline),
        ("Created", iso_utc(info.created_at)),
        ("Updated", iso_utc(info.updated_at)),
    ]
    return f"Collection: {info.name}\n\n{table(rows)}"


# Documents as text.


def document_line(document: Document, entry: Mapping[str, Any] | None = None, /) -> str:
    """Return one line of a list of documents; *entry* is it as structure."""
    kind = f" | {document.shown_type}" if document.shown_type else ""
    amount = f"{counted(document.page_count, 'page')}, {counted(document.chunk_count, 'chunk')}"
    warned = f" | {counted(len(document.warnings), 'warning')}" if document.warnings else ""
    name = one_line(document.name)
    key = (entry or {}).get("document_id", document.document_id)
    return f"- {name} (ID: {key}) | {amount}{kind}{warned}"


def document_details(document: Document, /, *, concise: bool = False) -> str:
    """Return everything known about a document, one fact per line.

    Where *concise*, without what says how it is kept.
    """
    d = document
    silent = f" ({d.pages_without_text:,} without text)" if d.pages_without_text else ""
    average = f" ({d.char_count // d.chunk_count:,} characters on average)" if d.chunk_count else ""
    rows = [
        ("ID", d.document_id),
        ("File Path", d.path),
        ("Format", d.format),
        ("Type", d.document_type),
        ("Type Evidence", d.document_type_evidence and phrase(d.document_type_evidence)),
        *_legal_rows(d),
        ("Attached To", d.parent_id),
        ("Title", d.title and phrase(d.title)),
        ("Author", d.author and phrase(d.author)),
        ("Written", iso_utc(d.own_date)),
        ("Last Changed", iso_utc(d.content_modified_at)),
        *((name.replace("_", " ").capitalize(), phrase(value)) for name, value in d.properties),
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
        ("Source", d.source),
        ("Source ID", d.source_id and phrase(d.source_id)),
        ("URL", d.source_url),
        ("Source Author", d.source_author and phrase(d.source_author)),
        ("Changed There", iso_utc(d.source_updated_at)),
        ("Metadata", d.metadata and phrase(d.metadata)),
        ("Pipeline", d.pipeline),
        *(("Not Read", m) for m in d.missing),
        *(("Warning", w) for w in d.warnings),
    ]
    if concise:
        rows = [row for row in rows if row[0] not in _OF_KEEPING]
    return f"Document: {one_line(d.name)}\n\n{table(rows)}\n\n{QUOTED}"


_OF_KEEPING = frozenset(
    {"ID", "Written", "Last Changed", "Size", "SHA256", "Modified", "Ingested", "Copy", "Pipeline"}
)


def _legal_rows(d: Document) -> list[tuple[str, str | None]]:
    """Return what is known of a paper of a case; nothing for any other document."""
    parties = [f"{p.name} ({p.role})" if p.role else p.name for p in d.parties or ()]
    return [
        ("Legal Type", d.legal_kind),
        ("Told By", d.legal_evidence and phrase(d.legal_evidence)),
        ("Paper", d.legal_title and phrase(d.legal_title)),
        ("Case", d.case_name and phrase(d.case_name)),
        ("Case Number", d.case_number and phrase(d.case_number)),
        ("Court", d.court and phrase(d.court)),
        ("Judge", d.judge and phrase(d.judge)),
        ("Parties", phrase("; ".join(parties)) if parties else None),
        ("Filed", d.filed_on),
        ("Docket Entry", d.docket_entry),
        ("Witness", d.witness and phrase(d.witness)),
        ("Exhibit", d.exhibit),
        ("Reported At", "; ".join(d.own_citations or ()) or None),
    ]


def ocr_line(document: Document, /) -> str | None:
    """Return how many pages were recognised, by what and how surely; ``None`` for none."""
    d = document
    if not d.ocr_pages:
        return None
    sure = f", confidence {d.ocr_confidence:.2f}" if d.ocr_confidence is not None else ""
    return f"{counted(d.ocr_pages, 'page')} by {d.ocr_engine}{sure}"


def structure(
    found: DocumentStructure,
    outline: Sequence[str],
    attached: Sequence[str],
    entities: Sequence[Entity] = (),
    more: str | None = None,
    /,
) -> str:
    """Return the answer of get_document_structure: headings and attachments as lines of text."""
    d = found.document
    head = f"Structure of {one_line(d.name)}: {counted(len(found.sections), 'heading')}, "
    head += counted(d.page_count, "page")
    kinds = ", ".join(f"{n:,} {kind}" for kind, n in found.paragraph_kinds.items())
    names = "; ".join(" ".join(e.name.split()) for e in entities)
    parts = [head]
    if outline or not found.sections:
        parts.append("\n".join(outline) or "It has no headings.")
    parts.append(f"Paragraphs: {kinds}")
    parts += [f"Mentions most: {names}"] if names else []
    parts += ["\n".join(["Attachments:", *attached])] if attached else []
    parts += [more] if more else []
    return "\n\n".join([*parts, QUOTED])


def section_line(section: Section, entry: Mapping[str, Any], /) -> str:
    """Return a heading on one line, indented by its level; *entry* is it as structure."""
    where = f"[{one_line(section.citation)}] chunk {entry['chunk_id']}"
    return f"{'  ' * (section.level - 1)}- {phrase(section.title)} {where}"
