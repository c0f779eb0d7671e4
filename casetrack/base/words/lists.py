"""Word lists of several packages: legal forms, months, states, titles."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from casetrack.base.words import WordLists


def _lists(name: str) -> WordLists:
    return WordLists(str(Path(__file__).with_name(name)))


LEGAL_FORMS: Final = _lists("legal_forms")
"""Lists of legal forms of companies: ``families``, ``words``, ``ends``, ..."""

MONTHS: Final = _lists("months")
"""Lists of month names, January first, by language: ``en``, ``en_short``, ``de``, ..."""

TITLES: Final = _lists("titles")
"""Lists of titles before names: ``address`` (Mr, Mrs, Ms), ``academic``, ``knights``, ..."""

_STATES = _lists("states")
_FORMS = _STATES.groups("states")
POSTAL: Final = {name: letters for name, (letters, *_) in _FORMS.items()}
"""Letters of the post ("ny") for the name in lower case, with D.C. and Puerto Rico."""

ABBREVIATED: Final = {short: name for name, (_, *shorts) in _FORMS.items() for short in shorts}
"""Name in lower case for an abbreviation without its last point and without blanks."""

STATES: Final = tuple(name for name in _FORMS if name not in _STATES.phrases("other"))
"""Names of the fifty states of the United States in lower case."""


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


def title_words(*lists: str) -> frozenset[str]:
    """Return the titles of lists in lower case."""
    return frozenset(title.lower() for title in TITLES.words(*lists))


def any_title(*lists: str) -> str:
    """Return the titles of lists as alternatives of a regular expression."""
    return "|".join(TITLES.words(*lists))
