"""Fits the loose rectangles of a detector to their ink; baseline and size by the letters."""

from __future__ import annotations

import statistics
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.parse.ocr.page import RawLine

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from casetrack.parse.ocr.page import RawWord

_BELOW = frozenset("gjpqyQ,;()[]{}|/\\@$_çşţ„‚")
_NO_BASE = frozenset("-–—\"'`´^~*°“”‘’«»•·=+:")
_X_HEIGHT = frozenset("acemnorsuvwxzgpqy")
_CORE = 0.2
_CAP_SHARE, _X_SHARE = 0.7, 0.5
"""Height of capitals and of small letters without ascender, as shares of the font size."""


def fitted(words: Sequence[RawWord], mask: NDArray[np.bool_], /) -> RawLine:
    """Return the words as a line, each rectangle drawn tight around its ink.

    Parameters
    ----------
    words
        On one line, with rectangles that hold them with some room.
    mask
        Where the picture is dark.
    """
    tight = tuple(_tight(word, mask) for word in words)
    loose = statistics.median(word.y1 - word.y0 for word in words)
    bottoms = [w.y1 for w in tight if _BELOW.isdisjoint(w.text) and not _NO_BASE.issuperset(w.text)]
    if bottoms:
        base = statistics.median(bottoms)
    else:
        base = statistics.median(word.y0 for word in words) + 0.78 * loose
    heights = []
    for word in tight:
        if _NO_BASE.isdisjoint(word.text):
            share = _X_SHARE if _X_HEIGHT.issuperset(word.text) else _CAP_SHARE
            bottom = word.y1 if _BELOW.isdisjoint(word.text) else min(base, word.y1)
            heights.append((bottom - word.y0) / share)
    size = statistics.median(heights) if heights else 0.8 * loose
    # Stray ink in a rectangle must not make a word of it that is larger than its line.
    return RawLine(tight, base, min(max(size, 0.5 * loose), 1.2 * loose))


def widest_gap(
    mask: NDArray[np.bool_], left: float, right: float, top: float, bottom: float, /
) -> float:
    """Return where two words part: in the middle of the widest white between their letters.

    Parameters
    ----------
    mask
        Where the picture is dark.
    left, right
        Middles of the last letter before and the first letter after.
    top, bottom
        Rows of the line.
    """
    x0 = max(int(left), 0)
    part = mask[max(int(top), 0) : max(int(bottom), 0) + 1, x0 : int(right) + 1]
    best = run = end = 0
    for at, dark in enumerate(part[_inner(part)].sum(axis=0).tolist()):
        run = 0 if dark else run + 1
        if run > best:
            best, end = run, at + 1
    return x0 + end - best / 2 if best else (left + right) / 2


def _inner(part: NDArray[np.bool_]) -> slice:
    """Return the rows of a line's core, where no letters of other lines are."""
    count = part.shape[0]
    return slice(int(count * (0.5 - _CORE)), int(count * (0.5 + _CORE)) + 1)


def _tight(word: RawWord, mask: NDArray[np.bool_]) -> RawWord:
    x0, y0 = max(int(word.x0), 0), max(int(word.y0), 0)
    y1 = min(int(word.y1) + 1, mask.shape[0])
    part = mask[y0:y1, x0 : int(word.x1) + 1]
    first, last = _own_rows(part)
    part, y0 = part[first:last], y0 + first
    columns, rows = part.sum(axis=0).nonzero()[0], part.sum(axis=1).nonzero()[0]
    if not columns.size:
        return word
    left, right = x0 + int(columns[0]), x0 + int(columns[-1]) + 1
    top, bottom = y0 + int(rows[0]), y0 + int(rows[-1]) + 1
    return replace(word, x0=float(left), y0=float(top), x1=float(right), y1=float(bottom))


def _own_rows(part: NDArray[np.bool_]) -> tuple[int, int]:
    """Return the rows of a rectangle that are its own: not the feet of the line above.

    From the core of the line outwards, the nearest white row ends it, or else the one with the
    least ink.
    """
    filled = part.sum(axis=1)
    count = filled.size
    top, bottom = int(count * (0.5 - _CORE)), int(count * (0.5 + _CORE)) + 1
    if top < 1 or bottom >= count:
        return 0, count
    first = top - 1 - int(filled[:top][::-1].argmin())
    last = bottom + int(filled[bottom:].argmin())
    return first, last + 1
