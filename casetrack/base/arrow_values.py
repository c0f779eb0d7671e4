"""Arrow arrays as Python values, with texts for those values that Python has no type for."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

# CSV cells with text of documents must not run as formulas when a spreadsheet opens them.

_FORMULA = re.compile(r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
"""First characters of a formula, including full-width forms (OWASP, "CSV Injection")."""
_NUMBER = re.compile(r"[+-]?\d[\d.,'\u00a0\u202f ]*%?")


def without_formula(text: str, /) -> str:
    """Return the text of a cell so that a spreadsheet displays it and never runs it.

    An initial apostrophe marks text in a spreadsheet. Signed numbers stay as they are.

    Examples
    --------
    >>> without_formula("=HYPERLINK(A1)"), without_formula("-1,250.00"), without_formula("Lease")
    ("'=HYPERLINK(A1)", '-1,250.00', 'Lease')
    """
    if _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text


_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_EPOCH = dt.date(1970, 1, 1)
_FIRST_DAY = (dt.date.min - _EPOCH).days
_LAST_DAY = (dt.date.max - _EPOCH).days
_DAY = 86_400
_DAYS_OF_400_YEARS = 146_097
_ENDLESS = {2**31 - 1, 2**63 - 1}
"""How DuckDB writes infinity, as days and as parts of a second."""
_HIGHEST_HUGEINT = 2**127 - 1


def python_values(array: pa.Array, /) -> list[Any]:
    """Return the values of an array as ``to_pylist`` does, or as text if Python has no type.

    Texts are days and moments outside the years 1 to 9999 as ISO 8601 with a six-digit year
    (``-290308-12-22``; year 0 precedes year 1), ``infinity`` and ``-infinity``, moments with
    fractions of a microsecond, and midnight at the end of a day (``24:00:00``).
    """
    if not _may_exceed(array.type):
        try:
            return list(array.to_pylist())
        except (OverflowError, ValueError):  # a moment that Python has no type for
            pass
    return [_value(scalar) for scalar in array]


def beyond_python(table: pa.Table, /) -> list[str]:
    """Return the columns with days, moments or times that Python's types cannot hold.

    ``to_pylist`` and ``to_pandas`` fail on such a table without the name of the column.
    """
    return [
        name
        for name, column in zip(table.column_names, table.columns, strict=True)
        if _is_temporal(column.type) and any(map(_is_beyond, column.chunks))
    ]


def _is_temporal(kind: pa.DataType) -> bool:
    import pyarrow.types as kinds

    return bool(kinds.is_date(kind) or kinds.is_timestamp(kind) or kinds.is_time(kind)) or any(
        _is_temporal(kind.field(i).type) for i in range(kind.num_fields)
    )


def _is_beyond(array: pa.Array) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as kinds

    kind = array.type
    if kind.num_fields:
        if kinds.is_union(kind):
            return any(_is_beyond(array.field(i)) for i in range(kind.num_fields))
        if kinds.is_map(kind):
            return _is_beyond(array.keys) or _is_beyond(array.items)
        parts = array.flatten()
        return any(map(_is_beyond, parts if isinstance(parts, list) else [parts]))
    if kinds.is_date32(kind):
        low, high = _FIRST_DAY, _LAST_DAY + 1
        array = array.cast(pa.int32())
    elif kinds.is_timestamp(kind):
        per_day = _DAY * _PER_SECOND[kind.unit]
        low, high = _FIRST_DAY * per_day, (_LAST_DAY + 1) * per_day
        array = array.cast(pa.int64())
    elif kinds.is_time64(kind):
        low, high = 0, _DAY * _PER_SECOND[kind.unit]
        array = array.cast(pa.int64())
    else:
        return False
    reach = pc.min_max(array)
    least, most = reach["min"].as_py(), reach["max"].as_py()
    return least is not None and not (low <= least and most < high)


def _may_exceed(kind: pa.DataType) -> bool:
    """Return whether Python would round values of a type without a word."""
    import pyarrow.types as kinds

    if kinds.is_time(kind) or (kinds.is_timestamp(kind) and kind.unit == "ns"):
        return True
    if kinds.is_dictionary(kind):
        return False
    return any(_may_exceed(kind.field(i).type) for i in range(kind.num_fields))


def _value(scalar: Any) -> Any:
    import pyarrow.types as kinds

    kind = scalar.type
    if not scalar.is_valid:
        return None
    if kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind):
        return [_value(item) for item in scalar.values]
    if kinds.is_map(kind):
        return [(_value(pair["key"]), _value(pair["value"])) for pair in scalar.values]
    if kinds.is_struct(kind):
        return {name: _value(item) for name, item in scalar.items()}
    if kinds.is_union(kind):
        return _value(scalar.value)
    if kinds.is_date32(kind):
        return _day(scalar.value)
    if kinds.is_timestamp(kind):
        return _moment(scalar.value, _PER_SECOND[kind.unit], zoned=kind.tz is not None)
    if kinds.is_time(kind):
        return _time(scalar.value, _PER_SECOND[kind.unit])
    return scalar.as_py()


def _day(days: int) -> dt.date | str:
    if abs(days) in _ENDLESS:
        return _endless(days)
    try:
        return _EPOCH + dt.timedelta(days=days)
    except OverflowError:
        return _far_day(days)


def _far_day(days: int) -> str:
    """Return a day with its year in six digits; the calendar repeats itself every 400 years."""
    cycles, rest = divmod(days, _DAYS_OF_400_YEARS)
    near = _EPOCH + dt.timedelta(days=rest)
    return f"{near.year + 400 * cycles:+07d}-{near:%m-%d}"


def _moment(value: int, per_second: int, *, zoned: bool) -> dt.datetime | str:
    if abs(value) in _ENDLESS:
        return _endless(value)
    days, rest = divmod(value, _DAY * per_second)
    day, time = _day(days), _time(rest, per_second)
    if isinstance(day, dt.date) and isinstance(time, dt.time):
        return dt.datetime.combine(day, time, dt.UTC if zoned else None)
    return f"{day}T{time}{'Z' if zoned else ''}"


def _time(value: int, per_second: int) -> dt.time | str:
    seconds, part = divmod(value, per_second)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    micros, lost = divmod(part * 10**6, per_second)
    if hour < 24 and not lost:
        return dt.time(hour, minute, second, micros)
    digits = f".{part * 10**9 // per_second:09d}" if part else ""
    return f"{hour:02d}:{minute:02d}:{second:02d}{digits}"


def _endless(value: int) -> str:
    return "infinity" if value > 0 else "-infinity"


def is_bignum(kind: pa.DataType, /) -> bool:
    """Return whether values are whole numbers of any size, which Arrow has no type for."""
    return getattr(kind, "type_name", None) == "bignum"


def bignum(data: bytes, /) -> int | str:
    """Return DuckDB's BIGNUM as an integer, or as text if it exceeds HUGEINT.

    *data* has three bytes of sign and length, then base-256 digits; a negative number is inverted.
    """
    negative = not data[0] & 0x80
    digits = bytes(255 - b for b in data[3:]) if negative else data[3:]
    value = int.from_bytes(digits, "big")
    value = -value if negative else value
    return value if abs(value) <= _HIGHEST_HUGEINT else f"{Decimal(value):f}"


def duration(interval: pa.MonthDayNano, /) -> str:
    """Return an interval as an ISO 8601 duration.

    Examples
    --------
    >>> import pyarrow as pa
    >>> duration(pa.MonthDayNano([14, 3, 5_500_000_000]))
    'P1Y2M3DT5.5S'
    """
    months, days, nanos = interval
    years, months = _parts(months, 12)
    minutes, nanos = _parts(nanos, 60 * 10**9)
    hours, minutes = _parts(minutes, 60)
    seconds = f"{Decimal(nanos) / 10**9:f}" if nanos else ""
    date = _written((years, "Y"), (months, "M"), (days, "D"))
    time = _written((hours, "H"), (minutes, "M"), (seconds, "S"))
    return f"P{date}T{time}" if time else f"P{date or 'T0S'}"


def _parts(value: int, size: int) -> tuple[int, int]:
    """Divide towards zero: each part of a negative duration is negative."""
    whole, rest = divmod(abs(value), size)
    return (whole, rest) if value >= 0 else (-whole, -rest)


def _written(*parts: tuple[int | str, str]) -> str:
    return "".join(f"{value}{letter}" for value, letter in parts if value)
