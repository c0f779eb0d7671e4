"""Rows of a document's tables to text: ``Header: value | Header: value``, as sheets have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell with text.

    Attributes
    ----------
    column, span
        1-based first column, and how many columns it covers.
    is_value
        Whether it holds a number or an amount, not words.
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
