"""Finds the numbers beside the lines of a scanned page, which engines leave out or garble.

They are told by their shape alone: marks at one distance down the margin, the first nine of one
figure and the others of two. What they count is then certain without reading any of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from casetrack.base.provenance import Box
from casetrack.parse.layout.segments import Segment
from casetrack.parse.ocr.components import find_components
from casetrack.parse.printed.number_columns import LEAST, MOST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from casetrack.parse.ocr.page import Picture

_INK = 64
_LONG_TEXT = 12
_ONE_FIGURE = 9
_WIDER = 1.4
_ON_PITCH = 0.2
_TALL, _LOW = 1.8, 0.45
_MOST_PARTS = 4000


def with_margin_numbers(
    segments: Sequence[Segment], image: Picture, scale: float, /
) -> list[Segment] | None:
    """Return the text of a level scan with the numbers at its left as segments of their own.

    Parameters
    ----------
    segments
        What was recognised.
    image
        The page, grey, dark on light.
    scale
        Points per pixel.

    Returns
    -------
    list of Segment or None
        What was recognised within the column of numbers is replaced by them; ``None`` where no such
        column is to be seen.
    """
    long = [s for s in segments if len(s.text) >= _LONG_TEXT]
    if len(long) < _ONE_FIGURE:
        return None
    left = float(np.percentile([s.box.x0 for s in long], 10)) - 1.0
    width = int(left / scale)
    if width < 10:
        return None
    strip = image[:, : min(width, image.shape[1])]
    ground = float(np.median(strip))
    boxes = _rows(strip.astype(np.int16) < ground - _INK)
    found = _run(boxes)
    if found is None:
        return None
    du = float(np.median([s.u0 - s.box.x0 for s in long]))
    dv = float(np.median([s.v0 - s.box.y0 for s in long]))
    size = float(np.median([s.size for s in long]))
    numbers = []
    for value, (x0, y0, x1, y1) in enumerate(found, start=1):
        box = Box(x0 * scale, y0 * scale, x1 * scale, y1 * scale)
        # As high as a line of text, so that its middle is that of one.
        numbers.append(
            Segment(
                str(value),
                box.x0 + du,
                box.y0 + dv,
                box.x1 + du,
                box.y1 + dv,
                box.y1 + dv,
                size,
                bold=False,
                box=box,
                confidence=1.0,
            )
        )
    top, bottom = numbers[0].box.y0 - size, numbers[-1].box.y1 + size
    beside = [s for s in segments if s.box.x1 > left or not top < s.box.y0 < bottom]
    return [*beside, *numbers]


_Rect = tuple[float, float, float, float]


def _rows(mask: NDArray[np.bool_]) -> list[_Rect]:
    """Return the marks of a strip, those that stand side by side as one, from top to bottom."""
    parts = find_components(mask)
    count = len(parts.x0)
    if not LEAST <= count <= _MOST_PARTS:
        return []
    high = parts.y1 - parts.y0
    large = (parts.area >= 8) & (high >= 6)
    if int(large.sum()) < LEAST:
        return []
    usual = float(np.median(high[large]))
    kept = large & (high <= _TALL * usual) & (high >= _LOW * usual)
    rows: list[list[float]] = []
    for i in np.argsort(parts.y0[kept] + parts.y1[kept]):
        x0, y0, x1, y1 = (float(a[kept][i]) for a in (parts.x0, parts.y0, parts.x1, parts.y1))
        if rows and (y0 + y1) / 2 < rows[-1][3] and x0 - rows[-1][2] < 2 * usual:
            last = rows[-1]
            rows[-1] = [min(last[0], x0), min(last[1], y0), max(last[2], x1), max(last[3], y1)]
        else:
            rows.append([x0, y0, x1, y1])
    return [(r[0], r[1], r[2], r[3]) for r in rows]


def _run(rows: Sequence[_Rect]) -> list[_Rect] | None:
    """Return the longest run of marks at one distance that are as wide as 1, 2, 3 ... are."""
    best: list[_Rect] = []
    for first in range(len(rows) - LEAST + 1):
        for second in (first + 1, first + 2):
            pitch = _middle(rows[second]) - _middle(rows[first])
            run = [rows[first]]
            for row in rows[first + 1 :]:
                off = _middle(row) - _middle(run[-1])
                if abs(off - pitch) <= _ON_PITCH * pitch:
                    run.append(row)
                    pitch = (_middle(row) - _middle(run[0])) / (len(run) - 1)
                elif off > (1 + _ON_PITCH) * pitch:
                    break
            if len(run) > len(best):
                best = run
        if len(best) >= LEAST:
            break
    if not LEAST <= len(best) <= MOST:
        return None
    wide = [r[2] - r[0] for r in best]
    one, two = float(np.median(wide[:_ONE_FIGURE])), float(np.median(wide[_ONE_FIGURE:]))
    # "1" and "11" are narrow; the others of a kind are of one width.
    fitting = sum(w < 0.5 * (one + two) for w in wide[:_ONE_FIGURE])
    fitting += sum(w > 0.5 * (one + two) for w in wide[_ONE_FIGURE:])
    return best if two >= _WIDER * one and fitting >= len(best) - 2 else None


def _middle(row: _Rect) -> float:
    return (row[1] + row[3]) / 2
