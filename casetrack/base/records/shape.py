"""Records: their fields define the JSON form and the row.

A record is a frozen dataclass on :class:`Record`. Each field has its own name in JSON and, if a
cell can hold it, in the row. ``Annotated`` with a :class:`FieldFormat` or a :class:`View` changes
this::

    value: Annotated[str, FieldFormat(name="date")]
    weight: Share
    document: Annotated[Document, View("document_id", "document=name"), INLINE]
"""

from __future__ import annotations

import functools
import operator
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
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

from casetrack.base.dataclass import dataclass, fields, is_dataclass
from casetrack.base.provenance import Provenance, iso_utc

Get: TypeAlias = Callable[[Any], Any]
F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


def once(function: F, /) -> F:
    """Cache a function per argument; mypy does not accept classes as hashable arguments."""
    return cast("F", functools.cache(function))


@once
def _parameters(kind: Any) -> tuple[str, ...]:
    return tuple(f.name for f in fields(kind) if f.init)


def from_members(kind: type[T], source: Any, /, **others: Any) -> T:
    """Return a dataclass with *others* and the members of *source*, a mapping or an object."""
    names = [name for name in _parameters(kind) if name not in others]
    if isinstance(source, Mapping):
        return kind(**{n: source[n] for n in names if n in source}, **others)
    return kind(**{n: getattr(source, n) for n in names if hasattr(source, n)}, **others)


@dataclass(eq=False, kw_only=True, slots=True)
class FieldFormat:
    """The representation of a field, where it differs from that of its type.

    Parameters
    ----------
    name
        Name in JSON and as a column.
    digits
        Decimal places in JSON; a row has the exact number.
    json, row
        Whether it is part of the JSON form, and a column.
    inline
        Whether the members of this record become members of the outer record.
    columns
        Columns of a record in a row.
    day
        Whether a text is a day, ``YYYY-MM-DD``, which a row has as a date.
    via
        Converts the value for JSON.
    shown
        Heading of its column, which every displayed table appends.
    """

    name: str = ""
    digits: int | None = None
    json: bool = True
    row: bool = True
    inline: bool = False
    columns: View | None = None
    day: bool = False
    via: Get | None = None
    shown: str = ""


class View:
    """A selection of members of a record, in order.

    Parameters
    ----------
    names
        Attributes, or ``key=path``, such as ``document=provenance.document_name``. The path has
        fields, properties, methods without arguments, keys of a dictionary, and passes through each
        member of a tuple. A final question mark omits ``None`` from JSON.
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
    """A frozen dataclass that defines its JSON form and its row."""

    __slots__ = ()
    # First members of its JSON form, as names or `key=path` (see `View`), for properties and for
    # the order. All other fields follow, or replace `...`.
    JSON: ClassVar[tuple[str, ...]] = ()
    COLUMNS: ClassVar[tuple[str, ...]] = ()  # the same for its row
    SHOWN: ClassVar[tuple[str, ...]] = ()  # columns in a notebook

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form: moments as ISO 8601 in UTC, tuples as lists."""
        return form(self, members(type(self)))


class Member(NamedTuple):
    """A member of a record: key, accessor, type, and JSON encoder.

    JSON omits a *rare* member that is ``None``.
    """

    key: str
    get: Get
    hint: Any
    encode: Get
    rare: bool = False


class Opened(NamedTuple):
    """A type without ``None`` and annotations, and the content of these annotations."""

    kind: Any
    format: FieldFormat
    view: View | None
    optional: bool


def form(item: Any, parts: Iterable[Member], /) -> dict[str, Any]:
    """Return members of a record in their JSON form."""
    return {
        key: value
        for key, get, _, encode, rare in parts
        if (value := get(item) if encode is _same else encode(get(item))) is not None or not rare
    }


@once
def members(record: type[Record], /) -> tuple[Member, ...]:
    """Return the members of the JSON form of a record, in order."""
    result: list[Member] = []
    for member in declared(record, record.JSON):
        kind, format_, view, _ = opened(member.hint)
        if not format_.json:
            continue
        if kind is Provenance and view is None:
            result += inlined(member.get, place())
        elif format_.inline:
            result += inlined(member.get, selected(kind, view) if view else members(kind))
        else:
            result.append(member)
    return tuple(result)


@once
def selected(record: type, view: View, /) -> tuple[Member, ...]:
    """Return the members of a record that a view names."""
    return tuple(_named(record, name) for name in view.names)


@once
def place() -> tuple[Member, ...]:
    """Return the JSON members of a passage's source: citations and the source object."""
    citations = selected(Provenance, View("citation=cite", "citation_short=cite_short"))
    return (*citations, Member("source", _same, Annotated[Provenance, SOURCE], SOURCE.of))


def declared(record: type, named: tuple[str, ...], /) -> list[Member]:
    """Return the *named* members, and all other fields in place of ``...`` or at the end."""
    used = {part for name in named for part in name.removesuffix("?").split("=")}
    others = [f.name for f in fields(record) if f.name not in used] if is_dataclass(record) else []
    at = named.index("...") if "..." in named else len(named)
    return [_named(record, name) for name in (*named[:at], *others, *named[at + 1 :])]


def inlined(get: Get, parts: Iterable[Member], /) -> list[Member]:
    """Return the members of an inner record as members of the outer record."""
    return [part._replace(get=_then(get, part.get)) for part in parts]


def _named(record: type, name: str) -> Member:
    key, _, path = name.removesuffix("?").partition("=")
    get, hint = _reach(record, path or key)
    key = key if path else opened(hint).format.name or key
    return Member(key, get, hint, encoder(hint), name.endswith("?"))


def _reach(owner: Any, path: str) -> tuple[Get, Any]:
    """Return the accessor and the type of a path from a record."""
    name, _, rest = path.partition(".")
    kind = opened(owner).kind
    if get_origin(kind) is tuple:
        inner, hint = _reach(get_args(kind)[0], path)
        return lambda value: tuple(inner(each) for each in value), types.GenericAlias(
            tuple, (hint, ...)
        )
    get, hint = _attribute(kind, name)
    if not rest:
        return get, hint
    following, hint = _reach(hint, rest)
    return _then(get, following), hint


def _attribute(kind: Any, name: str) -> tuple[Get, Any]:
    if get_origin(kind) is dict:
        return lambda mapping: mapping.get(name), get_args(kind)[1]
    own = getattr(kind, name, None)
    if isinstance(own, property):
        return operator.attrgetter(name), hints_of(own.fget)["return"]
    if isinstance(own, types.FunctionType):
        return operator.methodcaller(name), hints_of(own)["return"]
    return operator.attrgetter(name), hints_of(kind)[name]


def _then(first: Get, second: Get) -> Get:
    def get(item: Any) -> Any:
        value = first(item)
        return None if value is None else second(value)

    return get


# --- types ----------------------------------------------------------------------------------


@once
def hints_of(owner: Any, /) -> dict[str, Any]:
    """Return the types of a class's attributes or of a function's parameters."""
    return get_type_hints(owner, include_extras=True)


def opened(hint: Any, /) -> Opened:
    """Remove ``None`` and annotations from a type; the outermost annotation counts."""
    format_, view, optional = None, None, False
    while True:
        origin, arguments = get_origin(hint), get_args(hint)
        some = [a for a in arguments if a is not types.NoneType]
        if origin is Annotated:
            marks = hint.__metadata__
            format_ = format_ or next((m for m in marks if isinstance(m, FieldFormat)), None)
            view = view or next((m for m in marks if isinstance(m, View)), None)
            hint = hint.__origin__
        elif origin in (Required, NotRequired):
            (hint,) = arguments
        elif origin in (Union, types.UnionType) and len(some) < len(arguments):
            hint, optional = functools.reduce(operator.or_, some), True
        else:
            return Opened(hint, format_ or FieldFormat(), view, optional)


def encoder(hint: Any, /) -> Get:
    """Return the JSON encoder of a type."""
    kind, format_, view, optional = opened(hint)
    encode = _encoder(kind, format_, view)
    return _then(_same, encode) if optional and encode is not _same else encode


def _encoder(kind: Any, format_: FieldFormat, view: View | None) -> Get:
    if format_.via is not None:
        return _then(format_.via, encoder(hints_of(format_.via)["return"]))
    if format_.digits is not None:
        return lambda number: round(number, format_.digits)
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
