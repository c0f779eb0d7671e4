"""Format numbers, dates and texts by a cell's number format (ECMA-376 part 1, 18.8.31).

A format has up to four sections separated by semicolons (positive, negative, zero, text), each with
an optional condition. Locale-dependent parts use English (US): decimal point, thousands comma,
built-in format 14 as month/day/year. Padding becomes one space, or none at the ends.

A number that its format cannot show (a date before the calendar begins, which programs show as
``#``) or that ``;;;`` hides uses the format General.
"""

from __future__ import annotations

import datetime as dt
import functools
import math
import operator
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from casetrack.base.words.lists import MONTHS
from casetrack.parse.numbers.digits import NumberSection, Token, general, split_sections, tokenize

# Shows days since a workbook's epoch as dates, times and durations.

_DAYS_1904 = 1462
_LAST_DAY = 2958465
"""31 December 9999."""
_FALSE_LEAP_DAY = 60
"""29 February 1900, which did not exist; spreadsheet programs keep it for old files."""
_MAX_PLACES = 9
"""Decimals of a second, limited by the precision of a double."""

_LANGUAGES = {0x09: "en", 0x07: "de", 0x0C: "fr", 0x0A: "es", 0x10: "it", 0x13: "nl", 0x16: "pt"}
"""Language by primary Windows language id."""
_SHORT_MONTHS = frozenset((0x07, 0x0C, 0x13))
"""Languages that abbreviate months in other ways than by their first three letters."""
_SHORT_DAY_LETTERS = {0x07: 2, 0x13: 2}


@dataclass(frozen=True, slots=True)
class Moment:
    """Date and time as a sheet counts them; *day* is 0 on the day before the calendar begins."""

    year: int
    month: int
    day: int
    weekday: int
    seconds: int
    fraction: int
    total_seconds: int


def moment(value: float, /, *, places: int = 0, date_1904: bool = False) -> Moment | None:
    """Convert days since the epoch to a date and time; ``None`` outside the calendar."""
    if not 0 <= value <= _LAST_DAY + 1:
        return None
    scale = 10**places
    units = math.floor(value * 86400 * scale + 0.5 + 1e-6)
    total, fraction = divmod(units, scale)
    days, seconds = divmod(total, 86400)
    serial = days + (_DAYS_1904 if date_1904 else 0)
    if serial > _LAST_DAY:
        return None
    weekday = (serial - 1) % 7
    if serial == _FALSE_LEAP_DAY:
        return Moment(1900, 2, 29, weekday, seconds, fraction, total)
    if serial == 0:
        return Moment(1900, 1, 0, weekday, seconds, fraction, total)
    start = dt.date(1899, 12, 31) if serial < _FALSE_LEAP_DAY else dt.date(1899, 12, 30)
    date = start + dt.timedelta(days=serial)
    return Moment(date.year, date.month, date.day, weekday, seconds, fraction, total)


def serial_of(when: dt.datetime, /, *, date_1904: bool = False) -> float:
    """Return the days since the epoch of a date and time."""
    days = (when - dt.datetime(1899, 12, 30)) / dt.timedelta(days=1)  # noqa: DTZ001 - no zone
    days -= days < _FALSE_LEAP_DAY + 1
    return days - (_DAYS_1904 if date_1904 else 0)


def show_date(
    tokens: Sequence[Token], value: float, language: int, /, *, date_1904: bool
) -> str | None:
    """Format a date, a time or a duration; ``None`` outside the calendar."""
    places = max((len(t.text) - 1 for t in tokens if t.kind == "fraction"), default=0)
    places = min(places, _MAX_PLACES)
    elapsed = any(t.kind == "elapsed" for t in tokens)
    sign = "-" if elapsed and value < 0 else ""
    when = moment(abs(value) if elapsed else value, places=places, date_1904=date_1904)
    if when is None:
        return None
    half_day = any(t.kind == "date" and t.text.startswith("half") for t in tokens)
    minutes = _minutes(tokens)
    out = []
    for i, token in enumerate(tokens):
        if token.kind == "date":
            out.append(_date_part(token.text, when, language, half_day, i in minutes))
        elif token.kind == "elapsed":
            unit = {"h": 3600, "m": 60, "s": 1}[token.text[0].lower()]
            out.append(f"{when.total_seconds // unit:0{len(token.text)}}")
        elif token.kind == "fraction":
            out.append(f".{when.fraction:0{places}}"[: len(token.text)])
        else:
            out.append(token.shown or token.text)
    return sign + "".join(out)


def _minutes(tokens: Sequence[Token]) -> set[int]:
    """Return the positions of ``m`` with the meaning minutes: after hours, or before seconds."""
    parts = [
        (i, t.text[0].lower())
        for i, t in enumerate(tokens)
        if t.kind in {"date", "elapsed"} and not t.text.startswith("half")
    ]
    minutes = set()
    for at, (i, letter) in enumerate(parts):
        if letter != "m" or len(tokens[i].text) > 2:
            continue
        before = parts[at - 1][1] if at else ""
        after = parts[at + 1][1] if at + 1 < len(parts) else ""
        if before == "h" or after == "s":
            minutes.add(i)
    return minutes


def _date_part(text: str, when: Moment, language: int, half_day: bool, minutes: bool) -> str:
    letter, width = text[0].lower(), len(text)
    if text.startswith("half"):
        return _half(text, when)
    if letter == "h":
        hour = when.seconds // 3600
        return f"{(hour - 1) % 12 + 1 if half_day else hour:0{min(width, 2)}}"
    if letter == "s":
        return f"{when.seconds % 60:0{min(width, 2)}}"
    if letter == "m":
        return _minute_or_month(width, when, language, minutes)
    if letter in "da":
        return _day(width, when, language) if letter == "d" or width > 2 else ""
    if letter == "g":
        return ""
    year = when.year + 543 if letter == "b" else when.year
    return f"{year % 100:02}" if width <= 2 and letter != "e" else f"{year:04}"


def _half(text: str, when: Moment) -> str:
    name = "AM" if when.seconds < 43200 else "PM"
    return name if len(text) > len("halfa/p") else name[0]


def _minute_or_month(width: int, when: Moment, language: int, minutes: bool) -> str:
    if minutes:
        return f"{when.seconds // 60 % 60:0{width}}"
    if width <= 2:
        return f"{when.month:0{width}}"
    code = language & 0xFF
    spoken = _LANGUAGES.get(code, "en")
    name = MONTHS.words(spoken)[when.month - 1]
    if width == 3:
        short = code in _SHORT_MONTHS
        return MONTHS.words(f"{spoken}_sheet")[when.month - 1] if short else name[:3]
    return name[0] if width == 5 else name


def _day(width: int, when: Moment, language: int) -> str:
    if width <= 2:
        return f"{when.day:0{width}}"
    code = language & 0xFF
    name = MONTHS.words(f"{_LANGUAGES.get(code, 'en')}_days")[when.weekday]
    return name[: _SHORT_DAY_LETTERS.get(code, 3)] if width == 3 else name


__all__ = ["BUILTIN", "NumberFormat", "general", "parse"]

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "<>": operator.ne,
}

_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
BUILTIN = {int(number): code for number, code in _TABLE["builtin"].items()}
"""Formats that files name by number only; those of East Asian programs follow below."""
BUILTIN |= dict.fromkeys((*range(27, 32), 36, *range(50, 55), 57, 58), "yyyy/m/d")
BUILTIN |= dict.fromkeys((32, 34, 55), "h:mm") | dict.fromkeys((33, 35, 56), "h:mm:ss")

_SYSTEM_FORMATS = {0xF800: "dddd, mmmm d, yyyy", 0xF400: "h:mm:ss AM/PM"}
"""Language ids of the system's long date and time formats, which replace the section's text."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A section's condition such as ``[<100]``."""

    compare: str
    limit: float

    def holds(self, value: float, /) -> bool:
        """Return whether *value* meets the condition."""
        return _COMPARE[self.compare](value, self.limit)

    @property
    def only_negative(self) -> bool:
        """Whether only negative numbers meet it; the minus sign is then not shown."""
        if self.compare == "<":
            return self.limit <= 0
        return self.compare in {"<=", "="} and self.limit < 0


@dataclass(frozen=True, slots=True)
class Section:
    """One section: its tokens, and the type of value that it formats."""

    tokens: tuple[Token, ...]
    condition: Condition | None
    language: int
    is_date: bool
    number: NumberSection | None

    def show(self, value: float, /, *, date_1904: bool) -> str | None:
        """Format a number's magnitude or a date; ``None`` if impossible."""
        if self.is_date:
            return show_date(self.tokens, value, self.language, date_1904=date_1904)
        if self.number is None:
            return "".join(general(value) if t.kind == "general" else t.shown for t in self.tokens)
        return self.number.show(value)


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """A number format, created by :func:`parse`."""

    code: str
    sections: tuple[Section, ...]
    text_section: tuple[Token, ...] | None
    hides_all: bool

    @property
    def is_date(self) -> bool:
        """Whether it formats numbers as dates or times."""
        return bool(self.sections) and self.sections[0].is_date

    def show(self, value: float, /, *, date_1904: bool = False) -> str:
        """Format the value of a cell; *date_1904* selects the epoch 1904 for dates."""
        section, drops_minus = self._section(value)
        if section is None or self.hides_all:
            return general(value)
        magnitude = value if section.is_date else abs(value)
        shown = section.show(magnitude, date_1904=date_1904)
        if shown is None:
            return general(value)
        if value < 0 and not drops_minus and not section.is_date and shown:
            shown = "-" + shown.lstrip(" ")
        return _squeeze(shown)

    def show_text(self, text: str, /) -> str:
        """Format a text; formats without a text section, and those that hide it, keep it."""
        if self.text_section is None:
            return text
        shown = "".join(text if t.kind == "text" else t.shown for t in self.text_section)
        return shown.strip() or text

    def _section(self, value: float) -> tuple[Section | None, bool]:
        """Return the section for *value*, and whether the section replaces the minus sign."""
        sections = self.sections
        if not sections:
            return None, False
        if len(sections) == 1:
            condition = sections[0].condition
            if condition is None or condition.holds(value):
                return sections[0], condition is not None and condition.only_negative
            return None, False
        if sections[0].condition is None and sections[1].condition is None:
            if value > 0 or (value == 0 and len(sections) == 2):
                return sections[0], False
            return (sections[1], True) if value < 0 else (sections[2], False)
        return self._by_condition(value)

    def _by_condition(self, value: float) -> tuple[Section | None, bool]:
        first, second = self.sections[:2]
        third = self.sections[2] if len(self.sections) > 2 else None
        if first.condition.holds(value) if first.condition else value > 0:
            return first, first.condition is not None and first.condition.only_negative
        if second.condition is not None:
            if second.condition.holds(value):
                return second, second.condition.only_negative
            return third, False
        if third is not None and value >= 0:
            return third, False
        rest = first.condition
        leaves_negative = rest is not None and (
            (rest.compare == ">=" and rest.limit <= 0) or (rest.compare == ">" and rest.limit < 0)
        )
        return second, third is not None or leaves_negative


def _squeeze(text: str) -> str:
    text = text.strip(" ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text


@functools.lru_cache(maxsize=4096)
def parse(code: str, /) -> NumberFormat:
    """Parse a format code; the characters of an invalid code are literals."""
    parts = [tokenize(part) for part in split_sections(code)][:4]
    text_section: tuple[Token, ...] | None = None
    if any(t.kind == "text" for t in parts[-1]) or len(parts) == 4:
        text_section = tuple(parts.pop())
    hides_all = len(code) >= 3 and not code.strip("; ")
    return NumberFormat(code, tuple(_section(p) for p in parts), text_section, hides_all)


def _section(tokens: list[Token]) -> Section:
    condition, language, kept = None, 0, []
    for token in tokens:
        if token.kind == "condition":
            condition = condition or Condition(token.text, token.number)
        elif token.kind == "language":
            language = int(token.number)
        else:
            kept.append(token)
    if language in _SYSTEM_FORMATS:
        kept = tokenize(_SYSTEM_FORMATS[language])
    kinds = {t.kind for t in kept}
    is_date = not kinds.isdisjoint({"date", "elapsed"})
    is_number = not is_date and "general" not in kinds
    number = NumberSection.build(kept) if is_number else None
    return Section(tuple(kept), condition, language, is_date, number)
