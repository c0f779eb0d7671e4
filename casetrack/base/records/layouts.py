"""Rows of records: columns, their types, and the columns of a display.

Columns have the names of the SQL views, and those of JSON for the source of a passage
(``document``, ``page``, ``line_start`` and so on).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from casetrack.base.dataclass import dataclass
from casetrack.base.provenance import Provenance
from casetrack.base.records import shape

if TYPE_CHECKING:
    import pyarrow as pa

Kind = Literal["text", "whole", "number", "flag", "time", "day", "texts"]
_KINDS: dict[Any, Kind] = {
    str: "text",
    int: "whole",
    float: "number",
    bool: "flag",
    datetime: "time",
}
_CITATION = shape.View("citation=cite")


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a record."""

    kinds: Mapping[str, Kind]  # types of the columns, in order
    shown: tuple[str, ...]  # columns in a notebook
    # Headings of the columns that every displayed table appends (`FieldFormat.shown`).
    headings: Mapping[str, str]
    _members: tuple[shape.Member, ...]

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


@shape.once
def layout_of(record: type[Any], /) -> Layout:
    """Return the layout of a record class."""
    columns = tuple(m for m in _columns(record) if _kind(m.hint) is not None)
    kinds = {m.key: kind for m in columns if (kind := _kind(m.hint)) is not None}
    headings = {m.key: title for m in columns if (title := shape.opened(m.hint).format.shown)}
    return Layout(kinds, (*record.SHOWN, *headings), headings, columns)


def _columns(record: type[Any]) -> list[shape.Member]:
    """Return the columns of a row; the columns of a passage follow the record's own."""
    own: list[shape.Member] = []
    passage: list[shape.Member] = []
    for member in shape.declared(record, record.COLUMNS):
        get = member.get
        kind, format_, view, _ = shape.opened(member.hint)
        view = format_.columns or view
        if not format_.row:
            continue
        if kind is Provenance:
            own += shape.inlined(
                get, (*shape.selected(kind, _CITATION), *shape.selected(kind, shape.SOURCE))
            )
        elif view is not None and shape.is_record(kind):
            own += shape.inlined(get, shape.selected(kind, view))
        elif format_.inline:
            passage += shape.inlined(get, _columns(kind))
        else:
            own.append(member._replace(get=_day(get)) if format_.day else member)
    return [*own, *passage]


def _day(get: Any) -> Any:
    return lambda item: date.fromisoformat(get(item))


def _kind(hint: Any) -> Kind | None:
    """Return the column type of a type hint; ``None`` if a cell cannot hold it."""
    kind, format_, _, _ = shape.opened(hint)
    if format_.day:
        return "day"
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return "text"
    if origin in (tuple, list, Sequence):
        return "texts" if _kind(arguments[0]) == "text" else None
    return _KINDS.get(kind)
