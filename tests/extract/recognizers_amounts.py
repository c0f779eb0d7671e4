"""Score the amount finder on a recogniser specification: a folder of JSON cases, counts by kind.

Every case has an ``Input`` and ``Results``; a result has its ``Text``, ``Start`` and inclusive
``End``, and a ``Resolution`` with value and unit. A result is right if an amount has the same
place, the same value and, for money and quantities, the same unit. The specification names units
in English; the tables here map them to ours.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.extract.amounts import find_amounts
from casetrack.extract.amounts.money import PHRASES
from casetrack.extract.amounts.suffixes import SHORT, WORDS

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "currency": "NumberWithUnit/CurrencyModel.json",
    "dimension": "NumberWithUnit/DimensionModel.json",
    "percent": "Number/PercentModel.json",
    "number": "Number/NumberModel.json",
}
_OUR_KIND = {"currency": "money", "dimension": "quantity", "percent": "percent", "number": "number"}
_ELSEWHERE = {"day", "week", "month", "year", "decade", "century", "°C", "°F", "h", "min", "s"}
"""Units that the specification keeps in other files (durations, temperatures)."""
_UNIT_NAMES = {"dram": "dr", "ton": "ton t", "bytes": "B", "pound": "lb", "pint": "pint pt"}
_MONEY_NAMES = {"pound": "GBP pound", "krone": "krona/krone", "krona": "krona/krone"}
_MONEY_NAMES |= {"penny": "pence cent"}


@dataclass(slots=True)
class Counts:
    """Counts of one kind.

    Attributes
    ----------
    expected
        Results of the specification that have a value.
    right
        Those with an amount of the same place, value and unit.
    placed
        Those with an amount of the same place.
    without_value
        Results without a value (a unit alone); an amount always has one, so none is expected.
    extra
        Amounts that the specification does not have.
    missed
        Expected results without an amount, for reading.
    """

    expected: int = 0
    right: int = 0
    placed: int = 0
    without_value: int = 0
    extra: int = 0
    missed: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """The share of the results with a value that was found right."""
        return self.right / self.expected if self.expected else 0.0


def our_units(kind: str, name: str, code: str | None) -> set[str]:
    """Return the units of ours that an English unit name of the specification can mean."""
    low = name.lower()
    if kind == "currency":
        return {code or "", PHRASES.get(low, low), *_MONEY_NAMES.get(low, "").split(), low} - {""}
    known = {unit.symbol for table in (WORDS, SHORT) if (unit := table.get(low)) is not None}
    known |= set(_UNIT_NAMES.get(low, "").split())
    over, per, under = low.partition(" per ")
    if per and over in WORDS and under in WORDS:
        symbol = f"{WORDS[over].symbol}/{WORDS[under].symbol}"
        known |= {symbol, {"mi/h": "mph", "nmi/h": "kn"}.get(symbol, symbol)}
    return known


def _value(resolution: dict[str, Any]) -> float | None:
    value = resolution.get("value")
    text = str(value).rstrip("%")
    return None if value is None or text in {"null", "None", ""} else float(text)


def _score_case(kind: str, case: dict[str, Any], counts: Counts) -> list[str]:
    text = case["Input"]
    spans = [
        span
        for span in find_amounts(text, numbers=kind == "number")
        if span.kind == _OUR_KIND[kind] and span.unit not in _ELSEWHERE
    ]
    missed = []
    for result in case["Results"]:
        value = _value(result.get("Resolution") or {})
        if value is None:
            counts.without_value += 1
            continue
        counts.expected += 1
        wanted = result["Text"].lower()
        near = [s for s in spans if s.text.lower() == wanted]
        near = [s for s in near if s.start == result["Start"]] or near
        counts.placed += bool(near)
        units = our_units(
            kind, result["Resolution"].get("unit", ""), result["Resolution"].get("isoCurrency")
        )
        if near and _agrees(kind, near[0].value, near[0].unit, value, units):
            counts.right += 1
            spans.remove(near[0])
        else:
            got = [(s.text, s.value, s.unit) for s in find_amounts(text, numbers=kind == "number")]
            missed.append(f"{result['Text']!r} {value} {sorted(units)} in {text!r}: {got}")
    counts.extra += len(spans)
    return missed


def _agrees(kind: str, value: float, unit: str | None, wanted: float, units: set[str]) -> bool:
    near = math.isclose(value, wanted, rel_tol=1e-6)
    return near and (kind in {"number", "percent"} or unit in units)


def score(folder: Path) -> dict[str, Counts]:
    """Return counts for ``currency``, ``dimension``, ``percent`` and ``number``.

    *folder* has ``Number`` and ``NumberWithUnit`` of the specification.
    """
    out = {}
    for kind, name in FILES.items():
        counts = Counts()
        missed: list[str] = []
        for case in json.loads((folder / name).read_text(encoding="utf-8-sig")):
            missed += _score_case(kind, case, counts)
        counts.missed = tuple(missed)
        out[kind] = counts
    return out
