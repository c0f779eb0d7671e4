"""The total of an invoice or a receipt: confirmed by another sum, or labelled as due."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from casetrack.base.words import WordLists
from casetrack.extract.card.facts import Found
from casetrack.extract.card.patterns import BILLS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.extract.card.cover import Cover

_LISTS: Final = WordLists(__file__)
_MONEY: Final = r"(?:RM|EUR|USD|GBP|CHF|MYR|SGD|AUD|CAD|INR|PLN|SEK|NOK|DKK|CZK|Rs\.?|[$€£¥₹])"
_FIGURE: Final = re.compile(
    rf"(?:(?<![A-Za-z]){_MONEY}\s?)?(?<![\d.,])-?\d{{1,3}}(?:[.,' ]?\d{{3}}){{0,3}}"
    rf"[.,]\s?\d\d(?![\d.,%])(?:\s?{_MONEY}(?![A-Za-z]))?"
)
_NAMES: Final = ("other", "due", "part", "total", "tax", "paid", "change")
_LABELS: Final = {name: _LISTS.pattern(name) for name in _NAMES}
"""The kind of a line by its label; the first that matches."""
_SURE, _LONGEST = 0.95, 120


class _Sum(NamedTuple):
    label: str
    cents: int
    start: int
    end: int


def read_total(cover: Cover, kind: str, /) -> Found | None:
    """Return cash less the change, a sum labelled as due, or one that another sum confirms."""
    sums = list(_sums(cover))
    totals = [one for one in sums if one.label in {"due", "total"}]
    by_label = {name: [one.cents for one in sums if one.label == name] for name in _LABELS}
    paid = {a - b for a in by_label["paid"] for b in by_label["change"]}
    if paid:  # a figure that was misread fits no payment
        totals = [one for one in totals if one.cents in paid]
    elif kind not in BILLS:
        return None
    totals = [one for one in totals if one.label == "due"] or totals
    if len({one.cents for one in totals}) != 1:
        return None
    found = totals[-1]
    parts = {a + b for a in by_label["part"] for b in by_label["tax"]}
    others = {*parts, *by_label["paid"], *(one.cents for one in sums if one.start != found.start)}
    if not (paid or found.label == "due" or found.cents in others):
        return None
    value = " ".join(cover.text[found.start : found.end].split())
    return Found("total", value, found.start, found.end, _SURE if paid else 0.85, "total line")


def _sums(cover: Cover) -> Iterator[_Sum]:
    """Yield the lines that are a label and one figure."""
    for line in cover.lines:
        figures = list(_FIGURE.finditer(line.text)) if len(line.text) <= _LONGEST else []
        cents = {int(re.sub(r"\D", "", figure[0])) for figure in figures}
        if len(cents) != 1 or any(c.isalpha() for c in line.text[figures[-1].end() :]):
            continue
        before = line.text[: figures[0].start()]
        label = next((name for name, words in _LABELS.items() if words.search(before)), None)
        if label:
            yield _Sum(label, *cents, *(line.start + at for at in figures[-1].span()))
