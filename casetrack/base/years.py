"""Plausible years of dates in texts, mails, files and metadata.

In texts, years from 1700 to 2199 need no further evidence. Earlier numbers are mostly part numbers,
counts or misread digits ("JUN 1087", "in 1080 units"), so they need one of: the full month name
("15 June 1215"), the year in words, "the year 1215", "AD 1215", or a historical word nearby ("King
John sealed it in 1215"). Never dates: an abbreviated month in capitals with an early year, and day
and month with a year such as 0002. :func:`casetrack.extract.dates.finder.confidence` decides.

Timestamps of programs (mail headers, metadata, file times) cannot precede computer clocks: earlier
values are empty fields, later ones wrong clocks, and the first days of clocks (1970, and 1980 of
DOS and ZIP files) are unset clocks. Filing dates are valid from 1700. Dates that people enter, such
as the publication of a book, have the limits of texts.
"""

from __future__ import annotations

import datetime as dt
from typing import Final

YEARS: Final = range(1000, 2200)
"""Years of four digits in texts."""
FIRST_COMMON: Final = 1700
"""The first year of texts that needs no sign of history."""
FIRST_MAIL: Final = 1970
_FIRST_RECORDED: Final = dt.datetime(1970, 1, 2, tzinfo=dt.UTC)
"""Before it a clock of files shows nothing but that it was not set."""
_CLOCK_STARTS: Final = frozenset(
    dt.date.fromisoformat(day) for day in ("1969-12-31", "1970-01-01", "1979-12-31", "1980-01-01")
)
UNSET_DAYS: Final = _CLOCK_STARTS | {
    dt.date(1601, 1, 1),
    dt.date(1899, 12, 30),
    dt.date(1900, 1, 1),
}
"""The first days of clocks, in all time zones, and of file systems, spreadsheets and databases.

With a time of day they are empty fields: the minute is missing.
"""
_FIRST_STATED: Final = dt.datetime(YEARS[0], 1, 1, tzinfo=dt.UTC)
_AHEAD: Final = dt.timedelta(days=31)


def is_clock_fault(day: dt.date, /) -> bool:
    """Return whether a program can only have recorded *day* by a wrong clock."""
    return day in _CLOCK_STARTS or day > (dt.datetime.now(dt.UTC) + _AHEAD).date()


def recorded(
    moment: dt.datetime | None, /, *, first: dt.datetime = _FIRST_RECORDED
) -> dt.datetime | None:
    """Return a moment with its zone if a program can have recorded it, else ``None``."""
    if moment is None or not first <= moment <= dt.datetime.now(dt.UTC) + _AHEAD:
        return None
    return None if first == _FIRST_RECORDED and is_clock_fault(moment.date()) else moment


def written_day(year: int, month: int, day: int, /, *, first: int = FIRST_COMMON) -> str | None:
    """Return a day that a clerk or a program wrote down, ``None`` for no day of such a year."""
    try:
        moment = dt.datetime(year, month, day, tzinfo=dt.UTC)
    except ValueError:
        return None
    day_start = recorded(moment, first=dt.datetime(first, 1, 1, tzinfo=dt.UTC))
    return None if day_start is None else day_start.date().isoformat()


def stated(moment: dt.datetime | None, /) -> dt.datetime | None:
    """Return a moment with its zone if a person can have entered it, else ``None``."""
    return recorded(moment, first=_FIRST_STATED)
