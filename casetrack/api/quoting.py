"""The quoted part of a long passage: it contains the pinpoint.

Parts are half-open spans of code points of the passage. A quote is an exact copy, and its place
on the page is the passage's place plus the span.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from casetrack.base.provenance import Provenance
from casetrack.base.records import Chunk
from casetrack.base.records.reading import NO_LOCATION
from casetrack.base.records.search import SearchResult

BEST_CHARS = 400
"""Characters of the best part of a passage."""
OPENING_CHARS = 300
"""Characters of the beginning of a passage."""

Span = tuple[int, int]


class Words:
    """The words of a question, matched in texts by their index terms.

    The tokenizer is loaded by this class, so that a waiting server does not need it.
    """

    def __init__(self, question: str = "", /) -> None:
        from casetrack.search.question.wanted import query_terms

        self._terms = query_terms(question)

    def spans(self, text: str, /) -> list[Span]:
        """Return the span of every matching word of *text*, in order."""
        from casetrack.search.pinpoint.scoring import hits_of

        return [(hit.start, hit.end) for hit in hits_of(text, self._terms)]

    def parts(self, text: str, /, *, rows: bool = False) -> list[Span]:
        """Return the one to three parts of a text that match the words best, best first.

        With *rows* the text is a sheet, whose lines are rows.
        """
        from casetrack.search.pinpoint.scoring import Sought, best, scores
        from casetrack.search.pinpoint.units import clauses_of

        units = clauses_of(text, rows=rows)
        if not units:
            return []
        sought = Sought(dict.fromkeys(sorted(self._terms), 1.0), {})
        marked = best(units, scores(text, units, sought))
        return [(units[n].start, units[n].end) for n in marked]

    def parts_of(self, result: SearchResult, /) -> list[Span]:
        """Return the pinpoint of a result as spans of its text; without one, :meth:`parts`."""
        offset = result.provenance.char_start
        spans = [(p.char_start - offset, p.char_end - offset) for p in result.pinpoint]
        return spans or self.parts(result.text, rows=result.provenance.sheet_name is not None)

    def quote(self, result: SearchResult, /, *, size: int) -> tuple[str, Provenance]:
        """Return the exact quoted part of a result and its place; *size* as in :func:`snippet`."""
        from casetrack.store.passages import narrow

        text, whole = result.text, result.provenance
        spans = self.parts_of(result)
        start, end = snippet(text, spans, size=size, rows=whole.sheet_name is not None)
        known = result.locate() if result.locate else NO_LOCATION
        return text[start:end], narrow(whole, text, known.paragraphs, known.printed, start, end)

    def best_part(self, text: str, /, *, size: int = BEST_CHARS, rows: bool = False) -> Span:
        """Return the span of a text to quote: :meth:`parts` and the text around them."""
        return snippet(text, self.parts(text, rows=rows), size=size, rows=rows)


def snippet(text: str, spans: Sequence[Span], /, *, size: int, rows: bool = False) -> Span:
    """Return the span to quote: the pinpoint and whole parts around it.

    *spans* are the pinpoint, best part first; without any, the passage is quoted from its start.
    *size* is the maximum in characters; a longer part is cut between words. *rows* as in
    :meth:`Words.parts`.
    """
    from casetrack.search.pinpoint.units import stripped

    start, end = stripped(text, 0, len(text))
    if end - start <= size:
        return start, end
    if not spans:
        return opening(text, size=size)
    start, end = spans[0]
    if end - start > size:
        return _cut(text, start, end, size)
    for a, b in spans[1:]:
        if max(end, b) - min(start, a) <= size:
            start, end = min(start, a), max(end, b)
    return _extended(text, start, end, size, rows)


def _extended(text: str, start: int, end: int, size: int, rows: bool) -> Span:
    """Return a span with as many whole parts on each side as fit, following parts first."""
    from casetrack.search.pinpoint.units import units_of

    units = units_of(text, rows=rows)
    before = [unit.start for unit in units if unit.end <= start]
    after = [unit.end for unit in units if unit.start >= end]
    room = (size - (end - start)) // 2
    while after and after[0] - end <= room:
        room -= after[0] - end
        end = after.pop(0)
    while before and end - before[-1] <= size:
        start = before.pop()
    while after and after[0] - start <= size:
        end = after.pop(0)
    return start, end


def part_of(chunk: Chunk, span: Span, /) -> Chunk:
    """Return a chunk with only *span* of its text, and the exact place of that span."""
    from casetrack.store.passages import narrow

    start, end = span
    place = narrow(chunk.provenance, chunk.text, None, None, start, end)
    return replace(chunk, text=chunk.text[start:end], provenance=place)


def opening(text: str, /, *, size: int = OPENING_CHARS) -> Span:
    """Return the span of the first *size* characters of *text*, up to the end of a word."""
    from casetrack.search.pinpoint.units import stripped

    start, end = stripped(text, 0, len(text))
    return _cut(text, start, end, size)


def _cut(text: str, start: int, end: int, size: int) -> Span:
    from casetrack.search.pinpoint.units import stripped

    if end - start <= size:
        return start, end
    return stripped(text, start, _word_end(text, start, start + size))


def _word_end(text: str, start: int, most: int) -> int:
    """Return the end of the last word that ends at or before *most*.

    Scripts without spaces, and longer strings than any word, are cut at any place except between a
    letter and its accents.
    """
    if most >= len(text):
        return len(text)
    for at in range(most, start, -1):
        if text[at].isspace():
            return at
    while most > start + 1 and unicodedata.combining(text[most]):
        most -= 1
    return most
