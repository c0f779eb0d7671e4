"""Names of months in several languages."""

from __future__ import annotations

from typing import Final

from casetrack.base.words import WordLists

MONTHS: Final = WordLists(__file__)
"""Lists of month names, January first, by language: ``en``, ``en_short``, ``de``, ..."""


def month_numbers(*lists: str) -> dict[str, int]:
    """Return the number of each month name of the given lists, in lower case.

    Examples
    --------
    >>> month_numbers("en", "de")["mai"]
    5
    """
    return {
        name.lower(): number for key in lists for number, name in enumerate(MONTHS.words(key), 1)
    }


def any_month(name: str = "en", /) -> str:
    """Return the names of a list as alternatives of a regular expression."""
    return "|".join(MONTHS.words(name))
