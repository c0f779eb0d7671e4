"""Amounts as entities: one for every sum, however it is written."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from casetrack.extract.spans import AmountSpan

_SYMBOLS = {"percent": "%", "permille": "‰"}
_PLURALS = {"foot": "feet", "inch": "inches", "century": "centuries", "mol": "mol", "yen": "yen"}
_PLURALS |= {"bar": "bar", "lux": "lux", "mph": "mph", "kph": "kph", "rpm": "rpm", "min": "min"}


def amount_key(span: AmountSpan, /) -> str | None:
    """Return the key of an amount, such as ``GBP:318400``; ``None`` for what is no number."""
    ends = [span.value] if span.high is None else [span.value, span.high]
    if not all(map(math.isfinite, ends)):
        return None
    return f"{span.unit or 'number'}:{'..'.join(map(_plain, ends))}"


def amount_name(key: str, /) -> str:
    """Write an amount for people.

    Examples
    --------
    >>> amount_name("GBP:318400"), amount_name("percent:15.7"), amount_name("day:30")
    ('GBP 318,400', '15.7 %', '30 days')
    """
    unit, _, ends = key.rpartition(":")
    number = " – ".join(_grouped(end) for end in ends.split(".."))
    if unit == "number":
        return number
    if len(unit) == 3 and unit.isupper():
        return f"{unit} {number}"
    if unit in _SYMBOLS:
        return f"{number} {_SYMBOLS[unit]}"
    if unit.isalpha() and unit.islower() and len(unit) > 2 and ends != "1":
        unit = _PLURALS.get(unit, unit if unit.endswith(("s", "z")) else f"{unit}s")
    return f"{number} {unit}"


def _plain(value: float) -> str:
    # Fifteen figures: what arithmetic on scales adds behind them is noise.
    number = Decimal(f"{value:.15g}").normalize()
    return f"{number or Decimal(0):f}"


def _grouped(number: str) -> str:
    whole, dot, decimals = number.partition(".")
    sign = "-" if whole.startswith("-") else ""
    return f"{sign}{int(whole.lstrip('-')):,}{dot}{decimals}"
