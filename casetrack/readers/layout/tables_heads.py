"""Names of columns that no lines tell: which column each word of a header stands over.

Names may begin at the left over numbers that end at the right, so that they stand nearer to the
column before. They are matched to the columns all at once, in order. A name in the middle of
several others, or at the left edge of the first of them, names all their columns.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.readers.layout.tables_model import Cell, TableRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.readers.layout.tables_model import TextRow

Strip = tuple[float, float]

_CENTRED = 1.5
"""A name stands in the middle of others if it is off by no more than this many letter heights."""


def row_between(line: TextRow, strips: Sequence[Strip], /) -> TableRow:
    """Put the stretches of a line into the columns between white strips."""
    middles = [(low + high) / 2 for low, high in strips]
    cells: list[Cell] = []
    for stretch in line.cells:
        first = bisect.bisect(middles, stretch.start + 1)
        last = max(first, bisect.bisect(middles, stretch.u1 - 1))
        if cells and first < cells[-1].column + cells[-1].span:
            cell = cells[-1]
            cell.segments += stretch.segments
            cell.span = max(cell.span, last - cell.column + 1)
        else:
            cells.append(Cell(first, last - first + 1, list(stretch.segments)))
    return TableRow(cells)


def head_rows(
    lines: Sequence[TextRow],
    columns: Sequence[Strip],
    strips: Sequence[Strip],
    known: Sequence[TableRow] = (),
    /,
) -> list[TableRow]:
    """Put the lines of a header into columns.

    Parameters
    ----------
    lines
        From top to bottom.
    columns
        From where to where the text of each goes in the rows below.
    strips
        The white room between the columns.
    known
        Rows of the header that stand below these lines already.
    """
    rows: list[TableRow] = list(known)
    for line in reversed(lines):
        several = len(line.cells) > len(columns)
        row = row_between(line, strips) if several else _placed(line, columns, rows)
        rows.insert(0, row)
    return rows[: len(lines)]


def _placed(line: TextRow, columns: Sequence[Strip], below: Sequence[TableRow]) -> TableRow:
    stretches = line.cells
    if below and len(stretches) < len(below[0].cells):
        groups = _groups(stretches, below[0], columns)
        if groups is not None:
            return TableRow(groups)
    cells: list[Cell] = []
    for stretch, (first, last) in zip(stretches, _matched(stretches, columns), strict=True):
        cells.append(Cell(first, last - first + 1, list(stretch.segments)))
    return TableRow(cells)


@dataclass(slots=True)
class _Place:
    """A name below, and the room that it takes with the values under it."""

    cell: Cell
    low: float
    high: float


def _groups(
    stretches: Sequence[Cell], below: TableRow, columns: Sequence[Strip]
) -> list[Cell] | None:
    """Return cells over those below, where each stands in the middle of several, or over one."""
    places = []
    for cell in below.cells:
        under = columns[cell.column : cell.column + cell.span]
        low = min(cell.u0, *(c[0] for c in under))
        places.append(_Place(cell, low, max(cell.u1, *(c[1] for c in under))))
    found: list[list[_Place]] = [[] for _ in stretches]
    for place in places:
        distances = [abs((place.low + place.high) - (s.u0 + s.u1)) for s in stretches]
        found[distances.index(min(distances))].append(place)
    cells: list[Cell] = []
    for stretch, near in zip(stretches, found, strict=True):
        group = _trimmed(stretch, near)
        if not group or (cells and group != near):
            # Between two groups no name may stand alone.
            return None
        first, last = group[0].cell, group[-1].cell
        span = last.column + last.span - first.column
        cells.append(Cell(first.column, span, list(stretch.segments)))
    return cells if any(cell.span > 1 for cell in cells) else None


def _trimmed(stretch: Cell, places: list[_Place]) -> list[_Place]:
    """Leave out names at the left that a group does not stand over, such as that of the rows."""
    size = stretch.segments[0].size
    for first in range(len(places)):
        low, high = places[first].low, places[-1].high
        off = abs((stretch.u0 + stretch.u1) - (low + high)) / 2
        if off <= max(_CENTRED * size, 0.1 * (high - low)) or abs(stretch.u0 - low) <= size:
            return places[first:]
    return []


def _matched(stretches: Sequence[Cell], columns: Sequence[Strip]) -> list[tuple[int, int]]:
    """Match stretches to columns, both in order, each column once; the least distance counts."""
    over = [_over(stretch, columns) for stretch in stretches]
    if any(last > first for first, last in over):
        return _without_overlap(over, len(columns))
    count, width = len(stretches), len(columns)
    skipped = width - count
    rooms = zip(stretches, columns[skipped - 1 :], columns[skipped:], strict=False)
    if skipped and all(_is_in_room(s, before, own) for s, before, own in rooms):
        return [(column, column) for column in range(skipped, width)]
    costs = [[0.0] * (width + 1)] + [[float("inf")] * (width + 1) for _ in range(count)]
    for i in range(1, count + 1):
        for j in range(i, width + 1):
            taken = costs[i - 1][j - 1] + _distance(stretches[i - 1], columns[j - 1])
            costs[i][j] = min(taken, costs[i][j - 1])
    places = []
    j = width
    for i in range(count, 0, -1):
        while j > i and costs[i][j] == costs[i][j - 1]:
            j -= 1
        places.append((j - 1, j - 1))
        j -= 1
    return places[::-1]


def _is_in_room(stretch: Cell, before: Strip, own: Strip) -> bool:
    """Tell a name that stands between the ends of two columns: over numbers set to the right."""
    size = stretch.segments[0].size
    return stretch.u0 > before[1] and stretch.u1 <= own[1] + 0.5 * size


def _over(stretch: Cell, columns: Sequence[Strip]) -> tuple[int, int]:
    """Return the columns that a stretch stands over, or the one that is nearest to it."""
    over = [i for i, (low, high) in enumerate(columns) if stretch.u0 < high and stretch.u1 > low]
    if not over:
        nearest = min(range(len(columns)), key=lambda i: _distance(stretch, columns[i]))
        return nearest, nearest
    return over[0], over[-1]


def _distance(stretch: Cell, column: Strip) -> float:
    low, high = column
    middle = abs((stretch.u0 + stretch.u1) - (low + high)) / 2
    return min(abs(stretch.u0 - low), abs(stretch.u1 - high), middle)


def _without_overlap(places: list[tuple[int, int]], width: int) -> list[tuple[int, int]]:
    """Give each column to one stretch only, the first that stands over it."""
    out: list[tuple[int, int]] = []
    free = 0
    for number, (low, high) in enumerate(places):
        end = width - len(places) + number
        first = min(max(low, free), end)
        last = min(max(first, high), end)
        out.append((first, last))
        free = last + 1
    return out
