"""Checks whether a passage contains a statement of a report: the exact sum, date or name.

A report states only facts that the cited place contains; a year missing in the text is marked
as filled in. Facts that need other documents are left to the other answers: a day relative to
the date of a letter ("yesterday"), a calculated sum, a name that only other documents explain.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from casetrack.extract.amounts import find_amounts
from casetrack.extract.dates import find_dates
from casetrack.graph.answers.rows import ask, quotes_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.base.records.graph import Entity, Event, Quote
    from casetrack.graph.graph import ContextGraph

# The largest sums of money in a collection, each with its source.


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum of money in its currency; *high* is the upper end of a range.

    Attributes
    ----------
    quote
        The most certain place.
    label
        Row, column and period of its table, such as ``Net sales, Year ended December 31, 2022``;
        empty outside of tables.
    scale
        Multiplier of the printed number in its table, such as 1e6 for "in millions"; else 1.
    """

    value: float
    high: float | None
    mention_count: int
    document_count: int
    quote: Quote
    label: str = ""
    scale: float = 1.0


@dataclass(frozen=True, slots=True)
class Amounts:
    """The largest sums in one currency, *total* of which are different.

    ``sums`` is empty for a currency that is only counted. *unit* is an ISO 4217 code, a name such
    as ``dollar``, or ``None`` for sums without a currency.
    """

    unit: str | None
    total: int
    sums: tuple[Sum, ...]


def largest_amounts(graph: ContextGraph, /, *, limit: int) -> tuple[Amounts, ...]:
    """Return at most *limit* largest sums of each currency, most frequent currency first.

    Sums without a currency are last. Only the first four currencies have their sums listed; the
    others are counted.
    """
    rows = ask(graph, "largest-amounts", limit=limit).to_pylist()
    quotes = iter(quotes_of(graph, [row for row in rows if row["chunk_id"] is not None]))
    amounts = []
    for unit, group in groupby(rows, key=lambda row: row["unit"]):
        own = list(group)
        sums = tuple(
            Sum(
                row["value"],
                row["high"],
                row["mention_count"],
                row["document_count"],
                next(quotes),
                ", ".join(filter(None, (row["row_label"], row["period"]))),
                row["scale"] or 1.0,
            )
            for row in own
            if row["chunk_id"] is not None
        )
        amounts.append(Amounts(unit, own[0]["total"], sums))
    return tuple(amounts)


_FIGURES = re.compile(r"\d(?:[\d.,'\u2019\u00a0\u202f ]*\d)?")
_SCALES = {
    r"k|thousands?|tausend|tsd|mille?s?|mil": 1e3,
    r"m|mm|mn|mio|millions?|millionen|millones": 1e6,
    r"b|bn|mrd|billions?|milliarden?|milliards?": 1e9,
    r"t|tn|trillions?|billionen": 1e12,
    r"lakhs?|lacs?": 1e5,
    r"crores?": 1e7,
    r"c|cents?|pence|centimes?|centavos?": 1e-2,
}
_NEARLY = 1e-12
_WORD = re.compile(r"[^\W_]+")
_YEAR = re.compile(r"\d{4}")
_DIGITS = re.compile(r"\d+")


def contains_sum(
    quote: Quote, value: float, high: float | None = None, /, *, scale: float = 1.0
) -> bool:
    """Return whether a quote contains a sum: its figures, times a scale in the text around them.

    Both ends of a range are required. *scale* is that of its table, whose head can be on another
    page.
    """
    values = {one for span in find_amounts(quote.text) for one in (span.value, span.high)}
    values |= set(_numbers(quote.text))
    scales = [1.0, scale, *_scales(quote.snippet)]
    return all(
        any(
            one is not None and abs(abs(one) * by - abs(wanted)) <= _NEARLY * max(abs(wanted), 1)
            for one in values
            for by in scales
        )
        for wanted in (value, high)
        if wanted is not None
    )


def _numbers(text: str) -> Iterator[float]:
    """Yield the possible values of figures: with a point or a comma before the decimals."""
    for match in _FIGURES.finditer(text):
        digits = re.sub(r"['\u2019\u00a0\u202f ]", "", match[0])
        for point, group in ((".", ","), (",", ".")):
            plain = digits.replace(group, "")
            if plain.count(point) <= 1:
                yield float(plain.replace(point, "."))


def _scales(text: str) -> Iterator[float]:
    words = {word.casefold() for word in re.findall(r"[^\W\d_]+", text)}
    for pattern, scale in _SCALES.items():
        if any(re.fullmatch(pattern, word) for word in words):
            yield scale


def contains_date(quote: Quote, event: Event, /) -> bool:
    """Return whether a quote contains a date, with or without its year.

    It does if it is parsed as that date alone, or has the figures of its day (of its year, if the
    date is not a day); "the 1st and 2nd of May 2024" can have the rest in the text around it.
    "Yesterday" does not name a date.
    """
    if _reads_as(quote, event):
        return True
    own, near = set(_DIGITS.findall(quote.text)), set(_DIGITS.findall(quote.snippet))
    if not own:
        return False
    if event.precision == "day":
        day = int(event.first[8:10])
        return any(int(figure) == day for figure in (own | near) if len(figure) <= 2) or any(
            len(figure) == 8 for figure in own
        )
    return names_year(quote, event)


def names_year(quote: Quote, event: Event, /) -> bool:
    """Return whether a quote or the text around it contains the year of a date."""
    if _reads_as(quote, event):
        return True
    figures = set(_DIGITS.findall(quote.text)) | set(_DIGITS.findall(quote.snippet))
    years = _YEAR.findall(event.value)
    return any({year, year[2:]} & figures for year in years)


def _reads_as(quote: Quote, event: Event) -> bool:
    return any(event.value in (span.value, *span.readings) for span in find_dates(quote.text))


def contains_name(quote: Quote, entity: Entity, /) -> bool:
    """Return whether a quote is a name of an entity, a part of one, or its initials."""
    words = _words(quote.text)
    if not words:
        return False
    for name in (entity.name, *entity.aliases):
        known = _words(name)
        if set(words) <= set(known) or "".join(words) == "".join(word[0] for word in known):
            return True
    return False


def contains_role(text: str, role: str, /) -> bool:
    """Return whether a passage contains a role, as words or as initials ("CEO")."""
    text_words, words = set(_words(text)), _words(role)
    initials = "".join(word[0] for word in words)
    return set(words) <= text_words or bool({initials, f"{initials}o"} & text_words)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold().replace(".", ""))
