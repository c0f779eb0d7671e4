"""Column headers without ruling lines: assigns each part of a header line to its columns.

A left-aligned name above right-aligned numbers can be nearer to the previous column, so all
names of a line are matched at once, in order. A name spans several columns if it is centred over
them, is at the left edge of the first and they have names below, or has a line over them below it.
"""

from __future__ import annotations

import bisect
from itertools import pairwise
from typing import TYPE_CHECKING

from casetrack.base.groups import in_runs
from casetrack.extract.tables.model import is_caption, is_value
from casetrack.parse.layout.tables_model import NEAR, Cell, TableRow, TextRow, middle, text_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.parse.layout.segments import Segment
    from casetrack.parse.layout.tables_model import Stroke, Table

Strip = tuple[float, float]
_Places = tuple[tuple[int, int], ...]

_CENTRED, _MIDDLE = 1.5, 0.75
"""Maximum distance from the centre of several columns, in letter heights."""

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
    """Assign the lines of a header, from top to bottom, to *columns* of text in the rows below.

    *strips* are the gaps between columns, *known* header rows below, *flats* horizontal lines.
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
    """Matches the stretches of a line to columns in order, with the least total distance."""

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
        count, width = len(self._stretches), len(self._columns)
        if not any(self._lined) and self._are_in_gaps():
            return [(column, column) for column in range(width - count, width)]
        if not any(self._lined) and (tiling := self._tiling()):
            return tiling
        # best[b]: the least cost of the stretches so far, the last of which ends at column b, and
        # their columns.
        best: list[tuple[float, _Places]] = [(0.0, ())]
        for i in range(count):
            extended: list[tuple[float, _Places]] = []
            for last in range(width):
                options = [
                    (before + cost + self._skipped(places, first, last), (*places, (first, last)))
                    for first in range(last + 1)
                    if (cost := self._cost(i, first, last)) < _NEVER
                    for before, places in best
                    if not places or places[-1][1] < first
                ]
                if options:
                    extended.append(min(options))
            best = extended
        ends = [(cost + self._skipped(places, width, width), places) for cost, places in best]
        return list(min(ends)[1])

    def _tiling(self) -> list[tuple[int, int]]:
        """Return adjacent groups of columns up to the last, with a name centred over each."""
        width = len(self._columns)
        # The names of the first columns are on the line of those of the groups.
        firsts = zip(self._stretches, self._columns[1:], strict=False)
        singles = sum(stretch.u1 <= low for stretch, (low, _) in firsts)
        groups = self._stretches[singles:]
        latest = width - 2 * len(groups) if len(groups) > 1 else 0
        for start in range(max(singles, 1), latest + 1):
            places = [(column, column) for column in range(singles)]
            first = start
            for stretch in groups:
                offs = [(self._off(stretch, first, b), b) for b in range(first + 1, width)]
                off, last = min(offs, default=(_NEVER, 0))
                if off > _MIDDLE * self._size:
                    break
                places.append((first, last))
                first = last + 1
            if len(places) == singles + len(groups) and first == width:
                return places
        return []

    def _off(self, stretch: Cell, first: int, last: int) -> float:
        """Return the distance of a stretch from the centre of some columns."""
        low, high = self._columns[first][0], self._columns[last][1]
        return abs((stretch.u0 + stretch.u1) - (low + high)) / 2

    def _skipped(self, places: _Places, first: int, last: int) -> float:
        """Return the cost of unnamed columns next to a name that spans several."""
        if not places:
            return 0.0
        wide = last > first or places[-1][1] > places[-1][0]
        return (first - places[-1][1] - 1) * self._size if wide else 0.0

    def _cost(self, i: int, first: int, last: int) -> float:
        """Return the cost of a stretch as the name of some columns."""
        lined = self._lined[i]
        if lined is not None:
            return 0.0 if lined == (first, last) else _ASIDE * self._size
        stretch = self._stretches[i]
        low, high = self._columns[first][0], self._columns[last][1]
        if first == last:
            wide = max((stretch.u1 - stretch.u0) - (high - low), 0.0) / 2
            near = min(_distance(stretch, self._own[first]), _distance(stretch, (low, high)))
            return near + wide + (0.0 if self._may_continue(first) else _CENTRED * self._size)
        if first == 0:
            return _NEVER
        off = self._off(stretch, first, last)
        if off <= max(_CENTRED * self._size, _OFF * (high - low)):
            return off + _WIDE * self._size
        at_edge = abs(stretch.u0 - low)
        if at_edge <= self._size and self._are_named(first, last):
            return at_edge + self._size
        return _NEVER

    def _may_continue(self, column: int) -> bool:
        """Return whether a column has no name yet, or one whose first line may be this one."""
        return self._line.v1 >= self._tops.get(column, -_NEVER) - _TIGHT * self._size

    def _are_named(self, first: int, last: int) -> bool:
        cells = self._below.cells if self._below else ()
        named = {column for cell in cells for column in cell.columns}
        return named.issuperset(range(first, last + 1))

    def _are_in_gaps(self) -> bool:
        """Return whether all names are between column ends: left of right-aligned numbers."""
        columns = self._own
        skipped = len(columns) - len(self._stretches)
        rooms = zip(self._stretches, columns[skipped - 1 :], columns[skipped:], strict=False)
        return skipped > 0 and all(
            s.u0 > before[1] and s.u1 <= own[1] + 0.5 * self._size for s, before, own in rooms
        )

    def _over_line(self, stretch: Cell, flats: Sequence[Stroke]) -> tuple[int, int] | None:
        """Return the columns below a line that is drawn under this name only."""
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
    """Return possible ends of a line under a name: pieces of a line with small gaps, best first."""
    ranked: list[tuple[bool, float, float, float, float]] = []
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
                ranked.append((is_off, rank, start.at, start.low, high))
    return [(at, low, high) for _, _, at, low, high in sorted(ranked)]


def _place(stroke: Stroke) -> float:
    return stroke.at


def _distance(stretch: Cell, column: Strip) -> float:
    low, high = column
    middle = abs((stretch.u0 + stretch.u1) - (low + high)) / 2
    return min(abs(stretch.u0 - low), abs(stretch.u1 - high), middle)


# Names of columns above a table, outside of its detected area. Financial statements set them a line
# or two above the first row, without a rule, and often with the name of a section in between:
# ``2022 2021``, ``Assets``, ``Cash 5,583 4,839``.


_MAX_LINES, _MAX_HEAD, _MAX_SECTIONS = 12, 8, 3
_MAX_GAP, _MAX_LEVEL_GAP, _REST_GAP, _SAME_SIZE = 1.7, 2.5, 0.5, 1.35
_TIGHT_ABOVE, _LEVEL_SIZE, _LEVEL_GAP = 0.8, 1.1, 1.2
_NAME_CHARS, _LEVEL_CHARS = 60, 100
_SHORT_CHARS, _SECTION_CHARS = 12, 160
_PART_GAP, _OVERLAP, _MAX_WIDE = 0.3, 0.3, 2.0


def take_names_above(
    table: Table, segments: Sequence[Segment], /, *, flats: Sequence[Stroke] = ()
) -> bool:
    """Add the lines above a table that name its columns to it; return whether there are any.

    Names of sections and rows between them are added too. *flats* are the horizontal lines.
    """
    low, high = table.columns[0][0], table.columns[-1][1]
    first = table.rows[0]
    size = max(s.size for s in first.segments)
    top = first.v0 - 2.5 * _MAX_LINES * size
    nearby = [
        s
        for s in segments
        if top <= middle(s) < first.v0 and s.u1 > low - 2 * size and s.u0 < high + 2 * size
    ]
    lines = text_rows(nearby)
    strips = [(a[1], b[0]) for a, b in pairwise(table.columns)]
    heads: list[TextRow] = []
    between: list[TableRow] = []
    sections = 0
    known = table.rows[: table.header_rows]
    below: TableRow | TextRow = first
    for line in reversed(lines):
        if not _is_near(line, below, size, known) or len(heads) == _MAX_HEAD:
            break
        if is_caption(line.cells[0].text):
            break
        parted = TextRow(_split_names(line.cells, table.columns))
        placed = head_rows([parted], table.columns, strips, known, flats=flats)[0]
        names = names_columns(placed, table.columns, known)
        if names and (not known or _is_level(placed, known)):
            if between and not heads:
                _add_label_rest(placed, between)
            known.insert(0, placed)
            heads.insert(0, parted)
        elif heads and _begins_name(placed, known[0]):
            name = known[0].cells[0]
            known[0].cells[0] = Cell(0, name.span, [*placed.segments, *name.segments])
        elif heads or table.header_rows:
            break
        elif _fits(row := row_between(parted, strips)):
            between.insert(0, row)
        elif _is_section(line, table.columns) and sections < _MAX_SECTIONS:
            sections += 1
            between.insert(0, TableRow([Cell(0, 1, line.cells[0].segments)]))
        else:
            return False
        below = line
    if not any(cell.u1 > table.columns[1][0] for line in heads for cell in line.cells):
        return False
    named = _join_overlapping(known[: len(heads)])
    taken = [s for row in (*named, *between) for s in row.segments]
    table.rows[:0] = [*named, *between]
    table.sources += taken
    table.header_rows += len(named)
    table.is_header_sure = True
    return True


def _join_overlapping(rows: Sequence[TableRow]) -> list[TableRow]:
    """Join overlapping rows of names, set in lines of different heights."""
    out: list[TableRow] = []
    for row in rows:
        if out and row.v0 < out[-1].v1 - _OVERLAP * row.cells[0].segments[0].size:
            joined = _join_rows(out[-1], row)
            if joined is not None:
                out[-1] = joined
                continue
        out.append(row)
    return out


def _join_rows(above: TableRow, below: TableRow) -> TableRow | None:
    """Join two rows cell by cell, if their cells cover the same or different columns."""
    held = {c: cell for cell in above.cells for c in cell.columns}
    for cell in below.cells:
        over = {id(held[c]): held[c] for c in cell.columns if c in held}
        if any(other.columns != cell.columns for other in over.values()):
            return None
    cells = {cell.column: Cell(cell.column, cell.span, [*cell.segments]) for cell in above.cells}
    for cell in below.cells:
        if cell.column in cells:
            cells[cell.column].segments += cell.segments
        else:
            cells[cell.column] = cell
    return TableRow([cells[column] for column in sorted(cells)])


def _is_near(
    line: TextRow, below: TableRow | TextRow, size: float, known: Sequence[TableRow]
) -> bool:
    alike = max(line.size, size) <= _SAME_SIZE * min(line.size, size)
    return alike and below.v0 - line.v1 <= (_MAX_LEVEL_GAP if known else _MAX_GAP) * size


def _add_label_rest(named: TableRow, between: list[TableRow]) -> None:
    """Add the second line of the row label column's name to the row of names above it."""
    first, rest = named.cells[0], between[0].cells[0]
    size = first.segments[0].size
    tight = between[0].v0 - named.v1 <= _REST_GAP * size
    if first.column == 0 and len(between[0].cells) == 1 and tight and rest.text[:1].islower():
        first.segments += rest.segments
        del between[0]


def _is_level(row: TableRow, known: Sequence[TableRow]) -> bool:
    """Return whether a row extends the header: several names, a wide one, or one above another."""
    only = row.cells[0]
    if len(row.cells) > 1:
        return True
    if only.span == 1:
        return _continues_name(row, known)
    size, below = only.segments[0].size, known[0]
    same = size <= _LEVEL_SIZE * max(s.size for s in below.segments)
    return same and below.v0 - row.v1 <= _LEVEL_GAP * size


def _continues_name(row: TableRow, known: Sequence[TableRow]) -> bool:
    """Return whether a name is directly above the nearest name of the same column."""
    cell = row.cells[0]
    name = next((c for below in known for c in below.cells if c.column == cell.column), None)
    if name is None or name.span > 1:
        return False
    near = min(s.v0 for s in name.segments) - row.v1 <= _TIGHT_ABOVE * cell.segments[0].size
    overlap = min(name.u1, cell.u1) - max(name.u0, cell.u0)
    return near and overlap >= 0.5 * min(name.u1 - name.u0, cell.u1 - cell.u0)


def _begins_name(row: TableRow, below: TableRow) -> bool:
    """Return whether a row is the first line of the row label column's name."""
    only, first = row.cells[0], below.cells[0]
    return (
        len(row.cells) == 1
        and only.column == first.column == 0
        and only.span == 1
        and below.v0 - row.v1 <= _REST_GAP * only.segments[0].size
        and abs(only.u0 - first.u0) <= only.segments[0].size
        and len(only.text) <= _NAME_CHARS
        and not only.text.endswith((".", ":"))
    )


def _fits(row: TableRow) -> bool:
    """Return whether a row has values in the columns of the table, separated by a drawn line."""
    others = [cell for cell in row.cells if cell.column]
    if len(row.cells) < 2 or any(cell.span > 1 for cell in row.cells):
        return False
    return all(is_value(cell.text) for cell in others) and any(c.sort == "number" for c in others)


def _is_section(line: TextRow, columns: Sequence[Strip]) -> bool:
    """Return whether a line names the rows below it: short, only over the first column."""
    cell = line.cells[0]
    return (
        len(line.cells) == 1
        and len(cell.text) <= _SECTION_CHARS
        and cell.u0 >= columns[0][0] - 2 * line.size
        and cell.u1 < columns[1][0]
        and not cell.text.endswith(".")
    )


def _split_names(cells: Sequence[Cell], columns: Sequence[Strip]) -> list[Cell]:
    """Separate adjacent names above two columns of values."""

    def joins(group: list[Segment], b: Segment) -> bool:
        a = group[-1]
        return b.u0 - a.u1 < _PART_GAP * b.size or not any(
            min(b.u0, left) - max(a.u1, right) >= -b.size and a.u0 < left and b.u1 > right
            for (_, right), (left, _) in pairwise(columns)
        )

    ordered = (sorted(cell.segments, key=lambda s: s.u0) for cell in cells)
    return [Cell(0, 1, group) for segments in ordered for group in in_runs(segments, joins)]


def _ends_sentence(text: str) -> bool:
    return text.endswith(";") or (text.endswith(".") and len(text) > _SHORT_CHARS)


def names_columns(
    row: TableRow, columns: Sequence[Strip], known: Sequence[TableRow] = (), /
) -> bool:
    """Return whether a row names columns: short cells, not a single title."""
    low, high = columns[0][0], columns[-1][1]
    size = row.cells[0].segments[0].size
    # The number of a name may be below its word: ``Level``, ``2``; or above: ``1``, ``Grade``.
    tight = known and known[0].v0 - row.v1 <= _TIGHT_ABOVE * size
    held = {cell.column for cell in known[0].cells} if tight else set()
    values = sum(cell.sort == "number" and cell.column not in held for cell in row.cells)
    if 2 * values >= len(row.cells):
        return False
    for cell in row.cells:
        text = cell.text
        if len(text) > (_LEVEL_CHARS if cell.span > 1 else _NAME_CHARS) or _ends_sentence(text):
            return False
        if cell.u1 < low - 2 * size or cell.u0 > high + 2 * size:
            return False
        if cell.column == 0 and (cell.span > 1 or len(row.cells) == 1):
            return False
    only = row.cells[0]
    if len(row.cells) > 1 or abs((only.u0 + only.u1) - (low + high)) > 2 * size:
        return True
    if only.span == 1 and _continues_name(row, known):
        return only.u1 - only.u0 <= _MAX_WIDE * (columns[only.column][1] - columns[only.column][0])
    under = columns[only.column : only.column + only.span]
    off = abs((only.u0 + only.u1) - (under[0][0] + under[-1][1]))
    return only.span > 1 and off <= min(2 * size, abs((only.u0 + only.u1) - (low + high)))
