"""Text for people, in the form that the requirement shows. Programs get the structured result."""

from __future__ import annotations

import os
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from casetrack.mcp.outputs import QUOTED
from casetrack.provenance import column_letters, iso_utc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.provenance import Provenance
    from casetrack.records import (
        Chunk,
        ChunkWindow,
        CollectionInfo,
        CollectionStats,
        Document,
        DocumentStructure,
        RelatedChunk,
        SearchResult,
        SearchResults,
        Section,
    )
    from casetrack.records.graph import Entity

EXCERPT_CHARS = 160
_METHODS = {
    "Native": "Native text",
    "Ocr": "OCR",
    "Hybrid": "Native text and OCR",
    "Spreadsheet": "Spreadsheet cells",
}


# --- small pieces ---------------------------------------------------------------------------


def counted(number: int, noun: str, /) -> str:
    """Return a number with its noun: ``1 chunk``, ``1,051 chunks``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def size(count: int, /) -> str:
    """Return a number of bytes in decimal units: ``812 bytes``, ``3.4 MB``."""
    if count < 1000:
        return counted(count, "byte")
    amount, units = count / 1000, ["KB", "MB", "GB"]
    while amount >= 999.95 and len(units) > 1:
        amount /= 1000
        units.pop(0)
    return f"{amount:,.1f} {units[0]}"


def duration(seconds: float, /) -> str:
    """Return a time span: ``0.8 seconds``, ``4 minutes 12 seconds``, ``1 hour 5 minutes``."""
    if seconds < 10:
        return f"{seconds:.1f} seconds"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [(hours, "hour"), (minutes, "minute"), (rest if not hours else 0, "second")]
    return " ".join(counted(n, noun) for n, noun in parts if n)


def quoted(text: str, /) -> str:
    """Return document text between quotation marks.

    Lines after the first are indented: no line of a document can then pass for a line of ours,
    such as the heading of another result.
    """
    return '"' + "\n ".join(text.splitlines()) + '"'


def excerpt(text: str, /) -> str:
    """Return the beginning of *text* on one line, cut at a word."""
    line = " ".join(text.split())
    if len(line) <= EXCERPT_CHARS:
        return line
    return line[:EXCERPT_CHARS].rsplit(" ", 1)[0] + " \u2026"


def home_path(path: str, /) -> str:
    """Return a path with the user's home folder as ``~``."""
    home = str(Path.home())
    inside = path == home or path.startswith(home.rstrip(os.sep) + os.sep)
    return "~" + path[len(home.rstrip(os.sep)) :] if inside and home != os.sep else path


def span(start: int | str | None, end: int | str | None, /) -> str:
    """Return ``8-9``, or ``8`` where both are the same."""
    return str(start) if start == end else f"{start}-{end}"


def method(provenance: Provenance, /) -> str:
    """Return how the text was obtained, with OCR's confidence where there was any."""
    name = _METHODS.get(provenance.extraction_method, provenance.extraction_method)
    confidence = provenance.ocr_confidence
    if confidence is None:
        return name
    doubt = ", low: compare it with the page" if provenance.is_doubtful else ""
    return f"{name} (confidence {confidence:.2f}{doubt})"


# --- collections ----------------------------------------------------------------------------


def created(info: CollectionInfo, /) -> str:
    """Return the answer of create_collection."""
    return (
        f'Created collection "{info.name}" (ID: {info.id}).\n'
        f"Type: {info.type.capitalize()}\n"
        "This is now your active collection.\n\n"
        "Next: Ingest documents with ingest_document."
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
    tags = f" | tags: {', '.join(info.tags)}" if info.tags else ""
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


def table(rows: Sequence[tuple[str, str | None]], /) -> str:
    """Return labelled values in two columns; rows without a value are left out."""
    width = max(len(label) for label, _ in rows) + 2
    return "\n".join(f"  {label + ':':<{width}}{value}" for label, value in rows if value)


# --- documents ------------------------------------------------------------------------------


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
        ("Extraction", _METHODS.get(d.extraction_method, d.extraction_method)),
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


# --- passages -------------------------------------------------------------------------------


def search_results(results: SearchResults, /, *, explain: bool = False) -> str:
    """Return the answer of search_documents, with the stages' scores where *explain*."""
    tier = f"Tier: {results.tier.capitalize()} ({len(results.stages_used)}-stage pipeline)"
    searched = (
        f"{counted(results.searched_documents, 'document')}, "
        f"{counted(results.searched_chunks, 'chunk')} searched"
    )
    head = [
        f'Search: "{results.query}"',
        f"Collection: {results.collection} | {searched}",
        f"Time: {results.search_time_ms:.0f}ms | {tier}",
        *(f"Note: {note}" for note in results.notes),
    ]
    if not results.results:
        return "\n".join([*head, "", "Nothing found. Try other words, or see list_documents."])
    found = [_result(result, explain=explain) for result in results.results]
    found += [_related(each) for each in results.related]
    if explain:
        times = ", ".join(f"{name} {ms:.1f} ms" for name, ms in results.stage_ms.items())
        found.append(f"Stages: {times}")
    return "\n\n".join(["\n".join(head), *found, QUOTED])


def _related(each: RelatedChunk) -> str:
    return (
        f"--- Related: {each.reason} ({each.weight:.2f}) ---\n"
        f"{each.chunk.citation}\n\n"
        f"{quoted(each.chunk.text)}\n\n"
        f"{source_line(each.chunk.provenance)}"
    )


def _signals(result: SearchResult) -> str:
    return "".join(f"{n}: {s.describe()}\n" for n, s in result.signals.items()) + "\n"


def _result(result: SearchResult, *, explain: bool) -> str:
    return (
        f"--- Result {result.rank} (score: {result.score:.2f}) ---\n"
        f"{result.citation}\n\n"
        f"{_columns(result.provenance)}"
        f"{quoted(result.text)}\n\n"
        f"{_signals(result) if explain else ''}"
        f"{source_line(result.provenance)}"
    )


def _columns(provenance: Provenance) -> str:
    """Return the columns of the table that a passage begins in, which stand before it."""
    header = provenance.table_header
    return f"Table columns: {quoted(header)}\n\n" if header else ""


def source_line(provenance: Provenance, /) -> str:
    """Return what the citation leaves out of the source, on one line."""
    p = provenance
    embedded = iso_utc(p.embedded_at)
    return " | ".join(
        [
            f"Source: {p.document_path}",
            f"chars {p.char_start}-{p.char_end}",
            method(p),
            f"ingested {iso_utc(p.ingested_at)}",
            f"embedded {embedded}" if embedded else "not embedded",
            f"chunk {p.chunk_id}",
        ]
    )


def chunk(item: Chunk, /) -> str:
    """Return the answer of get_chunk."""
    p = item.provenance
    return (
        f"Chunk {p.chunk_id} ({len(item.text)} chars)\n\n"
        f"{_columns(p)}Text:\n{quoted(item.text)}\n\n"
        f"Provenance:\n{table(_provenance_rows(item))}\n\n"
        f"Embeddings: {', '.join(item.embedders) or 'none'}\n\n{QUOTED}"
    )


def _provenance_rows(item: Chunk) -> list[tuple[str, str | None]]:
    p = item.provenance
    sheet = p.sheet_name is not None
    columns = span(column_letters(p.column_start), column_letters(p.column_end))
    return [
        ("Citation", p.cite()),
        ("Document", p.document_name),
        ("File Path", p.document_path),
        ("Page", f"{p.page}{' (estimated)' if p.page_is_estimated else ''}"),
        ("Sheet", p.sheet_name),
        ("Rows", span(p.row_start, p.row_end) if sheet else None),
        ("Columns", columns if sheet and p.column_start is not None else None),
        ("Paragraphs", span(p.paragraph_start, p.paragraph_end)),
        ("Lines", span(p.line_start, p.line_end)),
        ("Chars", f"{p.char_start}-{p.char_end} (within page)"),
        ("Headings", " > ".join(p.heading_path)),
        ("Table Columns", p.table_header),
        ("Page Header", p.page_header),
        ("Page Footer", p.page_footer),
        ("Extraction", method(p)),
        ("Chunk Index", f"{p.chunk_index + 1} of {item.chunk_count}"),
        ("Ingested", iso_utc(p.ingested_at)),
        ("Embedded", iso_utc(p.embedded_at)),
    ]


def chunk_list(name: str, chunks: Sequence[Chunk], /, *, total: int, where: str) -> str:
    """Return the answer of get_document_chunks: each chunk's source and its beginning."""
    head = f"{name}: {counted(total, 'chunk')}{where}"
    if len(chunks) < total:
        head += f", {len(chunks)} of them shown"
    lines = [
        f"{c.provenance.chunk_index + 1}. {c.citation}\n"
        f'   "{excerpt(c.text)}"\n'
        f"   {source_line(c.provenance)}"
        for c in chunks
    ]
    return "\n\n".join([head, *lines, QUOTED]) if lines else head


def context(window: ChunkWindow, /) -> str:
    """Return the answer of get_source_context: the chunk between its neighbours."""
    parts = [(f"Before {n}", c) for n, c in _countdown(window.before)]
    parts += [("Chunk", window.chunk)]
    parts += [(f"After {n}", c) for n, c in enumerate(window.after, 1)]
    blocks = [
        f"--- {label} ---\n{c.citation}\n\n"
        f"{_columns(c.provenance)}{quoted(c.text)}\n\n{source_line(c.provenance)}"
        for label, c in parts
    ]
    name = PurePath(window.chunk.provenance.document_name).name
    return "\n\n".join([f"Context in {name}", *blocks, QUOTED])


def _countdown(chunks: Sequence[Chunk]) -> list[tuple[int, Chunk]]:
    return [(len(chunks) - index, c) for index, c in enumerate(chunks)]
