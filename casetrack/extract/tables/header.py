"""Finds the header rows of a table.

A file can mark them. Other header rows have short labels and differ from the rows below: bold type,
a shaded background, values below them, names over several columns, or three or more columns. A form
of labels with their values has none of these.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, get_args

from casetrack.base.words import WordLists
from casetrack.extract.tables.model import (
    MONEY_SIGNS,
    Cell,
    Row,
    Sort,
    head_names,
    is_caption,
    row_text,
)

Sign = Literal["marked", "bold", "shaded", "values", "levels"]
"""Differences of a header from the rows below it."""

MAX_LEVELS = 4
"""The largest number of rows of a header."""

_MAX_TITLES, _MAX_ROWS = 3, 100
_LABEL_CHARS, _BOLD_LABEL_CHARS, _GUESSED_LABEL_CHARS = 120, 150, 80
_AMOUNT = re.compile(rf"\W*\d|.*[{MONEY_SIGNS}]\s?\d")
_SORTS: tuple[Sort, ...] = get_args(Sort)
_VALUES, _NUMBERS, _PERIODS = (
    frozenset[Sort](sorts) for sorts in (("number", "year", "day"), ("number",), ("year", "day"))
)
_WORDS = re.compile(r"[^\W\d_]+")
# Two labels side by side that contain one of these are a header, not a form.
_COLUMN_WORDS = frozenset(WordLists(__file__).words("column_words"))


class Head(NamedTuple):
    """The header of a table."""

    titles: int = 0  # number of title rows at the top
    rows: int = 0  # number of rows with titles and names of columns; 0 without a header
    signs: frozenset[Sign] = frozenset()  # reasons; empty if only its position makes it a header


def table_lines(rows: Sequence[Row], /) -> list[str]:
    """Return the line of each row; rows below a header carry its words."""
    head = find_head([row for row in rows if row.cells])
    return _lines(rows, head.titles, head.rows)


def marked_lines(rows: Sequence[Row], /, count: int) -> list[str]:
    """Return the line of each row where the file marks the first *count* rows as the header."""
    return _lines(rows, 0, count if sum(bool(row.cells) for row in rows) > count else 0)


def _lines(rows: Sequence[Row], titles: int, head: int) -> list[str]:
    lines: list[str] = []
    names = head_names([row for row in rows if row.cells][titles:head])
    seen = 0
    for row in rows:
        lines.append(row_text(row, names if seen >= head else None))
        seen += bool(row.cells)
    return lines


def find_head(rows: Sequence[Row], /, *, guess_from: float = 3) -> Head:
    """Return the header of a table, from all its rows with text.

    *guess_from* is the minimum number of cells of a header without any sign; two columns also need
    a typical name.
    """
    titles = _titles(rows)
    marked = 0
    while marked < len(rows) - 1 and rows[marked].is_marked:
        marked += 1
    if marked > titles:
        return Head(titles, marked, frozenset({"marked"}))
    rows = rows[titles : titles + _MAX_ROWS]
    if len(rows) < 2 or not _are_names(rows[0], _first_column(rows)):
        return Head()
    signs = head_signs(rows[0], rows[1:])
    count = 1
    while count < min(MAX_LEVELS, len(rows) - 1) and _is_level(rows, count, signs):
        count += 1
    if count > 1:
        return Head(titles, titles + count, signs | {"levels"})
    is_header = _is_header(rows[0], rows[1:], signs, guess_from)
    return Head(titles, titles + 1, signs) if is_header else Head()


def _titles(rows: Sequence[Row]) -> int:
    """Return the number of title rows: one cell, first or over less than half of the names."""
    first, count = _first_column(rows), 0
    while count < min(len(rows) - 2, _MAX_TITLES) and len(rows[count].cells) == 1:
        cell = rows[count].cells[0]
        names = next((row.cells for row in rows[count + 1 :] if len(row.cells) > 1), ())
        under = sum(name.column in cell.columns for name in names)
        if cell.column > first and 2 * under >= len(names) and not is_caption(cell.text):
            break
        count += 1
    return count


def _first_column(rows: Sequence[Row]) -> int:
    return min((row.cells[0].column for row in rows), default=0)


def _are_names(row: Row, first: int) -> bool:
    """Return whether cells are short texts, nearly all no values; a form's labels have colons."""
    if any(len(c.text) > (_BOLD_LABEL_CHARS if c.is_bold else _LABEL_CHARS) for c in row.cells):
        return False
    few = len(row.cells) // 5
    labels = sum(cell.text.endswith(":") for cell in row.cells)
    return (labels <= few or row.cells[0].column > first) and (
        sum(cell.sort == "number" for cell in row.cells) <= few
    )


def head_signs(first: Row, body: Sequence[Row], /) -> frozenset[Sign]:
    """Return how a row differs from the rows below it."""
    signs: set[Sign] = set()
    cells = [cell for row in body for cell in row.cells]
    words = [cell.is_bold for cell in first.cells if any(map(str.isalpha, cell.text))]
    is_bold = all(words) and any(cell.is_bold for cell in first.cells)
    if is_bold and 2 * sum(cell.is_bold for cell in cells) < len(cells):
        signs.add("bold")
    if first.is_shaded and 3 * sum(row.is_shaded for row in body) < 2 * len(body):
        signs.add("shaded")
    sorts = Counter((cell.column, cell.sort) for cell in cells)
    if any(_are_mostly(cell, sorts, _VALUES - {cell.sort}) for cell in first.cells):
        signs.add("values")
    return frozenset(signs)


def _are_mostly(cell: Cell, sorts: Counter[tuple[int, Sort]], wanted: frozenset[Sort]) -> bool:
    below = {sort: sum(sorts[column, sort] for column in cell.columns) for sort in _SORTS}
    return 2 * sum(below[sort] for sort in wanted) > sum(below.values())


def _is_level(rows: Sequence[Row], count: int, signs: frozenset[Sign]) -> bool:
    """Return whether a row is the next level of a header.

    It has several names below one, and only values or nothing below the others; or it has the
    format of the row above, or no row label before its names.
    """
    above, row = rows[count - 1], rows[count]
    if not _are_names(row, _first_column(rows)) or any(cell.sort == "number" for cell in row.cells):
        return False
    own = head_signs(row, rows[count + 1 :])
    wide = [cell.columns for cell in above.cells if cell.span > 1]
    if any(sum(cell.column in columns for cell in row.cells) > 1 for columns in wide):
        others = {cell.column for cell in above.cells if cell.span == 1}
        if others.isdisjoint(cell.column for cell in row.cells) or "values" in own:
            return True
    if len(row.cells) > 1 and "values" in own and row.cells[0].column > _first_column(rows):
        return True
    look: Sign = "bold" if "bold" in signs else "shaded"
    return len(row.cells) > 1 and look in signs and look in own


def _is_header(first: Row, body: Sequence[Row], signs: frozenset[Sign], guess_from: float) -> bool:
    """Return whether a single row of names is the header."""
    count = len(first.cells)
    texts = {cell.text.casefold() for cell in first.cells}
    if (count < 2 and "values" not in signs) or _is_data(first, body):
        return False
    if "values" in signs and not _is_form(first, body):
        return True
    if 2 * sum(len(row.cells) > 1 for row in body) < len(body):
        return False
    if signs:
        return signs != {"values"}
    if len(texts) < count or any(
        len(cell.text) > _GUESSED_LABEL_CHARS or cell.sort == "number" for cell in first.cells
    ):
        return False
    if _has_row_labels([first, *body]) or any(map(_AMOUNT.match, texts)):
        return False
    return count >= guess_from or are_column_words(texts)


def _is_data(first: Row, body: Sequence[Row]) -> bool:
    sorts = Counter((cell.column, cell.sort) for row in body for cell in row.cells)
    return any(
        _are_mostly(cell, sorts, _NUMBERS if cell.sort == "number" else _PERIODS)
        for cell in first.cells
        if cell.sort != "words"
    )


def _is_form(first: Row, body: Sequence[Row]) -> bool:
    """Return whether rows have a name and its value: the second column has words and values."""
    if len(first.cells) != 2 or any(len(row.cells) > 2 for row in body):
        return False
    second = [cell for row in body for cell in row.cells if cell.column == first.cells[1].column]
    words = sum(cell.sort == "words" for cell in second)
    return len(second) <= 4 * words < 4 * len(second)


def _has_row_labels(rows: Sequence[Row]) -> bool:
    """Return whether the first column names the rows instead: in bold, or with colons."""
    column = _first_column(rows)
    labels = [row.cells[0] for row in rows if row.cells[0].column == column]
    others = [cell for row in rows for cell in row.cells[1:]]
    bold = sum(cell.is_bold for cell in labels) > 0.8 * len(labels)
    if bold and 2 * sum(cell.is_bold for cell in others) < len(others):
        return True
    return 2 * sum(cell.text.endswith(":") for cell in labels) > len(labels)


def are_column_words(texts: Iterable[str], /) -> bool:
    """Return whether each text begins or ends with a word that is often the name of a column."""
    for text in texts:
        words = _WORDS.findall(text.casefold())
        if not words or len(words) > 4 or _COLUMN_WORDS.isdisjoint({words[0], words[-1]}):
            return False
    return True
