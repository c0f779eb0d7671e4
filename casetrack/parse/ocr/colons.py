"""Colons that stand alone between a label and its value, which the detector passes over.

On receipts and forms they form a column of their own, so far from both that no line of text
reaches them. They are found by their shape: two dots above one another with white around them, in
the band of a line that ends to their left.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

import numpy as np

from casetrack.parse.ocr.clean import threshold
from casetrack.parse.ocr.components import find_components
from casetrack.parse.ocr.page import RawLine, RawWord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from casetrack.parse.ocr.page import Picture
    from casetrack.parse.ocr.rapid_detect import TextBox

_RIGHT = 0.9
_LEAST_DOT, _LARGEST_DOT, _LEAST_PIXELS = 0.05, 0.26, 2
_FULL = 0.55
_ASIDE, _NEAREST, _FARTHEST = 0.08, 0.12, 0.5
_ALIKE = 2.0
_WHITE, _STRAY = 0.3, 0.2
_MOST_DOTS = 2000
_REACH, _BELOW = 15.0, 0.15
_PALE = 0.5


def lone_colons(
    image: Picture, boxes: Sequence[TextBox], lines: Sequence[RawLine], /
) -> list[RawLine]:
    """Return colons outside of all lines, each as a line of its own.

    Parameters
    ----------
    image
        The page, upright, dark on light.
    boxes
        Where lines were found; all lengths are compared with their usual height.
    lines
        What was read there.
    """
    if not lines:
        return []
    usual = statistics.median(box.height for box in boxes)
    mask = _faint(image)
    parts = find_components(mask)
    width, height = parts.x1 - parts.x0, parts.y1 - parts.y0
    least, most = max(_LEAST_DOT * usual, _LEAST_PIXELS), _LARGEST_DOT * usual
    likely = (np.minimum(width, height) >= least) & (np.maximum(width, height) <= most)
    likely &= parts.area >= _FULL * width * height
    x0, y0, x1, y1 = (side[likely] for side in (parts.x0, parts.y0, parts.x1, parts.y1))
    order = np.lexsort((y0, x0))
    if order.size > _MOST_DOTS:
        return []  # dust, or a dotted ground
    dots = [(int(x0[i]), int(y0[i]), int(x1[i]), int(y1[i])) for i in order]
    found = []
    for i, upper in enumerate(dots):
        for lower in dots[max(i - 8, 0) : i + 9]:
            if not _is_pair(upper, lower, usual):
                continue
            left, right = min(upper[0], lower[0]), max(upper[2], lower[2])
            line = _line_of(left, upper[1], right, lower[3], boxes, lines, usual)
            if line is not None and _stands_alone(mask, left, upper[1], right, lower[3], usual):
                word = RawWord(":", left, upper[1], right, lower[3], _RIGHT)
                found.append(RawLine((word,), float(lower[3]), line.size))
    return found


def _faint(image: Picture) -> NDArray[np.bool_]:
    """Return what is darker than paper: dots are printed paler than the strokes of letters."""
    level = threshold(image)
    paper = float(np.median(image[::4, ::4]))
    mask: NDArray[np.bool_] = image <= level + _PALE * max(paper - level, 0.0)
    return mask


def _is_pair(
    upper: tuple[int, int, int, int], lower: tuple[int, int, int, int], usual: float
) -> bool:
    """Return whether two dots are those of one colon."""
    aside = abs((upper[0] + upper[2]) - (lower[0] + lower[2])) / 2
    below = (lower[1] + lower[3] - upper[1] - upper[3]) / 2
    areas = [(dot[2] - dot[0]) * (dot[3] - dot[1]) for dot in (upper, lower)]
    return (
        aside <= max(_ASIDE * usual, 1.0)
        and _NEAREST * usual <= below <= _FARTHEST * usual
        and upper[3] < lower[1]
        and max(areas) <= _ALIKE * min(areas)
    )


def _stands_alone(
    mask: NDArray[np.bool_], x0: int, y0: int, x1: int, y1: int, usual: float
) -> bool:
    """Return whether there is white around two dots, and nothing between them."""
    room = round(_WHITE * usual)
    top, left = max(y0 - room, 0), max(x0 - room, 0)
    around = mask[top : y1 + room, left : x1 + room]
    own = mask[y0:y1, x0:x1]
    stray = int(around.sum()) - int(own.sum())
    return stray <= _STRAY * own.sum() and not own.any(axis=1).all()


def _line_of(
    x0: int,
    y0: int,
    x1: int,
    y1: int,
    boxes: Sequence[TextBox],
    lines: Sequence[RawLine],
    usual: float,
) -> RawLine | None:
    """Return the line to the left in whose band the dots are; ``None`` where they are in one."""
    if any(
        b.x0 <= x1 and x0 <= b.x1 and _band(b, x0)[0] <= y1 and y0 <= _band(b, x0)[1] for b in boxes
    ):
        return None
    near = [
        line
        for line in lines
        if 0 <= x0 - _end(line) <= _REACH * usual
        and line.base - line.size <= y0
        and y1 <= line.base + _BELOW * line.size
    ]
    return max(near, key=_end) if near else None


def _end(line: RawLine) -> float:
    return max(word.x1 for word in line.words)


def _band(box: TextBox, x: float) -> tuple[float, float]:
    top = box.y0 + box.slope * (x - box.x0)
    return top, top + box.height
