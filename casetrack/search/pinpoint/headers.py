"""Header rows of tables whose rows do not name their columns, such as those of PDF pages.

Rows of sheets, web pages and Word files have the name of the column before each value, so that a
marked row has its header. In other tables the rows above the first values are the header.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from casetrack.extract.tables.header import find_head
from casetrack.extract.tables.model import Cell, Row, sort_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from casetrack.search.pinpoint.units import Unit

_PERIODS = frozenset({"year", "day"})


def with_headers(text: str, units: Iterable[Unit], /) -> list[Unit]:
    """Return units with the header rows of each table joined to units of the kind ``header``.

    The rows of a table are adjacent units of one paragraph.
    """
    result: list[Unit] = []
    for (is_row, paragraph), group in groupby(units, lambda u: (u.kind == "row", u.paragraph)):
        rows = [*group]
        if not is_row or paragraph is None or len(rows) == 1:
            result += rows
            continue
        heads = set(_header_rows([_row(text[u.start : u.end]) for u in rows]))
        for number, unit in enumerate(rows):
            if number in heads and number - 1 in heads:
                result[-1] = replace(result[-1], end=unit.end)
            else:
                result.append(replace(unit, kind="header") if number in heads else unit)
    return result


def header_of(units: Sequence[Unit], number: int, /) -> Unit | None:
    """Return the nearest header above a row in its table, or ``None``."""
    unit = units[number]
    if unit.kind != "row" or unit.paragraph is None:
        return None
    above = (u for u in units[number::-1] if u.kind == "header")
    header = next(above, None)
    return header if header is not None and header.paragraph == unit.paragraph else None


def _row(line: str) -> Row:
    cells = [(number, cell.strip()) for number, cell in enumerate(f" {line} ".split(" | "))]
    return Row(tuple(Cell(cell, number) for number, cell in cells if cell))


def _is_value(cell: Cell) -> bool:
    """Return whether a cell after the label is a number, or several that the reader joined."""
    if not cell.column or any(map(str.isalpha, cell.text)):
        return False
    return cell.sort == "number" or any(sort_of(word) == "number" for word in cell.text.split())


def _header_rows(rows: Sequence[Row]) -> list[int]:
    """Return the numbers of the header rows, in order."""
    valued = [n for n, row in enumerate(rows) if any(map(_is_value, row.cells))]
    if not valued:
        head = find_head(rows)
        are_periods = {cell.sort for cell in rows[0].cells} <= _PERIODS and len(rows[0].cells) > 0
        return [*range(head.titles, head.rows)] or [0] * are_periods
    named = [n for n in range(valued[0]) if any(cell.column for cell in rows[n].cells)]
    named = [*range(named[0], named[-1] + 1)] if named else []
    inner = set(range(valued[0], len(rows))) - set(valued)
    return named + [
        n for n in sorted(inner) if any(c.column and c.sort in _PERIODS for c in rows[n].cells)
    ]
