"""Tables of OpenDocument texts as rows, merged cells once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from casetrack.extract.tables.header import marked_lines, table_lines
from casetrack.extract.tables.model import Cell, Row
from casetrack.parse.drawn.text import Block
from casetrack.parse.opendocument.names import DRAW, TABLE, TEXT, Break, BreakKind, Item, count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    ReadCell = Callable[[Any], "CellContent"]

_GROUPS = frozenset(f"{TABLE}{n}" for n in ("table-rows", "table-row-group", "table-header-rows"))
_MAX_GROUPS = 20
_MAX_COLUMNS = 1000
_MAX_REPEATED = 100


@dataclass(frozen=True, slots=True)
class CellContent:
    """A cell's text on one line, and what stands in it that is no text of its own row."""

    text: str
    is_bold: bool
    rest: list[Item] = field(default_factory=list)


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
    sources = [row for row, _ in rows]
    if table.getparent().tag == f"{DRAW}frame":
        # Drawn tables, those on slides: the author ticks whether the first row is a header.
        ticked = table.get(f"{TABLE}use-first-row-styles") == "true"
        lines = marked_lines(sources, int(ticked))
    else:
        lines = table_lines(sources)
    for text, (_, after) in zip(lines, rows, strict=True):
        if text:
            yield Block((text,), "table")
        yield from after


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


def _parsed(row: Any, read_cell: ReadCell, *, is_marked: bool) -> tuple[Row, list[Item]]:
    if row.tag == f"{TEXT}soft-page-break":
        return Row(), [Break(BreakKind.SOFT)]
    cells: list[Cell] = []
    after: list[Item] = []
    column = 1
    for element in row:
        if element.tag not in {f"{TABLE}table-cell", f"{TABLE}covered-table-cell"}:
            continue
        times = count(element, f"{TABLE}number-columns-repeated", most=_MAX_COLUMNS)
        if element.tag == f"{TABLE}table-cell" and column <= _MAX_COLUMNS:
            content = read_cell(element)
            after += content.rest
            span = count(element, f"{TABLE}number-columns-spanned", most=_MAX_COLUMNS)
            if content.text:
                repeated = range(column, column + min(times, _MAX_REPEATED))
                cells += [Cell(content.text, at, span, content.is_bold) for at in repeated]
        column += times
    return Row(tuple(cells), is_marked), _one_break(after)


def _one_break(items: list[Item]) -> list[Item]:
    """Keep one break: a row that goes on over a page may tell it in each of its cells."""
    breaks = [item for item in items if isinstance(item, Break)]
    return [item for item in items if not isinstance(item, Break)] + breaks[:1]
