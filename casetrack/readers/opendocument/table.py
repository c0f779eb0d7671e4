"""Tables of OpenDocument texts as rows, merged cells once."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from casetrack.readers.drawn.text import Block
from casetrack.readers.opendocument.names import DRAW, TABLE, TEXT, Break, BreakKind, Item, count
from casetrack.readers.table_rows import Cell, header_names, row_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    ReadCell = Callable[[Any], "CellContent"]

_GROUPS = frozenset(f"{TABLE}{n}" for n in ("table-rows", "table-row-group", "table-header-rows"))
_MAX_GROUPS = 20
_MAX_COLUMNS = 1000
_MAX_REPEATED = 100
_HEADER_CHARS = 60
_VALUE = re.compile(r"[-+(]?\s*[$\u20ac\u00a3\u00a5]?\s*\d[\d.,'\s]*\s*(?:%|[A-Z]{3})?\)?$")


@dataclass(frozen=True, slots=True)
class CellContent:
    """A cell's text on one line, and what stands in it that is no text of its own row."""

    text: str
    is_bold: bool
    rest: list[Item] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Row:
    cells: tuple[Cell, ...]
    is_marked: bool
    is_bold: bool
    after: list[Item]


def is_frame(table: Any, /) -> bool:
    """Tell whether a table has one column: a frame around text."""
    rows = [row for row, _ in _rows(table, 0) if row.tag == f"{TABLE}table-row"]
    return all(len(_cells(row)) <= 1 for row in rows)


def frame_cells(table: Any, /) -> Iterator[Any]:
    """Yield the cells of a table of one column."""
    for row, _ in _rows(table, 0):
        if row.tag == f"{TABLE}table-row":
            yield from _cells(row)


def table_items(table: Any, read_cell: ReadCell, /) -> Iterator[Item]:
    """Yield a table's rows with their headers; inner tables, notes and breaks follow their row."""
    rows = [_parsed(row, read_cell, is_marked=marked) for row, marked in _rows(table, 0)]
    shown = [row for row in rows if row.cells]
    if table.getparent().tag == f"{DRAW}frame":
        # Drawn tables, those on slides: the author ticks whether the first row is a header.
        header = int(table.get(f"{TABLE}use-first-row-styles") == "true" and len(shown) > 1)
    else:
        header = _header_rows(shown)
    names: dict[int, str] = {}
    for row in rows:
        if row.cells:
            is_header, header = header > 0, header - 1
            text = row_text(row.cells, {} if is_header else names)
            if is_header:
                names |= header_names(row.cells)
            yield Block((text,), "table")
        yield from row.after


def _rows(holder: Any, depth: int, *, is_header: bool = False) -> Iterator[tuple[Any, bool]]:
    """Yield rows and page breaks between them, and whether they are marked as headers."""
    for child in holder:
        if child.tag in {f"{TABLE}table-row", f"{TEXT}soft-page-break"}:
            yield child, is_header
        elif child.tag in _GROUPS and depth < _MAX_GROUPS:
            marked = is_header or child.tag == f"{TABLE}table-header-rows"
            yield from _rows(child, depth + 1, is_header=marked)


def _cells(row: Any) -> list[Any]:
    return [cell for cell in row if cell.tag == f"{TABLE}table-cell"]


def _parsed(row: Any, read_cell: ReadCell, *, is_marked: bool) -> _Row:
    if row.tag == f"{TEXT}soft-page-break":
        return _Row((), is_marked, is_bold=False, after=[Break(BreakKind.SOFT)])
    cells: list[Cell] = []
    after: list[Item] = []
    column, bold = 1, True
    for element in row:
        if element.tag not in {f"{TABLE}table-cell", f"{TABLE}covered-table-cell"}:
            continue
        times = count(element, f"{TABLE}number-columns-repeated", most=_MAX_COLUMNS)
        if element.tag == f"{TABLE}table-cell" and column <= _MAX_COLUMNS:
            content = read_cell(element)
            after += content.rest
            span = count(element, f"{TABLE}number-columns-spanned", most=_MAX_COLUMNS)
            if content.text:
                value = bool(_VALUE.match(content.text))
                repeated = range(column, column + min(times, _MAX_REPEATED))
                cells += [Cell(content.text, at, span, value) for at in repeated]
                bold = bold and content.is_bold
        column += times
    return _Row(tuple(cells), is_marked, bold and bool(cells), _one_break(after))


def _one_break(items: list[Item]) -> list[Item]:
    """Keep one break: a row that goes on over a page may tell it in each of its cells."""
    breaks = [item for item in items if isinstance(item, Break)]
    return [item for item in items if not isinstance(item, Break)] + breaks[:1]


def _header_rows(rows: list[_Row]) -> int:
    """Return how many rows at the top are a header.

    Marked rows are; else the first one, where its cells are short labels and something sets it
    apart: bold type, values below, or three columns and more.
    """
    marked = 0
    while marked < len(rows) - 1 and rows[marked].is_marked:
        marked += 1
    if marked or len(rows) < 2 or len(rows[0].cells) < 2:
        return marked
    first, below = rows[0], rows[1:]
    labels = {c.text for c in first.cells}
    if len(labels) < len(first.cells) or any(
        c.is_value or len(c.text) > _HEADER_CHARS or c.text.endswith(":") for c in first.cells
    ):
        return 0
    if sum(len(row.cells) >= 2 for row in below) < 0.5 * len(below):
        return 0
    if first.is_bold and not all(row.is_bold for row in below):
        return 1
    columns = header_names(first.cells)
    if any(c.is_value for row in below for c in row.cells if c.column in columns):
        return 1
    return int(len(first.cells) >= 3)
