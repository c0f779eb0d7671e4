"""Passages as text: search results, chunks and their surroundings, with their sources."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from casetrack.mcp.outputs import QUOTED
from casetrack.mcp.render.pieces import counted, excerpt, method, quoted, span, table
from casetrack.provenance import column_letters, iso_utc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.provenance import Provenance
    from casetrack.records import (
        Chunk,
        ChunkWindow,
        RelatedChunk,
        SearchResult,
        SearchResults,
    )


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
