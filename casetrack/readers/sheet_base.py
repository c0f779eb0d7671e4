"""What the readers of the three workbook formats give to :mod:`casetrack.readers.sheets`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from casetrack.readers.table_rows import Row

_RANGE = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d{1,7})(?::\$?([A-Za-z]{1,3})\$?(\d{1,7}))?$")


@dataclass(frozen=True, slots=True)
class Span:
    """A merged area: first cell (1-based), and how many rows and columns it covers."""

    row: int
    column: int
    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet; *rows* reads its non-empty rows anew with each call, with 1-based numbers.

    *note* says why a sheet has no cells, where that is not simply because it is empty.
    """

    name: str
    is_hidden: bool
    rows: Callable[[], Iterator[tuple[int, Row]]]
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Workbook:
    """An opened workbook.

    Attributes
    ----------
    format
        ``xlsx``, ``xls`` or ``ods``.
    close
        Frees the file.
    unknown_results
        Formulas without a stored result, by sheet; grows while rows are read.
    warnings
        What could not be read.
    """

    format: str
    sheets: list[Sheet]
    close: Callable[[], None]
    title: str | None = None
    author: str | None = None
    unknown_results: dict[str, int] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def column_number(letters: str, /) -> int:
    """Return the 1-based number of a column named by letters: ``AA`` is 27."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number


def parse_range(text: str, /) -> Span | None:
    """Read a range such as ``B2:D2``; ``None`` where it is none."""
    found = _RANGE.match(text)
    if found is None:
        return None
    column, row = column_number(found[1]), int(found[2])
    last_column = column_number(found[3]) if found[3] else column
    last_row = int(found[4]) if found[4] else row
    if last_column < column or last_row < row:
        return None
    return Span(row, column, last_row - row + 1, last_column - column + 1)


class MergedAreas:
    """The merged areas of a sheet: which cell begins one, and which cells it covers."""

    def __init__(self, spans: Mapping[tuple[int, int], Span]) -> None:
        self._first = dict(spans)
        self._by_row: dict[int, list[Span]] = {}
        for span in self._first.values():
            for row in range(span.row, span.row + min(span.rows, 10_000)):
                self._by_row.setdefault(row, []).append(span)

    def columns(self, row: int, column: int, /) -> int:
        """Return how many columns the cell covers."""
        span = self._first.get((row, column))
        return span.columns if span else 1

    def hides(self, row: int, column: int, /) -> bool:
        """Tell whether the cell lies under another one, so that its own content is not shown."""
        return any(
            span.column <= column < span.column + span.columns
            and (span.row, span.column) != (row, column)
            for span in self._by_row.get(row, ())
        )
