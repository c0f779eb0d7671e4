"""Where the cells of an ODS sheet lie, so that what is anchored to the sheet finds its cell."""

from __future__ import annotations

import bisect
import itertools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from casetrack.parse.opendocument.names import DRAW, MOVED, STYLE, SVG, points
from casetrack.parse.sheets.model import MAX_COLUMNS, MAX_ROWS

if TYPE_CHECKING:
    from collections.abc import Iterator

_WIDTH, _HEIGHT = 64.0, 12.8
"""Points of a column and of a row without a size of its own, as LibreOffice makes them."""
_SIZES = {
    f"{STYLE}table-column-properties": f"{STYLE}column-width",
    f"{STYLE}table-row-properties": f"{STYLE}row-height",
}


class Box(NamedTuple):
    """A rectangle on a sheet: its left, upper and right edge in points."""

    left: float
    top: float
    right: float


def size_of(style: Any, /) -> float | None:
    """Return the width or height in points that a style gives to columns or rows."""
    for name, attribute in _SIZES.items():
        properties = style.find(name)
        if properties is not None:
            return points(properties.get(attribute))
    return None


def box_of(shape: Any, /) -> Box | None:
    """Return where a shape or a group of shapes lies, as far as the file says it."""
    found = list(_boxes(shape))
    if not found:
        return None
    return Box(min(b.left for b in found), min(b.top for b in found), max(b.right for b in found))


def _boxes(shape: Any) -> Iterator[Box]:
    for element in shape.iter():
        if not isinstance(element.tag, str) or not element.tag.startswith(DRAW):
            continue
        left, top = (points(element.get(f"{SVG}{n}") or element.get(f"{SVG}{n}1")) for n in "xy")
        moved = MOVED.search(element.get(f"{DRAW}transform", ""))
        if moved:
            left, top = points(moved[1]), points(moved[2])
        if left is not None and top is not None:
            yield Box(left, top, left + (points(element.get(f"{SVG}width")) or 0.0))


@dataclass(slots=True)
class Grid:
    """The sizes of columns and rows, run by run: how many, and how large each is in points."""

    _columns: list[tuple[int, float]] = field(default_factory=list)
    _rows: list[tuple[int, float]] = field(default_factory=list)

    def add_columns(self, count: int, width: float | None, /) -> None:
        """Add columns of one width."""
        self._columns.append((count, _WIDTH if width is None else width))

    def add_rows(self, count: int, height: float | None, /) -> None:
        """Add rows of one height."""
        self._rows.append((count, _HEIGHT if height is None else height))

    def cells(self, box: Box, /) -> tuple[int, int, int]:
        """Return the row and the column that a box begins in, and its last column, from 1."""
        columns = _Axis(self._columns, _WIDTH, MAX_COLUMNS)
        column = columns.at(box.left)
        row = _Axis(self._rows, _HEIGHT, MAX_ROWS).at(box.top)
        return row, column, max(column, columns.at(box.right))


class _Axis:
    """Finds the column or row at a distance from the edge of the sheet."""

    def __init__(self, runs: list[tuple[int, float]], usual: float, most: int) -> None:
        self._runs, self._usual, self._most = runs, usual, most
        self._ends = list(itertools.accumulate(count * size for count, size in runs))
        self._before = [0, *itertools.accumulate(count for count, _ in runs)]

    def at(self, distance: float) -> int:
        run = bisect.bisect_right(self._ends, distance)
        start = self._ends[run - 1] if run else 0.0
        size = self._runs[run][1] if run < len(self._runs) else self._usual
        inside = math.floor(max(distance - start, 0.0) / size) if size else 0
        return min(self._before[run] + inside + 1, self._most)
