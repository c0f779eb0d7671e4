"""Tables detected by their amounts: rows with a label and aligned values.

In financial statements, lines and shades separate groups of rows or mark totals, often not rows
or columns. But values of a column are always below one another, at most one per row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.extract.tables.model import is_value, sort_of
from casetrack.parse.layout.tables_judge import is_tabular, joined_rows
from casetrack.parse.layout.tables_model import Cell, Table, TableRow, TextRow, is_symbol, text_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from casetrack.parse.layout.segments import Segment

Strip = tuple[float, float]

_MIN_VALUES, _MIN_ROWS = 4, 2
_MAX_GAP, _MAX_SINGLES = 3.0, 3
_SAME_SIZE = 1.35
_NEAR_COLUMN = 1.0
_MIN_VALUE_SHARE = 0.7
_SECTION_CHARS = 70
_LONG, _MIN_BEGUN = 30, 0.3
_DIGIT = 0.6


def amount_tables(segments: Sequence[Segment], /) -> list[Table]:
    """Return the tables of a flow detected by amounts, from top to bottom, without a header."""
    if sum(is_value(s.text) for s in segments) < _MIN_VALUES:
        return []
    lines = [_Line(row) for row in text_rows(segments)]
    runs: list[_Run] = []
    run: _Run | None = None
    for at, line in enumerate(lines):
        if run is not None and run.takes(line, at):
            continue
        run = _Run(line, at) if line.items else None
        if run is not None:
            runs.append(run)
    tables = (_table(run, lines) for run in runs)
    return [table for table in tables if table is not None]


def is_large_enough(table: Table, /) -> bool:
    """Return whether a table has enough rows, or names of its columns."""
    return table.header_rows > 0 or len(table.rows) > _MIN_ROWS


class _Item:
    """An amount or other item of a column, with its horizontal extent."""

    __slots__ = ("cell", "high", "is_value", "low")

    def __init__(self, cell: Cell) -> None:
        self.cell = cell
        self.low, self.high = _start(cell), cell.u1
        self.is_value = is_value(cell.text)


class _Line:
    """A line of a flow: the name of its row, and the items to the right."""

    __slots__ = ("items", "names", "row")

    def __init__(self, row: TextRow) -> None:
        cells = _items(row.cells)
        self.row = row
        self.items = [_Item(cell) for cell in cells]
        self.names = row.cells[: len(row.cells) - len(cells)]


def _items(cells: Sequence[Cell]) -> Sequence[Cell]:
    """Return the cells to the right of a row's name; none if the line has no amount."""
    first = cells[0].text
    has_name = len(cells) > 1 and sort_of(first) != "number"
    items = cells[1:] if has_name else cells
    texts = [cell.text for cell in items]
    values = sum(sort_of(text) == "number" for text in texts)
    words = sum(sum(map(str.isalpha, text)) > 2 for text in texts)
    # Names of columns may contain a number, such as a year or a level.
    if words:
        values -= sum(len(text) == 1 for text in texts)
    if not values or values < words:
        return []
    return items


def _start(cell: Cell) -> float:
    """Return the start of a cell without its currency sign, before which there is almost no gap."""
    sign, blank, amount = cell.text.partition(" ")
    if len(cell.segments) > 1 or not blank or not is_symbol(sign):
        return cell.start
    return max(cell.u0, cell.u1 - _DIGIT * cell.segments[0].size * len(amount))


class _Column:
    """A growing column: its extent, and its rows."""

    __slots__ = ("high", "low", "rows", "start", "values")

    def __init__(self, item: _Item, row: int) -> None:
        self.low, self.high, self.start = item.low, item.high, item.cell.u0
        self.rows = {row}
        self.values = int(item.is_value)

    def join(self, other: _Column) -> None:
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        self.start = min(self.start, other.start)
        self.rows |= other.rows
        self.values += other.values


class _Run:
    """Consecutive rows with items in the same columns."""

    def __init__(self, line: _Line, at: int) -> None:
        self.start, self.end = at, at + 1
        self.columns = [_Column(item, at) for item in line.items]
        self._below = line.row
        self._singles = 0

    def takes(self, line: _Line, at: int) -> bool:
        """Add a line that continues the run, a row or a section; return whether it does."""
        above, row = self._below, line.row
        size = max(above.size, row.size)
        if row.v0 - above.v1 > _MAX_GAP * size or size > _SAME_SIZE * min(above.size, row.size):
            return False
        if not line.items:
            cell = row.cells[0]
            inside = cell.u1 <= self.columns[0].start or len(cell.text) <= _SECTION_CHARS
            if len(row.cells) > 1 or not inside or self._singles == _MAX_SINGLES:
                return False
            self._singles += 1
        else:
            places = self._places(line)
            if places is None:
                return False
            self._place(line, places, at)
            self._singles = 0
            self.end = at + 1
        self._below = row
        return True

    def _places(self, line: _Line) -> list[list[_Column]] | None:
        """Return the columns of each item of a line; ``None`` if the line does not fit."""
        places: list[list[_Column]] = []
        for item in line.items:
            over = [c for c in self.columns if item.low < c.high and item.high > c.low]
            if len(over) > 1 and sum(len(c.rows) for c in over) > len(
                {row for c in over for row in c.rows}
            ):
                return None
            if places and over and places[-1] and over[0] is places[-1][-1]:
                return None
            places.append(over)
        return places

    def _place(self, line: _Line, places: list[list[_Column]], at: int) -> None:
        for item, over in zip(line.items, places, strict=True):
            new = _Column(item, at)
            for column in over:
                new.join(column)
                self.columns.remove(column)
            self.columns.append(new)
        self.columns.sort(key=lambda c: c.low)


def _merged(columns: Iterable[_Column], size: float) -> list[_Column]:
    """Join columns that are very close, if no row has both."""
    out: list[_Column] = []
    for column in columns:
        near = out and column.low - out[-1].high < _NEAR_COLUMN * size
        if near and not out[-1].rows & column.rows:
            out[-1].join(column)
        else:
            out.append(column)
    return out


def _table(run: _Run, lines: Sequence[_Line]) -> Table | None:
    body = lines[run.start : run.end]
    rows = [line for line in body if line.items]
    columns = _merged(run.columns, body[0].row.size)
    if len(rows) < _MIN_ROWS or not _are_amounts(columns):
        return None
    names = [line.names[0] for line in rows if line.names]
    if 2 * len(names) < len(rows) or _is_prose(names):
        return None
    if len(columns) > 1 and 2 * sum(name.u1 > columns[0].low for name in names) >= len(names):
        del columns[0]  # Labels such as "25-34" are below other labels.
    placed = [_placed(line, columns) for line in body]
    if not is_tabular(placed, len(columns) + 1, is_banded=True):
        return None
    left = min(c.u0 for c in names)
    right = columns[0].start
    extents = [(left, max((c.u1 for c in names if c.u1 < right), default=right))]
    for column in columns:
        extents.append((max(column.start, extents[-1][1]), column.high))
    return Table(extents, joined_rows(placed), [s for row in placed for s in row.segments])


def _placed(line: _Line, columns: Sequence[_Column]) -> TableRow:
    """Put the name of a row or section into the first column, and its items into theirs."""
    names = line.names
    cells = [Cell(0, 1, [s for name in names for s in name.segments])] if names else []
    for item in line.items:
        outside = [max(c.low - item.high, item.low - c.high) for c in columns]
        is_label = not cells and item.high < columns[0].low
        column = 0 if is_label else outside.index(min(outside)) + 1
        if cells and cells[-1].column == column:
            cells[-1].segments += item.cell.segments
        else:
            cells.append(Cell(column, 1, list(item.cell.segments)))
    return TableRow(cells)


def _are_amounts(columns: Sequence[_Column]) -> bool:
    values = sum(c.values for c in columns)
    return values >= _MIN_VALUE_SHARE * sum(len(c.rows) for c in columns)


def _is_prose(names: Sequence[Cell]) -> bool:
    """Return whether the names are lines of prose next to amounts of another page column."""
    long = [cell for cell in names if len(cell.text) >= _LONG and "..." not in cell.text]
    begun = sum(cell.text[:1].islower() for cell in long)
    return 2 * len(long) >= len(names) and begun >= _MIN_BEGUN * len(long)


def combined_tables(drawn: Sequence[Table], by_amounts: Sequence[Table], /) -> list[Table]:
    """Combine tables detected by lines and by amounts; a ruled one needs all rows and columns."""
    out = list(drawn)
    for table in by_amounts:
        held = {id(s) for s in table.sources}
        meeting = [d for d in out if held & {id(s) for s in d.sources}]
        if len(meeting) == 1 and _agrees(meeting[0], table):
            continue
        out = [d for d in out if d not in meeting]
        out.append(table)
    return sorted(out, key=lambda t: t.rows[0].v0)


def _agrees(drawn: Table, by_amounts: Table) -> bool:
    """Return whether each column of amounts is one ruled column, and all rows are included."""
    cells = [cell for row in drawn.rows for cell in row.cells]
    place = {(s.u0, s.base): cell.column for cell in cells for s in cell.segments}
    columns_of: dict[int, set[int]] = {}
    for row in by_amounts.rows[by_amounts.header_rows :]:
        for cell in row.cells:
            if cell.column == 0 or not is_value(cell.text):
                continue
            columns = {place.get((s.u0, s.base), -1) for s in cell.segments}
            columns_of.setdefault(cell.column, set()).add(max(columns))
    places = [column for columns in columns_of.values() for column in columns]
    return -1 not in places and len(places) == len(columns_of) == len(set(places))
