"""Dates and amounts that a user types, in any form, as entities of the collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.compute as pc

from casetrack.extract.typed_dates import LONGEST, dates_of, is_all

if TYPE_CHECKING:
    from casetrack.extract.spans import AmountSpan, DateSpan
    from casetrack.graph.graph import ContextGraph

_SAME = 1.0
_SAME_DAY_OR_NUMBER = 0.85
_WITHIN = 0.65
_MOST = 20
_ROUNDING = 1e-9
_SHARED_SIGNS = {
    "dollar": frozenset("USD CAD AUD NZD HKD SGD TWD".split()),
    "krona/krone": frozenset("SEK NOK DKK ISK".split()),
    "yen/yuan": frozenset("JPY CNY".split()),
    "peso": frozenset("MXN ARS CLP COP PHP UYU".split()),
    "franc": frozenset("CHF XOF XAF".split()),
    "rupee": frozenset("INR PKR LKR NPR".split()),
}


def value_scores(source: ContextGraph, typed: str, kind: str, /) -> dict[str, float]:
    """Return entities that are the typed date or amount, with how well each fits.

    The very value fits with 1; a day without its year, a reading of an ambiguous date, or a number
    of another or no currency with 0.85; a day within a typed month or year with 0.65.
    """
    text = typed.strip()
    if len(text) > LONGEST or not any(c.isdigit() or c.isalpha() for c in text):
        return {}
    scores: dict[str, float] = {}
    if kind in {"any", "amount"}:
        for amount in _amounts(text):
            scores |= _same_amounts(source, amount)
    if kind in {"any", "date"}:
        for date in dates_of(text):
            scores |= _same_dates(source, date)
    return scores


def _amounts(text: str) -> list[AmountSpan]:
    from casetrack.extract.amounts import find_amounts

    return [a for a in find_amounts(text) if is_all(text, a.start, a.end)]


def _same_amounts(source: ContextGraph, asked: AmountSpan) -> dict[str, float]:
    table = source.table("amounts")
    near = pc.less_equal(
        pc.abs(pc.subtract(table["value"], asked.value)), abs(asked.value) * _ROUNDING
    )
    scores: dict[str, float] = {}
    for row in table.filter(near).select(["entity_id", "unit", "high"]).to_pylist():
        if row["high"] != asked.high:
            continue
        if row["unit"] == asked.unit:
            scores[row["entity_id"]] = _SAME
        elif _may_be(asked.unit, row["unit"]):
            scores.setdefault(row["entity_id"], _SAME_DAY_OR_NUMBER)
    return scores


def _may_be(asked: str | None, found: str | None) -> bool:
    """Whether two units may be the same money: nothing typed, or a currency of several states."""
    if asked is None:
        return True
    return found in _SHARED_SIGNS.get(asked, ()) or asked in _SHARED_SIGNS.get(found or "", ())


def _same_dates(source: ContextGraph, asked: DateSpan) -> dict[str, float]:
    table = source.table("dates").select(["entity_id", "value", "first_day", "last_day"])
    table = table.filter(pc.is_valid(table["entity_id"]))
    if asked.value is not None and asked.kind == "partial":
        fits = pc.ends_with(table["value"], asked.value.removeprefix("-"))
        return _some(table.filter(fits)["entity_id"].to_pylist(), _SAME_DAY_OR_NUMBER)
    scores: dict[str, float] = {}
    if asked.first is not None and asked.last is not None:
        inside = pc.and_(
            pc.greater_equal(table["first_day"], asked.first),
            pc.less_equal(table["last_day"], asked.last),
        )
        scores = _some(table.filter(inside)["entity_id"].to_pylist(), _WITHIN)
    for value, score in [(asked.value, _SAME), *((r, _SAME_DAY_OR_NUMBER) for r in asked.readings)]:
        if value is not None:
            same = table.filter(pc.equal(table["value"], value))["entity_id"].to_pylist()
            scores |= _some(same, score)
    return scores


def _some(ids: list[str], score: float) -> dict[str, float]:
    """Return the most frequent of *ids*, each with *score*."""
    counts: dict[str, int] = {}
    for entity_id in ids:
        counts[entity_id] = counts.get(entity_id, 0) + 1
    most = sorted(counts, key=lambda i: (-counts[i], i))[:_MOST]
    return dict.fromkeys(most, score)
