"""Shows days since a workbook's epoch as dates, times and durations."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.base.words.months import MONTHS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.parse.numbers.tokens import Token

_DAYS_1904 = 1462
_LAST_DAY = 2958465
"""31 December 9999."""
_FALSE_LEAP_DAY = 60
"""29 February 1900, a day that never was: kept by spreadsheet programs for old files' sake."""
_MAX_PLACES = 9
"""Decimals of a second; a double holds no more."""

_LANGUAGES = {0x09: "en", 0x07: "de", 0x0C: "fr", 0x0A: "es", 0x10: "it", 0x13: "nl", 0x16: "pt"}
"""Language by the primary language of a Windows language id."""
_SHORT_MONTHS = frozenset((0x07, 0x0C, 0x13))
"""Languages that shorten months otherwise than to their first three letters."""
_SHORT_DAY_LETTERS = {0x07: 2, 0x13: 2}


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment as a sheet counts it; *day* is 0 on the calendar's day before the first."""

    year: int
    month: int
    day: int
    weekday: int
    seconds: int
    fraction: int
    total_seconds: int


def moment(value: float, /, *, places: int = 0, date_1904: bool = False) -> Moment | None:
    """Turn days since the epoch into a moment, rounded to *places* decimals of a second.

    Returns ``None`` outside the calendar: before its first day, after the year 9999.
    """
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
    """Return the days since the epoch of a moment."""
    days = (when - dt.datetime(1899, 12, 30)) / dt.timedelta(days=1)  # noqa: DTZ001 - no zone
    days -= days < _FALSE_LEAP_DAY + 1
    return days - (_DAYS_1904 if date_1904 else 0)


def show_date(
    tokens: Sequence[Token], value: float, language: int, /, *, date_1904: bool
) -> str | None:
    """Show a date, a time or a duration; ``None`` where the calendar does not reach."""
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
    """Return where ``m`` means minutes: after hours, or before seconds."""
    parts = [
        (i, t.text[0].lower())
        for i, t in enumerate(tokens)
        if t.kind in {"date", "elapsed"} and not t.text.startswith("half")
    ]
    found = set()
    for at, (i, letter) in enumerate(parts):
        if letter != "m" or len(tokens[i].text) > 2:
            continue
        before = parts[at - 1][1] if at else ""
        after = parts[at + 1][1] if at + 1 < len(parts) else ""
        if before == "h" or after == "s":
            found.add(i)
    return found


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
