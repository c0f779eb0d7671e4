"""Values of Arrow tables as JSON knows them, and as text."""

from __future__ import annotations

import datetime as dt
import json
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from casetrack.provenance import iso_utc

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

    Convert = Callable[[Any], Any]


def converters(schema: pa.Schema, /) -> list[Convert]:
    """Return for each column what turns its values, ``None`` aside, into values of JSON.

    Times become ISO 8601, in UTC where they have a zone; bytes hexadecimal digits; decimals
    numbers where that loses nothing; float32 the shortest number that is the same float32.
    """
    return [_converter(field.type) for field in schema]


def _converter(kind: pa.DataType) -> Convert:
    import pyarrow.types as kinds

    if kinds.is_float32(kind) or kinds.is_float16(kind):
        return _short_float
    if kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind):
        return _over(_converter(kind.value_type))
    if kinds.is_struct(kind):
        inner = {field.name: _converter(field.type) for field in kind}
        return lambda value: {
            name: None if v is None else inner[name](v) for name, v in value.items()
        }
    if kinds.is_map(kind):
        key, item = _converter(kind.key_type), _converter(kind.item_type)
        return lambda value: {text_of(key(k)): None if v is None else item(v) for k, v in value}
    return _plain


def _over(change: Convert) -> Convert:
    return lambda values: [None if v is None else change(v) for v in values]


def _short_float(value: float) -> float | None:
    import numpy as np

    return float(str(np.float32(value))) if math.isfinite(value) else None


def _plain(value: Any) -> Any:
    if isinstance(value, dt.datetime):
        return iso_utc(value) if value.tzinfo is not None else value.isoformat()
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return _number(value)
    if isinstance(value, bytes):
        return value.hex()
    return value if isinstance(value, (str, int, bool)) else str(value)


def _number(value: Decimal) -> int | float | str:
    if value == value.to_integral_value():
        return int(value)
    number = float(value)
    return number if Decimal(repr(number)) == value else str(value)


def text_of(value: Any, /) -> str:
    """Return a value of JSON as the text of a cell: nested ones as JSON, ``None`` as nothing."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, dict, bool)):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def shown(value: Any, /) -> str:
    """Return a value of Arrow as people read it in a table: local times, short numbers."""
    from casetrack.cli.output import local_time

    if isinstance(value, dt.datetime):
        return local_time(value)
    if isinstance(value, float) and math.isfinite(value):
        return _readable(value)
    return text_of(value)


def _readable(value: float) -> str:
    size = abs(value)
    if size >= 1e15 or 0 < size < 1e-3:
        return f"{value:.4g}"
    whole, _, fraction = f"{value:.4f}".partition(".")
    return f"{whole}.{fraction.rstrip('0') or '0'}"


def is_numeric(kind: pa.DataType, /) -> bool:
    """Return whether the values of a type are numbers, which stand to the right."""
    import pyarrow.types as kinds

    return bool(kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind))


def unique_names(names: Sequence[str], /) -> list[str]:
    """Return names of columns, repeated ones numbered on: ``a``, ``a_1``.

    Examples
    --------
    >>> unique_names(["a", "a", "b"])
    ['a', 'a_1', 'b']
    """
    taken = set(names)
    seen: set[str] = set()
    result = []
    for name in names:
        new, number = name, 0
        while new in seen or (number and new in taken):
            number += 1
            new = f"{name}_{number}"
        seen.add(new)
        result.append(new)
    return result
