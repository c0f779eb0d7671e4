"""Words that set an organisation apart from another one whose name begins alike.

"Seaforth Shipping" and "Seaforth Shipping (Asia)" are two firms, as are "Acme" and "Acme Holdings",
"Kestrel Fund" and "Kestrel Fund II": a place, a number, or what a part of a group does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.words import WordLists
from casetrack.base.words.states import STATES

if TYPE_CHECKING:
    from collections.abc import Iterable

_LISTS = WordLists(__file__)

_STATES = (
    frozenset(name.split()[-1] for name in STATES) - {"georgia", "island", "mexico", "washington"}
) | frozenset(
    "rhode alberta manitoba ontario quebec saskatchewan queensland tasmania victoria bavaria "
    "bayern sachsen saxony hessen".split()
)
"""Last words of names of states and provinces, but those that are countries, cities or words."""

_HALVES = frozenset("york jersey hampshire carolina dakota rhode victoria".split())
_UNITS = frozenset(_LISTS.words("regions", "countries", "cities", "parts", "numbers")) | _STATES


def names_unit(rest: Iterable[str], /) -> bool:
    """Return whether what a longer name has beyond a shorter one tells two organisations apart.

    Parameters
    ----------
    rest
        The folded words behind the shorter name.

    Examples
    --------
    >>> names_unit(["asia"]), names_unit(["fund", "2"]), names_unit(["systems"])
    (True, True, False)
    """
    return any(w in _UNITS or w.isdigit() for w in rest)


def is_state(key: str, /) -> bool:
    """Return whether a place's key is that of a state or province.

    Examples
    --------
    >>> is_state("maine"), is_state("new-york"), is_state("york")
    (True, True, False)
    """
    first, _, last = key.rpartition("-")
    if first:
        return first in {"new", "north", "south", "west"} and last in _STATES
    return last in _STATES and last not in _HALVES
