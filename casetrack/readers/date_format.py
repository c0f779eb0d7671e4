"""Dates and times of spreadsheets: serial numbers shown by format parts such as ``d-mmm-yy``."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_LAST_DAY = 2_958_465
_ENGLISH_MONTHS = (
    "January February March April May June July August September October November December"
).split()
_ENGLISH_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
# By primary language of the Windows locale id: months, days, and how many letters abbreviate them.
_LANGUAGES: dict[int, tuple[list[str], list[str], int]] = {
    0x07: (
        (
            "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"
        ).split(),
        "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag".split(),
        2,
    ),
    0x0C: (
        (
            "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
        ).split(),
        "lundi mardi mercredi jeudi vendredi samedi dimanche".split(),
        3,
    ),
    0x0A: (
        (
            "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
            "diciembre"
        ).split(),
        "lunes martes miércoles jueves viernes sábado domingo".split(),
        3,
    ),
    0x10: (
        (
            "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre "
            "dicembre"
        ).split(),
        "lunedì martedì mercoledì giovedì venerdì sabato domenica".split(),
        3,
    ),
}
_CALENDAR = re.compile(r"[ymdhs/]", re.IGNORECASE)
_SYSTEM_LONG_DATE, _SYSTEM_TIME = 0xF800, 0xF400
_LONG_DATE = "dddd, mmmm d, yyyy"
_TIME = "h:mm:ss AM/PM"


@dataclass(frozen=True, slots=True)
class DatePart:
    """A part of a date format: ``date`` letters, ``elapsed`` letters, digits or text."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class _Moment:
    """A serial number taken apart."""

    serial: float
    day: date
    is_false_leap_day: bool
    seconds: int
    fraction: int


def is_date_code(parts: Sequence[DatePart], /) -> bool:
    """Tell whether a section of a format shows a date or time."""
    return any(
        part.kind == "elapsed" or (part.kind == "date" and _CALENDAR.search(part.text) is not None)
        for part in parts
    )


def show_date(
    serial: float, parts: Sequence[DatePart], /, *, is_1904: bool, locale: int | None
) -> str | None:
    """Show a serial number of days; ``None`` where it is no date (negative, after the year 9999).

    Parameters
    ----------
    serial
        Days since the start of the calendar, with the time as fraction.
    parts
        The format.
    is_1904
        Which calendar.
    locale
        Windows locale id that the format names, for month and day names.
    """
    if locale in {_SYSTEM_LONG_DATE, _SYSTEM_TIME}:
        parts = _system_parts(_LONG_DATE if locale == _SYSTEM_LONG_DATE else _TIME)
    parts = _with_minutes(_split_letters(parts))
    is_elapsed = any(part.kind == "elapsed" for part in parts)
    digits = _fraction_digits(parts)
    moment = _take_apart(serial, digits, is_1904=is_1904, is_elapsed=is_elapsed)
    if moment is None:
        return None
    is_twelve = any(part.text.lower() in {"am/pm", "a/p"} for part in parts)
    out: list[str] = []
    after_seconds = False
    for part in parts:
        if part.kind == "digit":
            # Digits after the seconds are their fraction; others have no meaning in a date.
            continue
        if part.kind == "." and after_seconds and digits:
            out.append(f".{moment.fraction:0{digits}d}")
        elif part.kind in {"date", "minute"}:
            out.append(_show_part(part, moment, is_twelve=is_twelve, locale=locale))
        elif part.kind == "elapsed":
            out.append(_show_elapsed(part.text, moment))
        else:
            out.append(part.text)
        after_seconds = part.text.lower() in {"s", "ss"} and part.kind in {"date", "elapsed"}
    return "".join(out)


def _system_parts(code: str) -> list[DatePart]:
    pieces = re.findall(r"AM/PM|[a-z]+|[^a-zA-Z]+", code)
    return [DatePart("date" if p[0].isalpha() else "text", p) for p in pieces]


def _split_letters(parts: Sequence[DatePart]) -> list[DatePart]:
    """Cut letter runs such as ``yyyymmdd`` into parts of one letter each."""
    out: list[DatePart] = []
    for part in parts:
        if part.kind != "date" or "/" in part.text:
            out.append(part)
            continue
        out += [DatePart("date", m.group()) for m in re.finditer(r"(?i)(.)\1*", part.text)]
    return out


def _with_minutes(parts: Sequence[DatePart]) -> list[DatePart]:
    """Tell minutes from months: ``m`` after hours or before seconds means minutes."""
    out = list(parts)
    letters = [i for i, p in enumerate(out) if p.kind in {"date", "elapsed"} and "/" not in p.text]
    for at, i in enumerate(letters):
        part = out[i]
        if part.kind != "date" or part.text.lower() not in {"m", "mm"}:
            continue
        before = out[letters[at - 1]].text.lower() if at else ""
        after = out[letters[at + 1]].text.lower() if at + 1 < len(letters) else ""
        if before.startswith("h") or after.startswith("s"):
            out[i] = DatePart("minute", part.text)
    return out


def _fraction_digits(parts: Sequence[DatePart]) -> int:
    """Count the digits in ``ss.000``."""
    for i, part in enumerate(parts):
        if part.kind == "." and i and parts[i - 1].text.lower() in {"s", "ss"}:
            count = 0
            while i + 1 + count < len(parts) and parts[i + 1 + count].kind == "digit":
                count += 1
            return min(count, 3)
    return 0


def _take_apart(serial: float, digits: int, *, is_1904: bool, is_elapsed: bool) -> _Moment | None:
    if not is_elapsed and not 0 <= serial < _LAST_DAY + 1:
        return None
    whole, ticks = divmod(round(serial * 86400 * 10**digits), 86400 * 10**digits)
    seconds, fraction = divmod(ticks, 10**digits)
    if is_elapsed:
        return _Moment(serial, date(1900, 1, 1), False, seconds, fraction)
    # Day 60 of the 1900 calendar is 29 February 1900, which never was.
    false_leap = not is_1904 and whole == 60
    if is_1904:
        day = date(1904, 1, 1) + timedelta(days=min(whole, _LAST_DAY - 1462))
    elif whole == 0:
        day = date(1899, 12, 31)
    else:
        origin = date(1899, 12, 31) if whole < 60 else date(1899, 12, 30)
        day = origin + timedelta(days=min(whole, _LAST_DAY))
    return _Moment(serial, day, false_leap, seconds, fraction)


def _show_part(part: DatePart, moment: _Moment, *, is_twelve: bool, locale: int | None) -> str:
    letter, width = part.text[0].lower(), len(part.text)
    hours, rest = divmod(moment.seconds, 3600)
    if part.kind == "minute":
        return f"{rest // 60:0{min(width, 2)}d}"
    if "/" in part.text:
        half = "AM" if hours < 12 else "PM"
        return half if width > 3 else half[0]
    if letter == "h":
        hours = (hours % 12 or 12) if is_twelve else hours
        return f"{hours:0{min(width, 2)}d}"
    if letter == "s":
        return f"{rest % 60:0{min(width, 2)}d}"
    return _show_calendar(letter, width, moment, locale)


def _show_calendar(letter: str, width: int, moment: _Moment, locale: int | None) -> str:
    months, days, short = _LANGUAGES.get(
        (locale or 0x09) & 0xFF, (_ENGLISH_MONTHS, _ENGLISH_DAYS, 3)
    )
    day_number = 29 if moment.is_false_leap_day else moment.day.day
    month = 2 if moment.is_false_leap_day else moment.day.month
    year = 1900 if moment.serial < 1 and moment.day.year == 1899 else moment.day.year
    if letter in {"y", "e"}:
        return f"{year % 100:02d}" if letter == "y" and width <= 2 else f"{year:04d}"
    if letter == "b":
        return f"{(year + 543) % 100:02d}" if width <= 2 else f"{year + 543:04d}"
    if letter == "g":
        return ""
    if letter == "m":
        name = months[month - 1]
        shown = {3: name[:3], 4: name, 5: name[0]}
        return shown.get(width, f"{month:0{min(width, 2)}d}" if width < 3 else name)
    weekday = days[calendar.weekday(moment.day.year, moment.day.month, moment.day.day)]
    if width == 3:
        return weekday[:short]
    return weekday if width > 3 else f"{day_number:0{width}d}"


def _show_elapsed(letters: str, moment: _Moment) -> str:
    total = int(abs(round(moment.serial * 86400)))
    unit = {"h": 3600, "m": 60, "s": 1}[letters[0]]
    sign = "-" if moment.serial < 0 else ""
    return f"{sign}{total // unit:0{len(letters)}d}"
