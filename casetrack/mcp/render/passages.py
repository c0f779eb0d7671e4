"""Passages as text: search results, chunks and their surroundings, with their sources.

Functions that show one of several passages take *span*, the part of its text that is quoted;
``None`` quotes all of it.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from casetrack.mcp.outputs import QUOTED
from casetrack.mcp.render.pieces import counted, method, one_line, phrase, quoted, span, table
from casetrack.provenance import column_letters, iso_utc
from casetrack.records.search import also_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from casetrack.provenance import Provenance
    from casetrack.records import (
        Chunk,
        ChunkWindow,
        RelatedChunk,
        SearchResult,
        SearchResults,
    )

UNANSWERED = "Evidence: none. These passages probably do not answer the question."
NOTHING_FOUND = "Nothing found. Try other words, or see list_documents."
_QUERY_CHARS = 500
_HEADER_CHARS = 1_000

Span = tuple[int, int]


# --- search ---------------------------------------------------------------------------------


def search_results(
    results: SearchResults,
    /,
    *,
    explain: bool = False,
    blocks: Sequence[str] | None = None,
    more: Iterable[str] = (),
    noun: str = "Collection",
) -> str:
    """Return the answer of search_documents.

    Parameters
    ----------
    results
        What was found.
    explain
        Show the stages' scores and times.
    blocks
        The results, and what is related to them, as text; by default each in full.
    more
        What is to be said after them.
    noun
        What a collection is called.
    """
    stages = f"{len(results.stages_used)}-stage pipeline"
    searched = (
        f"{counted(results.searched_documents, 'document')}, "
        f"{counted(results.searched_chunks, 'chunk')} searched"
    )
    head = [
        f'Search: "{shown_query(results.query)}"',
        f"{noun}: {results.collection} | {searched}",
        f"Time: {results.search_time_ms:.0f}ms | Tier: {results.tier.capitalize()} ({stages})",
        *((UNANSWERED,) if results.results and results.evidence == "none" else ()),
        *(f"Note: {note}" for note in results.notes),
    ]
    if explain and results.reading is not None:
        head += [f"Question: {one_line(told)}" for told in results.reading.describe()]
    if blocks is None:
        blocks = [search_result(result, explain=explain) for result in results.results]
        blocks += [related(each) for each in results.related]
    if not blocks:
        return "\n".join([*head, "", *(list(more) or [NOTHING_FOUND])])
    times = ", ".join(f"{name} {ms:.1f} ms" for name, ms in results.stage_ms.items())
    last = [f"Stages: {times}"] if explain else []
    return "\n\n".join(["\n".join(head), *blocks, *last, *more, QUOTED])


def shown_query(query: str, /) -> str:
    """Return a query on one line; of a very long one the beginning."""
    line = " ".join(query.split())
    return line if len(line) <= _QUERY_CHARS else f"{line[:_QUERY_CHARS]} \u2026"


def search_result(result: SearchResult, /, *, concise: bool = False, explain: bool = False) -> str:
    """Return one result with its rank, score and source, and where in it the answer stands.

    Parameters
    ----------
    concise
        Quote what answers, not the whole passage.
    explain
        Show the stages' scores.
    """
    rated = f"score: {result.score:.2f}, relevance: {result.relevance:.2f}"
    where = f" in {one_line(result.collection)}" if result.collection else ""
    head = f"--- Result {result.rank}{where} ({rated}) ---"
    told = f"{one_line(also_text(result.also))}\n\n" if result.also else ""
    between = told + (_signals(result) if explain else "")
    source, pinpoint = result.provenance, result.pinpoint
    answer = ""
    if result.answer is not None:
        doubt = "" if result.answer.sure else " (not sure)"
        answer = f"Answer: {phrase(result.answer.text)}{doubt}\n"
    if not pinpoint:
        return _block(head, result.text, source, None, between)
    first, *others = pinpoint
    if not concise:
        at = "; ".join([first.citation, *(part.where for part in others)])
        return _block(head, result.text, source, None, f"{answer}At: {one_line(at)}\n{between}")
    heads = [one_line(first.citation), *(one_line(part.where) for part in others)]
    parts = [f"{h}\n{quoted(part.text)}\n\n" for h, part in zip(heads, pinpoint, strict=True)]
    return (
        f"{head}\n{answer}{''.join(parts)}{_columns(source)}{between}"
        f"In: {one_line(source.cite())}\n{source_line(source)}"
    )


def related(each: RelatedChunk, part: Span | None = None, /) -> str:
    """Return a passage that is connected with the results, and how."""
    head = f"--- Related: {one_line(each.reason)} ({each.weight:.2f}) ---"
    return _block(head, each.chunk.text, each.chunk.provenance, part)


def _signals(result: SearchResult) -> str:
    return "".join(f"{n}: {s.describe()}\n" for n, s in result.signals.items()) + "\n"


# --- one passage ----------------------------------------------------------------------------


def passage(head: str, item: Chunk, part: Span | None = None, /) -> str:
    """Return a chunk below a heading of its own."""
    return _block(head, item.text, item.provenance, part)


def _block(
    head: str, text: str, source: Provenance, part: Span | None, between: str = "", /
) -> str:
    start, end = part or (0, len(text))
    place = ""
    if (start, end) != (0, len(text)):
        place = f" | quoted: chars {source.char_start + start}-{source.char_start + end}"
    return (
        f"{head}\n{one_line(source.cite())}\n\n"
        f"{_columns(source)}{quoted(text[start:end])}\n\n"
        f"{between}{source_line(source)}{place}"
    )


def _columns(provenance: Provenance) -> str:
    """Return the columns of the table that a passage begins in, which stand before it."""
    header = provenance.table_header
    if not header:
        return ""
    cut = header if len(header) <= _HEADER_CHARS else f"{header[:_HEADER_CHARS]} \u2026"
    return f"Table columns: {phrase(cut)}\n\n"


def source_line(provenance: Provenance, /) -> str:
    """Return what the citation leaves out of the source, on one line."""
    p = provenance
    embedded = iso_utc(p.embedded_at)
    return " | ".join(
        [
            f"Source: {one_line(p.document_path)}",
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
        ("Headings", " > ".join(phrase(h) for h in p.heading_path)),
        ("Table Columns", p.table_header and phrase(p.table_header)),
        ("Page Header", p.page_header and phrase(p.page_header)),
        ("Page Footer", p.page_footer and phrase(p.page_footer)),
        ("As Printed", p.printed_place),
        ("Extraction", method(p)),
        ("Chunk Index", f"{p.chunk_index + 1} of {item.chunk_count}"),
        ("Ingested", iso_utc(p.ingested_at)),
        ("Embedded", iso_utc(p.embedded_at)),
    ]


# --- several passages -----------------------------------------------------------------------


def reading(head: str, blocks: Sequence[str], more: str | None, /) -> str:
    """Return passages one after the other, below what is said of all of them."""
    rest = [more] if more else []
    return "\n\n".join([one_line(head), *blocks, *rest, *([QUOTED] if blocks else [])])


def numbered(item: Chunk, part: Span | None = None, /) -> str:
    """Return a chunk below its number in its document."""
    return passage(f"--- {item.provenance.chunk_index + 1} of {item.chunk_count} ---", item, part)


def context(window: ChunkWindow, /) -> str:
    """Return the answer of get_source_context: the chunk between its neighbours, all in full."""
    blocks = [passage(f"--- {label} ---", item) for label, item in labelled(window)]
    name = PurePath(window.chunk.provenance.document_name).name
    return reading(f"Context in {name}", blocks, None)


def labelled(window: ChunkWindow, /) -> list[tuple[str, Chunk]]:
    """Return a chunk and its neighbours in reading order, each with what it is to the chunk."""
    before = [(f"Before {len(window.before) - n}", c) for n, c in enumerate(window.before)]
    after = [(f"After {n}", c) for n, c in enumerate(window.after, 1)]
    return [*before, ("Chunk", window.chunk), *after]
