"""Rows of cells to text: ``Header: value | Header: value``, the same for sheets and documents."""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HEADER_WITHIN = 20
"""A header stands within this many rows from the start of a table."""

_HEADER_CHARS = 80
_ROWS_AFTER = 5
_YEAR = re.compile(r"(?:19|20)\d\d(?:/\d\d)?$")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell with text.

    Attributes
    ----------
    column, span
        1-based first column, and how many columns it covers.
    is_value
        Whether it holds a number, a date, a truth value or an error, not text.
    """

    text: str
    column: int
    span: int = 1
    is_value: bool = False


Row = tuple[Cell, ...]
"""The non-empty cells of a row, from left to right."""


def header_names(row: Row, /) -> dict[int, str]:
    """Return the header of each column that a header row covers."""
    return {
        column: cell.text for cell in row for column in range(cell.column, cell.column + cell.span)
    }


def row_text(row: Row, names: Mapping[int, str], /) -> str:
    """Write a row as one line; a cell without a header stands plain."""
    parts = []
    for cell in row:
        name = names.get(cell.column)
        parts.append(f"{name}: {cell.text}" if name else cell.text)
    return " | ".join(parts)


def find_header(rows: Sequence[Row], /) -> int | None:
    """Return the index of the header row among the first rows of a table.

    It is the first row with two cells or more, all of them short labels, that is followed by rows
    of similar width. Titles and ``Label:`` / value pairs above it are passed over.
    """
    for i in range(min(len(rows), HEADER_WITHIN)):
        if is_label_row(rows[i]) and _is_followed(rows[i], rows[i + 1 : i + 1 + _ROWS_AFTER]):
            return i
    return None


def is_new_header(row: Row, after: Sequence[Row], /) -> bool:
    """Tell whether a row below a gap is the header of a further table: values must follow it."""
    following = after[:_ROWS_AFTER]
    values = sum(1 for r in following for cell in r if cell.is_value)
    return (
        is_label_row(row)
        and not any(cell.is_value for cell in row)
        and values > 0
        and _is_followed(row, following)
    )


def is_label_row(row: Row, /) -> bool:
    """Tell a row of short labels (or years beside them) from data."""
    if len(row) < 2 or all(cell.is_value for cell in row):
        return False
    for cell in row:
        if cell.is_value and not _YEAR.match(cell.text):
            return False
        if len(cell.text) > _HEADER_CHARS or cell.text.rstrip().endswith(":"):
            return False
    return len({(cell.text, cell.column) for cell in row}) >= 2


def _is_followed(row: Row, after: Sequence[Row]) -> bool:
    if not after:
        return False
    width = sum(cell.span for cell in row)
    usual = statistics.median(len(r) for r in after)
    covered = header_names(row)
    under = statistics.median(sum(1 for cell in r if cell.column in covered) for r in after)
    return under >= max(1, 0.4 * len(row)) and width >= 0.5 * usual
