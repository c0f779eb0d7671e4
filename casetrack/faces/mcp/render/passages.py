"""Passages as text: search results, chunks and their surroundings, with their sources."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from casetrack.base.provenance import column_letters, iso_utc
from casetrack.base.records.search import also_text
from casetrack.faces.mcp.outputs import QUOTED
from casetrack.faces.mcp.render.pieces import counted, method, one_line, phrase, quoted, span, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from casetrack.base.provenance import Provenance
    from casetrack.base.records import (
        Chunk,
        ChunkWindow,
        RelatedChunk,
        SearchResult,
        SearchResults,
        Signal,
    )
    from casetrack.faces.mcp.outputs import Facts

UNANSWERED = "Evidence: none. These passages probably do not answer the question."
NOTHING_FOUND = "Nothing found. Try other words, or see list_documents."
_QUERY_CHARS = 500
_HEADER_CHARS = 1_000


# --- search ---------------------------------------------------------------------------------


def search_results(
    results: SearchResults,
    /,
    *,
    explain: bool = False,
    concise: bool = False,
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
    concise
        Leave out how the search was done.
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
    how = f"Time: {results.search_time_ms:.0f}ms | Tier: {results.tier.capitalize()} ({stages})"
    rated = f"evidence: {results.evidence}, relevance: {results.relevance:.2f}"
    head = [
        f'Search: "{shown_query(results.query)}"',
        f"{noun}: {results.collection} | {rated if concise else searched}",
        *([] if concise else [how]),
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


def search_result(result: SearchResult, /, *, explain: bool = False) -> str:
    """Return one result with its rank, score and source, and where in it the answer stands.

    Parameters
    ----------
    explain
        Show the stages' scores.
    """
    rated = f"score: {result.score:.2f}, relevance: {result.relevance:.2f}"
    where = f" in {one_line(result.collection)}" if result.collection else ""
    head = f"--- Result {result.rank}{where} ({rated}) ---"
    between = f"{one_line(also_text(result.also))}\n\n" if result.also else ""
    between += _signals(result.signals) if explain else ""
    if result.pinpoint:
        first, *others = result.pinpoint
        at = "; ".join([first.citation, *(part.where for part in others)])
        value = f"Answer: {phrase(result.answer.text)}\n" if result.answer else ""
        between = f"{value}At: {one_line(at)}\n{between}"
    return _block(head, result.text, result.provenance, between)


def short_result(entry: Facts, signals: Mapping[str, Signal], /) -> str:
    """Return a result of a concise answer: the part that answers, and where just that stands."""
    where = f" in {one_line(entry['collection'])}" if "collection" in entry else ""
    head = f"--- Result {entry['rank']}{where} (relevance: {entry['relevance']:.2f}) ---"
    value = entry.get("answer")
    if value is not None:
        head += f"\nAnswer: {phrase(value['text'])}"
    shown = told(head, entry)
    if also := entry.get("also"):
        shown += f"\nAlso: {one_line('; '.join(also))}"
    return f"{shown}\n{_signals(signals)}".rstrip()


def related(each: RelatedChunk, entry: Facts | None = None, /) -> str:
    """Return a passage that is connected with the results, and how; *entry* is its concise form."""
    head = f"--- Related: {one_line(each.reason)} ({each.weight:.2f}) ---"
    return passage(head, each.chunk) if entry is None else told(head, entry)


def _signals(signals: Mapping[str, Signal]) -> str:
    return "".join(f"{n}: {s.describe()}\n" for n, s in signals.items()) + "\n"


# --- one passage ----------------------------------------------------------------------------


def passage(head: str, item: Chunk, /) -> str:
    """Return a chunk below a heading of its own."""
    return _block(head, item.text, item.provenance)


def told(head: str, entry: Facts, /) -> str:
    """Return a passage of a concise answer below a heading: the same that its structure says."""
    at = f" (at {entry['at']})" if "at" in entry else ""
    header = entry.get("table_header")
    doubt = entry.get("ocr_warning")
    if doubt is None and "ocr_confidence" in entry:
        doubt = f"OCR, confidence {entry['ocr_confidence']:.2f}"
    hidden = entry.get("hidden_warning")
    lines = [
        *([head] if head else []),
        one_line(f"{entry['citation']}{at}"),
        *([_hidden(hidden)] if hidden else []),
        *([f"Table columns: {phrase(header)}"] if header else []),
        quoted(entry["text"]),
        f"chars {entry['chars']} | chunk {entry['chunk_id']}{f' | {doubt}' if doubt else ''}",
    ]
    return "\n".join(lines)


def _block(head: str, text: str, source: Provenance, between: str = "", /) -> str:
    return (
        f"{head}\n{one_line(source.cite())}\n\n"
        f"{_columns(source)}{quoted(text)}\n\n"
        f"{between}{source_line(source)}"
    )


def _columns(provenance: Provenance) -> str:
    """Return the warning of hidden text, and the columns of the table that a passage begins in."""
    header, hidden = provenance.table_header, provenance.hidden_warning
    warning = f"{_hidden(hidden)}\n\n" if hidden else ""
    if not header:
        return warning
    cut = header if len(header) <= _HEADER_CHARS else f"{header[:_HEADER_CHARS]} \u2026"
    return f"{warning}Table columns: {phrase(cut)}\n\n"


def _hidden(warning: str) -> str:
    return f"Warning: this passage {warning}."


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
    heads = [one_line(head)] if head else []
    return "\n\n".join([*heads, *blocks, *rest, *([QUOTED] if blocks else [])])


def number(item: Chunk, /) -> str:
    """Return the heading of a chunk: its number in its document."""
    return f"--- {item.provenance.chunk_index + 1} of {item.chunk_count} ---"


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
