"""The type of a record's JSON form: what programs are promised, and results are held against."""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence
from datetime import datetime
from types import GenericAlias, UnionType
from typing import Any, Union, get_args, get_origin, is_typeddict

from casetrack.records.shape import hints_of, is_record, members, opened, selected


@functools.cache
def json_type(hint: Any, /) -> Any:
    """Return the type of the JSON form of a value of this type.

    Of a record it is a ``TypedDict`` with the members of :meth:`Record.as_dict`, and of a
    ``TypedDict`` whose entries are records one whose entries are their JSON forms.
    """
    kind, told, view, optional = opened(hint)
    if told.via is not None:
        found = json_type(hints_of(told.via)["return"])
    elif view is not None:
        found = _typed(kind.__name__, {m.key: m.hint for m in selected(kind, view)})
    elif is_record(kind):
        found = _typed(kind.__name__, {m.key: m.hint for m in members(kind)})
    elif is_typeddict(kind):
        found = _typed(kind.__name__, hints_of(kind), kind.__required_keys__)
    else:
        found = _plain(kind)
    return found | None if optional else found


def _typed(name: str, hints: Mapping[str, Any], needed: frozenset[str] | None = None) -> Any:
    # Pydantic wants that of typing_extensions below Python 3.12.
    from typing import NotRequired

    from typing_extensions import TypedDict

    found = {key: json_type(hint) for key, hint in hints.items()}
    if needed is not None:
        found = {k: t if k in needed else NotRequired[t] for k, t in found.items()}
    return TypedDict(name, found)  # type: ignore[operator]


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
