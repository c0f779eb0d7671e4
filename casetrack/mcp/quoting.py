"""The part of a passage that is worth quoting where the whole of it is too much.

Parts are half-open spans of code points into the passage: what is quoted stands there letter for
letter, and its place on the page is the passage's place plus the span.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from casetrack.steps.sentences import sentence_ends
from casetrack.steps.words import index_terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BEST_CHARS = 400
"""Characters of the part of a search result that answers."""
OPENING_CHARS = 300
"""Characters of the beginning of a passage."""
_PIECE = 100

_WORD = re.compile(r"[^\W_]+(?:[.,'\u2019][^\W_]+)*")
_PARAGRAPH_END = re.compile(r"\n[^\S\n]*(?:\n\s*)+")
_ROW_END = re.compile(r"\n\s*")

Span = tuple[int, int]


def query_terms(query: str, /) -> frozenset[str]:
    """Return the words of a query in the form in which the index has them."""
    return frozenset(index_terms(query))


def opening(text: str, /, *, size: int = OPENING_CHARS) -> Span:
    """Return the span of the first *size* characters of *text*, up to the end of a word."""
    start, end = _stripped(text, 0, len(text))
    if end - start <= size:
        return start, end
    return _stripped(text, start, _word_end(text, start, start + size))


def best_part(
    text: str, terms: frozenset[str], /, *, size: int = BEST_CHARS, rows: bool = False
) -> Span:
    """Return the span of whole sentences that hold most words of a query.

    Parameters
    ----------
    text
        The passage.
    terms
        The query's, from :func:`query_terms`.
    size
        The most characters of the part. Sentences that are longer are cut between words.
    rows
        The text is a sheet: its lines are rows, which take the place of sentences.

    Returns
    -------
    tuple[int, int]
        Start and end. Of several stretches with the most different words and then the most words,
        the one that has them in its middle; the beginning where the text has none of them.
    """
    whole = _stripped(text, 0, len(text))
    if whole[1] - whole[0] <= size:
        return whole
    hits = list(_hits(text, terms))
    if not hits:
        return opening(text, size=size)
    units = list(_units(text, size, rows=rows))
    return max(_windows(units, size), key=functools.partial(_worth, hits))


def _worth(hits: Sequence[tuple[int, int, str]], window: Span) -> tuple[int, int, int, int]:
    start, end = window
    first = bisect_left(hits, (start, 0, ""))
    last = bisect_right(hits, (end, 0, ""))
    inside = [hit for hit in hits[first:last] if hit[1] <= end]
    if not inside:
        return 0, 0, 0, -start
    off_centre = abs((inside[0][0] - start) - (end - inside[-1][1]))
    return len({term for _, _, term in inside}), len(inside), -off_centre, -start


def _windows(units: Sequence[Span], size: int) -> Iterator[Span]:
    """Yield the longest run of units from each one on that is not longer than *size*."""
    ends = [end for _, end in units]
    for number, (start, end) in enumerate(units):
        last = bisect_right(ends, start + size) - 1
        yield start, (ends[last] if last >= number else end)


# --- sentences, rows, pieces ----------------------------------------------------------------


def _units(text: str, size: int, *, rows: bool) -> Iterator[Span]:
    """Yield the sentences or rows of *text*; long ones in pieces of whole words."""
    stop = _ROW_END if rows else _PARAGRAPH_END
    cuts = {match.end() for match in stop.finditer(text)}
    if not rows:
        cuts.update(sentence_ends(text, 0, len(text)))
    at = 0
    for cut in [*sorted(cuts), len(text)]:
        start, end = _stripped(text, at, cut)
        at = cut
        if start < end:
            yield from _pieces(text, start, end, size) if end - start > size else ((start, end),)


def _pieces(text: str, start: int, end: int, size: int) -> Iterator[Span]:
    while start < end:
        cut = min(_word_end(text, start, start + min(_PIECE, size)), end)
        yield _stripped(text, start, cut)
        start = _stripped(text, cut, end)[0]


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


def _stripped(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


# --- the words of a query -------------------------------------------------------------------


def _hits(text: str, terms: frozenset[str]) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and term of every word of *text* that is a term of the query."""
    # Scripts without spaces are indexed in pairs of signs, so their runs are searched for those.
    pairs = {term for term in terms if len(term) <= 2 and not term.isascii()}
    for match in _WORD.finditer(text):
        word, start = match.group(), match.start()
        common = terms & _terms_of(word)
        if not common:
            continue
        if pairs.isdisjoint(common) or len(word) <= 2:
            yield start, match.end(), min(common)
            continue
        for at in range(len(word)):
            found = pairs & _terms_of(word[at : at + 2])
            if found:
                yield start + at, start + min(at + 2, len(word)), min(found)


@functools.lru_cache(maxsize=16_384)
def _terms_of(word: str) -> frozenset[str]:
    return frozenset(index_terms(word))
