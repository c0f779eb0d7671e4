"""Cut a text into words, numbers and signs, around the places that may hold a date."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from casetrack.extract.dates import calendars
from casetrack.extract.dates import vocabulary as words

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterator

    from casetrack.extract.dates.nodes import Node

    Reader = Callable[["TokenStream", int], tuple[Node, int] | None]

_CONTEXT: Final = 90
"""Characters before and after a trigger that are looked at."""

_DEPTH: Final = 4
"""How deep dates are read inside dates ("two weeks after the first Friday of next month")."""

_TOKEN: Final = re.compile(r"[0-9]+|[^\W\d_]+|\S")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_FIGURES: Final = (
    re.compile(
        r"[0-9](?<![0-9][0-9])[0-9]*+"
        r"(?: ?[/-] ?[0-9]|\.[0-9]{1,2}\.| ?(?:st|nd|rd|th)\b|['’]?s\b|[QH]|er\b)"
    ),
    re.compile(r"[12][0-9]{3}(?![0-9])"),
    re.compile(r"[QqHh][1-4]\b"),
    re.compile(
        r"[ms](?:ay|ar|un|at) ?(?:[0-9]|the |twent|thirt|first|second|third|[a-z]{3,8}th\b)"
    ),
    re.compile(r"now\b"),
    re.compile(r"of may\b"),
)
"""Digits and words that may start dates; a letter or a set first, which the engine finds fast."""
_BARE_DAY: Final = re.compile(
    r"\b(?:on|for) (?:(?:the )?[0-9]{1,2}"
    r"|the (?:(?:twenty|thirty)[ -])?(?:first|second|third|[a-z]{3,8}th))"
    r" {0,2}[!?.]?$"
)
_BARE_DAY_LENGTH: Final = 40
_TRIGGERS: Final = frozenset(
    set(words.MONTHS)
    | set(words.WEEKDAYS)
    | set(words.DAY_WORDS)
    | set(words.SEASONS)
    | {"weekend", "weekends", "fortnight", "wochenende", "century", "quartal", "kalenderwoche"}
    | set(calendars.TRIGGERS)
    | set("ago later hence now sometime eod noughties kw halbjahr geschäftsjahr fiscal".split())
    | {f"{ten[:-1]}ies" for ten in words.TENS}
    | {"thousands", "tens", "nineteen", "wc", "cy", "fy"}
) - {"may", "mar", "sun", "sat", "fall", "mai", "now", "half"}
_UNIT_TRIGGERS: Final = (
    frozenset(words.UNITS) | {"hundred", "thousand", "fall", "sat", "sun"}
) - _TRIGGERS
"""Words that are frequent in durations and rare in dates."""
_CAPITALISED: Final = frozenset(("May", "Mar", "Sun", "Sat", "MAY", "Mai", "Fall", "MAR", "SUN"))
_ALL_TRIGGERS: Final = _CAPITALISED | {
    written
    for word in _TRIGGERS | _UNIT_TRIGGERS
    for written in (word, word.capitalize(), word.upper())
}
_COMPANY: Final = (
    frozenset(words.STEPS)
    | frozenset(words.ORDINALS)
    | frozenset(words.EDGES)
    | frozenset("same rest remaining remainder in vor year one two within".split())
)
"""Words that shortly precede such a unit in a date."""
_BEHIND_UNIT: Final = re.compile(
    r"\W+(?:[0-9]|after\b|before\b|to date\b|two\b|in the (?:future|past)\b)"
)
_BEFORE_UNIT: Final = 36

_BREAK: Final = "\n"


class Token(NamedTuple):
    """A word, a number or a sign with its position.

    ``low`` is in lower case, ``value`` is the number of up to four digits, else -1; ``gap`` is true
    after white space.
    """

    text: str
    low: str
    start: int
    end: int
    value: int
    gap: bool


class TokenStream:
    """The tokens of one search, and its context.

    Parameters
    ----------
    anchor
        The document's date.
    day_first
        The document's order of numeric dates.
    alone
        Whether the text is a single expression, which needs no preceding word.
    reader
        Reads a single date at a token.
    """

    def __init__(
        self,
        tokens: list[Token],
        anchor: dt.date | None,
        day_first: bool | None,
        *,
        alone: bool,
        reader: Reader,
    ) -> None:
        self.tokens = tokens
        self._count = len(tokens)
        self.anchor = anchor
        self.day_first = day_first
        self.alone = alone
        self._reader = reader
        self._points: dict[int, tuple[Node, int] | None] = {}
        self._depth = 0

    def point(self, index: int) -> tuple[Node, int] | None:
        """Read the longest single date at a token, and the index after it; once per token."""
        if index in self._points:
            return self._points[index]
        if self._depth >= _DEPTH or not 0 <= index < len(self.tokens):
            return None
        self._depth += 1
        point = self._reader(self, index)
        self._depth -= 1
        if self._depth == 0 or point is not None:
            self._points[index] = point
        return point

    def low(self, index: int) -> str:
        """Return a token in lower case, or an empty text outside."""
        return self.tokens[index].low if 0 <= index < self._count else ""

    def text(self, index: int) -> str:
        """Return a token as written, or an empty text outside."""
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def glued(self, index: int) -> bool:
        """Return whether a token follows the one before without space."""
        return 0 < index < len(self.tokens) and not self.tokens[index].gap

    def number(self, index: int, digits: int = 2) -> int | None:
        """Return a number of at most so many digits, or ``None``."""
        if 0 <= index < self._count:
            token = self.tokens[index]
            if token.value >= 0 and len(token.low) <= digits:
                return token.value
        return None

    def skip(self, index: int, *options: str) -> int:
        """Return the index after a token that is one of *options*, or the same index."""
        return index + 1 if self.low(index) in options else index


def windows(text: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of *text* that may contain dates, in order and without overlap."""
    places = []
    if not _ALL_TRIGGERS.isdisjoint(_WORD.findall(text)):
        for match in _WORD.finditer(text):
            word = match.group()
            if word not in _ALL_TRIGGERS:
                continue
            if word.lower() not in _UNIT_TRIGGERS or _in_company(text, match.start(), match.end()):
                places.append(match.start())
    for pattern in _FIGURES:
        places += [match.start() for match in pattern.finditer(text)]
    if _BARE_DAY.search(text, max(0, len(text) - _BARE_DAY_LENGTH)):
        places.append(len(text))
    opened = closed = -1
    for place in sorted(places):
        start = _word_edge(text, max(0, place - _CONTEXT), -1)
        stop = _word_edge(text, min(len(text), place + _CONTEXT), 1)
        if start <= closed:
            closed = max(closed, stop)
            continue
        if closed >= 0:
            yield opened, closed
        opened, closed = start, stop
    if closed >= 0:
        yield opened, closed


def _in_company(text: str, start: int, end: int) -> bool:
    """Return whether a unit of time can belong to a date, not only to a duration."""
    before = _WORD.findall(text[max(0, start - _BEFORE_UNIT) : start].lower())
    if not _COMPANY.isdisjoint(before[-3:]):
        return True
    return _BEHIND_UNIT.match(text, end) is not None or text[
        max(0, start - 4) : start - 1
    ].endswith(("st", "nd", "rd", "th"))


def _word_edge(text: str, place: int, step: int) -> int:
    for _ in range(_CONTEXT):
        if not 0 < place < len(text) or text[place - 1].isspace() or text[place].isspace():
            break
        place += step
    return place


def tokenize(text: str, start: int, stop: int) -> list[Token]:
    """Return the tokens of a stretch; a blank line is a token too, which nothing crosses."""
    tokens: list[Token] = []
    end = start
    for match in _TOKEN.finditer(text, start, stop):
        begin = match.start()
        gap = begin > end
        if gap and tokens and text.count("\n", end, begin) > 1:
            tokens.append(Token(_BREAK, _BREAK, end, begin, -1, gap))
        word = match.group()
        end = match.end()
        value = int(word) if end - begin <= 4 and "0" <= word[0] <= "9" else -1
        tokens.append(Token(word, word.lower(), begin, end, value, gap))
    return tokens
