"""Days that a user types as arguments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from casetrack.base.arguments import shown
from casetrack.base.errors import UsageError

if TYPE_CHECKING:
    from casetrack.extract.spans import DateSpan

LEAST_CONFIDENCE: Final = 0.5
"""Minimum confidence; below it only the form suggests a date."""

# Dates that a user types as an argument, in any form.

LONGEST = 100
"""Maximum characters of a typed date or amount."""
_YEAR = re.compile(r"(?:1[5-9]|2[01])\d\d")


def day_span(typed: str, /) -> tuple[str, str]:
    """Return the first and last day of a typed date, ``YYYY-MM-DD``; see :func:`typed_date`."""
    date = typed_date(typed)
    return str(date.first), str(date.last)


def typed_date(typed: str, /) -> DateSpan:
    """Return a typed date with its days; raise ``UsageError`` if it is invalid or ambiguous."""
    dates = dates_of(typed.strip()) if len(typed) <= LONGEST else []
    if len(dates) == 1 and None not in {dates[0].value, dates[0].first, dates[0].last}:
        return dates[0]
    problem = "cannot be read as a date"
    if len(dates) == 1 and dates[0].readings:
        problem = f"can be read as {' or '.join(dates[0].readings)}"
    raise UsageError(
        f'"{shown(typed)}" {problem}.',
        hint="Write it as YYYY-MM-DD, such as 2024-03-12; 2024-03 and 2024 are good, too.",
    )


def dates_of(text: str, /) -> list[DateSpan]:
    """Return the dates of a typed text, if it has nothing else."""
    from casetrack.extract.dates import find_dates
    from casetrack.extract.spans import DateSpan

    if _YEAR.fullmatch(text):
        # In running text four digits are a number; typed alone where a date goes, a year.
        days = (f"{text}-01-01", f"{text}-12-31")
        return [DateSpan(0, 4, text, "absolute", text, *days, "year", (), 1.0)]
    return [d for d in find_dates(text) if is_all(text, d.start, d.end)]


def is_all(text: str, start: int, end: int, /) -> bool:
    """Return whether the span covers everything except punctuation."""
    return not any(c.isalnum() for c in text[:start] + text[end:])
