"""Tables of Word documents as rows of text, merged cells once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from casetrack.extract.tables.header import table_lines
from casetrack.extract.tables.model import Cell, Row
from casetrack.parse.word.styles import W, attribute, is_on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from casetrack.parse.word.text import Mark

    CellText = Callable[[Any], "CellPart"]

_THROUGH = frozenset(
    f"{W}{name}" for name in ("sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo")
)


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
        rows = list(_children(element, "tr"))
        self.deleted = [row for row in rows if row.find(f"{W}trPr/{W}del") is not None]
        self._rows = [row for row in rows if row not in self.deleted]
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
        for text, (_, part) in zip(table_lines([row for row, _ in parsed]), parsed, strict=True):
            yield TableRow(text, part.starts_page, part.ends_page, part.nested)

    def _parse(self, row: Any) -> tuple[Row, CellPart]:
        cells: list[Cell] = []
        whole = CellPart()
        column = 1 + _number(attribute(row, "trPr/gridBefore"))
        for element in _children(row, "tc"):
            span = max(1, _number(attribute(element, "tcPr/gridSpan")))
            part = self._cell(element)
            whole.add(part)
            merged = element.find(f"{W}tcPr/{W}vMerge")
            is_below = merged is not None and merged.get(f"{W}val") != "restart"
            if part.text and not is_below:
                cells.append(Cell(part.text, column, span, _is_bold(element)))
            column += span
        is_marked = is_on(row.find(f"{W}trPr"), "tblHeader")
        return Row(tuple(cells), is_marked), whole

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
    has_text = False
    for run in cell.iter(f"{W}r"):
        if run.find(f"{W}t") is not None:
            if not is_on(run.find(f"{W}rPr"), "b"):
                return False
            has_text = True
    return has_text
