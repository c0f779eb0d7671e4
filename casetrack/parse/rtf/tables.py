"""Rows of RTF tables: columns from the cells' right edges, headers, one line per row."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from casetrack.parse.table_head import HeadRow, table_lines
from casetrack.parse.table_rows import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.parse.rtf.items import Block, Break

_NEAR = 15
"""Twips (1/1440 inch) by which edges of the same column may differ."""
_MAX_EDGES = 2000


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


def is_frame(rows: Sequence[TableRow], /) -> bool:
    """Tell whether a table has one column: a frame around text."""
    return all(len(row.cells) <= 1 for row in rows)


def row_lines(rows: Sequence[TableRow], /) -> Iterator[tuple[str, TableRow]]:
    """Yield the line of each row; rows under a header carry its words."""
    edges = _columns(rows)
    yield from zip(table_lines([_parse(row, edges) for row in rows]), rows, strict=True)


def _columns(rows: Sequence[TableRow]) -> list[int]:
    """Return the right edges of the table's columns."""
    edges = sorted({cell.right for row in rows for cell in row.shape.cells})
    kept: list[int] = []
    for edge in edges:
        if not kept or edge - kept[-1] > _NEAR:
            kept.append(edge)
    return kept


def _parse(row: TableRow, edges: list[int]) -> HeadRow:
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
            cells[-1] = Cell(last.text, last.column, after - last.column)
        elif text and not (shape is not None and shape.joins_above):
            cells.append(Cell(text, column, after - column))
            bold = bold and all(block.is_bold for block in blocks if not block.is_blank)
        column = after
    return HeadRow(tuple(cells), row.shape.is_header, bold and bool(cells))


def cell_text(blocks: Sequence[Block], /) -> str:
    """Return what a cell holds on one line."""
    return " ".join(" ".join(line for block in blocks for line in block.lines).split())
