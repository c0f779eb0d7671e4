"""The rows of a table that name its columns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.parse.layout.tables_model import is_value, is_year

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from casetrack.parse.layout.tables_model import Cell, Table, TableRow

_AMOUNT = re.compile(r"\W*\d|.*[$\u20ac\u00a3\u00a5]\s?\d")
_MAX_ROWS = 4
_MAX_CHARS = 80


def find_header(table: Table, /) -> None:
    """Find the header rows of a table whose lines do not tell them, in place.

    Sure are rows in bold or on a shaded ground over others, and words over values. The first row
    of a ruled table is taken for its header where nothing speaks against it.
    """
    if table.header_rows:
        return
    rows, width = table.rows, len(table.columns)
    titles = 0
    while titles < len(rows) - 2 and _is_title(rows[titles], rows[titles + 1 :], width):
        titles += 1
    if len(rows) - titles < 2 or not _may_name(rows[titles]):
        return
    first, body = rows[titles], rows[titles + 1 :]
    signs = _signs(first, body)
    if not signs and not table.is_ruled:
        return
    if not signs and (_has_row_labels(rows[titles:]) or _has_amount(first)):
        return
    count = titles + 1
    limit = min(titles + _MAX_ROWS, len(rows) - 1)
    while count < limit and _goes_on(rows[titles:count], rows[count], rows[count + 1 :], signs):
        count += 1
    table.title_rows = titles
    table.header_rows, table.is_header_sure = count, bool(signs) or count > titles + 1


def header_names(table: Table, text: Callable[[Cell], str], /) -> list[str]:
    """Return the name of each column: those of cells over several columns stand before it.

    A cell over one column goes on in the cell below it, one over several is a level of its own:
    ``2024 / Q1``.
    """
    width = len(table.columns)
    names = [""] * width
    spans = [0] * width
    for row in table.rows[table.title_rows : table.header_rows]:
        for cell in row.cells:
            if cell.span >= width:
                continue
            words = text(cell)
            for column in range(cell.column, min(cell.column + cell.span, width)):
                if not names[column]:
                    names[column] = words
                elif words:
                    between = " / " if spans[column] > cell.span else " "
                    names[column] += between + words
                spans[column] = cell.span
    return names


def _is_title(row: TableRow, below: Sequence[TableRow], width: int) -> bool:
    """Tell a row that names the table: one cell, over all columns, just one, or a few of many."""
    if len(row.cells) != 1:
        return False
    cell = row.cells[0]
    named = next((other.cells for other in below if len(other.cells) > 1), [])
    under = sum(cell.column <= c.column < cell.column + cell.span for c in named)
    return cell.span in {1, width} or 2 * under < len(named)


def _may_name(row: TableRow) -> bool:
    """Tell whether the cells of a row can be names of columns."""
    texts = [cell.text for cell in row.cells]
    if len(texts) < 2 or any(len(text) > _MAX_CHARS for text in texts):
        return False
    if sum(1 for text in texts if text.endswith(":")) * 2 > len(texts):
        return False
    return not any(is_value(text) and not is_year(text) for text in texts)


def _signs(first: TableRow, body: Sequence[TableRow]) -> frozenset[str]:
    """Return what makes a row a header: how it is set apart from the rows below it."""
    signs = set()
    cells = [cell for row in body for cell in row.cells]
    if _is_bold(first) and 2 * sum(cell.is_bold for cell in cells) < len(cells):
        signs.add("bold")
    if first.is_shaded and 3 * sum(row.is_shaded for row in body) < 2 * len(body):
        signs.add("shaded")
    named = {c for cell in first.cells for c in range(cell.column, cell.column + cell.span)}
    for column in named - {0}:
        texts = [cell.text for cell in cells if cell.column == column]
        values = sum(1 for text in texts if is_value(text) and not is_year(text))
        if texts and 2 * values > len(texts):
            signs.add("values")
            break
    return frozenset(signs)


def _goes_on(
    head: Sequence[TableRow], row: TableRow, body: Sequence[TableRow], signs: frozenset[str]
) -> bool:
    """Tell whether a row belongs to the header above it."""
    if any(is_value(c.text) and not is_year(c.text) for c in row.cells):
        return False
    if not body or any(len(cell.text) > _MAX_CHARS for cell in row.cells):
        return False
    over = [cell for cell in head[-1].cells if cell.span > 1]
    # One cell under a wide one is an entry; the parts of a name are several.
    if any(
        sum(cell.column <= below.column < cell.column + cell.span for below in row.cells) > 1
        for cell in over
    ):
        return True
    if len(row.cells) < 2:
        return False
    own = _signs(row, body)
    if "bold" in signs:
        return "bold" in own
    return "shaded" in signs and "shaded" in own


def _is_bold(row: TableRow) -> bool:
    return all(cell.is_bold for cell in row.cells if any(map(str.isalpha, cell.text))) and any(
        cell.is_bold for cell in row.cells
    )


def _has_amount(row: TableRow) -> bool:
    return any(_AMOUNT.match(cell.text) for cell in row.cells)


def _has_row_labels(rows: Sequence[TableRow]) -> bool:
    """Tell whether the first column names the rows instead: in bold, or with colons."""
    labels = [row.cells[0] for row in rows if row.cells[0].column == 0]
    others = [cell for row in rows for cell in row.cells[1:]]
    bold = sum(cell.is_bold for cell in labels) > 0.8 * len(labels)
    if bold and 2 * sum(cell.is_bold for cell in others) < len(others):
        return True
    return 2 * sum(cell.text.endswith(":") for cell in labels) > len(labels) > 0
