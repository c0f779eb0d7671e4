"""Tables of Word documents as rows of text, merged cells once."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from casetrack.readers.table_rows import Cell, header_names, row_text
from casetrack.readers.word.styles import W, attribute, is_on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from casetrack.readers.word.text import Mark

    CellText = Callable[[Any], "CellPart"]

_THROUGH = frozenset(
    f"{W}{name}" for name in ("sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo")
)
_VALUE = re.compile(r"[-+(]?\s*[$\u20ac\u00a3\u00a5]?\s*[\d][\d.,'\s]*\s*(?:%|[A-Z]{3})?\)?$")
_HEADER_CHARS = 60


@dataclass(slots=True)
class CellPart:
    """What stands in a cell: text, page breaks before and within it, text boxes, inner tables."""

    text: str = ""
    starts_page: Mark | None = None
    ends_page: Mark | None = None
    boxes: list[Any] = field(default_factory=list)
    nested: list[Any] = field(default_factory=list)

    def add(self, other: CellPart, /) -> None:
        """Append what follows in the same cell or row."""
        if self.text:
            self.ends_page = self.ends_page or other.starts_page or other.ends_page
        else:
            self.starts_page = self.starts_page or other.starts_page
            self.ends_page = self.ends_page or other.ends_page
        self.text = f"{self.text} {' '.join(other.text.split())}".strip()
        self.nested += other.nested


@dataclass(slots=True)
class TableRow:
    """One row: its line of text, page breaks before and after it, and tables inside its cells."""

    text: str
    starts_page: Mark | None = None
    ends_page: Mark | None = None
    nested: list[Any] = field(default_factory=list)


@dataclass(slots=True)
class _Parsed:
    cells: tuple[Cell, ...]
    starts_page: Mark | None
    ends_page: Mark | None
    nested: list[Any]
    is_marked: bool
    is_bold: bool


def _children(element: Any, name: str) -> Iterator[Any]:
    """Yield children called *name*, also those inside content controls and insertions."""
    for child in element:
        if child.tag == f"{W}{name}":
            yield child
        elif child.tag in _THROUGH:
            yield from _children(child, name)


def _number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() else 0


class TableRows:
    """Turns a ``w:tbl`` into rows.

    Parameters
    ----------
    element
        The table.
    cell_text
        Gives the text of a paragraph, the page breaks in it and its text boxes.
    """

    def __init__(self, element: Any, cell_text: CellText) -> None:
        self._rows = [
            row
            for row in _children(element, "tr")
            if row.find(f"{W}trPr") is None or row.find(f"{W}trPr/{W}del") is None
        ]
        self._cell_text = cell_text

    @property
    def is_single_column(self) -> bool:
        """Whether every row has one cell: a frame around text, not a table."""
        return all(sum(1 for _ in _children(row, "tc")) <= 1 for row in self._rows)

    def cells(self) -> Iterator[Any]:
        """Yield the cells of a table of one column."""
        for row in self._rows:
            yield from _children(row, "tc")

    def rows(self) -> Iterator[TableRow]:
        """Yield the rows; where the first one is a header, the others carry its words."""
        parsed = [self._parse(row) for row in self._rows]
        names: dict[int, str] = {}
        header = _header_rows(parsed)
        for i, row in enumerate(parsed):
            text = row_text(row.cells, {} if i < header else names)
            if i < header:
                names |= header_names(row.cells)
            yield TableRow(text, row.starts_page, row.ends_page, row.nested)

    def _parse(self, row: Any) -> _Parsed:
        cells: list[Cell] = []
        whole = CellPart()
        column = 1 + _number(attribute(row, "trPr/gridBefore"))
        bold = True
        for element in _children(row, "tc"):
            span = max(1, _number(attribute(element, "tcPr/gridSpan")))
            part = self._cell(element)
            whole.add(part)
            merged = element.find(f"{W}tcPr/{W}vMerge")
            is_below = merged is not None and merged.get(f"{W}val") != "restart"
            if part.text and not is_below:
                cells.append(Cell(part.text, column, span, bool(_VALUE.match(part.text))))
                bold = bold and _is_bold(element)
            column += span
        return _Parsed(
            tuple(cells),
            whole.starts_page,
            whole.ends_page,
            whole.nested,
            is_marked=is_on(row.find(f"{W}trPr"), "tblHeader"),
            is_bold=bold and bool(cells),
        )

    def _cell(self, element: Any) -> CellPart:
        """Return a cell's text on one line; nested tables are given back for rows of their own."""
        cell = CellPart()
        for child in element:
            if child.tag == f"{W}p":
                part = self._cell_text(child)
                cell.add(part)
                for box in part.boxes:
                    cell.add(self._cell(box))
            elif child.tag == f"{W}tbl":
                cell.nested.append(child)
            elif child.tag in _THROUGH:
                cell.add(self._cell(child))
        return cell


def _is_bold(cell: Any) -> bool:
    runs = [run for run in cell.iter(f"{W}r") if run.find(f"{W}t") is not None]
    return bool(runs) and all(is_on(run.find(f"{W}rPr"), "b") for run in runs)


def _header_rows(rows: list[_Parsed]) -> int:
    """Return how many rows at the top are a header.

    Marked rows are; else the first one, where its cells are short labels and something sets it
    apart: bold type, values below, or three columns and more. A form of labels beside their values
    has none of these.
    """
    marked = 0
    while marked < len(rows) - 1 and rows[marked].is_marked:
        marked += 1
    if marked:
        return marked
    if len(rows) < 2 or len(rows[0].cells) < 2:
        return 0
    first, below = rows[0], [row for row in rows[1:] if row.cells]
    if any(c.is_value or len(c.text) > _HEADER_CHARS or c.text.endswith(":") for c in first.cells):
        return 0
    if not below or len({c.text for c in first.cells}) < len(first.cells):
        return 0
    columns = header_names(first.cells)
    under = [c for row in below for c in row.cells if c.column in columns]
    full = sum(1 for row in below if len(row.cells) >= 2) >= 0.5 * len(below)
    if first.is_bold and not all(row.is_bold for row in below):
        return int(full)
    if any(cell.is_value for cell in under):
        return int(full)
    return int(full and len(first.cells) >= 3)
