"""Arithmetic on calendar periods: weeks, months, quarters, halves, years, decades."""

from __future__ import annotations

import calendar
import datetime as dt
from typing import TYPE_CHECKING, Final

from casetrack.base.words import WordLists

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.extract.spans import DatePrecision

Days = tuple[dt.date, dt.date]
"""First and last day."""

_MONTHS_OF: Final = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120}


def date_or_none(year: int, month: int, day: int) -> dt.date | None:
    """Return the date, or ``None`` if it does not exist."""
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None


def day_exists(month: int, day: int, year: int | None = None) -> bool:
    """Return whether *month* has *day*, in *year* or, without one, in any year."""
    return date_or_none(2000 if year is None else year, month, day) is not None


def add_days(day: dt.date, days: int) -> dt.date | None:
    """Return the day *days* later, or ``None`` outside the calendar."""
    try:
        return day + dt.timedelta(days=days)
    except OverflowError:
        return None


def add_months(day: dt.date, months: int) -> dt.date | None:
    """Return the day *months* later; the last one of a month that is too short."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    if not dt.MINYEAR <= year <= dt.MAXYEAR:
        return None
    last = calendar.monthrange(year, month + 1)[1]
    return dt.date(year, month + 1, min(day.day, last))


def months_from(year: int, month: int, count: int) -> Days | None:
    """Return the days of *count* months that begin with *month* of *year*."""
    first = date_or_none(year, month, 1)
    after = add_months(first, count) if first else None
    if first is None or after is None:
        return None
    return first, after - dt.timedelta(days=1)


def week_of(year: int, number: int) -> Days | None:
    """Return the days of an ISO week, or ``None`` where the year does not have it."""
    try:
        return (dt.date.fromisocalendar(year, number, 1), dt.date.fromisocalendar(year, number, 7))
    except ValueError:
        return None


def containing(day: dt.date, unit: str, step: int = 0) -> Days | None:
    """Return the period around *day*, or the one *step* periods later.

    *unit* is ``day``, ``week``, ``weekend``, ``fortnight``, ``month``, ``quarter``, ``half``,
    ``year`` or ``decade``.
    """
    if unit == "day":
        moved = add_days(day, step)
        return (moved, moved) if moved else None
    if unit in {"week", "weekend", "fortnight"}:
        length = 14 if unit == "fortnight" else 7
        monday = add_days(day, length * step - day.weekday())
        sunday = add_days(monday, length - 1) if monday else None
        if monday is None or sunday is None:
            return None
        return (sunday - dt.timedelta(days=1), sunday) if unit == "weekend" else (monday, sunday)
    months = _MONTHS_OF[unit]
    index = (day.year * 12 + day.month - 1) // months * months + step * months
    return months_from(index // 12, index % 12 + 1, months)


def iso_value(precision: DatePrecision, days: Days) -> str:
    """Return the ISO 8601 form of a period that has *precision*."""
    first, last = days
    if precision == "day":
        return first.isoformat()
    if precision == "week":
        year, week, _ = first.isocalendar()
        return f"{year:04}-W{week:02}"
    if precision == "month":
        return f"{first.year:04}-{first.month:02}"
    if precision == "quarter":
        return f"{first.year:04}-Q{(first.month + 2) // 3}"
    if precision == "half":
        return f"{first.year:04}-H{(first.month + 5) // 6}"
    if precision == "year":
        return f"{first.year:04}"
    if precision == "decade":
        return f"{first.year // 10:03}X"
    return f"{first.isoformat()}/{last.isoformat()}"


# Holidays that texts date by, on fixed days and on counted ones.

_LISTS = WordLists(__file__)


FIXED: Final = {
    tuple(name.split()): (int(month), int(day))
    for name, (month, day) in _LISTS.groups("fixed").items()
}
"""Month and day by the words of the name, without apostrophes."""

TRIGGERS: Final = frozenset(_LISTS.words("triggers"))


def easter(year: int) -> dt.date:
    """Return Easter Sunday by the Gregorian rule of Meeus, Jones and Butcher."""
    a, b, c = year % 19, year // 100, year % 100
    h = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    k = (32 + 2 * (b % 4) + 2 * (c // 4) - h - c % 4) % 7
    m = (a + 11 * h + 22 * k) // 451
    month, day = divmod(h + k - 7 * m + 114, 31)
    return dt.date(year, month, day + 1)


def nth_weekday(year: int, month: int, weekday: int, which: int) -> dt.date | None:
    """Return the *which*-th such weekday of a month, -1 for its last one."""
    length = calendar.monthrange(year, month)[1]
    first = (weekday - dt.date(year, month, 1).weekday()) % 7 + 1
    days = range(first, length + 1, 7)
    if which == -1:
        return dt.date(year, month, days[-1])
    return dt.date(year, month, days[which - 1]) if 1 <= which <= len(days) else None


_COUNTED: Final = {
    tuple(name.split()): tuple(map(int, numbers))
    for name, numbers in _LISTS.groups("counted").items()
}
"""Month, weekday, its number and days after it; or days after Easter."""


def holiday_on(name: tuple[str, ...], year: int) -> dt.date | None:
    """Return the day of a holiday in a year."""
    if name in FIXED:
        return date_or_none(year, *FIXED[name])
    if not 1583 <= year <= 9998:
        return None
    month, weekday, which, days = (*_COUNTED[name], 0, 0, 0)[:4]
    if len(_COUNTED[name]) == 1:
        return easter(year) + dt.timedelta(days=month)
    day = nth_weekday(year, month, weekday, which)
    return day + dt.timedelta(days=days) if day else None


_NAMES: Final = frozenset((*FIXED, *_COUNTED))
_LONGEST: Final = max(map(len, _NAMES))
FIRST_WORDS: Final = frozenset(w for n in _NAMES for w in (n[0], n[0].removesuffix("s")))


def name_at(low: Callable[[int], str], index: int) -> tuple[tuple[str, ...], int] | None:
    """Return the longest holiday name at a token and the index after it; *low* returns a token."""
    best: tuple[tuple[str, ...], int] | None = None
    words: tuple[str, ...] = ()
    for _ in range(_LONGEST):
        word, index = low(index), index + 1
        if low(index) in {"'", "’"} and (low(index + 1) == "s" or word.endswith("s")):
            has_letter = low(index + 1) == "s"
            word, index = f"{word}s" if has_letter else word, index + 1 + has_letter
        elif word == "st" and low(index) == ".":
            index += 1
        words = (*words, word)
        if words in _NAMES:
            best = words, index
    return best
