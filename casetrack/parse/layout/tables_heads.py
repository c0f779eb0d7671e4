"""Names of columns that no lines tell: which column each word of a header stands over.

Names may begin at the left over numbers that end at the right, so that they stand nearer to the
column before. They are matched to the columns all at once, in order. A name in the middle of
several columns, at the left edge of the first of several that are named below it, or over a line
that goes over several, names all of them.
"""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING

from casetrack.parse.layout.tables_model import Cell, TableRow
from casetrack.parse.layout.tables_rules import NEAR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.parse.layout.tables_model import TextRow
    from casetrack.parse.layout.tables_rules import Stroke

Strip = tuple[float, float]
_Places = tuple[tuple[int, int], ...]

_CENTRED, _MIDDLE = 1.5, 0.75
"""A name stands in the middle of others if it is off by no more than this many letter heights."""

_TIGHT, _WIDE = 0.7, 0.1
_UNDER, _OFF, _ASIDE = 1.3, 0.1, 100.0
_EXACT, _ROOM = 0.3, 8.0
_NEVER = float("inf")


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
    *,
    flats: Sequence[Stroke] = (),
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
    flats
        Lines that are drawn along the text, from top to bottom.
    """
    rows: list[TableRow] = list(known)
    for line in reversed(lines):
        if len(line.cells) > len(columns):
            row = row_between(line, strips)
        else:
            places = _Matching(line, columns, rows, flats).places()
            pairs = zip(line.cells, places, strict=True)
            row = TableRow([Cell(a, b - a + 1, list(s.segments)) for s, (a, b) in pairs])
        rows.insert(0, row)
    return rows[: len(lines)]


class _Matching:
    """Matches the stretches of a line to columns, both in order; the least distance counts."""

    def __init__(
        self,
        line: TextRow,
        columns: Sequence[Strip],
        below: Sequence[TableRow],
        flats: Sequence[Stroke],
    ) -> None:
        self._line, self._stretches = line, line.cells
        self._size = line.size
        self._columns = list(columns)
        self._own = columns
        for cell in (cell for row in below for cell in row.cells if cell.span == 1):
            low, high = self._columns[cell.column]
            self._columns[cell.column] = min(low, cell.u0), max(high, cell.u1)
        self._below = below[0] if below else None
        self._tops = {
            column: min(s.v0 for s in cell.segments)
            for row in below[::-1]
            for cell in row.cells
            for column in cell.columns
        }
        self._lined = [self._over_line(s, flats) for s in self._stretches]

    def places(self) -> list[tuple[int, int]]:
        """Return the first and the last column of each stretch."""
        count, width = len(self._stretches), len(self._columns)
        if not any(self._lined) and self._are_in_room():
            return [(column, column) for column in range(width - count, width)]
        if not any(self._lined) and (tiling := self._tiling()):
            return tiling
        # best[b]: the least cost of the stretches so far, the last of which ends at column b,
        # and where each stands.
        best: list[tuple[float, _Places]] = [(0.0, ())]
        for i in range(count):
            found: list[tuple[float, _Places]] = []
            for last in range(width):
                options = [
                    (before + cost + self._skipped(places, first, last), (*places, (first, last)))
                    for first in range(last + 1)
                    if (cost := self._cost(i, first, last)) < _NEVER
                    for before, places in best
                    if not places or places[-1][1] < first
                ]
                if options:
                    found.append(min(options))
            best = found
        ends = [(cost + self._skipped(places, width, width), places) for cost, places in best]
        return list(min(ends)[1])

    def _tiling(self) -> list[tuple[int, int]]:
        """Return groups of columns side by side up to the last, a name in the middle of each."""
        count, width = len(self._stretches), len(self._columns)
        for start in range(1, width - 2 * count + 1) if count > 1 else ():
            places: list[tuple[int, int]] = []
            first = start
            for stretch in self._stretches:
                offs = [(self._off(stretch, first, b), b) for b in range(first + 1, width)]
                off, last = min(offs, default=(_NEVER, 0))
                if off > _MIDDLE * self._size:
                    break
                places.append((first, last))
                first = last + 1
            if len(places) == count and first == width:
                return places
        return []

    def _off(self, stretch: Cell, first: int, last: int) -> float:
        """Return how far a stretch is from the middle of some columns."""
        low, high = self._columns[first][0], self._columns[last][1]
        return abs((stretch.u0 + stretch.u1) - (low + high)) / 2

    def _skipped(self, places: _Places, first: int, last: int) -> float:
        """Return what it costs that columns beside a name over several have none."""
        if not places:
            return 0.0
        wide = last > first or places[-1][1] > places[-1][0]
        return (first - places[-1][1] - 1) * self._size if wide else 0.0

    def _cost(self, i: int, first: int, last: int) -> float:
        """Return how far a stretch is from standing over some columns."""
        lined = self._lined[i]
        if lined is not None:
            return 0.0 if lined == (first, last) else _ASIDE * self._size
        stretch = self._stretches[i]
        low, high = self._columns[first][0], self._columns[last][1]
        if first == last:
            wide = max((stretch.u1 - stretch.u0) - (high - low), 0.0) / 2
            near = min(_distance(stretch, self._own[first]), _distance(stretch, (low, high)))
            return near + wide + (0.0 if self._goes_on(first) else _CENTRED * self._size)
        if first == 0:
            return _NEVER
        off = self._off(stretch, first, last)
        if off <= max(_CENTRED * self._size, _OFF * (high - low)):
            return off + _WIDE * self._size
        at_edge = abs(stretch.u0 - low)
        if at_edge <= self._size and self._are_named(first, last):
            return at_edge + self._size
        return _NEVER

    def _goes_on(self, column: int) -> bool:
        """Tell whether a column has no name so far, or one that a line above may begin."""
        return self._line.v1 >= self._tops.get(column, -_NEVER) - _TIGHT * self._size

    def _are_named(self, first: int, last: int) -> bool:
        cells = self._below.cells if self._below else ()
        named = {column for cell in cells for column in cell.columns}
        return named.issuperset(range(first, last + 1))

    def _are_in_room(self) -> bool:
        """Tell names that stand between the ends of columns: over numbers set to the right."""
        columns = self._own
        skipped = len(columns) - len(self._stretches)
        rooms = zip(self._stretches, columns[skipped - 1 :], columns[skipped:], strict=False)
        return skipped > 0 and all(
            s.u0 > before[1] and s.u1 <= own[1] + 0.5 * self._size for s, before, own in rooms
        )

    def _over_line(self, stretch: Cell, flats: Sequence[Stroke]) -> tuple[int, int] | None:
        """Return the columns over which a line goes that is drawn under a name, and no other."""
        base = max(s.base for s in stretch.segments)
        first = bisect.bisect_left(flats, base - 1, key=_place)
        last = bisect.bisect_right(flats, base + _UNDER * self._size, key=_place)
        alone = len(self._stretches) == 1
        for at, low, high in _runs(flats[first:last], stretch, alone=alone):
            if sum(low <= (s.u0 + s.u1) / 2 <= high for s in self._stretches) > 1:
                continue
            over = [
                i
                for i, own in enumerate(self._own)
                if min(own[1], high) - max(own[0], low) >= 0.5 * (own[1] - own[0])
            ]
            tops = [self._tops.get(column, _NEVER) for column in over]
            if over and over[0] > 0 and at <= min(tops) + 1:
                return over[0], over[-1]
        return None


def _runs(
    flats: Sequence[Stroke], stretch: Cell, *, alone: bool
) -> list[tuple[float, float, float]]:
    """Return where lines under a name may begin and end: pieces of a line with little room between.

    Those come first that the name stands in the middle of, the longest of them before others: the
    lines of neighbours leave no more room than the pieces of one. Of the others the longest comes
    first where the name is alone on its line, else the shortest.
    """
    found: list[tuple[bool, float, float, float, float]] = []
    middle, size = (stretch.u0 + stretch.u1) / 2, stretch.segments[0].size
    for i, start in enumerate(flats):
        high = start.high
        for piece in flats[i:]:
            if piece.at != start.at or piece.low > high + _ROOM:
                break
            high = max(high, piece.high)
            if start.low - NEAR <= stretch.u0 and stretch.u1 <= high + NEAR:
                is_off = abs((start.low + high) / 2 - middle) > _EXACT * size
                wide = high - start.low
                rank = wide if is_off and not alone else -wide
                found.append((is_off, rank, start.at, start.low, high))
    return [(at, low, high) for _, _, at, low, high in sorted(found)]


def _place(stroke: Stroke) -> float:
    return stroke.at


def _distance(stretch: Cell, column: Strip) -> float:
    low, high = column
    middle = abs((stretch.u0 + stretch.u1) - (low + high)) / 2
    return min(abs(stretch.u0 - low), abs(stretch.u1 - high), middle)
