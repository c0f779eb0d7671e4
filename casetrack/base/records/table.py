"""Results as tables: for Arrow, Polars and pandas, for notebooks and terminals.

:mod:`casetrack.base.records.layouts` defines the columns.

>>> collection.documents().to_polars()  # doctest: +SKIP
>>> collection.map.entities(kind="person").to_arrow()  # doctest: +SKIP
"""

from __future__ import annotations

import html
import operator
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, Self, SupportsIndex, TypeVar, overload

from casetrack.base.errors import PackageMissing
from casetrack.base.records.shape import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pandas as pd
    import polars as pl
    import pyarrow as pa

T = TypeVar("T")
HTML_ROWS = 50
"""Maximum rows in a notebook; data frames have all."""
TEXT_ROWS = 20
_HTML_CHARS = 240
_TEXT_CHARS = 44
_ARROW = "Or use .to_arrow(), which needs nothing else."
_LEFT = "text-align:left;vertical-align:top"


class Tabular(Generic[T]):
    """A result that is also a table: countable, iterable over its records, and sliceable."""

    __slots__ = ()

    def _table(self) -> tuple[type[T], Sequence[T]]:
        """Return the class of the rows' records, and the records."""
        raise NotImplementedError

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._table()[1])

    def __iter__(self) -> Iterator[T]:
        """Iterate over the records."""
        return iter(self._table()[1])

    @overload
    def __getitem__(self, index: SupportsIndex, /) -> T: ...
    @overload
    def __getitem__(self, index: slice, /) -> Tabular[T]: ...
    def __getitem__(self, index: SupportsIndex | slice, /) -> T | Tabular[T]:
        """Return the record of one row, or some of them as a table."""
        record, items = self._table()
        if isinstance(index, slice):
            return Rows(items[index], of=record)
        return _item(lambda at: items[operator.index(at)], index, len(items))

    def _heading(self) -> str:
        """Return the heading of the table in a notebook."""
        count = len(self._table()[1])
        return f"{count:,} {'row' if count == 1 else 'rows'}"

    def to_arrow(self) -> pa.Table:
        """Return all rows as an Arrow table; an empty one has the same columns and types.

        Moments are ``timestamp[us, UTC]``, days ``date32``, lists ``list<string>``.

        Examples
        --------
        >>> collection.documents().to_arrow().column_names  # doctest: +SKIP
        """
        import pyarrow as pa

        from casetrack.base.records.layouts import layout_of

        record, items = self._table()
        layout = layout_of(record)
        return pa.Table.from_pylist([layout.row(item) for item in items], schema=layout.arrow())

    def to_polars(self) -> pl.DataFrame:
        """Return all rows as a Polars data frame; its columns are those of :meth:`to_arrow`.

        Examples
        --------
        >>> collection.search("termination").to_polars()["citation"]  # doctest: +SKIP

        Raises ``PackageMissing``: polars is not installed; CaseTrack itself does not need it.
        """
        PackageMissing.check("polars", "there can be no Polars data frame", _ARROW)
        import polars as pl

        frame = pl.from_arrow(self.to_arrow())
        if not isinstance(frame, pl.DataFrame):
            frame = frame.to_frame()
        return frame

    def to_pandas(self) -> pd.DataFrame:
        """Return all rows as a pandas data frame; its columns are those of :meth:`to_arrow`.

        Integers and booleans have nullable types (``Int64``, ``boolean``), so a column always has
        the same type. Days are moments at midnight; lists stay lists. Raises ``PackageMissing``:
        pandas is not installed; CaseTrack itself does not need it.
        """
        PackageMissing.check("pandas", "there can be no pandas data frame", _ARROW)
        import pandas as pd
        import pyarrow as pa

        types = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
        table = self.to_arrow()
        frame: pd.DataFrame = table.to_pandas(types_mapper=types.get, date_as_object=False)
        for column in table.schema:
            if pa.types.is_list(column.type):
                frame[column.name] = pd.Series(table[column.name].to_pylist(), dtype=object)
        return frame

    def __repr__(self) -> str:
        """Return the first rows as readable text."""
        return self._as_text()

    def _repr_html_(self) -> str | None:
        return table_html(*self._shown(), heading=self._heading())

    def _shown(self) -> tuple[tuple[str, ...], list[Mapping[str, Any]]]:
        from casetrack.base.records.layouts import layout_of

        record, items = self._table()
        layout = layout_of(record)
        return layout.shown, [layout.row(item) for item in items]

    def _as_text(self) -> str:
        names, rows = self._shown()
        return "\n".join([self._heading(), *text_lines(names, rows)])


class Rows(tuple[T, ...], Tabular[T]):  # noqa: SLOT001 - it remembers the class of its records
    """A tuple of records that is also a table.

    Parameters
    ----------
    of
        Class of the records, which defines the columns; default is that of the first record.
    total
        Number of all records, if *items* are the first of them.

    Examples
    --------
    >>> people = collection.map.entities(kind="person")  # doctest: +SKIP
    >>> people[0].name, people[:5].to_polars()  # doctest: +SKIP
    """

    _of: type[Any]
    _total: int | None

    def __new__(
        cls, items: Iterable[T] = (), /, *, of: type[T] | None = None, total: int | None = None
    ) -> Self:
        """Create it from records."""
        made = super().__new__(cls, items)
        made._total = total
        made._of = of or (type(made[0]) if made else Record)
        return made

    @property
    def total(self) -> int:
        """Number of all records; more than the rows if a limit applied."""
        return len(self) if self._total is None else self._total

    def _table(self) -> tuple[type[T], Sequence[T]]:
        return self._of, self

    def _heading(self) -> str:
        if self.total == len(self):
            return super()._heading()
        return f"{len(self):,} of {self.total:,} rows; limit= gives more, limit=None all of them"

    @overload
    def __getitem__(self, index: SupportsIndex, /) -> T: ...
    @overload
    def __getitem__(self, index: slice, /) -> Rows[T]: ...
    def __getitem__(self, index: SupportsIndex | slice, /) -> T | Rows[T]:
        """Return one record, or some of them as a table."""
        if isinstance(index, slice):
            return Rows(super().__getitem__(index), of=self._of)
        return _item(super().__getitem__, index, len(self))

    def __repr__(self) -> str:
        """Return the first rows as readable text."""
        return self._as_text()


class RowList(list[T], Tabular[T]):
    """A list of records that is also a table; see :class:`Rows`."""

    def __init__(self, items: Iterable[T] = (), /, *, of: type[T]) -> None:
        super().__init__(items)
        self._of = of

    def _table(self) -> tuple[type[T], Sequence[T]]:
        return self._of, self

    @overload
    def __getitem__(self, index: SupportsIndex, /) -> T: ...
    @overload
    def __getitem__(self, index: slice, /) -> RowList[T]: ...
    def __getitem__(self, index: SupportsIndex | slice, /) -> T | RowList[T]:
        """Return one record, or some of them as a table."""
        if isinstance(index, slice):
            return RowList(super().__getitem__(index), of=self._of)
        return _item(super().__getitem__, index, len(self))

    def __repr__(self) -> str:
        """Return the first rows as readable text."""
        return self._as_text()


def _item(get: Callable[[SupportsIndex], T], index: SupportsIndex, count: int) -> T:
    """Return one record; raise ``IndexError`` with the number of rows."""
    try:
        return get(index)
    except IndexError:
        rows = f"{count:,} {'row' if count == 1 else 'rows'}, counted from 0"
        raise IndexError(f"There is no row {operator.index(index)}: there are {rows}.") from None


def table_html(
    names: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    /,
    *,
    heading: str,
    limit: int = HTML_ROWS,
    chars: int = _HTML_CHARS,
) -> str:
    """Return rows as an HTML table in the colours of the notebook.

    *names* are the columns; the first *limit* rows are shown, with *chars* characters per cell.
    """
    numeric = {n for n in names if any(_is_number(r.get(n)) for r in rows)}
    head = "".join(
        f"<th{'' if n in numeric else f' style={_quoted(_LEFT)}'}>{_label(n)}</th>" for n in names
    )
    body = "".join(
        "<tr>"
        + "".join(
            f"<td style='{'vertical-align:top' if n in numeric else _LEFT}'>"
            f"{html.escape(cell(row.get(n), chars))}</td>"
            for n in names
        )
        + "</tr>"
        for row in rows[:limit]
    )
    more = more_text(len(rows), limit)
    below = f"<p><small>{html.escape(more)}</small></p>" if more else ""
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if rows else ""
    return f"<p>{html.escape(heading)}</p>{table}{below}"


def cell(value: object, limit: int, /) -> str:
    """Return a value for display, on one line of at most *limit* characters."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.3f}".rstrip("0").rstrip(".") if abs(value) < 1e15 else f"{value:g}"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, (list, tuple)):
        value = ", ".join(str(v) for v in value)
    text = " ".join(str(value).split())
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "\u2026"


def text_lines(names: Sequence[str], rows: Sequence[Mapping[str, Any]], /) -> list[str]:
    """Return the first rows as aligned lines of text, and a note on the rest."""
    if not rows:
        return []
    cells = [[_short(n, row.get(n)) for n in names] for row in rows[:TEXT_ROWS]]
    widths = [max(len(line[i]) for line in [list(names), *cells]) for i in range(len(names))]
    numeric = [any(_is_number(row.get(n)) for row in rows) for n in names]
    lines = []
    for line in [[n.replace("_", " ") for n in names], *cells]:
        parts = (
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(line, widths, numeric, strict=True)
        )
        lines.append("  ".join(parts).rstrip())
    more = more_text(len(rows), TEXT_ROWS)
    return [*lines, more] if more else lines


def _short(name: str, value: object) -> str:
    if not name.endswith("path") or value is None:
        return cell(value, _TEXT_CHARS)
    text = " ".join(str(value).split())
    # Paths differ mostly at their end.
    return text if len(text) <= _TEXT_CHARS else "\u2026" + text[1 - _TEXT_CHARS :]


def more_text(count: int, limit: int, /) -> str:
    """Return a note on the rows that are not shown, or empty."""
    if count <= limit:
        return ""
    return f"and {count - limit:,} more; to_polars() and to_arrow() hold all of them"


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _label(name: str) -> str:
    return html.escape(name.replace("_", " "))


def _quoted(text: str) -> str:
    return f"'{text}'"
