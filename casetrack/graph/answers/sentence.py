"""Spans of paragraphs and sentences in a text."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from casetrack.extract.language import sentence_ends

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLANKS = re.compile(r"\s+")
_SEARCHED = 800
# A single line break may only be a wrapped line; before a list item, a table row, a heading or
# "Subject:" it ends a paragraph.
_BREAK = re.compile(
    r"""\n[^\S\n]*\n\s*
    | \n(?=[^\S\n]*(?:[-*•|\#>–]\s?|\d{1,3}(?:\.\d{1,3})*[.)]?\s|\([a-zA-Z0-9]{1,4}\)\s
                    |[A-Z][\w\ -]{0,20}:\s))""",
    re.VERBOSE,
)
_FULL_LINE = 60
_ITEM = re.compile(r"[.;]\s+(?=\((?:[a-z]|[ivx]{2,5}|\d{1,2})\)\s+[A-Z])")
"""Before a list item in running text: "(n) The Supplier"."""
_ENDS = frozenset(".!?:;|") | {""}
_MARKS = " \t\n|#*•>-–"


def paragraph_spans(text: str, /) -> Iterator[tuple[int, int]]:
    """Yield the spans of paragraphs, list items and table rows, without outer blanks."""
    start = 0
    for gap in _BREAK.finditer(text):
        yield from _paragraphs(text, start, gap.start())
        start = gap.end()
    yield from _paragraphs(text, start, len(text))


def _paragraphs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield a block as one paragraph if its lines were wrapped, else line by line."""
    if _is_wrapped(text[start:end]):
        yield from _stripped(text, start, end)
        return
    while (line_end := text.find("\n", start, end)) >= 0:
        yield from _stripped(text, start, line_end)
        start = line_end + 1
    yield from _stripped(text, start, end)


def _is_wrapped(block: str) -> bool:
    """Return whether a line is wrapped: no sentence end, and full or continued in lower case.

    Lines of tables are never wrapped.
    """
    if "\n" not in block or " | " in block:
        return False
    lines = [line.strip() for line in block.split("\n")]
    return any(
        line[-1:] not in _ENDS
        and (len(line) > _FULL_LINE or line[-1] == "," or after[:1].islower())
        for line, after in pairwise(lines)
    )


def sentences(text: str, /) -> Iterator[tuple[int, int]]:
    """Yield the spans of the sentences of a text, without outer blanks."""
    for low, high in paragraph_spans(text):
        start = low
        for end in [*_sentence_ends(text, low, high), high]:
            yield from _stripped(text, start, end)
            start = max(start, end)


def _sentence_ends(text: str, low: int, high: int) -> list[int]:
    return sorted(
        {*sentence_ends(text, low, high), *(m.end() for m in _ITEM.finditer(text, low, high))}
    )


def sentence_around(text: str, start: int, end: int, /) -> tuple[int, int]:
    """Return the span of the sentence around ``text[start:end]``, without outer blanks."""
    low, high = start, end
    for first, last in paragraph_spans(text):
        if first <= start:
            low = first
        if last >= end:
            high = last
            break
    low, high = max(low, start - _SEARCHED), min(high, end + _SEARCHED)
    first, last = low, high
    for cut in _sentence_ends(text, low, high):
        if cut <= start:
            first = cut
        elif cut >= end:
            last = cut
            break
    while first < start and text[first].isspace():
        first += 1
    while last > end and text[last - 1].isspace():
        last -= 1
    return first, last


def shortened(text: str, start: int, end: int, keep: tuple[int, int], width: int, /) -> str:
    """Return ``text[start:end]`` on one line, at most about *width* characters.

    Longer text is cut at word boundaries around ``text[keep[0]:keep[1]]``, with ``…`` at the cuts.
    Marks of lists, tables and headings at the ends are removed.
    """
    low, high = start, end
    if end - start > width:
        spare = max(width - (keep[1] - keep[0]), 0)
        after = min(end - keep[1], spare - min(keep[0] - start, spare * 2 // 3))
        low, high = keep[0] - min(keep[0] - start, spare - after), keep[1] + after
        while start < low < keep[0] and not text[low - 1].isspace():
            low += 1
        while keep[1] < high < end and not text[high].isspace():
            high -= 1
    line = _BLANKS.sub(" ", text[low:high].replace("**", "")).strip(_MARKS)
    return f"{'… ' if low > start else ''}{line}{' …' if high < end else ''}"


def _stripped(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end
