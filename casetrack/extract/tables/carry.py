"""Decides which table continues the one above it, also over a page break.

Readers compare the positions of columns, the graph compares the number of cells. The permitted text
between two parts, and the shared header, are decided in this module.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

Table = TypeVar("Table")
Names = TypeVar("Names")

_TITLE_CHARS, _MAX_LINES, _MAX_CHARS = 90, 8, 150


def is_title(line: str, /) -> bool:
    """Return whether a line is short and ends no sentence, unlike running text."""
    return len(line) <= _TITLE_CHARS and line.rstrip()[-1:] not in {".", ";"}


def part_tables(lines: Sequence[str], /) -> bool:
    """Return whether lines between two tables contain running text, not only titles."""
    return sum(len(line) for line in lines if not is_title(line)) >= _MAX_CHARS


class TableCarry(ABC, Generic[Table, Names]):
    """The last table before a place, whose header can hold for the table that follows."""

    def __init__(self) -> None:
        self.clear()

    @abstractmethod
    def have_same_columns(self, above: Table, table: Table, /) -> bool:
        """Return whether two tables have the same columns."""

    def clear(self) -> None:
        """Forget the table."""
        self.table: Table | None = None
        self.names: Names | None = None
        self._between: list[str] = []

    def remember(self, table: Table, names: Names | None, /) -> None:
        """Set the last table and its header, ``None`` without one."""
        self.table, self.names, self._between = table, names, []

    def pass_text(self, lines: Iterable[str], /) -> None:
        """Read text below the table; after too much text the next table is a new one."""
        self._between += lines
        if part_tables(self._between) or len(self._between) > _MAX_LINES:
            self.clear()

    def continues(self, table: Table, names: Names | None = None, /) -> bool:
        """Return whether a table continues: the same header, or none and the same columns."""
        if self.table is None:
            return False
        return self.have_same_columns(self.table, table) if names is None else names == self.names
