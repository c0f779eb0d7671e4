"""Amounts as entities: one for every sum, however it is written and counted."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from casetrack.extract.spans import AmountSpan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.graph.document.facts import ChunkFacts
    from casetrack.graph.document.tables import TableSum

_OWN_SCALE = re.compile(r"[^\W\d_]{1,8}\.?\)?$|\d\s?(?:k|m|mm|bn|b)\b", re.IGNORECASE)
_UNSIGNED = 0.85
"""How sure a sum is that only its column makes one."""
_DOUBTFUL = 0.3
"""How sure it is where it is larger than its document allows."""

_SYMBOLS = {"percent": "%", "permille": "‰"}
_PLURALS = {"foot": "feet", "inch": "inches", "century": "centuries", "mol": "mol", "yen": "yen"}
_PLURALS |= {"bar": "bar", "lux": "lux", "mph": "mph", "kph": "kph", "rpm": "rpm", "min": "min"}


def amounts_of(
    chunk: ChunkFacts, sums: Sequence[TableSum], /
) -> list[tuple[AmountSpan, TableSum | None]]:
    """Return the amounts of a chunk with what its tables say of them, in order.

    Parameters
    ----------
    chunk
        A chunk with the amounts that its own words make known.
    sums
        The sums in its tables, in order; those without a sign of their own are new amounts.
    """
    found: list[tuple[AmountSpan, TableSum | None]] = []
    left = list(sums)
    for span in chunk.amounts:
        at = next(
            (i for i, s in enumerate(left) if s.start < span.end and span.start < s.end), None
        )
        if at is None:
            found.append((span, None))
            continue
        cell = left.pop(at)
        left = [s for s in left if s.start >= span.end or s.end <= span.start]
        found.append(_in_cell(span, cell))
    for cell in left:
        value = round(cell.printed * cell.factor, 6)
        text = chunk.text[cell.start : cell.end]
        sure = _DOUBTFUL if cell.doubtful else _UNSIGNED
        span = AmountSpan(cell.start, cell.end, text, "money", value, None, cell.unit, sure)
        found.append((span, cell))
    return sorted(found, key=lambda one: (one[0].start, one[0].end))


def _in_cell(span: AmountSpan, cell: TableSum) -> tuple[AmountSpan, TableSum | None]:
    if span.kind != "money":
        return span, None
    if span.value != cell.printed or _OWN_SCALE.search(span.text):
        # It says itself how it counts ("$5.2 million"), or is more than this number.
        return span, cell._replace(printed=span.value, factor=1.0)
    if span.text[-1] in "$£€¥" and span.start == cell.start:
        # The sign behind it is that of the next cell.
        span = replace(span, end=cell.end, text=span.text[: cell.end - span.start])
    scaled = round(span.value * cell.factor, 6)
    return replace(span, value=scaled, unit=cell.unit or span.unit), cell


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
