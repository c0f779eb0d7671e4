"""Drawn lines to grids: those that meet belong to one table, and cut it into rows and columns."""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.parse.layout.tables_model import middle
from casetrack.parse.layout.tables_rules import NEAR, Stroke, Strokes, clusters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.parse.layout.segments import Segment

_MAX_CROSSINGS = 400_000
_MAX_CELLS = 6000
_OPEN_EDGE = 8.0
_MAX_STRIPE = 1.6
_MIN_DRAWN = 0.4


@dataclass(slots=True)
class Grid:
    """Lines of one table: the places of its edges, and which of them are drawn where."""

    across: list[float]
    along: list[float]
    uprights: list[Stroke]
    flats: list[Stroke]
    shades: list[tuple[float, float, float, float]]

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.across) - 1

    @property
    def height(self) -> int:
        """How many rows there are."""
        return len(self.along) - 1

    def place(self, u: float, v: float) -> tuple[int, int] | None:
        """Return row and column at a point."""
        row, column = bisect.bisect(self.along, v) - 1, bisect.bisect(self.across, u) - 1
        if not (0 <= row < self.height and 0 <= column < self.width):
            return None
        return row, column

    def has_upright(self, row: int, edge: int) -> bool:
        """Tell whether an upright is drawn at an edge, beside a row."""
        return covers(self.uprights, self.across[edge], (self.along[row] + self.along[row + 1]) / 2)

    def has_flat(self, edge: int, column: int) -> bool:
        """Tell whether a line is drawn at an edge between rows, under a column."""
        return covers(
            self.flats, self.along[edge], (self.across[column] + self.across[column + 1]) / 2
        )


def covers(strokes: Sequence[Stroke], at: float, point: float, /) -> bool:
    """Tell whether one of the strokes, in order, stands at a place and goes past a point."""
    first = bisect.bisect_left(strokes, at - NEAR, key=lambda s: s.at)
    for i in range(first, len(strokes)):
        stroke = strokes[i]
        if stroke.at > at + NEAR:
            return False
        if stroke.low - 1 <= point <= stroke.high + 1:
            return True
    return False


def grids_of(strokes: Strokes, ordered: Sequence[Segment], /) -> list[Grid]:
    """Return the grids that lines along and across the text make.

    Parameters
    ----------
    ordered
        The text of the flow, by its middle, from top to bottom.
    """
    grids = [_grid(flats, uprights, strokes.areas) for flats, uprights in _connected(strokes)]
    return _striped([grid for grid in grids if grid is not None], ordered)


def _connected(strokes: Strokes) -> list[tuple[list[Stroke], list[Stroke]]]:
    """Gather the lines that meet: those of one table."""
    flats, uprights = strokes.along, strokes.across
    if not flats or not uprights or len(flats) * len(uprights) > _MAX_CROSSINGS:
        return []
    parent = list(range(len(flats) + len(uprights)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i, flat in enumerate(flats):
        first = bisect.bisect_left(uprights, flat.low - NEAR, key=lambda s: s.at)
        for j in range(first, len(uprights)):
            upright = uprights[j]
            if upright.at > flat.high + NEAR:
                break
            if upright.low - NEAR <= flat.at <= upright.high + NEAR:
                parent[root(len(flats) + j)] = root(i)
    found: dict[int, tuple[list[Stroke], list[Stroke]]] = {}
    for i in range(len(parent)):
        lines = found.setdefault(root(i), ([], []))
        if i < len(flats):
            lines[0].append(flats[i])
        else:
            lines[1].append(uprights[i - len(flats)])
    return [lines for lines in found.values() if len(lines[0]) + len(lines[1]) >= 3]


def _grid(
    flats: list[Stroke], uprights: list[Stroke], areas: Sequence[tuple[float, float, float, float]]
) -> Grid | None:
    across = clusters(s.at for s in uprights)
    along = clusters(s.at for s in flats)
    if not across or not along:
        return None
    # Sides that are left open: lines run on beyond the last line across them.
    left, right = min(s.low for s in flats), max(s.high for s in flats)
    top, bottom = min(s.low for s in uprights), max(s.high for s in uprights)
    across = _opened(across, left, right)
    along = _opened(along, top, bottom)
    if len(across) < 3 or len(along) < 2 or len(across) * len(along) > _MAX_CELLS:
        return None
    inside = [
        a
        for a in areas
        if a[0] >= across[0] - NEAR and a[2] <= across[-1] + NEAR and a[1] < along[-1]
    ]
    return Grid(across, along, uprights, flats, [a for a in inside if a[3] > along[0]])


def _striped(grids: list[Grid], ordered: Sequence[Segment]) -> list[Grid]:
    """Join grids of like columns with room for a row between them: every other row is shaded."""
    out: list[Grid] = []
    striped: dict[int, Grid] = {}
    for grid in sorted(grids, key=lambda g: (round(g.across[0]), g.along[0])):
        if out and _is_stripe(out[-1], grid):
            last = out[-1]
            between = [Stroke(edge, last.along[-1], grid.along[0]) for edge in last.across]
            last.uprights = sorted(last.uprights + grid.uprights + between, key=lambda s: s.at)
            last.flats = sorted(last.flats + grid.flats, key=lambda s: s.at)
            last.along += grid.along
            last.shades += grid.shades
            striped[id(last)] = last
        else:
            out.append(grid)
    for grid in striped.values():
        _with_outer_rows(grid, ordered)
    return out


def _is_stripe(above: Grid, below: Grid) -> bool:
    if len(above.across) != len(below.across) or not above.shades or not below.shades:
        return False
    if any(abs(a - b) > NEAR for a, b in zip(above.across, below.across, strict=True)):
        return False
    gap = below.along[0] - above.along[-1]
    return 0 < gap <= _MAX_STRIPE * (above.along[-1] - above.along[-2])


def _with_outer_rows(grid: Grid, ordered: Sequence[Segment]) -> None:
    """Add the rows without a shade above the first stripe and below the last."""
    edges = grid.across
    for is_top in (True, False):
        first, last = (grid.along[0], grid.along[1]) if is_top else grid.along[-2:]
        high = last - first
        top, bottom = (first - high, first) if is_top else (last, last + high)
        low = bisect.bisect_left(ordered, top, key=middle)
        inside = ordered[low : bisect.bisect_right(ordered, bottom, key=middle)]
        cells = {bisect.bisect(edges, (s.u0 + s.u1) / 2) for s in inside}
        crossing = any(s.u0 < e - 2 and s.u1 > e + 2 for s in inside for e in edges)
        if len(cells) < 2 or crossing or not cells <= set(range(1, len(edges))):
            continue
        grid.along = [top, *grid.along] if is_top else [*grid.along, bottom]
        grid.uprights += [Stroke(edge, top, bottom) for edge in edges]
    grid.uprights.sort(key=lambda s: s.at)


def _opened(edges: list[float], low: float, high: float) -> list[float]:
    start = [low] if low < edges[0] - _OPEN_EDGE else []
    end = [high] if high > edges[-1] + _OPEN_EDGE else []
    return [*start, *edges, *end]


def is_regular(grid: Grid, /) -> bool:
    """Tell the lines of a table from those of a drawing: most cells have lines on all sides."""
    rows, columns = range(grid.height), range(grid.width)
    uprights = [grid.has_upright(row, edge) for row in rows for edge in columns[1:]]
    flats = [grid.has_flat(edge, column) for edge in rows[1:] for column in columns]
    return sum(uprights) >= _MIN_DRAWN * len(uprights) and sum(flats) >= _MIN_DRAWN * len(flats)
