"""Search results and chunks as people read them: the citation first, then the quoted words."""

from __future__ import annotations

import itertools
import re
import sys
from typing import TYPE_CHECKING

from casetrack.api.quoting import Words, opening, snippet
from casetrack.base.records.search import NOT_THERE, also_text
from casetrack.faces.cli.output import Part, clean, counted, is_terminal, line, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.provenance import Provenance
    from casetrack.base.records import Chunk, SearchResult, SearchResults

EXCERPT_CHARS = 500
"""How much of a passage a result quotes unless the whole is asked for."""

# A line end inside a paragraph: the next line is neither empty nor an item, a row or a heading.
_LINE_END = re.compile(
    r"(?<![\n|])[ \t\xa0]*\n(?!\s*(?:\n|[-*+|#>\u2022]|\(?\w{1,3}[.)]\s))[ \t\xa0]*"
)


def show_results(results: SearchResults, /, *, context: bool, full: bool, explain: bool) -> None:
    """Write the answer to a query: what was searched, then every result with its source."""
    line(("Search: ", "bold"), f'"{results.query}"')
    line(
        ("Collection: ", "bold"),
        f"{results.collection} | {counted(results.searched_documents, 'document')}, "
        f"{counted(results.searched_chunks, 'chunk')} searched",
    )
    stages = " + ".join(results.stages_used)
    line(
        ("Time: ", "bold"),
        f"{results.search_time_ms:.0f} ms | {results.mode}" + (f" ({stages})" if stages else ""),
    )
    if results.results and results.evidence == "none":
        line((NOT_THERE, "bold yellow"))
    for note in results.notes:
        line((f"Note: {note}", "yellow"))
    if explain and results.reading is not None:
        for told in results.reading.describe():
            line((f"Question: {clean(told)}", "dim"))
    words = Words(results.query)
    for result in results:
        line()
        said = f"score: {result.score:.2f}, relevance: {result.relevance:.2f}"
        where = f" in {result.collection}" if result.collection else ""
        line((f"--- Result {result.rank}{where} ({said}) ---", "dim"))
        show_result(result, words, context=context, full=full)
        if explain:
            _show_signals(result)
    _show_related(results)
    if not results.results:
        line()
        line(
            "Nothing found. Try other or fewer words, or look at what is there: casetrack documents"
        )
    elif explain:
        line()
        times = ", ".join(f"{name} {ms:.1f} ms" for name, ms in results.stage_ms.items())
        line((f"Stages: {times}", "dim"))


def _show_related(results: SearchResults) -> None:
    words = Words(results.query)
    for related in results.related:
        line()
        line((f"--- Related: {related.reason} ({related.weight:.2f}) ---", "dim"))
        show_passage(related.chunk, words)


def show_result(result: SearchResult, words: Words, /, *, context: bool, full: bool) -> None:
    """Write one result: citation, place, quoted text with its pinpoint strong.

    The query's words are marked in it.
    """
    show_source(result.provenance)
    _show_pinpoint(result)
    line()
    flow = result.provenance.sheet_name is None
    if context and result.context_before:
        line(("Before: ", "bold"), (_readable(_tail(result.context_before), flow), "dim"))
        line()
    spans = words.parts_of(result)
    part = opening(result.text, size=len(result.text))
    if not (full or context):  # what stands around a passage belongs to the whole of it
        part = snippet(result.text, spans, size=EXCERPT_CHARS, rows=not flow)
    strong = spans if result.pinpoint else []
    line(*_quoted(result.text, part, strong, words, flow))
    if context and result.context_after:
        line()
        line(("After: ", "bold"), (_readable(_head(result.context_after), flow), "dim"))
    if told := also_text(result.also):
        line((clean(told), "dim"))


def _show_pinpoint(result: SearchResult) -> None:
    """Write the value that answers, and the place of the answer."""
    if result.answer is not None:
        line(("Answer: ", "bold"), (one_line(result.answer.text), "bold green"))
    if result.pinpoint:
        best, *others = result.pinpoint
        further = [f"; {p.where}" for p in others]
        line(("At: ", "bold"), (best.citation, "bold cyan"), ("".join(further), "cyan"))


def show_passage(chunk: Chunk, words: Words | None = None, /) -> None:
    """Write a passage like a result: its source, then the part that holds most of *words*."""
    words = words or Words()
    show_source(chunk.provenance)
    line()
    flow = chunk.provenance.sheet_name is None
    spans = words.parts(chunk.text, rows=not flow)
    part = snippet(chunk.text, spans, size=EXCERPT_CHARS, rows=not flow)
    line(*_quoted(chunk.text, part, [], words, flow))


def _quoted(
    text: str, part: tuple[int, int], strong: Sequence[tuple[int, int]], words: Words, flow: bool
) -> list[Part]:
    """Return a part of a passage in quotation marks, the spans *strong* apart from the rest."""
    start, end = part
    before = "\u2026 " if text[:start].strip() else ""
    after = " \u2026" if text[end:].strip() else ""
    inner = sorted((max(a, start), min(b, end)) for a, b in strong if a < end and b > start)
    if not inner or inner == [(start, end)]:
        whole = _flowing(text, [(start, end)], flow)[0]
        return [f'"{before}', *mark(whole, words), f'{after}"']
    edges = [start, *(edge for span in inner for edge in span), end]
    pieces = _flowing(text, list(itertools.pairwise(edges)), flow)
    sign = "" if is_terminal(sys.stdout) else "**"
    parts: list[Part] = [(f'"{before}', "dim")]
    for number, piece in enumerate(pieces):
        if number % 2:
            parts += [sign, *mark(piece, words, "bold"), sign]
        else:
            parts += mark(piece, words, "dim")
    return [*parts, (f'{after}"', "dim")]


def _tail(text: str) -> str:
    """Return the last part of the text before a passage, from the start of a word."""
    text = text.strip()
    if len(text) <= EXCERPT_CHARS:
        return text
    return "\u2026 " + text[-EXCERPT_CHARS:].partition(" ")[2]


def _head(text: str) -> str:
    """Return the first part of the text after a passage, up to the end of a word."""
    text = text.strip()
    if len(text) <= EXCERPT_CHARS:
        return text
    return text[:EXCERPT_CHARS].rpartition(" ")[0] + " \u2026"


def show_source(provenance: Provenance, /) -> None:
    """Write the citation, and below it page, lines, chunk id and file."""
    p = provenance
    line((p.cite(), "bold cyan"))
    lines = (
        f"line {p.line_start}"
        if p.line_start == p.line_end
        else (f"lines {p.line_start}-{p.line_end}")
    )
    estimated = " (estimated)" if p.page_is_estimated else ""
    line((f"page {p.page}{estimated}, {lines} | chunk {p.chunk_id}", "dim"))
    line((p.document_path, "dim"))
    for note in p.notes:
        line((note, "yellow" if note in p.warnings else "dim"))
    if p.table_header:
        line(("Table columns: ", "bold"), (clean(p.table_header), "dim"))


def _show_signals(result: SearchResult) -> None:
    for name, signal in result.signals.items():
        line((f"  {name}: {signal.describe()}", "dim"))


# --- words ---------------------------------------------------------------------------------


def mark(text: str, words: Words, style: str = "", /) -> list[Part]:
    """Split *text* into parts in which *words* carry a style, the rest *style*."""
    parts: list[Part] = []
    at = 0
    for start, end in words.spans(text):
        parts += [(text[at:start], style), (text[start:end], "bold yellow")]
        at = end
    return [*parts, (text[at:], style)]


def _flowing(text: str, spans: Sequence[tuple[int, int]], flow: bool) -> list[str]:
    """Return pieces of a passage as :func:`_readable` has them, each cut out of the whole."""
    ends = [match.span() for match in _LINE_END.finditer(text)] if flow else []
    pieces = []
    for start, end in spans:
        at, words = start, ""
        for a, b in ends:
            if start <= a < end:
                words += f"{text[at:a]} "
                at = min(b, end)
        pieces.append(clean(words + text[at:end]))
    return pieces


def _readable(text: str, flow: bool) -> str:
    """Join the lines of a paragraph where *flow*; lists, tables and sheets keep their lines."""
    text = clean(text)
    return _LINE_END.sub(" ", text) if flow else text
