"""Rows of a document's tables to text: ``Header: value | Header: value``, as sheets have it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_NAME_CHARS = 200
"""A longer header stands on its own line alone, not again before each value."""

_VALUE = re.compile(
    r"[-+(]?\s*[$\u20ac\u00a3\u00a5]?\s*\d[\d.,'\s]{0,40}(?:%|[A-Z]{3}|[$\u20ac\u00a3\u00a5])?\)?"
)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell with text.

    Attributes
    ----------
    column, span
        1-based first column, and how many columns it covers.
    """

    text: str
    column: int
    span: int = 1

    @property
    def is_value(self) -> bool:
        """Whether it holds a number or an amount, not words."""
        return _VALUE.fullmatch(self.text) is not None


Row = tuple[Cell, ...]
"""The non-empty cells of a row, from left to right."""


def names_below(names: Mapping[int, str], row: Row, /) -> dict[int, str]:
    """Return the name of each column after one more header row.

    What stands below a name is another level of it: ``2024 / Q1``.
    """
    joined = dict(names)
    for cell in row:
        for column in range(cell.column, cell.column + cell.span):
            above = names.get(column)
            joined[column] = (
                f"{above} / {cell.text}" if above not in {None, cell.text} else cell.text
            )
    return joined


def row_text(row: Row, names: Mapping[int, str], /) -> str:
    """Write a row as one line.

    A cell without a header stands plain, and so does one that takes up several columns alone: it
    names the rows below it.
    """
    if len(row) == 1 and row[0].span > 1:
        return row[0].text
    parts = []
    for cell in row:
        name = names.get(cell.column, "")
        parts.append(f"{name}: {cell.text}" if 0 < len(name) <= MAX_NAME_CHARS else cell.text)
    return " | ".join(parts)
