"""Tables of a page: detected, checked, and written as one line per row.

The cells of a row are joined by ``" | "``; an empty cell between others is kept, so that cells
stay in the columns of the header.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from casetrack.base.groups import in_runs
from casetrack.base.provenance import Box, hull
from casetrack.extract.tables.header import find_head, label_columns, pair_texts, with_spans
from casetrack.extract.tables.model import Cell as TextCell
from casetrack.extract.tables.model import Row, head_names
from casetrack.parse.layout.lines import (
    TextLine,
    Vocabulary,
    is_right_to_left,
    join_line_ends,
    line_of,
    visual_lines,
)
from casetrack.parse.layout.tables_align import banded_tables, is_incomplete
from casetrack.parse.layout.tables_amounts import amount_tables, combined_tables, is_large_enough
from casetrack.parse.layout.tables_grid import ruled_tables
from casetrack.parse.layout.tables_heads import take_names_above
from casetrack.parse.layout.tables_judge import has_two_values, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from casetrack.parse.layout.segments import Segment
    from casetrack.parse.layout.tables_model import (
        Cell,
        ColumnCarry,
        Stroke,
        Strokes,
        Table,
        TableRow,
    )


def find_header(table: Table, /) -> None:
    """Find the header rows of a table whose lines do not show them, in place."""
    if table.header_rows:
        return
    rows = [_row_of(row, lambda cell: cell.text) for row in table.rows]
    head = find_head(rows, guess_from=2 if table.is_ruled else math.inf)
    if head.rows:
        table.title_rows, table.header_rows = head.titles, head.rows
        table.is_header_sure = bool(head.signs)


def header_names(table: Table, text: Callable[[Cell], str], /) -> list[str]:
    """Return the name of each column, with names of cells over several columns before it."""
    width = len(table.columns)
    count = table.header_rows - table.title_rows
    rows = [_row_of(row, text, width) for row in table.rows[table.title_rows :][: count + 1]]
    names = head_names(with_spans(rows)[:count], is_wrapped=True)
    return [names.get(column, "") for column in range(width)]


def _row_of(row: TableRow, text: Callable[[Cell], str], limit: float = math.inf) -> Row:
    """Return a row without positions, without cells that span *limit* columns or more."""
    cells = [
        TextCell(text(cell), cell.column, cell.span, cell.is_bold)
        for cell in row.cells
        if cell.span < limit
    ]
    return Row(tuple(cells), is_shaded=row.is_shaded)


_NEIGHBOURS = 4
_MIN_CELLS = 3


def flow_tables(
    strokes: Strokes | None, segments: Sequence[Segment], carry: ColumnCarry, /
) -> list[Table]:
    """Return the tables of a flow, detected by drawn lines or aligned amounts."""
    by_amounts = _with_names(amount_tables(segments), segments, strokes.under if strokes else ())
    by_amounts = [table for table in by_amounts if is_large_enough(table)]
    if strokes is None:
        return by_amounts
    ordered = sorted(segments, key=lambda s: s.base)
    is_after_grid = carry.table is not None and carry.table.is_ruled
    ruled = [
        table
        for table in map(_with_whole_rows, ruled_tables(strokes, segments))
        if (len(table.rows) > 1 or (is_after_grid and carry.continues(table)))
        and not is_incomplete(table, ordered)
    ]
    tables = combined_tables(ruled, by_amounts)
    taken = {id(s) for table in tables for s in table.sources}
    drawn = [table for table in tables if table.is_ruled]
    drawn += banded_tables(strokes, ordered, taken)
    free = [s for s in segments if id(s) not in taken]
    tables = [table for table in tables if not table.is_ruled]
    return sorted(tables + _with_names(drawn, free, strokes.under), key=lambda t: t.rows[0].v0)


def _with_names(
    tables: list[Table], segments: Sequence[Segment], flats: Sequence[Stroke]
) -> list[Table]:
    """Add header rows above the tables, as text or between lines, to the tables."""
    out: list[Table] = []
    taken = {id(s) for table in tables for s in table.sources}
    for table in sorted(tables, key=lambda t: t.rows[0].v0):
        find_header(table)
        if take_names_above(table, [s for s in segments if id(s) not in taken], flats=flats):
            taken.update(id(s) for s in table.sources)
        out.append(table)
    return out


def _with_whole_rows(table: Table) -> Table:
    """Join rows that cover each other, unless both have values: lines that divide few cells."""

    def joins(group: list[TableRow], row: TableRow) -> bool:
        covers = any(_contains(row_box(r), s) for r in group for s in row.segments)
        return covers and not has_two_values([*group, row])

    table.rows = [joined(group) for group in in_runs(table.rows, joins)]
    return table


def boxes_fit(table: Table, others: Sequence[Segment], /) -> bool:
    """Return whether the rectangle of each row covers only its words, none of *others*."""
    boxes = [row_box(row) for row in table.rows]
    whole = hull(boxes)
    near = [s for s in others if _contains(whole, s)]
    for i, box in enumerate(boxes):
        beside = table.rows[max(0, i - _NEIGHBOURS) : i] + table.rows[i + 1 : i + 1 + _NEIGHBOURS]
        if any(_contains(box, s) for s in (*(s for row in beside for s in row.segments), *near)):
            return False
    return True


def _contains(box: Box, segment: Segment) -> bool:
    """Return whether words of a segment are in a rectangle, by the middle of its line."""
    own = segment.box
    x, y = (own.x0 + own.x1) / 2, (own.y0 + own.y1) / 2
    wide, high = own.x1 - own.x0, own.y1 - own.y0
    # The shape of a short text does not show its direction: "9.9" can be higher than wide.
    if abs(wide - segment.u1 + segment.u0) <= abs(high - segment.u1 + segment.u0):
        return box.y0 <= y <= box.y1 and own.x0 < box.x1 and own.x1 > box.x0
    return box.x0 <= x <= box.x1 and own.y0 < box.y1 and own.y1 > box.y0


def row_box(row: TableRow, /) -> Box:
    """Return the rectangle around the text of a row, on the displayed page."""
    return hull([s.box for s in row.segments])


class TableText:
    """The text of a table: lines of cells first, rows after all words of the document are known."""

    def __init__(self, table: Table, region: int, /) -> None:
        self.table = table
        self._region = region
        self._lines = {
            id(cell): visual_lines(cell.segments, region)
            for row in table.rows
            for cell in row.cells
        }
        self.rows: list[TextLine] = []
        self.header: str | None = None
        self._labels = frozenset[int]()
        find_header(table)

    def add_words(self, words: Vocabulary, /) -> None:
        """Add the words of all cells to those of the document."""
        for lines in self._lines.values():
            for line in lines:
                words.add(line.text)

    def write(self, words: Vocabulary, /) -> None:
        """Join the lines of each cell, and the cells of each row."""
        for lines in self._lines.values():
            join_line_ends(lines, words)
        leftwards = is_right_to_left([s for row in self.table.rows for s in row.segments])
        names = header_names(self.table, self._text)
        if not self.table.header_rows:
            self._labels = label_columns([_row_of(row, self._text) for row in self.table.rows])
        self.rows = [self._row(row, leftwards=leftwards) for row in self.table.rows]
        if any(names):
            self.header = _side_by_side(names[::-1] if leftwards else names)

    def _text(self, cell: Cell) -> str:
        return " ".join(line.text for line in self._lines[id(cell)] if line.text)

    def _row(self, row: TableRow, *, leftwards: bool) -> TextLine:
        texts = [""] * len(self.table.columns)
        for cell in row.cells:
            texts[cell.column] = self._text(cell)
        if leftwards:
            texts.reverse()
        left, right = self.table.columns[0][0], self.table.columns[-1][1]
        line = line_of(sorted(row.segments, key=lambda s: -s.size), left, right, self._region)
        line.text = self._form_text(row) if self._labels else _side_by_side(texts)
        # Prevents that a line is joined with another one.
        line.cells = max(len(row.cells), _MIN_CELLS)
        return line

    def _form_text(self, row: TableRow) -> str:
        texts = [self._text(cell) for cell in row.cells]
        columns = [cell.column for cell in row.cells]
        return " ".join(" | ".join(pair_texts(texts, columns, self._labels)).split())


def _side_by_side(texts: Sequence[str]) -> str:
    """Join cells without the last empty ones."""
    last = max((i for i, text in enumerate(texts) if text), default=-1)
    return " ".join(" | ".join(texts[: last + 1]).split())
