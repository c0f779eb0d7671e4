"""Dates that a user types as an argument, in any form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.base.errors import UsageError
from casetrack.base.names import shown

if TYPE_CHECKING:
    from casetrack.extract.spans import DateSpan

LONGEST = 100
"""Characters of a typed date or amount; what is longer is neither."""
_YEAR = re.compile(r"(?:1[5-9]|2[01])\d\d")


def day_span(typed: str, /) -> tuple[str, str]:
    """Return the first and the last day, ``YYYY-MM-DD``, of a date that a user typed.

    Raises
    ------
    UsageError
        See :func:`typed_date`.
    """
    found = typed_date(typed)
    return str(found.first), str(found.last)


def typed_date(typed: str, /) -> DateSpan:
    """Return the date that a user typed; its value, first and last day are known.

    Raises
    ------
    UsageError
        It is no date, or one that can be read in several ways.
    """
    found = dates_of(typed.strip()) if len(typed) <= LONGEST else []
    if len(found) == 1 and None not in {found[0].value, found[0].first, found[0].last}:
        return found[0]
    problem = "cannot be read as a date"
    if len(found) == 1 and found[0].readings:
        problem = f"can be read as {' or '.join(found[0].readings)}"
    raise UsageError(
        f'"{shown(typed)}" {problem}.',
        hint="Write it as YYYY-MM-DD, such as 2024-03-12; 2024-03 and 2024 are good, too.",
    )


def dates_of(text: str, /) -> list[DateSpan]:
    """Return the dates that a typed text says and nothing beside them."""
    from casetrack.extract.dates import find_dates
    from casetrack.extract.spans import DateSpan

    if _YEAR.fullmatch(text):
        # In running text four figures are a number; typed alone where a date goes, a year.
        days = (f"{text}-01-01", f"{text}-12-31")
        return [DateSpan(0, 4, text, "absolute", text, *days, "year", (), 1.0)]
    return [d for d in find_dates(text) if is_all(text, d.start, d.end)]


def is_all(text: str, start: int, end: int, /) -> bool:
    """Return whether nothing but signs stands around the span."""
    return not any(c.isalnum() for c in text[:start] + text[end:])
