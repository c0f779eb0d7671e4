"""The type of a record's JSON form: what programs are promised, and results are held against."""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence
from datetime import datetime
from types import GenericAlias, UnionType
from typing import Any, NotRequired, Union, get_args, get_origin, is_typeddict

from casetrack.base.records.shape import View, hints_of, is_record, members, opened, selected


class Spread:
    """Says that the members of a record stand among those of the ``TypedDict`` around it.

    Parameters
    ----------
    without
        Keys of those that do not.
    """

    def __init__(self, *without: str) -> None:
        self.without = without


@functools.cache
def json_type(hint: Any, /) -> Any:
    """Return the type of the JSON form of a value of this type.

    Of a record it is a ``TypedDict`` with the members of :meth:`Record.as_dict`, and of a
    ``TypedDict`` whose entries are records one whose entries are their JSON forms.
    """
    kind, told, view, optional = opened(hint)
    if told.via is not None:
        found = json_type(hints_of(told.via)["return"])
    elif view is not None or is_record(kind):
        found = typed(kind.__name__, _told(kind, view))
    elif is_typeddict(kind):
        found = typed(kind.__name__, _entries(kind))
    else:
        found = _plain(kind)
    return found | None if optional else found


def typed(name: str, entries: Mapping[str, Any], /) -> Any:
    """Return a ``TypedDict`` with these entries."""
    # Pydantic wants that of typing_extensions below Python 3.12.
    from typing_extensions import TypedDict

    return TypedDict(name, entries)  # type: ignore[operator]


def _told(record: type, view: View | None) -> dict[str, Any]:
    """Return the types of what is told of a record."""
    parts = members(record) if view is None else selected(record, view)
    found = {part.key: json_type(part.hint) for part in parts}
    return found | {part.key: NotRequired[found[part.key]] for part in parts if part.rare}


def _entries(kind: Any) -> dict[str, Any]:
    """Return the types of the entries of a ``TypedDict``; its own count for more than others'."""
    own: dict[str, Any] = {}
    spread: dict[str, Any] = {}
    for key, hint in hints_of(kind).items():
        needed = key in kind.__required_keys__
        mark = next((m for m in getattr(hint, "__metadata__", ()) if isinstance(m, Spread)), None)
        opened_hint = opened(hint)
        found = (
            {key: json_type(hint)} if mark is None else _told(opened_hint.kind, opened_hint.view)
        )
        into = own if mark is None else spread
        for name, made in found.items():
            if mark is None or name not in mark.without:
                is_needed = needed or get_origin(made) is NotRequired
                into[name] = made if is_needed else NotRequired[made]
    return spread | own


def _plain(kind: Any) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is datetime:
        return str
    if origin in (tuple, list, Sequence):
        return GenericAlias(list, (json_type(arguments[0]),))
    if origin in (dict, Mapping):
        return GenericAlias(dict, (arguments[0], json_type(arguments[1])))
    if origin in (Union, UnionType):
        return functools.reduce(operator.or_, map(json_type, arguments))
    return kind
