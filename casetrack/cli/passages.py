"""Search results and chunks as people read them: the citation first, then the quoted words."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from casetrack.cli.output import Part, clean, counted, line
from casetrack.records.search import also_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.provenance import Provenance
    from casetrack.records import Chunk, SearchResult, SearchResults

EXCERPT_CHARS = 500
"""How much of a passage a result quotes unless the whole is asked for."""

_WORD = re.compile(r"[^\W_]+(?:[.,'\u2019][^\W_]+)*")
_SENTENCE_END = re.compile(r"[.!?;:][\"\u201d)]?\s+|\n\s*\n\s*")
_ROW_END = re.compile(r"\n\s*")
_LEAD = 200
"""How far an excerpt may move to begin or end with a sentence."""
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
    for note in results.notes:
        line((f"Note: {note}", "yellow"))
    if explain and results.reading is not None:
        for told in results.reading.describe():
            line((f"Question: {clean(told)}", "dim"))
    terms = query_terms(results.query)
    for result in results:
        line()
        line((f"--- Result {result.rank} (score: {result.score:.2f}) ---", "dim"))
        show_result(result, terms, context=context, full=full)
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
    terms = query_terms(results.query)
    for related in results.related:
        line()
        line((f"--- Related: {related.reason} ({related.weight:.2f}) ---", "dim"))
        show_passage(related.chunk, terms)


def show_result(
    result: SearchResult, terms: frozenset[str], /, *, context: bool, full: bool
) -> None:
    """Write one result: citation, place, quoted text with the query's words marked."""
    show_source(result.provenance)
    line()
    flow = result.provenance.sheet_name is None
    if context and result.context_before:
        line(("Before: ", "bold"), (_readable(_tail(result.context_before), flow), "dim"))
        line()
    text, start, end = result.text, 0, len(result.text)
    if not (full or context):  # what stands around a passage belongs to the whole of it
        start, end = excerpt(text, terms, rows=not flow)
    quoted = _readable(text[start:end].strip(), flow)
    before = "\u2026 " if text[:start].strip() else ""
    after = " \u2026" if text[end:].strip() else ""
    line(f'"{before}', *mark(quoted, terms), f'{after}"')
    if context and result.context_after:
        line()
        line(("After: ", "bold"), (_readable(_head(result.context_after), flow), "dim"))
    if told := also_text(result.also):
        line((clean(told), "dim"))


def show_passage(chunk: Chunk, terms: frozenset[str] = frozenset(), /) -> None:
    """Write a passage like a result: its source, then the part that holds most of *terms*."""
    show_source(chunk.provenance)
    line()
    flow = chunk.provenance.sheet_name is None
    start, end = excerpt(chunk.text, terms, rows=not flow)
    words = _readable(chunk.text[start:end].strip(), flow)
    before = "\u2026 " if chunk.text[:start].strip() else ""
    after = " \u2026" if chunk.text[end:].strip() else ""
    line(f'"{before}', *mark(words, terms), f'{after}"')


def _sentence_end(text: str, at: int, stop: re.Pattern[str]) -> int:
    """Return where the sentence around *at* ends, or *at* if that is far."""
    match = stop.search(text, at - 1, min(len(text), at + _LEAD))
    if match:
        return len(text[: match.end()].rstrip())
    return len(text) if len(text) - at < _LEAD else at


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
    if note := p.ocr_note():
        line((note[0].upper() + note[1:], "yellow" if p.is_doubtful else "dim"))
    if p.table_header:
        line(("Table columns: ", "bold"), (clean(p.table_header), "dim"))


def _show_signals(result: SearchResult) -> None:
    for name, signal in result.signals.items():
        line((f"  {name}: {signal.describe()}", "dim"))


# --- the query's words ---------------------------------------------------------------------


def query_terms(query: str, /) -> frozenset[str]:
    """Return the index terms of a query: the words that a result marks."""
    from casetrack.steps.words import index_terms

    return frozenset(index_terms(query))


@functools.lru_cache(maxsize=16384)
def _word_terms(word: str) -> frozenset[str]:
    return query_terms(word)


def _hits(text: str, terms: frozenset[str]) -> list[tuple[int, int, str]]:
    """Return start, end and term of every word of *text* that is a term of the query."""
    hits = []
    for match in _WORD.finditer(text):
        common = terms & _word_terms(match.group())
        if common:
            hits.append((match.start(), match.end(), min(common)))
    return hits


def mark(text: str, terms: frozenset[str], /) -> list[Part]:
    """Split *text* into parts in which the words of *terms* carry a style."""
    parts: list[Part] = []
    at = 0
    for start, end, _ in _hits(text, terms):
        parts += [text[at:start], (text[start:end], "bold yellow")]
        at = end
    return [*parts, text[at:]]


def excerpt(
    text: str, terms: frozenset[str], /, *, size: int = EXCERPT_CHARS, rows: bool = False
) -> tuple[int, int]:
    """Return the span of *text* to quote: the stretch that holds the most words of the query.

    Parameters
    ----------
    size
        Wanted length in characters; the span moves to the ends of sentences, or of words.
    rows
        The text is a sheet: its lines are rows, which take the place of sentences.

    Returns
    -------
    tuple[int, int]
        Start and end, half-open.
    """
    if len(text) <= size * 1.2:
        return 0, len(text)
    stop = _ROW_END if rows else _SENTENCE_END
    start = min(_best_start(text, _hits(text, terms), size, stop), len(text) - size)
    end = _sentence_end(text, start + size, stop)
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return start, end


def _best_start(
    text: str, hits: Sequence[tuple[int, int, str]], size: int, stop: re.Pattern[str]
) -> int:
    """Return where the stretch begins: most different terms, then most words, then first."""
    best, best_value = 0, (0, 0)
    for i, (start, _, _) in enumerate(hits):
        inside = [term for s, e, term in hits[i:] if s >= start and e <= start + size]
        value = (len(set(inside)), len(inside))
        if value > best_value:
            best, best_value = start, value
    return _sentence_start(text, best, stop) if best_value[0] else 0


def _sentence_start(text: str, at: int, stop: re.Pattern[str]) -> int:
    """Return where the sentence around *at* begins, or a little before *at* if that is far."""
    ends = [m.end() for m in stop.finditer(text, max(0, at - _LEAD), at)]
    if ends:
        return ends[-1]
    return 0 if at <= _LEAD else at - _LEAD // 2


def _readable(text: str, flow: bool) -> str:
    """Join the lines of a paragraph where *flow*; lists, tables and sheets keep their lines."""
    text = clean(text)
    return _LINE_END.sub(" ", text) if flow else text
