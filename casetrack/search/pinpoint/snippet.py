"""The part of a passage that is quoted where the whole of it is too much: it holds the pinpoint.

Parts are half-open spans of code points into the passage: what is quoted stands there letter for
letter, and its place on the page is the passage's place plus the span.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from casetrack.base.records.pinpoints import NOWHERE
from casetrack.search.pinpoint.units import stripped, units_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from casetrack.base.provenance import Provenance
    from casetrack.base.records.search import SearchResult

BEST_CHARS = 400
"""Characters of the part of a passage that says most on something."""
OPENING_CHARS = 300
"""Characters of the beginning of a passage."""

Span = tuple[int, int]


def marked_spans(result: SearchResult, terms: Collection[str], /) -> list[Span]:
    """Return where in a result's text its pinpoint stands, the best part first.

    A result that does not know is looked through for *terms*.
    """
    offset = result.provenance.char_start
    spans = [(p.char_start - offset, p.char_end - offset) for p in result.pinpoint]
    return spans or spans_with(result.text, terms, rows=result.provenance.sheet_name is not None)


def spans_with(text: str, terms: Collection[str], /, *, rows: bool = False) -> list[Span]:
    """Return the one to three parts of a text that say most on some words, the best first.

    Parameters
    ----------
    text
        The passage.
    terms
        Words as the index has them: see :func:`casetrack.search.pinpoint.hits.query_terms`.
    rows
        The text is a sheet: its lines are rows.
    """
    # It needs NumPy, which a server that waits for its first question does not load.
    from casetrack.search.pinpoint.scoring import Sought, best, scores

    units = units_of(text, rows=rows)
    if not units:
        return []
    sought = Sought(dict.fromkeys(sorted(terms), 1.0), {})
    return [(units[n].start, units[n].end) for n in best(scores(text, units, sought))]


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
        See :func:`spans_with`.
    """
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


def part_of(
    result: SearchResult, terms: Collection[str], /, *, size: int
) -> tuple[str, Provenance]:
    """Return what is quoted of a result, letter for letter, and where just that stands.

    Parameters
    ----------
    result
        A result of a search.
    terms
        See :func:`marked_spans`.
    size
        See :func:`snippet`.
    """
    # As above: a server that waits needs none of it.
    from casetrack.store.passages import narrow

    text, whole = result.text, result.provenance
    spans = marked_spans(result, terms)
    start, end = snippet(text, spans, size=size, rows=whole.sheet_name is not None)
    known = result.look() if result.look else NOWHERE
    return text[start:end], narrow(whole, text, known.paragraphs, known.printed, start, end)


def _widened(text: str, start: int, end: int, size: int, rows: bool) -> Span:
    """Return a span with as many whole parts on either side as fit, what follows first."""
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


def best_part(
    text: str, terms: Collection[str], /, *, size: int = BEST_CHARS, rows: bool = False
) -> Span:
    """Return the span of a text to quote where some words count; see :func:`spans_with`."""
    return snippet(text, spans_with(text, terms, rows=rows), size=size, rows=rows)


def opening(text: str, /, *, size: int = OPENING_CHARS) -> Span:
    """Return the span of the first *size* characters of *text*, up to the end of a word."""
    start, end = stripped(text, 0, len(text))
    return _cut(text, start, end, size)


def _cut(text: str, start: int, end: int, size: int) -> Span:
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
