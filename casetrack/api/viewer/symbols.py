"""Symbols of entity kinds, and labels of a known width."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from casetrack.base.records.graph import Entity
from casetrack.base.words import lists

KIND_WORDS = {
    "person": "Person",
    "organization": "Organisation",
    "location": "Place",
    "date": "Date",
    "amount": "Amount",
    "concept": "Term",
}
"""Labels of entity kinds on a page, in the order of the legend."""
LABEL_SIZE = 12.5
"""Font size of a label in pixels."""
_CORNERS = {"location": (4, 0.0), "date": (6, 0.0), "amount": (5, -90.0), "concept": (3, -90.0)}
# A polygon looks as large as a circle when their areas are alike.
_GROWTH = {3: 1.35, 4: 1.22, 5: 1.15, 6: 1.1}
_A_TEXT = 100
"""Length from which a text is cut between its words."""
_TURNING = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
_NARROW, _WIDE = frozenset("iljtfrI.,:;'|!()[] "), frozenset("mwMWQOGCD@%")


def corners(kind: str, x: float, y: float, radius: float, /) -> str:
    """Return the corners of the polygon of a kind as SVG."""
    count, first = _CORNERS[kind]
    far = radius * _GROWTH[count]
    # The middle of a triangle is below the middle of its box.
    low = y + (radius * 0.2 if count == 3 else 0.0)
    return " ".join(
        f"{x + far * math.cos(a):.1f},{low + far * math.sin(a):.1f}"
        for a in (math.radians(first + 360 * n / count) for n in range(count))
    )


def radius_of(entity: Entity, most: int, /) -> float:
    """Return the radius in pixels; the area grows with the number of mentions."""
    return 6.0 + 11.0 * math.sqrt(max(entity.mention_count, 0) / max(most, 1))


def shortened(text: str, limit: int, /) -> str:
    """Return *text* on one line, cut to at most *limit* characters with an ellipsis."""
    # Characters that change the direction of text would change its meaning.
    flat = " ".join(_TURNING.sub("", text[: limit * 8]).split())
    if len(flat) <= limit and len(text) <= limit * 8:
        return flat
    cut = flat[: limit - 1]
    # A combining mark belongs to the letter before it.
    while cut and unicodedata.combining(flat[len(cut) : len(cut) + 1] or " "):
        cut = cut[:-1]
    # A text is cut at a word; a name, which is short, at the limit.
    words = cut.rpartition(" ")[0]
    if limit >= _A_TEXT and flat[len(cut) : len(cut) + 1].strip() and len(words) > limit * 0.8:
        return words + " \u2026"
    return cut.rstrip() + "\u2026"


def label_lines(text: str, /, *, width: int = 18, lines: int = 2) -> tuple[str, ...]:
    """Break a name into at most *lines* lines of about *width* characters."""
    words = shortened(text, width * lines).split(" ")
    rows = [""]
    for word in words:
        joined = f"{rows[-1]} {word}".strip()
        if len(joined) <= width or not rows[-1] or len(rows) == lines:
            rows[-1] = joined
        else:
            rows.append(word)
    return tuple(rows)


def text_width(text: str, size: float = LABEL_SIZE, /) -> float:
    """Return an upper estimate of the width of a line of text, in pixels."""
    return size * sum(map(_advance, text))


def _advance(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.1
    if letter in _NARROW:
        return 0.36
    if letter in _WIDE:
        return 0.9
    return 0.7 if letter.isupper() else 0.58


# The labels of drawings: in English, unless a face passes a translation.

_TAGS = re.compile(r"<[^>]*>")


def counted(count: int, one: str, many: str | None = None, /, *, words: Words | None = None) -> str:
    """Return a count with its noun: ``1 page``, ``1,051 pages``."""
    words = words or ENGLISH
    return f"{words.number(count)} {words.phrase(one if count == 1 else many or one + 's')}"


def capital(text: str, /) -> str:
    """Return text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def joined(parts: Sequence[str], words: Words | None = None, /) -> str:
    """Join parts as a list in a sentence: ``a, b and c``; HTML stays HTML."""
    *first, last = parts
    kind = type(last)
    conjunction = f" {(words or ENGLISH).phrase('and')} "
    return kind(", ").join(first) + kind(conjunction) + last if first else last


def sentence(html: str, /) -> str:
    """Return HTML with a full stop, unless its text ends with one: ``Oakham Mills, Inc.``."""
    return html if _TAGS.sub("", html).endswith(".") else html + "."


def _with_commas(value: float, digits: int = 0) -> str:
    return f"{value:,.{digits}f}"


@dataclass(frozen=True, slots=True)
class Words:
    """Language of a drawing or a report.

    Attributes
    ----------
    phrase
        Translates an English phrase; it keeps fields such as ``{count}``.
    number
        Formats a number, with digits after the decimal sign.
    told, role
        Translate a citation or the line about a document, and the role of a party.
    has_commands
        Whether a report names commands of the terminal.
    """

    language: str = "en"
    phrase: Callable[[str], str] = str
    number: Callable[..., str] = _with_commas
    told: Callable[[str], str] = str
    role: Callable[[str], str] = str
    has_commands: bool = True

    @property
    def months(self) -> tuple[str, ...]:
        """Names of the twelve months; an axis shows their first three letters."""
        return lists.MONTHS.words(self.language)

    @property
    def day(self) -> str:
        """Format of a day."""
        return self.phrase("{day} {month} {year}")

    def month(self, when: date, /, *, short: bool = False) -> str:
        """Return the name of a day's month, or its first three letters."""
        name = self.months[when.month - 1]
        return name[:3] if short else name

    def on_day(self, when: date, /, *, short: bool = False) -> str:
        """Return a day as text."""
        return self.day.format(day=when.day, month=self.month(when, short=short), year=when.year)

    def tick(self, when: date, unit: str, /) -> str:
        """Return the label of a day on an axis whose ticks are days, months or years."""
        if unit == "day":
            return self.on_day(when, short=True)
        year = str(when.year)
        return f"{self.month(when, short=True)} {year}" if unit == "month" else year


ENGLISH = Words()
