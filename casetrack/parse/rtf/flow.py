"""Collects the paragraphs, rows and breaks of one stream of RTF text: a body, a note, a header."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING

from casetrack.extract.tables.header import table_lines
from casetrack.extract.tables.model import Cell, Row
from casetrack.parse.page_builder import hidden_mark

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.parse.base import ParagraphKind

# Items of a stream of RTF text: paragraphs, breaks, notes, running heads and feet.


@dataclass(slots=True)
class Block:
    """A paragraph with its lines; *is_bold* means all of its text."""

    lines: list[str]
    kind: ParagraphKind = "body"
    level: int | None = None
    is_bold: bool = False

    @property
    def is_blank(self) -> bool:
        """Whether it is empty."""
        return not any(line.strip() for line in self.lines)


@dataclass(slots=True)
class Break:
    """The end of a page, or of a section, which may not begin a page."""

    begins_page: bool = True


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote or endnote that the text before refers to."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Running:
    """A running head or foot for the following pages."""

    is_footer: bool
    lines: tuple[str, ...]


Item = Block | Break | Note | Running

PAGE = Break()


# Rows of RTF tables: columns from the cells' right edges, headers, one line per row.

_NEAR = 15
"""Maximum difference between edges of the same column, in twips (1/1440 inch)."""
_MAX_EDGES = 2000


@dataclass(slots=True)
class CellShape:
    """The right edge of a cell, in twips, and whether it is merged to its left or above."""

    right: int
    joins_left: bool = False
    joins_above: bool = False


@dataclass(slots=True)
class RowShape:
    r"""Properties of a row from ``\trowd``; flags of a cell accumulate until its ``\cellx``."""

    cells: list[CellShape] = field(default_factory=list)
    is_header: bool = False
    joins_left: bool = False
    joins_above: bool = False

    def close_cell(self, right: int, /) -> None:
        """Add the definition of one cell."""
        if len(self.cells) < _MAX_EDGES:
            self.cells.append(CellShape(right, self.joins_left, self.joins_above))
        self.joins_left = self.joins_above = False


@dataclass(slots=True)
class TableRow:
    """A finished row: its cells with paragraphs and nested rows, its shape, a break after it."""

    cells: list[list[Block | TableRow]]
    shape: RowShape
    break_after: Break | None = None

    @property
    def is_blank(self) -> bool:
        """Whether it is empty."""
        return all(content.is_blank for cell in self.cells for content in cell)


def is_frame(rows: Sequence[TableRow], /) -> bool:
    """Return whether a table has one column: a frame around text."""
    return all(len(row.cells) <= 1 for row in rows)


def row_lines(rows: Sequence[TableRow], /) -> Iterator[tuple[str, TableRow]]:
    """Yield the line of each row; rows under a header repeat its names."""
    edges = _columns(rows)
    yield from zip(table_lines([_parse(row, edges) for row in rows]), rows, strict=True)


def _columns(rows: Sequence[TableRow]) -> list[int]:
    edges = sorted({cell.right for row in rows for cell in row.shape.cells})
    kept: list[int] = []
    for edge in edges:
        if not kept or edge - kept[-1] > _NEAR:
            kept.append(edge)
    return kept


def _parse(row: TableRow, edges: list[int]) -> Row:
    cells: list[Cell] = []
    column = 1
    for i, content in enumerate(row.cells):
        blocks = [block for block in content if not isinstance(block, TableRow)]
        shape = row.shape.cells[i] if i < len(row.shape.cells) else None
        after = column + 1
        if shape is not None:
            after = max(after, bisect_right(edges, shape.right + _NEAR) + 1)
        text = cell_text(blocks)
        if shape is not None and shape.joins_left and cells and not text:
            last = cells[-1]
            cells[-1] = replace(last, span=after - last.column)
        elif text and not (shape is not None and shape.joins_above):
            bold = all(block.is_bold for block in blocks if not block.is_blank)
            cells.append(Cell(text, column, after - column, bold))
        column = after
    return Row(tuple(cells), row.shape.is_header)


def cell_text(blocks: Sequence[Block], /) -> str:
    """Return the content of a cell on one line."""
    return " ".join(" ".join(line for block in blocks for line in block.lines).split())


_MAX_TABLE_DEPTH = 20


@dataclass(slots=True)
class ParagraphState:
    """Properties of a paragraph, set by control words before its end."""

    kind: ParagraphKind = "body"
    level: int | None = None
    table_depth: int = 0
    begins_page: bool = False


@dataclass(slots=True)
class Flow:
    """One stream of text; *items* are its finished parts, in order."""

    items: list[Item] = field(default_factory=list)
    _lines: list[str] = field(default_factory=lambda: [""])
    _parts: list[str] = field(default_factory=list)
    _label: str = ""
    _bold: bool = True
    _after: list[Item] = field(default_factory=list)
    _hidden: list[tuple[str, str]] = field(default_factory=list)
    _shapes: dict[int, RowShape] = field(default_factory=dict)
    _cell: dict[int, list[Block | TableRow]] = field(default_factory=dict)
    _cells: dict[int, list[list[Block | TableRow]]] = field(default_factory=dict)
    _rows: list[TableRow] = field(default_factory=list)
    _waiting: Break | None = None

    # --- paragraphs ------------------------------------------------------------------------

    def text(self, text: str, /, *, is_bold: bool = False) -> None:
        """Add text to the current paragraph."""
        self._parts.append(text)
        self._bold = self._bold and (is_bold or not text.strip())

    def hide(self, kind: str, text: str, /) -> None:
        """Keep hidden text of the current paragraph, to follow it."""
        if self._hidden and self._hidden[-1][0] == kind:
            text = self._hidden.pop()[1] + text
        self._hidden.append((kind, text))

    def label(self, text: str, /) -> None:
        """Set the label of the current list item."""
        self._label = " ".join(text.split())

    def line(self) -> None:
        """Begin a line within the paragraph."""
        self._lines[-1] = "".join(self._parts)
        self._lines.append("")
        self._parts.clear()

    def after(self, items: list[Item], /) -> None:
        """Keep items that follow the current paragraph, such as a text box."""
        self._after += items

    def _close(self, state: ParagraphState) -> Block:
        self._lines[-1] = "".join(self._parts)
        self._after += [
            Block([hidden_mark(kind, words)], "quote")
            for kind, text in self._hidden
            if (words := " ".join(text.split()))
        ]
        self._hidden.clear()
        block = Block(self._lines, state.kind, state.level, self._bold)
        if self._label and not block.is_blank:
            block.lines[0] = f"{self._label} {block.lines[0].lstrip()}"
            if block.kind == "body":
                block.kind = "list"
        self._lines, self._label, self._bold = [""], "", True
        self._parts.clear()
        return block

    def paragraph(self, state: ParagraphState, /) -> None:
        """End the current paragraph."""
        depth = min(state.table_depth, _MAX_TABLE_DEPTH)
        if not depth and self._cells.get(1):
            depth = 1
        block = self._close(state)
        if depth:
            self._cell.setdefault(depth, []).append(block)
        else:
            if state.begins_page and (not self.items or self.items[-1] is not PAGE):
                self.page_break(state, is_in_text=False)
            if not block.is_blank:
                # A row without an end, such as that around a table inside a cell.
                self._end_rows()
                self._end_table()
                self.items.append(block)
        if self._after:
            self.items += self._after
            self._after = []

    def page_break(
        self, state: ParagraphState, /, mark: Break = PAGE, *, is_in_text: bool = True
    ) -> None:
        """End the page; a paragraph around the break continues after it."""
        if is_in_text and (self._parts or len(self._lines) > 1):
            label = self._label
            self.paragraph(state)
            if not label and state.kind != "heading":
                self._label = ""
        if self._cells.get(1):
            self._waiting = mark
        else:
            self._end_table()
            self.items.append(mark)

    # --- tables ----------------------------------------------------------------------------

    def row_shape(self, depth: int, /, *, is_new: bool = False) -> RowShape:
        """Return the definition of the current row."""
        if is_new or depth not in self._shapes:
            self._shapes[depth] = RowShape()
        return self._shapes[depth]

    def end_cell(self, depth: int, state: ParagraphState, /) -> None:
        """End a cell and its last paragraph."""
        depth = min(depth, _MAX_TABLE_DEPTH)
        blocks = self._cell.pop(depth, [])
        blocks.append(self._close(state))
        self._cells.setdefault(depth, []).append(blocks)

    def end_row(self, depth: int, /) -> None:
        """End a row of a table, or of a table inside a cell."""
        depth = min(depth, _MAX_TABLE_DEPTH)
        cells = self._cells.pop(depth, [])
        rest = self._cell.pop(depth, [])
        if any(not block.is_blank for block in rest):
            cells.append(rest)
        if not cells:
            return
        row = TableRow(cells, self._shapes.get(depth) or RowShape())
        if depth > 1:
            self._cell.setdefault(depth - 1, []).append(row)
        else:
            row.break_after, self._waiting = self._waiting, None
            self._rows.append(row)

    def _end_rows(self) -> None:
        """End all open rows, the innermost first: each belongs to a cell of the next."""
        for depth in range(max((*self._cells, *self._cell), default=0), 0, -1):
            self.end_row(depth)

    def _end_table(self) -> None:
        rows, self._rows = self._rows, []
        if rows:
            self.items += _table(rows)

    def finish(self) -> list[Item]:
        """End all open items, and return all items."""
        if self._parts or self._hidden or len(self._lines) > 1:
            self.paragraph(ParagraphState())
        self._end_rows()
        self._end_table()
        self.items += self._after
        self._after = []
        return self.items


def _table(rows: list[TableRow], is_nested: bool = False) -> list[Item]:
    """Return a table's rows as paragraphs; a table of one column is a frame around paragraphs."""
    items: list[Item] = []
    is_plain = is_frame(rows) and not is_nested
    lines = (("", row) for row in rows) if is_plain else row_lines(rows)
    for text, row in lines:
        if text:
            items.append(Block([text], "table"))
        for cell in row.cells:
            items += _inside(cell, with_paragraphs=is_plain)
        if row.break_after is not None:
            items.append(row.break_after)
    return items


def _inside(cell: list[Block | TableRow], *, with_paragraphs: bool) -> Iterator[Item]:
    """Yield the tables inside a cell, and its paragraphs unless a row contains their text."""
    for is_table, contents in groupby(cell, lambda content: isinstance(content, TableRow)):
        if is_table:
            yield from _table([c for c in contents if isinstance(c, TableRow)], is_nested=True)
        elif with_paragraphs:
            yield from (c for c in contents if isinstance(c, Block) and not c.is_blank)
