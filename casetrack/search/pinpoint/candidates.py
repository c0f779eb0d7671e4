"""Finds the values of a text: dates, amounts, numbers, durations, names."""

from __future__ import annotations

import functools
import itertools
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from casetrack.search.question.read import is_free
from casetrack.search.question.wanted import LISTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_YEAR = re.compile(r"(?:1[0-9]{3}|20[0-9]{2})s?")
_BARE_YEAR = re.compile(rf"(?<![\w$\u20ac\u00a3.,/-]){_YEAR.pattern}(?![\w%]|[.,/-]\d)")
_CLOCK = re.compile(
    r"(?<![\w:.])(?:\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]\.?m\b\.?|(?![\w:]))|\d{1,2} ?[ap]\.?m\b\.?)",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"(?:\b(?:the|its|their|an?|this|that|our)|['\u2019]s)\s+$", re.IGNORECASE)
_NOUN = re.compile(
    r"\s+(?!(?:and|or|to|at|in|by|on|for|with|as|when|after|before|was|is|of)\b)[^\W\d]"
)
"""Text around a year that only names a thing: "the 2021 plan"."""
_AGE = re.compile(r"\b(?:aged?|alter)\s+(?:of\s+)?$", re.IGNORECASE)
_LABEL = LISTS.pattern("label", re.IGNORECASE)
"""Numbers that name something and do not count."""
_HOUSE = re.compile(r"(?:^|\n)\s*$")
_STREET = re.compile(r" (?:[NSEW]\.? )?[A-Z]\w+[^\n]{0,40}\n")
"""Text before and after the number of a house, which is no year."""


class Value(NamedTuple):
    """A value of the marked part: ``text[start:end]``; *kind* as in ``Wanted``."""

    start: int
    end: int
    text: str
    kind: str
    unit: str
    confidence: float


def values_in(text: str, names: Sequence[Mapping[str, Any]], shift: int, /) -> list[Value]:
    """Return the values of a part in order.

    *names* are the stored mentions of its passage, *shift* is the start of the part in it.
    """
    from casetrack.extract.amounts import find_amounts  # 40 ms, and few questions need it
    from casetrack.extract.dates import find_dates

    plain = text.replace("\u2011", "-").replace("*", " ")
    found = list(find_dates(plain))
    days = [d for d in found if d.kind not in {"impossible", "relative"}]
    values = [Value(d.start, d.end, text[d.start : d.end], "date", "", d.confidence) for d in days]
    taken = [(d.start, d.end) for d in found]
    for match in _CLOCK.finditer(plain):
        if is_free(match.span(), taken):
            values.append(Value(*match.span(), match.group(), "date", "clock", 0.9))
            taken.append(match.span())
    labels = [match.span() for match in _LABEL.finditer(plain)]
    for amount in find_amounts(plain, numbers=True):
        span = amount.start, amount.end
        if not is_free(span, taken):
            continue
        unit = amount.unit or ""
        kind: str = _families().get(unit, "other") if amount.kind == "quantity" else amount.kind
        if (
            kind == "number"
            and _BARE_YEAR.match(plain, amount.start)
            and _YEAR.fullmatch(amount.text)
        ):
            before, after = (
                (_ATTRIBUTE, _NOUN)
                if _ATTRIBUTE.search(plain, 0, amount.start)
                else (_HOUSE, _STREET)
            )
            if before.search(plain, 0, amount.start) and after.match(plain, amount.end):
                continue
            kind, unit = "date", "year"
        elif kind == "number" and _AGE.search(plain, 0, amount.start):
            kind, unit = "time", "year"
        elif kind == "number" and not is_free(span, labels):
            continue
        values.append(Value(*span, text[slice(*span)], kind, unit, amount.confidence))
    for name in names:
        start, end = name["start"] - shift, name["end"] - shift
        if (
            start >= 0
            and end <= len(text)
            and not name["is_role"]
            and name["kind"] in {"person", "organization"}
        ):
            values.append(
                Value(start, end, text[start:end], "person", name["kind"], name["confidence"])
            )
    values.sort()
    # "Two Hundred, Twenty-Five Thousand Dollars ($225,000)": the words repeat the figure.
    repeated = {
        value
        for value, figure in itertools.pairwise(values)
        if value.kind == figure.kind == "money"
        and text[value.end : figure.start].strip() == "("
        and not any(map(str.isdigit, value.text))
    }
    return [value for value in values if value not in repeated]


@functools.cache
def _families() -> dict[str, str]:
    from casetrack.extract.amounts.suffixes import WORDS

    return {unit.symbol: unit.family for unit in WORDS.values()}
