"""Values of Arrow tables as JSON knows them, and as text."""

from __future__ import annotations

import datetime as dt
import json
import math
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from casetrack.base import arrow_values
from casetrack.base.arrow_values import python_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    Convert = Callable[[Any], Any]

_BLOCK_ROWS = 1000


def blocks(
    rows: pa.Table, /, *, as_text: bool = False, write: Callable[[Convert, Any], str] | None = None
) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows as lists of tuples, their values as JSON knows them.

    They are tuples, because two columns may bear the same name. The values are those of
    :func:`casetrack.base.arrow_values.python_values`. Times become ISO 8601, in UTC where they have
    a zone, and intervals durations of it; bytes hexadecimal digits; decimals numbers where that
    loses nothing; float32 the shortest number that is the same float32.

    Parameters
    ----------
    as_text
        ``NaN``, ``Infinity`` and ``-Infinity`` become these words. JSON has no such numbers, and
        gets ``None``.
    write
        Writes a value, given what turns it into one of JSON; ``None`` is an empty text then.
    """
    convert = [_converter(field.type, as_text) for field in rows.schema]
    empty = None
    if write is not None:
        convert, empty = [partial(write, change) for change in convert], ""
    for batch in rows.to_batches(max_chunksize=_BLOCK_ROWS):
        columns = [
            [empty if value is None else change(value) for value in python_values(column)]
            for column, change in zip(batch.columns, convert, strict=True)
        ]
        yield list(zip(*columns, strict=True))


def _converter(kind: pa.DataType, as_text: bool) -> Convert:
    import pyarrow.types as kinds

    if kinds.is_float32(kind) or kinds.is_float16(kind):
        return lambda value: _short_float(value, as_text)
    if kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind):
        item = _converter(kind.value_type, as_text)
        return lambda values: [None if v is None else item(v) for v in values]
    if kinds.is_struct(kind):
        inner = {field.name: _converter(field.type, as_text) for field in kind}
        return lambda value: {
            name: None if v is None else inner[name](v) for name, v in value.items()
        }
    if kinds.is_map(kind):
        # A key is a text in JSON, where even a number that is none can be told.
        key, item = _converter(kind.key_type, True), _converter(kind.item_type, as_text)
        return lambda value: {text_of(key(k)): None if v is None else item(v) for k, v in value}
    if arrow_values.is_bignum(kind):
        return arrow_values.bignum
    return lambda value: _plain(value, as_text)


def _short_float(value: float, as_text: bool) -> float | str | None:
    import numpy as np

    return float(str(np.float32(value))) if math.isfinite(value) else _no_number(value, as_text)


def _no_number(value: float, as_text: bool) -> str | None:
    if not as_text:
        return None
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _plain(value: Any, as_text: bool) -> Any:
    if isinstance(value, dt.datetime):
        return _moment(value)
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, float):
        return value if math.isfinite(value) else _no_number(value, as_text)
    if isinstance(value, Decimal):
        return _number(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list):  # of a union; other lists have a type of their own
        return [None if v is None else _plain(v, as_text) for v in value]
    if isinstance(value, dict):
        return {name: None if v is None else _plain(v, as_text) for name, v in value.items()}
    if isinstance(value, (str, int, bool)):
        return value
    return arrow_values.duration(value)


def _moment(value: dt.datetime) -> str:
    if value.tzinfo is None:
        return value.isoformat()
    return value.astimezone(dt.UTC).replace(tzinfo=None).isoformat() + "Z"


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
    from casetrack.faces.cli.output import local_time

    if isinstance(value, dt.datetime):
        try:
            return local_time(value)
        except OverflowError:  # in the first or last hours that Python has, in another zone
            return _moment(value)
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
