"""Answers of SQL, as a notebook shows them: text to the left, numbers to the right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.base.arrow_values import python_values
from casetrack.base.records.table import table_html

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class ShownTable:
    """An Arrow table that a notebook shows in the colours of the page around it.

    Attributes
    ----------
    arrow
        The table itself, for whatever comes next.
    limit
        At most so many rows are shown; the rest is counted.
    """

    arrow: pa.Table
    limit: int

    def __repr__(self) -> str:
        """Return how much there is, and the first rows as text."""
        rows = _rows(self.arrow.slice(0, self.limit))
        return "\n".join([self._heading(), *(str(row) for row in rows)])

    def _repr_html_(self) -> str:
        names = self.arrow.column_names
        return table_html(names, _rows(self.arrow), heading=self._heading(), limit=self.limit)

    def _heading(self) -> str:
        count = self.arrow.num_rows
        return f"{count:,} {'row' if count == 1 else 'rows'}" if count else "No rows."


def _rows(arrow: pa.Table) -> list[dict[str, Any]]:
    columns = [[v for chunk in c.chunks for v in python_values(chunk)] for c in arrow.columns]
    names = arrow.column_names
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def table(arrow: pa.Table, /, *, limit: int = 50) -> ShownTable:
    """Show the answer of ``Collection.sql`` as a table.

    Parameters
    ----------
    arrow
        The answer.
    limit
        Show at most so many rows.

    Examples
    --------
    >>> table(collection.sql("SELECT name, page_count FROM documents"))  # doctest: +SKIP
    """
    return ShownTable(arrow, limit)
