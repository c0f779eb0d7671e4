"""Values of Arrow tables as JSON knows them, and as text."""

from __future__ import annotations

import datetime as dt
import json
import math
from decimal import Decimal
from itertools import chain, count
from typing import TYPE_CHECKING, Any

from casetrack.base import arrow_values
from casetrack.base.arrow_values import python_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    Convert = Callable[[Any], Any]

_BLOCK_ROWS = 1000


def blocks(
    rows: pa.Table, /, *, as_text: bool = False, moments: bool = False
) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows as lists of tuples with JSON values.

    Tuples allow equal column names. The values are those of
    :func:`casetrack.base.arrow_values.python_values`. Times become ISO 8601 (UTC if they have a
    zone), and intervals its durations; bytes hexadecimal digits; decimals numbers if that is exact;
    float32 the shortest equal number.

    Parameters
    ----------
    as_text
        Write ``NaN`` and infinities as these words; JSON has no such numbers and gets ``None``.
    moments
        Keep moments unchanged, except within lists and structs.
    """
    import pyarrow.types as kinds

    convert = [
        (lambda value: value)
        if moments and kinds.is_timestamp(field.type)
        else _converter(field.type, as_text)
        for field in rows.schema
    ]
    for batch in rows.to_batches(max_chunksize=_BLOCK_ROWS):
        columns = [
            map(change, python_values(column))
            for column, change in zip(batch.columns, convert, strict=True)
        ]
        yield list(zip(*columns, strict=True))


def _converter(kind: pa.DataType, as_text: bool) -> Convert:
    """Return the function that converts a value of a type for JSON; ``None`` if none is needed."""
    change = _change(kind, as_text)
    return lambda value: None if value is None else change(value)


def _change(kind: pa.DataType, as_text: bool) -> Convert:
    import pyarrow.types as kinds

    if kinds.is_float32(kind) or kinds.is_float16(kind):
        return lambda value: _float(_short(value), as_text)
    if kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind):
        item = _converter(kind.value_type, as_text)
        return lambda values: list(map(item, values))
    if kinds.is_struct(kind):
        fields = {field.name: _converter(field.type, as_text) for field in kind}
        return lambda value: {name: fields[name](v) for name, v in value.items()}
    if kinds.is_map(kind):
        # A JSON key is text, which can also represent NaN.
        key, item = _converter(kind.key_type, True), _converter(kind.item_type, as_text)
        return lambda pairs: {text_of(key(k)): item(v) for k, v in pairs}
    if arrow_values.is_bignum(kind):
        return arrow_values.bignum
    return lambda value: _plain(value, as_text)


def _short(value: float) -> float:
    import numpy as np

    return float(str(np.float32(value)))


def _float(value: float, as_text: bool) -> float | str | None:
    if math.isfinite(value):
        return value
    if not as_text:
        return None
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _plain(value: Any, as_text: bool) -> Any:
    if isinstance(value, float):
        return _float(value, as_text)
    if isinstance(value, list):  # Of a union; other lists have their own type.
        return [_plain(v, as_text) for v in value]
    if isinstance(value, dict):
        return {name: _plain(v, as_text) for name, v in value.items()}
    if value is None or isinstance(value, (str, int)):
        return value
    write: Convert = _WRITERS.get(type(value), arrow_values.duration)
    return write(value)


def _moment(value: dt.datetime) -> str:
    if value.tzinfo is None:
        return value.isoformat()
    return value.astimezone(dt.UTC).replace(tzinfo=None).isoformat() + "Z"


def _number(value: Decimal) -> int | float | str:
    if value == value.to_integral_value():
        return int(value)
    number = float(value)
    return number if Decimal(repr(number)) == value else str(value)


_WRITERS: dict[type, Convert] = {
    dt.datetime: _moment,
    dt.date: dt.date.isoformat,
    dt.time: dt.time.isoformat,
    Decimal: _number,
    bytes: bytes.hex,
}


def text_of(value: Any, /) -> str:
    """Return a JSON value as the text of a cell: nested values as JSON, ``None`` as no text."""
    if isinstance(value, (list, dict, bool)):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else str(value)


def shown(value: Any, /) -> str:
    """Return a value of Arrow as people read it in a table: local times, short numbers."""
    from casetrack.faces.cli.output import local_time

    if isinstance(value, dt.datetime):
        try:
            return local_time(value)
        except OverflowError:  # in the first or last hours that Python has, in another zone
            return _moment(value)
    if not isinstance(value, float) or not math.isfinite(value):
        return text_of(value)
    if abs(value) >= 1e15 or 0 < abs(value) < 1e-3:
        return f"{value:.4g}"
    whole, _, fraction = f"{value:.4f}".partition(".")
    return f"{whole}.{fraction.rstrip('0') or '0'}"


def is_numeric(kind: pa.DataType, /) -> bool:
    """Return whether the values of a type are numbers, which are right-aligned."""
    import pyarrow.types as kinds

    return bool(kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind))


def unique_names(names: Sequence[str], /) -> list[str]:
    """Return names of columns with numbers for repeated ones.

    Examples
    --------
    >>> unique_names(["a", "a", "b"])
    ['a', 'a_1', 'b']
    """
    result: list[str] = []
    for name in names:
        others = (new for n in count(1) if (new := f"{name}_{n}") not in names)
        result.append(next(new for new in chain([name], others) if new not in result))
    return result
