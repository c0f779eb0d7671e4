"""Collects the paragraphs, rows and breaks of one stream of RTF text: a body, a note, a header."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from casetrack.readers.rtf.items import PAGE, Block, Break, Item
from casetrack.readers.rtf.tables import RowShape, TableRow, is_frame, row_lines

if TYPE_CHECKING:
    from casetrack.readers.base import ParagraphKind

_MAX_TABLE_DEPTH = 20


@dataclass(slots=True)
class ParagraphState:
    """What the words before a paragraph's end say of it."""

    kind: ParagraphKind = "body"
    level: int | None = None
    table_depth: int = 0
    begins_page: bool = False


@dataclass(slots=True)
class Flow:
    """One stream of text.

    Attributes
    ----------
    items
        What is finished, in order.
    """

    items: list[Item] = field(default_factory=list)
    _lines: list[str] = field(default_factory=lambda: [""])
    _parts: list[str] = field(default_factory=list)
    _label: str = ""
    _bold: bool = True
    _after: list[Item] = field(default_factory=list)
    _shapes: dict[int, RowShape] = field(default_factory=dict)
    _cell: dict[int, list[Block]] = field(default_factory=dict)
    _cells: dict[int, list[list[Block]]] = field(default_factory=dict)
    _nested: list[TableRow] = field(default_factory=list)
    _rows: list[TableRow] = field(default_factory=list)
    _waiting: Break | None = None

    # --- paragraphs ------------------------------------------------------------------------

    def text(self, text: str, /, *, is_bold: bool = False) -> None:
        """Add text to the paragraph at hand."""
        self._parts.append(text)
        self._bold = self._bold and (is_bold or not text.strip())

    def label(self, text: str, /) -> None:
        """Set the number or bullet of the list item at hand."""
        self._label = " ".join(text.split())

    def line(self) -> None:
        """Begin a line within the paragraph."""
        self._lines[-1] = "".join(self._parts)
        self._lines.append("")
        self._parts.clear()

    def after(self, items: list[Item], /) -> None:
        """Keep what follows the paragraph at hand, such as a text box."""
        self._after += items

    def _close(self, state: ParagraphState) -> Block:
        self._lines[-1] = "".join(self._parts)
        block = Block(self._lines, state.kind, state.level, self._bold)
        if self._label and not block.is_blank:
            block.lines[0] = f"{self._label} {block.lines[0].lstrip()}"
            if block.kind == "body":
                block.kind = "list"
        self._lines, self._label, self._bold = [""], "", True
        self._parts.clear()
        return block

    def paragraph(self, state: ParagraphState, /) -> None:
        """End the paragraph at hand."""
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
                self._end_table()
                self.items.append(block)
        if self._after:
            self.items += self._after
            self._after = []

    def page_break(
        self, state: ParagraphState, /, mark: Break = PAGE, *, is_in_text: bool = True
    ) -> None:
        """End the page; a paragraph around the break goes on after it."""
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
        """Return the definition of the row at hand."""
        if is_new or depth not in self._shapes:
            self._shapes[depth] = RowShape()
        return self._shapes[depth]

    def end_cell(self, depth: int, state: ParagraphState, /) -> None:
        """End a cell, and with it its last paragraph."""
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
            self._nested.append(row)
        else:
            row.nested, self._nested = self._nested, []
            row.break_after, self._waiting = self._waiting, None
            self._rows.append(row)

    def _end_table(self) -> None:
        rows, self._rows = self._rows, []
        if rows:
            self.items += _table(rows)

    def finish(self) -> list[Item]:
        """End what is open, and return all items."""
        if self._parts or len(self._lines) > 1:
            self.paragraph(ParagraphState())
        for depth in sorted(set(self._cells) | set(self._cell), reverse=True):
            self.end_row(depth)
        if self._nested:
            self._rows.append(TableRow([], RowShape(), self._nested))
            self._nested = []
        self._end_table()
        self.items += self._after
        self._after = []
        return self.items


def _table(rows: list[TableRow], is_nested: bool = False) -> list[Item]:
    """Return a table's rows as paragraphs; a table of one column is a frame around paragraphs."""
    items: list[Item] = []
    if is_frame(rows) and not is_nested:
        for row in rows:
            items += [block for cell in row.cells for block in cell if not block.is_blank]
            items += _behind(row)
        return items
    for text, row in row_lines(rows):
        if text:
            items.append(Block([text], "table"))
        items += _behind(row)
    return items


def _behind(row: TableRow) -> list[Item]:
    """Return what follows a row: tables inside its cells, a page break inside it."""
    items = _table(row.nested, is_nested=True) if row.nested else []
    if row.break_after is not None:
        items.append(row.break_after)
    return items
