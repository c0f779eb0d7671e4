"""Header rows of tables whose rows do not name their columns, such as those of PDF pages.

Rows of sheets, web pages and Word files have the name of the column before each value, so that a
marked row has its header. In other tables the rows above the first values are the header.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.extract.tables.header import find_head
from casetrack.extract.tables.model import Cell, Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.search.pinpoint.units import Unit

_PERIODS = frozenset({"year", "day"})


def header_of(text: str, units: Sequence[Unit], number: int, /) -> tuple[int, int] | None:
    """Return the span of the header rows of a row's table; ``None`` without any above the row.

    The rows of a table are adjacent units of one paragraph. If a table has several headers, as
    those of several years below each other, the nearest one above the row applies.
    """
    unit = units[number]
    if unit.kind != "row" or unit.paragraph is None:
        return None
    first = last = number
    while first and _is_beside(units[first - 1], unit):
        first -= 1
    while last + 1 < len(units) and _is_beside(units[last + 1], unit):
        last += 1
    rows = [_row(text[u.start : u.end]) for u in units[first : last + 1]]
    named = [i for i in _header_rows(rows) if i < number - first]
    if not named:
        return None
    top = named[-1]
    while top - 1 in named:
        top -= 1
    return units[first + top].start, units[first + named[-1]].end


def _is_beside(unit: Unit, row: Unit) -> bool:
    return unit.kind == "row" and unit.paragraph == row.paragraph


def _row(line: str) -> Row:
    cells = [(number, cell.strip()) for number, cell in enumerate(f" {line} ".split(" | "))]
    return Row(tuple(Cell(cell, number) for number, cell in cells if cell))


def _is_value(cell: Cell) -> bool:
    return cell.column > 0 and cell.sort == "number"


def _header_rows(rows: Sequence[Row]) -> list[int]:
    """Return the numbers of the header rows, in order."""
    valued = [n for n, row in enumerate(rows) if any(map(_is_value, row.cells))]
    if not valued:
        head = find_head(rows)
        return [*range(head.titles, head.rows)]
    named = [n for n in range(valued[0]) if any(cell.column for cell in rows[n].cells)]
    named = [*range(named[0], named[-1] + 1)] if named else []
    inner = set(range(valued[0], len(rows))) - set(valued)
    return named + [
        n for n in sorted(inner) if any(c.column and c.sort in _PERIODS for c in rows[n].cells)
    ]
