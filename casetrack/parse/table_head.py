"""Finds the rows that name the columns of a document's table, and writes its rows with them.

Rows that the file marks are a header. Others are where they hold short labels and something sets
them apart from the rows below: bold type, values under them, names over several columns, or three
columns and more. A form of labels beside their values has none of these.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from casetrack.base.words import WordLists
from casetrack.parse.table_rows import Row, names_below, row_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from casetrack.parse.table_rows import Cell

_LISTS = WordLists(__file__)

_MAX_LEVELS, _MAX_TITLES = 4, 3
_LABEL_CHARS, _BOLD_LABEL_CHARS = 80, 150
_YEAR = re.compile(r"(?:19|20)\d\d(?:\s?[/\u2013-]\s?\d{2,4})?|\d\d?\.\d\d?\.(?:\d\d){1,2}")
_WORDS = re.compile(r"[^\W\d_]+")
# What columns of words are called; two of them side by side are no form.
_COLUMN_WORDS = frozenset(_LISTS.words("column_words"))


class HeadRow(NamedTuple):
    """A row as a file has it: its cells with text, and how it stands out."""

    cells: Row
    is_marked: bool = False
    is_bold: bool = False


def table_lines(rows: Sequence[HeadRow], /) -> list[str]:
    """Return the line of each row; rows below a header carry its words."""
    shown = [row for row in rows if row.cells]
    titles = _titles(shown)
    marked = 0
    while marked < len(shown) - 1 and shown[marked].is_marked:
        marked += 1
    if marked <= titles:
        marked = titles + _guessed(shown[titles:])
    return _lines([row.cells for row in rows], titles if marked > titles else 0, marked)


def marked_lines(rows: Sequence[Row], /, count: int) -> list[str]:
    """Return the line of each row where the author says that the first *count* are the header."""
    return _lines(rows, 0, count if sum(map(bool, rows)) > count else 0)


def _lines(rows: Sequence[Row], titles: int, head: int) -> list[str]:
    """Write rows; the names of columns are those with text from *titles* on, up to *head*."""
    names: dict[int, str] = {}
    lines = []
    seen = 0
    for row in rows:
        lines.append(row_text(row, {} if seen < head else names))
        if row and titles <= seen < head:
            names = names_below(names, row)
        seen += bool(row)
    return lines


def _titles(rows: Sequence[HeadRow]) -> int:
    """Count the rows at the top that name the table: one cell, over one column or all."""
    width = max((_end(cell) for row in rows for cell in row.cells), default=0)
    count = 0
    while count < min(len(rows) - 2, _MAX_TITLES):
        cells = rows[count].cells
        if len(cells) > 1 or cells[0].span not in {1, width}:
            break
        count += 1
    return count


def _end(cell: Cell) -> int:
    return cell.column + cell.span - 1


def _guessed(rows: Sequence[HeadRow]) -> int:
    """Return how many rows at the top are a header that the file does not mark."""
    if len(rows) < 2 or not _are_labels(rows[0]):
        return 0
    count = 1
    while count < min(_MAX_LEVELS, len(rows) - 1) and _goes_on(rows[count - 1], rows[count]):
        count += 1
    body = rows[count:]
    if 2 * sum(len(row.cells) > 1 for row in body) < len(body):
        return 0
    if count > 1:
        return count
    first = rows[0]
    is_bold = first.is_bold and not all(row.is_bold for row in body)
    texts = {cell.text for cell in first.cells}
    if len(first.cells) < 2 or (len(texts) < len(first.cells) and not is_bold):
        return 0
    if _has_only_years(first, body):
        return 0
    is_apart = is_bold or _stands_over_values(first, body) or len(first.cells) > 2
    return int(is_apart or are_column_words(cell.text for cell in first.cells))


def _are_labels(row: HeadRow) -> bool:
    """Tell short texts that are no values and do not lead to what stands beside them."""
    limit = _BOLD_LABEL_CHARS if row.is_bold else _LABEL_CHARS
    return not any(
        (cell.is_value and not _is_year(cell)) or len(cell.text) > limit or cell.text.endswith(":")
        for cell in row.cells
    )


def _is_year(cell: Cell) -> bool:
    return _YEAR.fullmatch(cell.text) is not None


def _has_only_years(first: HeadRow, body: Sequence[HeadRow]) -> bool:
    """Tell years in one short row from those that name columns."""
    years = [cell for cell in first.cells if _is_year(cell)]
    if not years:
        return False
    below = [c for row in body for c in row.cells if any(c.column == y.column for y in years)]
    return len(body) < 2 or 2 * sum(map(_is_year, below)) >= len(below)


def _goes_on(above: HeadRow, row: HeadRow) -> bool:
    """Tell the next level of a header: several names under one, and nothing under the others."""
    if not _are_labels(row):
        return False
    wide = [cell for cell in above.cells if cell.span > 1]
    named = {c for cell in above.cells for c in range(cell.column, _end(cell) + 1)}
    under = [[c for c in row.cells if w.column <= c.column <= _end(w)] for w in wide]
    held = {cell.column for cells in under for cell in cells}
    others = [cell for cell in row.cells if cell.column not in held]
    return any(len(cells) > 1 for cells in under) and not any(c.column in named for c in others)


def _stands_over_values(first: HeadRow, body: Sequence[HeadRow]) -> bool:
    """Tell whether most cells in one of the columns are values, or all of several have digits."""
    return any(
        _are_values([c for row in body for c in row.cells if cell.column <= c.column <= _end(cell)])
        for cell in first.cells
    )


def _are_values(cells: Iterable[Cell]) -> bool:
    values = [cell.is_value for cell in cells]
    return 2 * sum(values) > len(values)


def are_column_words(texts: Iterable[str], /) -> bool:
    """Tell whether each text begins or ends with a word that columns are called by."""
    for text in texts:
        words = _WORDS.findall(text.casefold())
        if not words or len(words) > 4 or _COLUMN_WORDS.isdisjoint({words[0], words[-1]}):
            return False
    return True
