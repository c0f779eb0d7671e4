"""Tables whose cells are drawn: grids, with cells that span rows and columns."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from casetrack.base.provenance import Box
from casetrack.extract.tables.model import is_value
from casetrack.parse.layout.tables_model import (
    NEAR,
    Cell,
    Stroke,
    Strokes,
    Table,
    TableRow,
    clusters,
    middle,
    text_rows,
    with_symbols,
)

if TYPE_CHECKING:
    from casetrack.parse.layout.segments import Segment

# Drawn lines to grids: those that meet belong to one table, and cut it into rows and columns.

_MAX_CROSSINGS = 400_000
_MAX_CELLS = 6000
_OPEN_EDGE = 8.0
_MIN_DRAWN = 0.4


@dataclass(slots=True)
class Grid:
    """Lines of one table: the positions of its edges, and the lines drawn on them."""

    across: list[float]
    along: list[float]
    uprights: list[Stroke]
    flats: list[Stroke]
    shades: list[tuple[float, float, float, float]]

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.across) - 1

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(self.along) - 1

    def place(self, u: float, v: float) -> tuple[int, int] | None:
        """Return row and column at a point."""
        row, column = bisect.bisect(self.along, v) - 1, bisect.bisect(self.across, u) - 1
        if not (0 <= row < self.height and 0 <= column < self.width):
            return None
        return row, column

    def has_upright(self, row: int, edge: int) -> bool:
        """Return whether a vertical line is drawn at an edge of a row."""
        return covers(self.uprights, self.across[edge], (self.along[row] + self.along[row + 1]) / 2)

    def has_flat(self, edge: int, column: int) -> bool:
        """Return whether a horizontal line is drawn at an edge of a column."""
        return covers(
            self.flats, self.along[edge], (self.across[column] + self.across[column + 1]) / 2
        )


def covers(strokes: Sequence[Stroke], at: float, point: float, /) -> bool:
    """Return whether one of the sorted strokes is at *at* and passes *point*."""
    first = bisect.bisect_left(strokes, at - NEAR, key=lambda s: s.at)
    for i in range(first, len(strokes)):
        stroke = strokes[i]
        if stroke.at > at + NEAR:
            return False
        if stroke.low - 1 <= point <= stroke.high + 1:
            return True
    return False


def grids_of(strokes: Strokes, /) -> list[Grid]:
    """Return the grids of all lines, from top to bottom in each column of grids."""
    grids = [_grid(flats, uprights, strokes.areas) for flats, uprights in _connected(strokes)]
    known = [grid for grid in grids if grid is not None]
    return sorted(known, key=lambda g: (round(g.across[0]), g.along[0]))


def _connected(strokes: Strokes) -> list[tuple[list[Stroke], list[Stroke]]]:
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
    groups: dict[int, tuple[list[Stroke], list[Stroke]]] = {}
    for i in range(len(parent)):
        lines = groups.setdefault(root(i), ([], []))
        if i < len(flats):
            lines[0].append(flats[i])
        else:
            lines[1].append(uprights[i - len(flats)])
    return [lines for lines in groups.values() if len(lines[0]) + len(lines[1]) >= 3]


def _grid(
    flats: list[Stroke], uprights: list[Stroke], areas: Sequence[tuple[float, float, float, float]]
) -> Grid | None:
    across = clusters(s.at for s in uprights)
    along = clusters(s.at for s in flats)
    if not across or not along:
        return None
    # Open sides: lines extend beyond the last perpendicular line.
    left, right = min(s.low for s in flats), max(s.high for s in flats)
    top, bottom = min(s.low for s in uprights), max(s.high for s in uprights)
    across = _outer_edges(across, left, right)
    along = _outer_edges(along, top, bottom)
    if len(across) < 3 or len(along) < 2 or len(across) * len(along) > _MAX_CELLS:
        return None
    low, high = across[0] - NEAR, across[-1] + NEAR
    inside = [a for a in areas if a[0] >= low and a[2] <= high and along[0] < a[3]]
    return Grid(across, along, uprights, flats, [a for a in inside if a[1] < along[-1]])


def _outer_edges(edges: list[float], low: float, high: float) -> list[float]:
    start = [low] if low < edges[0] - _OPEN_EDGE else []
    end = [high] if high > edges[-1] + _OPEN_EDGE else []
    return [*start, *edges, *end]


def is_regular(grid: Grid, /) -> bool:
    """Return whether the lines form a table, not a drawing: most cells have lines on all sides."""
    rows, columns = range(grid.height), range(grid.width)
    uprights = [grid.has_upright(row, edge) for row in rows for edge in columns[1:]]
    flats = [grid.has_flat(edge, column) for edge in rows[1:] for column in columns]
    return sum(uprights) >= _MIN_DRAWN * len(uprights) and sum(flats) >= _MIN_DRAWN * len(flats)


_MAX_ROW_CHARS, _MAX_BESIDE = 3000, 750
_MIN_FILLED, _MIN_SEVERAL = 0.3, 0.3
_MAX_CROSSING = 0.04
_MAX_STRIP, _TRIM, _TIGHT = 6.0, 0.2, 0.9
_MIN_VALUES, _MOSTLY = 3, 0.6
_NARROW, _WIDE = frozenset("iljtfrI.,;:'|!()[] "), frozenset("mwMWQO@%&")


def ruled_tables(strokes: Strokes, segments: Sequence[Segment], /) -> list[Table]:
    """Return the tables whose cells are drawn by horizontal and vertical lines, even of one row."""
    tables = []
    # Grids may share the edge of a row: its text is in the first of them.
    taken: set[int] = set()
    ordered = sorted(segments, key=middle)
    for grid in grids_of(strokes):
        first = bisect.bisect_left(ordered, grid.along[0], key=middle)
        last = bisect.bisect_right(ordered, grid.along[-1], key=middle)
        table = _table(grid, [s for s in ordered[first:last] if id(s) not in taken])
        if table is not None:
            tables.append(table)
            taken.update(id(s) for s in table.sources)
    return tables


def _table(grid: Grid, segments: Sequence[Segment]) -> Table | None:
    """Fill a grid with text; ``None`` if its content is not rows of cells."""
    sources = [s for s in segments if grid.place((s.u0 + s.u1) / 2, middle(s)) is not None]
    held: dict[tuple[int, int], list[Segment]] = {}
    for source in sources:
        for s in _cut(source, grid):
            place = grid.place((s.u0 + s.u1) / 2, middle(s)) or (0, 0)
            is_tight = s.v1 - s.v0 > _TIGHT * (grid.along[place[0] + 1] - grid.along[place[0]])
            held.setdefault(place, []).append(_trimmed(s) if is_tight else s)
    if len(held) < 2 or _is_crossed(grid, sources, segments):
        return None
    rows = [row for band in _bands(grid, held) for row in _rows_of(band)]
    return _checked(grid, [row for row in rows if row.cells], sources)


def _is_crossed(grid: Grid, sources: Sequence[Segment], near: Sequence[Segment]) -> bool:
    """Return whether text crosses the left or right edge, as highlighted prose does."""
    left, right = grid.across[0], grid.across[-1]
    out = 0
    for s in near:
        if s.u1 > left and s.u0 < right:
            out += max(left - s.u0, s.u1 - right) > 0.5 * s.size
    return out > _MAX_CROSSING * len(sources)


def _checked(grid: Grid, rows: list[TableRow], sources: list[Segment]) -> Table | None:
    for row in rows:
        row.cells = with_symbols(row.cells)
    cells = [cell for row in rows for cell in row.cells]
    # Double lines, and shades inside of cells, leave strips that are too narrow for text.
    wide = {c for c in range(grid.width) if grid.across[c + 1] - grid.across[c] > _MAX_STRIP}
    wide.update(cell.column for cell in cells if wide.isdisjoint(cell.columns))
    used = sorted({min(wide.intersection(cell.columns)) for cell in cells})
    if not are_filled(rows, len(used)):
        return None
    if any(_holds_columns([c for c in cells if c.column == column]) for column in used):
        return None
    several = [row for row in rows if len(row.cells) > 1]
    filled = sum(cell.span for cell in cells) / (len(rows) * len(used))
    # Few lines are drawn: a picture, unless the text is in rows and columns.
    if not is_regular(grid) and (len(rows) < 5 or filled < 0.5 or len(several) < 0.8 * len(rows)):
        return None
    # Columns without any text are gaps between others.
    number = {column: i for i, column in enumerate(used)}
    for row in rows:
        for cell in row.cells:
            ends = [number[c] for c in range(cell.column, cell.column + cell.span) if c in number]
            cell.column, cell.span = ends[0], ends[-1] - ends[0] + 1
    starts = [grid.across[column] for column in used]
    columns = list(zip(starts, [*starts[1:], grid.across[-1]], strict=True))
    return Table(columns, rows, sources, is_ruled=True)


def _holds_columns(cells: Sequence[Cell]) -> bool:
    """Return whether the cells of a drawn column have several columns of values without lines."""
    parts = [text_rows(cell.segments)[0].cells[1:] for cell in cells if cell.segments]
    values = [part for part in parts if part and all(is_value(c.text) for c in part)]
    return len(values) >= _MIN_VALUES and len(values) >= _MOSTLY * len(parts)


def are_filled(rows: Sequence[TableRow], width: int, /) -> bool:
    """Return whether rows have the cells of a table, not text arranged in a grid."""
    several = sum(1 for row in rows if len(row.cells) > 1)
    if width < 2 or not several or several < _MIN_SEVERAL * len(rows):
        return False
    lengths = [sorted(sum(len(s.text) for s in c.segments) for c in row.cells) for row in rows]
    if any(sum(row[:-1]) > _MAX_BESIDE or sum(row) > _MAX_ROW_CHARS for row in lengths):
        return False
    return sum(c.span for row in rows for c in row.cells) >= _MIN_FILLED * len(rows) * width


def _cut(segment: Segment, grid: Grid) -> list[Segment]:
    """Split text that crosses a vertical line: two adjacent cells in one run."""
    v = middle(segment)
    first = bisect.bisect(grid.across, segment.u0 + 2)
    last = bisect.bisect_left(grid.across, segment.u1 - 2)
    parts = []
    rest = segment
    for edge in grid.across[first:last]:
        if rest.u0 + 2 < edge and covers(grid.uprights, edge, v):
            pair = _split_at(rest, edge)
            if pair is not None:
                parts.append(pair[0])
                rest = pair[1]
    return [*parts, rest]


def _split_at(s: Segment, edge: float) -> tuple[Segment, Segment] | None:
    """Split a segment at the blank nearest to an edge, by the usual widths of letters."""
    text = s.text
    widths = [0.5 if c in _NARROW else 1.5 if c in _WIDE else 1.0 for c in text]
    scale = (s.u1 - s.u0) / max(sum(widths), 0.1)
    at, best, nearest = s.u0, 0, 2.5 * s.size
    for i, char in enumerate(text):
        width = widths[i] * scale
        off = abs(at + width / 2 - edge)
        if char == " " and off < nearest and text[:i].strip() and text[i:].strip():
            best, nearest = i, off
        at += width
    if not best:
        return None
    return _part(s, text[:best], s.u0, edge), _part(s, text[best:].lstrip(), edge, s.u1)


def _part(s: Segment, text: str, u0: float, u1: float) -> Segment:
    low, high = (u0 - s.u0) / (s.u1 - s.u0), (u1 - s.u0) / (s.u1 - s.u0)
    box = s.box
    if box.x1 - box.x0 >= box.y1 - box.y0:
        wide = box.x1 - box.x0
        box = Box(box.x0 + low * wide, box.y0, box.x0 + high * wide, box.y1)
    return replace(s, text=text, u0=u0, u1=u1, box=box, is_placed=False)


def _bands(grid: Grid, held: dict[tuple[int, int], list[Segment]]) -> list[TableRow]:
    """Put text into cells, and cells into the rows of the grid, after labels of several rows."""
    bands = [TableRow([]) for _ in range(grid.height)]
    spanning: list[tuple[int, int, Cell]] = []
    rest = dict(sorted(held.items()))
    while rest:
        top, left, bottom, right = _area(grid, next(iter(rest)))
        around = ((r, c) for r in range(top, bottom + 1) for c in range(left, right + 1))
        segments = [s for place in around for s in rest.pop(place, ())]
        cell = Cell(left, right - left + 1, segments)
        if top == bottom:
            bands[top].cells += _unmerged(cell, grid)
        else:
            spanning.append((top, bottom, cell))
    labels = list[tuple[int, TableRow]]()
    for top, bottom, cell in sorted(spanning, key=lambda span: span[2].column):
        rows = [band.cells for band in bands[top : bottom + 1]]
        if not place_spanning(cell, rows, grid.along[top + 1 : bottom + 1], may_label=top > 0):
            labels.append((top, TableRow([cell])))
    for row, band in enumerate(bands):
        band.cells.sort(key=lambda c: c.column)
        band.is_shaded = _is_shaded(grid, row, band.cells)
    by_place = sorted([*labels, *enumerate(bands)], key=lambda item: item[0])
    return [band for _, band in by_place]


def _unmerged(cell: Cell, grid: Grid) -> list[Cell]:
    """Split a cell of a row without inner lines, as in tables that shade every other row."""
    lines = text_rows(cell.segments) if cell.span > 1 else []
    if len(lines) != 1 or len(lines[0].cells) < max(2, 0.5 * cell.span):
        return [cell]
    parts: dict[int, Cell] = {}
    for part in lines[0].cells:
        column = bisect.bisect(grid.across, (part.u0 + part.u1) / 2) - 1
        if column in parts or not cell.column <= column < cell.column + cell.span:
            return [cell]
        parts[column] = Cell(column, 1, part.segments)
    return list(parts.values())


def _area(grid: Grid, place: tuple[int, int]) -> tuple[int, int, int, int]:
    """Return the cell around a position, up to the next lines, if it is a rectangle."""
    row, column = place
    left = right = column
    while left > 0 and not grid.has_upright(row, left):
        left -= 1
    while right < grid.width - 1 and not grid.has_upright(row, right + 1):
        right += 1
    span = range(left, right + 1)
    inner = range(left + 1, right + 1)

    def extends_over(edge: int, row_next: int) -> bool:
        """Return whether the cell covers the adjacent row: no line is drawn on the edge."""
        if any(grid.has_flat(edge, c) for c in span) or any(
            grid.has_upright(row_next, e) for e in inner
        ):
            return False
        closed_left = left == 0 or grid.has_upright(row_next, left)
        return closed_left and (right == grid.width - 1 or grid.has_upright(row_next, right + 1))

    top = bottom = row
    while top > 0 and extends_over(top, top - 1):
        top -= 1
    while bottom < grid.height - 1 and extends_over(bottom + 1, bottom + 1):
        bottom += 1
    return top, left, bottom, right


def place_spanning(
    cell: Cell, rows: Sequence[list[Cell]], tops: Sequence[float], /, *, may_label: bool
) -> bool:
    """Put the text of a cell that spans rows into the first row where it covers no other text.

    Return ``False`` for a label left of rows that it can only follow: it needs a row above them.
    *tops* are the upper edges of the rows after the first. If there is none, its lines are divided.
    """
    top, bottom = min(s.v0 for s in cell.segments), max(s.v1 for s in cell.segments)
    for row in rows:
        others = [s for r in rows if r is not row for c in r for s in c.segments]
        own = [s for c in row for s in c.segments]
        low = min([top, *(s.v0 for s in own)])
        high = max([bottom, *(s.v1 for s in own)])
        if not any(low - 1 <= middle(s) <= high + 1 for s in others):
            row.append(cell)
            return True
        if may_label and all(len(r) > 1 and cell.column < min(c.column for c in r) for r in rows):
            return False
    for s in cell.segments:
        _add(rows[bisect.bisect(tops, middle(s))], cell, [s])
    return True


def _add(row: list[Cell], cell: Cell, segments: list[Segment]) -> None:
    """Add segments of a cell to a row, to the part that the row has."""
    for mate in row:
        if mate.column == cell.column:
            mate.segments += segments
            return
    row.append(Cell(cell.column, cell.span, segments))


def _trimmed(s: Segment) -> Segment:
    """Return a segment without the space above and below its letters, which overlaps close rows."""
    room, box = _TRIM * (s.v1 - s.v0), s.box
    if abs(box.y1 - box.y0 - s.v1 + s.v0) <= abs(box.x1 - box.x0 - s.v1 + s.v0):
        box = Box(box.x0, box.y0 + room, box.x1, box.y1 - room)
    else:
        box = Box(box.x0 + room, box.y0, box.x1 - room, box.y1)
    return replace(s, v0=s.v0 + room, v1=s.v1 - room, box=box)


def _is_shaded(grid: Grid, row: int, cells: Sequence[Cell]) -> bool:
    v = (grid.along[row] + grid.along[row + 1]) / 2
    middles = [(grid.across[c.column] + grid.across[c.column + c.span]) / 2 for c in cells]
    shaded = sum(any(a[0] <= u <= a[2] and a[1] <= v <= a[3] for a in grid.shades) for u in middles)
    return 2 * shaded > len(cells)


def _rows_of(band: TableRow) -> Iterable[TableRow]:
    """Split a band into rows if its cells have a value on each of several lines."""
    lines = {id(cell): text_rows(cell.segments) for cell in band.cells}
    of_values = (
        own for own in lines.values() if all(is_value(c.text) for line in own for c in line.cells)
    )
    starts = [line.base for line in max(of_values, key=len, default=())]
    if len(starts) < 2:
        return [band]
    rows = [TableRow([], band.is_shaded) for _ in starts]
    for cell in band.cells:
        for line in lines[id(cell)]:
            at = max(bisect.bisect(starts, line.base + 0.35 * line.size) - 1, 0)
            _add(rows[at].cells, cell, line.segments)
    return rows
