"""Holidays that texts date by, on fixed days and on counted ones."""

from __future__ import annotations

import calendar
import datetime as dt
from typing import TYPE_CHECKING, Final

from casetrack.base.words import WordLists

if TYPE_CHECKING:
    from collections.abc import Callable

_LISTS = WordLists(__file__)


FIXED: Final = {
    tuple(name.split()): (int(month), int(day))
    for name, (month, day) in _LISTS.groups("fixed").items()
}
"""Month and day by the words of the name."""

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


def _thanksgiving(year: int) -> dt.date:
    return nth_weekday(year, 11, 3, 4) or dt.date.max


COUNTED: Final[dict[tuple[str, ...], Callable[[int], dt.date | None]]] = {
    ("easter", "sunday"): easter,
    ("easter", "monday"): lambda year: easter(year) + dt.timedelta(days=1),
    ("easter",): easter,
    ("ostern",): easter,
    ("good", "friday"): lambda year: easter(year) - dt.timedelta(days=2),
    ("whit", "monday"): lambda year: easter(year) + dt.timedelta(days=50),
    ("thanksgiving", "day"): _thanksgiving,
    ("thanksgiving",): _thanksgiving,
    ("black", "friday"): lambda year: _thanksgiving(year) + dt.timedelta(days=1),
    ("labor", "day"): lambda year: nth_weekday(year, 9, 0, 1),
    ("memorial", "day"): lambda year: nth_weekday(year, 5, 0, -1),
    ("mlk", "day"): lambda year: nth_weekday(year, 1, 0, 3),
    ("presidents", "day"): lambda year: nth_weekday(year, 2, 0, 3),
    ("presidents", "'", "day"): lambda year: nth_weekday(year, 2, 0, 3),
    ("columbus", "day"): lambda year: nth_weekday(year, 10, 0, 2),
    ("mother", "'", "s", "day"): lambda year: nth_weekday(year, 5, 6, 2),
    ("mothers", "day"): lambda year: nth_weekday(year, 5, 6, 2),
    ("father", "'", "s", "day"): lambda year: nth_weekday(year, 6, 6, 3),
    ("fathers", "day"): lambda year: nth_weekday(year, 6, 6, 3),
    ("cyber", "monday"): lambda year: _thanksgiving(year) + dt.timedelta(days=4),
    ("palm", "sunday"): lambda year: easter(year) - dt.timedelta(days=7),
    ("ash", "wednesday"): lambda year: easter(year) - dt.timedelta(days=46),
    ("ascension", "day"): lambda year: easter(year) + dt.timedelta(days=39),
    ("pentecost",): lambda year: easter(year) + dt.timedelta(days=49),
    ("karfreitag",): lambda year: easter(year) - dt.timedelta(days=2),
    ("ostermontag",): lambda year: easter(year) + dt.timedelta(days=1),
    ("pfingstmontag",): lambda year: easter(year) + dt.timedelta(days=50),
    ("martin", "luther", "king", "day"): lambda year: nth_weekday(year, 1, 0, 3),
}
"""The day in a year by the words of the name."""

FIRST_WORDS: Final = frozenset(name[0] for name in (*FIXED, *COUNTED))


def name_at(low: Callable[[int], str], index: int) -> tuple[tuple[str, ...], int] | None:
    """Return the longest holiday name that begins at a token, and the index behind it.

    *low* returns the token at an index in small letters.
    """
    best: tuple[tuple[str, ...], int] | None = None
    for name in (*FIXED, *COUNTED):
        written = tuple(low(index + n).replace("’", "'") for n in range(len(name)))
        if written == name and (best is None or len(name) > len(best[0])):
            best = name, index + len(name)
    return best
