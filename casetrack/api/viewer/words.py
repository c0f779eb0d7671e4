"""The words of drawings: in English, unless a face gives those of another language."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from casetrack.api.viewer.symbols import KIND_WORDS
from casetrack.base.words import months as lists

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import date

_TAGS = re.compile(r"<[^>]*>")
MONTHS = lists.MONTHS.words("en")
_COUNTS = MappingProxyType(
    {
        "name": ("{count} name", "{count} names"),
        "link": ("{count} link", "{count} links"),
        "passage": ("{count} passage", "{count} passages"),
        "mention": ("{count} mention", "{count} mentions"),
        "document": ("{count} document", "{count} documents"),
        "event": ("Axis with {count} event", "Axis with {count} events"),
        "year": (
            "{count} year without events are left out here",
            "{count} years without events are left out here",
        ),
    }
)


def counted(count: int, one: str, many: str | None = None, /) -> str:
    """Return a count with its noun: ``1 page``, ``1,051 pages``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def capital(text: str, /) -> str:
    """Return text with a large first letter."""
    return text[:1].upper() + text[1:]


def joined(parts: Sequence[str], /) -> str:
    """Return parts as one speaks them: ``a, b and c``; of HTML as HTML."""
    *first, last = parts
    kind = type(last)
    return kind(", ").join(first) + kind(" and ") + last if first else last


def sentence(html: str, /) -> str:
    """Return HTML with a full stop, unless its text ends with one: ``Oakham Mills, Inc.``."""
    return html if _TAGS.sub("", html).endswith(".") else html + "."


def _with_commas(count: int) -> str:
    return f"{count:,}"


@dataclass(frozen=True, slots=True)
class Words:
    """What drawings say.

    Attributes
    ----------
    months
        Names of the twelve; on the axis their first three letters stand.
    day
        How a day is written, of ``{day}``, ``{month}`` (a name or its beginning) and ``{year}``.
    week
        How a week is, of ``{week}`` and ``{year}``.
    spread
        Of ``{mentions}`` and ``{documents}``, both counted.
    signs
        The name of a legend.
    kinds
        By the kinds of entities what they are called.
    counts
        By what is counted: the words for one, and for any other ``{count}``.
    number
        Writes a number.
    """

    months: tuple[str, ...] = MONTHS
    day: str = "{day} {month} {year}"
    week: str = "Week {week} of {year}"
    spread: str = "{mentions} in {documents}"
    signs: str = "Signs"
    kinds: Mapping[str, str] = field(default_factory=lambda: KIND_WORDS)
    counts: Mapping[str, tuple[str, str]] = field(default_factory=lambda: _COUNTS)
    number: Callable[[int], str] = _with_commas

    def counted(self, what: str, count: int, /) -> str:
        """Return a number of things in words: ``3 passages``."""
        return self.counts[what][count != 1].format(count=self.number(count))

    def month(self, when: date, /, *, short: bool = False) -> str:
        """Return the name of a day's month, or its first three letters."""
        name = self.months[when.month - 1]
        return name[:3] if short else name

    def on_day(self, when: date, /, *, short: bool = False) -> str:
        """Return a day in words."""
        return self.day.format(day=when.day, month=self.month(when, short=short), year=when.year)

    def tick(self, when: date, unit: str, /) -> str:
        """Return what stands at a day of an axis whose ticks are days, months or years."""
        if unit == "day":
            return self.on_day(when, short=True)
        year = str(when.year)
        return f"{self.month(when, short=True)} {year}" if unit == "month" else year


ENGLISH = Words()
