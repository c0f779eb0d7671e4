"""How every record looks as a row of a table: its columns, their types, and what a page shows.

Columns have the names of the SQL views where both hold the same; where a passage stands is told as
in JSON (``document``, ``page``, ``line_start`` and so on).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from casetrack.base.provenance import Provenance
from casetrack.base.records.shape import (
    SOURCE,
    Member,
    View,
    declared,
    inlined,
    is_record,
    once,
    opened,
    selected,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

Kind = Literal["text", "whole", "number", "flag", "time", "day", "texts"]
_KINDS: dict[Any, Kind] = {
    str: "text",
    int: "whole",
    float: "number",
    bool: "flag",
    datetime: "time",
}
_CITATION = View("citation=cite")


@dataclass(frozen=True, slots=True)
class Layout:
    """A record as a row.

    Attributes
    ----------
    kinds
        The columns in order, with what they hold.
    shown
        The columns that a notebook shows.
    headings
        Of the columns that every table for people has behind its own ones (``FieldFormat.shown``).
    """

    kinds: Mapping[str, Kind]
    shown: tuple[str, ...]
    headings: Mapping[str, str]
    _members: tuple[Member, ...]

    def row(self, item: Any, /) -> dict[str, Any]:
        """Return the row of a record."""
        return {member.key: member.get(item) for member in self._members}

    def arrow(self) -> pa.Schema:
        """Return the columns as an Arrow schema."""
        import pyarrow as pa

        types = {
            "text": pa.string(),
            "whole": pa.int64(),
            "number": pa.float64(),
            "flag": pa.bool_(),
            "time": pa.timestamp("us", tz="UTC"),
            "day": pa.date32(),
            "texts": pa.list_(pa.string()),
        }
        return pa.schema([(name, types[kind]) for name, kind in self.kinds.items()])


@once
def layout_of(record: type[Any], /) -> Layout:
    """Return how records of a class look as rows."""
    columns = tuple(m for m in _columns(record) if _kind(m.hint) is not None)
    kinds = {m.key: kind for m in columns if (kind := _kind(m.hint)) is not None}
    headings = {m.key: title for m in columns if (title := opened(m.hint).told.shown)}
    return Layout(kinds, (*record.SHOWN, *headings), headings, columns)


def _columns(record: type[Any]) -> list[Member]:
    """Return the cells of a row; what is told of a passage stands behind a record's own ones."""
    found: list[Member] = []
    passage: list[Member] = []
    for member in declared(record, record.COLUMNS):
        get = member.get
        kind, told, view, _ = opened(member.hint)
        view = told.columns or view
        if not told.row:
            continue
        if kind is Provenance:
            found += inlined(get, (*selected(kind, _CITATION), *selected(kind, SOURCE)))
        elif view is not None and is_record(kind):
            found += inlined(get, selected(kind, view))
        elif told.inline:
            passage += inlined(get, _columns(kind))
        else:
            found.append(member._replace(get=_day(get)) if told.day else member)
    return [*found, *passage]


def _day(get: Any) -> Any:
    return lambda item: date.fromisoformat(get(item))


def _kind(hint: Any) -> Kind | None:
    """Return what a column of this type holds; ``None`` for what no cell can hold."""
    kind, told, _, _ = opened(hint)
    if told.day:
        return "day"
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return "text"
    if origin in (tuple, list, Sequence):
        return "texts" if _kind(arguments[0]) == "text" else None
    return _KINDS.get(kind)
