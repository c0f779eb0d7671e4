"""The part of a passage that is quoted where the whole of it is too much: it holds the pinpoint.

Parts are half-open spans of code points into the passage: what is quoted stands there letter for
letter, and its place on the page is the passage's place plus the span.
"""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.base.records.reading import NO_LOCATION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.provenance import Provenance
    from casetrack.base.records import Chunk
    from casetrack.base.records.search import SearchResult

BEST_CHARS = 400
"""Characters of the part of a passage that says most on something."""
OPENING_CHARS = 300
"""Characters of the beginning of a passage."""

Span = tuple[int, int]


class Words:
    """The words of a question, found again in texts in the form in which the index has them.

    What finds them is loaded here: a server that waits for its first question does without.

    Parameters
    ----------
    question
        Any text; nothing is found for an empty one.
    """

    def __init__(self, question: str = "", /) -> None:
        from casetrack.search.pinpoint.scoring import query_terms

        self._terms = query_terms(question)

    def spans(self, text: str, /) -> list[Span]:
        """Return the span of every word of *text* that is one of these, in order."""
        from casetrack.search.pinpoint.scoring import hits_of

        return [(hit.start, hit.end) for hit in hits_of(text, self._terms)]

    def parts(self, text: str, /, *, rows: bool = False) -> list[Span]:
        """Return the one to three parts of a text that match the words best, the best first.

        Parameters
        ----------
        text
            The passage.
        rows
            The text is a sheet: its lines are rows.
        """
        from casetrack.search.pinpoint.scoring import Sought, best, scores, units_of

        units = units_of(text, rows=rows)
        if not units:
            return []
        sought = Sought(dict.fromkeys(sorted(self._terms), 1.0), {})
        return [(units[n].start, units[n].end) for n in best(scores(text, units, sought))]

    def parts_of(self, result: SearchResult, /) -> list[Span]:
        """Return the pinpoint of a result as spans of its text; without one, :meth:`parts`."""
        offset = result.provenance.char_start
        spans = [(p.char_start - offset, p.char_end - offset) for p in result.pinpoint]
        return spans or self.parts(result.text, rows=result.provenance.sheet_name is not None)

    def quote(self, result: SearchResult, /, *, size: int) -> tuple[str, Provenance]:
        """Return the quoted part of a result, letter for letter, and its exact place.

        Parameters
        ----------
        result
            A result of a search.
        size
            See :func:`snippet`.
        """
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
    """Return the span to quote: the pinpoint and what stands beside it, whole parts of the text.

    Parameters
    ----------
    text
        The passage.
    spans
        Its pinpoint, the best part first; without any, the passage is quoted from its beginning.
    size
        The most characters. What is longer is cut between words.
    rows
        See :meth:`Words.parts`.
    """
    from casetrack.search.pinpoint.scoring import stripped

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
    return _widened(text, start, end, size, rows)


def _widened(text: str, start: int, end: int, size: int, rows: bool) -> Span:
    """Return a span with as many whole parts on either side as fit, what follows first."""
    from casetrack.search.pinpoint.scoring import units_of

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
    """Return a chunk with only *span* of its text, and the exact place of that part."""
    from casetrack.store.passages import narrow

    start, end = span
    place = narrow(chunk.provenance, chunk.text, None, None, start, end)
    return replace(chunk, text=chunk.text[start:end], provenance=place)


def opening(text: str, /, *, size: int = OPENING_CHARS) -> Span:
    """Return the span of the first *size* characters of *text*, up to the end of a word."""
    from casetrack.search.pinpoint.scoring import stripped

    start, end = stripped(text, 0, len(text))
    return _cut(text, start, end, size)


def _cut(text: str, start: int, end: int, size: int) -> Span:
    from casetrack.search.pinpoint.scoring import stripped

    if end - start <= size:
        return start, end
    return stripped(text, start, _word_end(text, start, start + size))


def _word_end(text: str, start: int, most: int) -> int:
    """Return where the last word ends that ends by *most*.

    Scripts without spaces, and what is longer than any word, are cut anywhere but between a
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
