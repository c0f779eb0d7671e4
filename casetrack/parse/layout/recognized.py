"""Recognised words to segments, so that pictures of text are laid out like native text."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from casetrack.base.provenance import Box
from casetrack.parse.layout.segments import Segment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.parse.base import PlacedWord
    from casetrack.parse.ocr.engine import RecognizedLine, RecognizedPage, Word

_WIDE_GAP = 1.2
_SAME_SIZE = 0.22
_MIN_SIZE = 1.0


def segments_of(page: RecognizedPage, scale: float, /) -> list[Segment]:
    """Return the words of a page as segments, cut at wide gaps, in points.

    Sizes measured from pixels scatter: those near the page's usual size become it, so that a line
    of capitals or one without any is no heading.

    Parameters
    ----------
    scale
        Points per pixel of the recognised picture.
    """
    usual = _usual_size(page.lines)
    found = []
    for line in page.lines:
        size = line.size
        if abs(size - usual) <= _SAME_SIZE * usual:
            size = usual
        groups = _groups(line.words, size)
        found += [_segment(words, line.base, size, scale) for words in groups]
    return found


def placed_words(page: RecognizedPage, scale: float, /) -> list[PlacedWord]:
    """Return where the words of a page stand, in points; *scale* is points per pixel."""
    return [
        (w.x0 * scale, w.y0 * scale, w.x1 * scale, w.y1 * scale, w.text)
        for line in page.lines
        for w in line.words
    ]


def _usual_size(lines: Sequence[RecognizedLine]) -> float:
    """Return the size at which half of the text is smaller and half larger."""
    sizes = sorted((line.size, len(line.text)) for line in lines)
    half, seen = sum(length for _, length in sizes) / 2, 0
    for size, length in sizes:
        seen += length
        if seen >= half:
            return size
    return 0.0


def _groups(words: Sequence[Word], size: float) -> list[list[Word]]:
    """Cut a line where white as wide as a column gap stands between two words."""
    if not words:
        return []
    groups = [[words[0]]]
    for before, word in pairwise(words):
        gap = word.u0 - before.u1
        # A word before the last one is text of another direction: it stays where the engine put it.
        if gap > _WIDE_GAP * size or word.u1 < before.u0 - size:
            groups.append([word])
        else:
            groups[-1].append(word)
    return groups


def _segment(words: Sequence[Word], base: float, size: float, scale: float) -> Segment:
    weight = sum(len(word.text) for word in words)
    sure = sum(word.confidence * len(word.text) for word in words) / max(weight, 1)
    return Segment(
        " ".join(word.text for word in words),
        min(word.u0 for word in words) * scale,
        min(word.v0 for word in words) * scale,
        max(word.u1 for word in words) * scale,
        max(word.v1 for word in words) * scale,
        base * scale,
        max(size * scale, _MIN_SIZE),
        bold=False,
        box=Box(
            min(word.x0 for word in words) * scale,
            min(word.y0 for word in words) * scale,
            max(word.x1 for word in words) * scale,
            max(word.y1 for word in words) * scale,
        ),
        confidence=sure,
    )
