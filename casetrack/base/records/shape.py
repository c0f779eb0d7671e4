"""One description of a record: its fields say how it looks as JSON and as a row.

A record is a frozen dataclass on :class:`Record`. Each field stands under its own name in the JSON
form and, where a cell can hold it, in the table. What is different is said at the field, by a
:class:`FieldFormat` or a :class:`View` in ``Annotated``::

    value: Annotated[str, FieldFormat(name="date")]
    weight: Share
    document: Annotated[Document, View("document_id", "document=name"), INLINE]

So a new field is one line.
"""

from __future__ import annotations

import functools
import operator
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import (
    Annotated,
    Any,
    ClassVar,
    NamedTuple,
    NotRequired,
    Required,
    TypeAlias,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from casetrack.base.provenance import Provenance, iso_utc

Get: TypeAlias = Callable[[Any], Any]
F = TypeVar("F", bound=Callable[..., Any])


def once(function: F, /) -> F:
    """Keep what a function returns for each argument; a class is one, which mypy doubts."""
    return cast("F", functools.cache(function))


class FieldFormat:
    """How a field is told, where its type alone does not say it.

    Parameters
    ----------
    name
        What it is called in JSON and as a column, if not like the field.
    digits
        Decimal places in JSON; a row has the number as it is.
    json, row
        Whether it is part of the JSON form, and a column.
    inline
        Whether the members of this record stand among those of the record around it.
    columns
        What a row says of a record.
    day
        Whether a text is a day, ``YYYY-MM-DD``, which a row holds as a date.
    via
        Makes of the value what JSON holds.
    shown
        Heading of its column in every table that people see, behind those that it has anyway.
    """

    def __init__(
        self,
        *,
        name: str = "",
        digits: int | None = None,
        json: bool = True,
        row: bool = True,
        inline: bool = False,
        columns: View | None = None,
        day: bool = False,
        via: Get | None = None,
        shown: str = "",
    ) -> None:
        self.name, self.digits, self.json, self.row = name, digits, json, row
        self.inline, self.columns, self.day, self.via, self.shown = inline, columns, day, via, shown


class View:
    """Some members of a record, in this order: what a list, or a record around it, says of it.

    Parameters
    ----------
    names
        Attributes, or ``key=path`` where it has another name or lies deeper, such as
        ``document=provenance.document_name``. The path leads through fields, properties, methods
        without arguments, keys of a dictionary, and each member of a tuple. With a question mark
        at its end a member stands in JSON only where it is not ``None``.
    """

    def __init__(self, *names: str) -> None:
        self.names = names

    def of(self, item: Any, /) -> dict[str, Any]:
        """Return the JSON form of these members of a record."""
        return form(item, selected(type(item), self))


INLINE = FieldFormat(inline=True)
HIDDEN = FieldFormat(json=False, row=False)
NO_JSON = FieldFormat(json=False)
NO_COLUMN = FieldFormat(row=False)
Share: TypeAlias = Annotated[float, FieldFormat(digits=4)]
"""From 0 to 1."""
Seconds: TypeAlias = Annotated[float, FieldFormat(digits=3)]
Day: TypeAlias = Annotated[str, FieldFormat(day=True)]
"""``YYYY-MM-DD``."""
SOURCE = View(
    "document=document_name",
    "document_path",
    "document_id",
    "document_source=source?",
    "document_source_id=source_id?",
    "document_url=source_url?",
    "chunk_id",
    "chunk_index",
    "page",
    "page_kind=counted_as",
    "page_is_estimated",
    "printed_place?",
    "paragraph_start",
    "paragraph_end",
    "line_start",
    "line_end",
    "char_start",
    "char_end",
    "heading_path",
    "table_header",
    "sheet_name",
    "row_range",
    "column_range",
    "language",
    "extraction_method",
    "ocr_confidence=rounded_confidence",
    "ocr_warning",
    "hidden_warning?",
    "chunk_created_at=created_at",
    "chunk_embedded_at=embedded_at",
    "document_ingested_at=ingested_at",
)
"""The ``source`` object of the canonical result format (PRD 08 §7)."""


class Record:
    """What stands in a result: a frozen dataclass that says itself how it is told.

    Attributes
    ----------
    JSON
        What its JSON form begins with, as names or ``key=path`` (see :class:`View`): for
        properties, and where the order is not that of the fields. All other fields follow, or
        stand where it has ``...``.
    COLUMNS
        The same for its row.
    SHOWN
        The columns that a notebook shows.
    """

    __slots__ = ()
    JSON: ClassVar[tuple[str, ...]] = ()
    COLUMNS: ClassVar[tuple[str, ...]] = ()
    SHOWN: ClassVar[tuple[str, ...]] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form: moments as ISO 8601 in UTC, lists as lists."""
        return form(self, members(type(self)))


class Member(NamedTuple):
    """A part of a record: its key, how to get at it, its type, and what JSON makes of it.

    Where *rare*, JSON does not tell that it is not there.
    """

    key: str
    get: Get
    hint: Any
    encode: Get
    rare: bool = False


class Opened(NamedTuple):
    """A type without ``None`` and annotations, and what these say."""

    kind: Any
    told: FieldFormat
    view: View | None
    optional: bool


def form(item: Any, parts: Iterable[Member], /) -> dict[str, Any]:
    """Return parts of a record in their JSON form."""
    return {
        key: value
        for key, get, _, encode, rare in parts
        if (value := get(item) if encode is _same else encode(get(item))) is not None or not rare
    }


@once
def members(record: type[Record], /) -> tuple[Member, ...]:
    """Return what the JSON form of a record consists of, in its order."""
    found: list[Member] = []
    for member in declared(record, record.JSON):
        kind, told, view, _ = opened(member.hint)
        if not told.json:
            continue
        if kind is Provenance and view is None:
            found += inlined(member.get, place())
        elif told.inline:
            found += inlined(member.get, selected(kind, view) if view else members(kind))
        else:
            found.append(member)
    return tuple(found)


@once
def selected(record: type, view: View, /) -> tuple[Member, ...]:
    """Return the members of a record that a view names."""
    return tuple(_named(record, name) for name in view.names)


@once
def place() -> tuple[Member, ...]:
    """Return what JSON says of where a passage stands: its citations, and its whole source."""
    citations = selected(Provenance, View("citation=cite", "citation_short=cite_short"))
    return (*citations, Member("source", _same, Annotated[Provenance, SOURCE], SOURCE.of))


def declared(record: type, named: tuple[str, ...], /) -> list[Member]:
    """Return what *named* says, and all other fields where it has ``...``, else behind it."""
    told = {part for name in named for part in name.removesuffix("?").split("=")}
    others = [f.name for f in fields(record) if f.name not in told] if is_dataclass(record) else []
    at = named.index("...") if "..." in named else len(named)
    return [_named(record, name) for name in (*named[:at], *others, *named[at + 1 :])]


def inlined(get: Get, parts: Iterable[Member], /) -> list[Member]:
    """Return the members of a record as those of the record that *get* finds it in."""
    return [part._replace(get=_then(get, part.get)) for part in parts]


def _named(record: type, name: str) -> Member:
    key, _, path = name.removesuffix("?").partition("=")
    get, hint = _reach(record, path or key)
    key = key if path else opened(hint).told.name or key
    return Member(key, get, hint, encoder(hint), name.endswith("?"))


def _reach(owner: Any, path: str) -> tuple[Get, Any]:
    """Return how a path is followed from a record, and the type of what lies there."""
    name, _, rest = path.partition(".")
    kind = opened(owner).kind
    if get_origin(kind) is tuple:
        inner, hint = _reach(get_args(kind)[0], path)
        return lambda found: tuple(inner(each) for each in found), types.GenericAlias(
            tuple, (hint, ...)
        )
    get, hint = _attribute(kind, name)
    if not rest:
        return get, hint
    following, hint = _reach(hint, rest)
    return _then(get, following), hint


def _attribute(kind: Any, name: str) -> tuple[Get, Any]:
    if get_origin(kind) is dict:
        return lambda found: found.get(name), get_args(kind)[1]
    own = getattr(kind, name, None)
    if isinstance(own, property):
        return operator.attrgetter(name), hints_of(own.fget)["return"]
    if isinstance(own, types.FunctionType):
        return operator.methodcaller(name), hints_of(own)["return"]
    return operator.attrgetter(name), hints_of(kind)[name]


def _then(first: Get, second: Get) -> Get:
    def get(item: Any) -> Any:
        found = first(item)
        return None if found is None else second(found)

    return get


# --- types ----------------------------------------------------------------------------------


@once
def hints_of(owner: Any, /) -> dict[str, Any]:
    """Return the types of a class's attributes or of a function's parameters."""
    return get_type_hints(owner, include_extras=True)


def opened(hint: Any, /) -> Opened:
    """Take a type apart; of several annotations the outermost counts."""
    told, view, optional = None, None, False
    while True:
        origin, arguments = get_origin(hint), get_args(hint)
        some = [a for a in arguments if a is not types.NoneType]
        if origin is Annotated:
            marks = hint.__metadata__
            told = told or next((m for m in marks if isinstance(m, FieldFormat)), None)
            view = view or next((m for m in marks if isinstance(m, View)), None)
            hint = hint.__origin__
        elif origin in (Required, NotRequired):
            (hint,) = arguments
        elif origin in (Union, types.UnionType) and len(some) < len(arguments):
            hint, optional = functools.reduce(operator.or_, some), True
        else:
            return Opened(hint, told or FieldFormat(), view, optional)


def encoder(hint: Any, /) -> Get:
    """Return what makes the JSON form of a value of this type."""
    kind, told, view, optional = opened(hint)
    encode = _encoder(kind, told, view)
    return _then(_same, encode) if optional and encode is not _same else encode


def _encoder(kind: Any, told: FieldFormat, view: View | None) -> Get:
    if told.via is not None:
        return _then(told.via, encoder(hints_of(told.via)["return"]))
    if told.digits is not None:
        return lambda number: round(number, told.digits)
    if view is not None:
        return view.of
    if kind is datetime:
        return iso_utc
    if is_record(kind):
        return operator.methodcaller("as_dict")
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (tuple, list, Sequence):
        item = encoder(arguments[0])
        return list if item is _same else lambda items: [item(each) for each in items]
    if origin in (dict, Mapping):
        value = encoder(arguments[1])
        return dict if value is _same else lambda d: {k: value(v) for k, v in d.items()}
    return _same


def _same(value: Any) -> Any:
    return value


def is_record(kind: Any, /) -> bool:
    """Return whether a type is a record."""
    return isinstance(kind, type) and issubclass(kind, Record)


class Spread:
    """Says that the members of a record stand among those of the ``TypedDict`` around it.

    Parameters
    ----------
    without
        Keys of those that do not.
    """

    def __init__(self, *without: str) -> None:
        self.without = without
