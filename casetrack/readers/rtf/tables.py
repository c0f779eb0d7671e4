"""Rows of RTF tables: columns from the cells' right edges, headers, one line per row."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from casetrack.readers.table_rows import Cell, header_names, row_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.readers.rtf.items import Block, Break

_NEAR = 15
"""Twips (1/1440 inch) by which edges of the same column may differ."""
_HEADER_CHARS = 60
_MAX_EDGES = 2000
_VALUE = re.compile(r"[-+(]?\s*[$\u20ac\u00a3\u00a5]?\s*\d[\d.,'\s]{0,40}(?:%|[A-Z]{3})?\)?$")


@dataclass(slots=True)
class CellShape:
    """Where a cell ends, in twips, and whether it goes on one to its left or above it."""

    right: int
    joins_left: bool = False
    joins_above: bool = False


@dataclass(slots=True)
class RowShape:
    r"""What ``\trowd`` says of a row; flags of the next cell collect until its ``\cellx``."""

    cells: list[CellShape] = field(default_factory=list)
    is_header: bool = False
    joins_left: bool = False
    joins_above: bool = False

    def close_cell(self, right: int, /) -> None:
        """Take the definition of one cell."""
        if len(self.cells) < _MAX_EDGES:
            self.cells.append(CellShape(right, self.joins_left, self.joins_above))
        self.joins_left = self.joins_above = False


@dataclass(slots=True)
class TableRow:
    """A finished row: what its cells hold, rows of tables inside them too; its shape; a page's end.

    Tables inside a cell stand among its paragraphs, each row by itself.
    """

    cells: list[list[Block | TableRow]]
    shape: RowShape
    break_after: Break | None = None

    @property
    def is_blank(self) -> bool:
        """Whether it shows nothing."""
        return all(content.is_blank for cell in self.cells for content in cell)


@dataclass(slots=True)
class _Parsed:
    cells: tuple[Cell, ...]
    is_header: bool
    is_bold: bool


def is_frame(rows: Sequence[TableRow], /) -> bool:
    """Tell whether a table has one column: a frame around text."""
    return all(len(row.cells) <= 1 for row in rows)


def row_lines(rows: Sequence[TableRow], /) -> Iterator[tuple[str, TableRow]]:
    """Yield the line of each row; rows under a header carry its words."""
    edges = _columns(rows)
    parsed = [_parse(row, edges) for row in rows]
    count = header_rows(parsed)
    names: dict[int, str] = {}
    for i, (source, row) in enumerate(zip(rows, parsed, strict=True)):
        yield row_text(row.cells, {} if i < count else names), source
        if i < count:
            names |= header_names(row.cells)


def _columns(rows: Sequence[TableRow]) -> list[int]:
    """Return the right edges of the table's columns."""
    edges = sorted({cell.right for row in rows for cell in row.shape.cells})
    kept: list[int] = []
    for edge in edges:
        if not kept or edge - kept[-1] > _NEAR:
            kept.append(edge)
    return kept


def _parse(row: TableRow, edges: list[int]) -> _Parsed:
    cells: list[Cell] = []
    column, bold = 1, True
    for i, content in enumerate(row.cells):
        blocks = [block for block in content if not isinstance(block, TableRow)]
        shape = row.shape.cells[i] if i < len(row.shape.cells) else None
        after = column + 1
        if shape is not None:
            after = max(after, bisect_right(edges, shape.right + _NEAR) + 1)
        text = cell_text(blocks)
        if shape is not None and shape.joins_left and cells and not text:
            last = cells[-1]
            cells[-1] = Cell(last.text, last.column, after - last.column, last.is_value)
        elif text and not (shape is not None and shape.joins_above):
            cells.append(Cell(text, column, after - column, bool(_VALUE.match(text))))
            bold = bold and all(block.is_bold for block in blocks if not block.is_blank)
        column = after
    return _Parsed(tuple(cells), row.shape.is_header, bold and bool(cells))


def cell_text(blocks: Sequence[Block], /) -> str:
    """Return what a cell holds on one line."""
    return " ".join(" ".join(line for block in blocks for line in block.lines).split())


def header_rows(rows: Sequence[_Parsed], /) -> int:
    """Return how many rows at the top are a header.

    Rows that the file marks are; else the first one where it holds short labels and something sets
    it apart: bold type, values below it, or three columns and more.
    """
    marked = 0
    while marked < len(rows) - 1 and rows[marked].is_header:
        marked += 1
    if marked or len(rows) < 2 or len(rows[0].cells) < 2:
        return marked
    first, below = rows[0], [row for row in rows[1:] if row.cells]
    labels = {cell.text for cell in first.cells}
    if len(labels) < len(first.cells) or not all(map(_is_label, first.cells)):
        return 0
    if 2 * sum(len(row.cells) >= 2 for row in below) < len(below) or not below:
        return 0
    names = header_names(first.cells)
    is_apart = (
        (first.is_bold and not all(row.is_bold for row in below))
        or any(cell.is_value and cell.column in names for row in below for cell in row.cells)
        or len(first.cells) >= 3
    )
    return int(is_apart)


def _is_label(cell: Cell) -> bool:
    return not (cell.is_value or len(cell.text) > _HEADER_CHARS or cell.text.endswith(":"))
