"""Spellings of places, and words of organisation names that are places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.words import WordLists
from casetrack.base.words.lists import STATES
from casetrack.graph.entities.text import fold, plain_words, slug

if TYPE_CHECKING:
    from collections.abc import Iterable

_LISTS = WordLists(__file__)
_CANONICAL = {
    slug(variant): slug(variants.partition("|")[0])
    for variants in _LISTS.phrases("variants")
    for variant in variants.split("|")
}


def location_key(text: str, /) -> str:
    """Return the key of a place, equal for its usual spellings.

    >>> location_key("the U.S.A."), location_key("Port of Aldermere")
    ('united-states', 'port-of-aldermere')
    """
    words = [fold(w) for w in plain_words(text)]
    if len(words) > 1 and words[0] == "the":
        key = "-".join(words)
        return _CANONICAL.get(key) or _CANONICAL.get("-".join(words[1:]), "-".join(words[1:]))
    key = "-".join(words)
    if key not in _CANONICAL and len(words) > 2 and words[0] in {"state", "commonwealth"}:
        key = "-".join(words[2:] if words[1] == "of" else words)  # "State of Delaware"
    return _CANONICAL.get(key, key)


def is_known_place(key: str, /) -> bool:
    """Return whether a key is a listed country or city."""
    return key in _CANONICAL


# Public bodies and firms known by their initials.


_OWNERS = ("", "us-", "united-states-")
"""Possible prefixes of a body's key."""


def _read() -> dict[str, str]:
    initials = {}
    for letters, names in _LISTS.pairs("known").items():
        for name in names.split(" | "):
            key = slug(name).removesuffix("-corporation")
            initials.update({owner + key: letters.lower() for owner in _OWNERS})
        initials[letters.lower()] = letters.lower()
        initials[f"us-{letters.lower()}"] = letters.lower()
    return initials


PUBLIC_INITIALS = _read()
"""The folded initials of a public body or firm, by its key without legal form."""


def may_be_initials(letters: str, key: str, /) -> bool:
    """Return whether *letters* (folded) can be initials of *key*, not those of a public body.

    >>> may_be_initials("sec", "southern-energy"), may_be_initials("htv", "halden-tele-vision")
    (False, True)
    """
    return letters not in PUBLIC_INITIALS or PUBLIC_INITIALS.get(key) == letters


def is_public_body(key: str, /) -> bool:
    """Return whether a key, without its legal form, is a well-known body."""
    return key in PUBLIC_INITIALS


# Words that distinguish organisations with the same first words: "Seaforth Shipping" and "Seaforth
# Shipping (Asia)" are two firms, as are "Acme" and "Acme Holdings", "Kestrel Fund" and "Kestrel
# Fund II". Such words are places, numbers and functions of a group's parts.


_STATES = (
    frozenset(name.split()[-1] for name in STATES) - {"georgia", "island", "mexico", "washington"}
) | frozenset(
    "rhode alberta manitoba ontario quebec saskatchewan queensland tasmania victoria bavaria "
    "bayern sachsen saxony hessen".split()
)
"""Last words of names of states and provinces, except countries, cities and ordinary words."""

_HALVES = frozenset("york jersey hampshire carolina dakota rhode victoria".split())
_COMPASS = frozenset("new north south west east city of the".split())
_PLACES = frozenset(_LISTS.words("countries", "cities")) | _STATES | _COMPASS
_UNITS = frozenset(_LISTS.words("regions", "countries", "cities", "parts", "numbers")) | _STATES


def names_places(name: str, /) -> bool:
    """Return whether a text of several words contains only place names: "Toronto Ontario Canada".

    >>> names_places("Oklahoma City"), names_places("Kansas City Southern"), names_places("Paris")
    (True, False, False)
    """
    words = fold(name).replace(",", " ").split()
    return len(words) > 1 and _PLACES.issuperset(words) and not _COMPASS.issuperset(words)


def is_place(name: str, /) -> bool:
    """Return whether every word of a folded name is one of countries, cities, states or regions."""
    key = location_key(name)
    return is_known_place(key) or is_state(key) or _UNITS.issuperset(key.split("-"))


def names_unit(rest: Iterable[str], /) -> bool:
    """Return whether the additional words of a longer name mean another organisation.

    >>> names_unit(["asia"]), names_unit(["fund", "2"]), names_unit(["systems"])
    (True, True, False)
    """
    return any(w in _UNITS or w.isdigit() for w in rest)


def is_state(key: str, /) -> bool:
    """Return whether a place's key is a state or province.

    >>> is_state("maine"), is_state("new-york"), is_state("york")
    (True, True, False)
    """
    first, _, last = key.rpartition("-")
    if first:
        return first in {"new", "north", "south", "west"} and last in _STATES
    return last in _STATES and last not in _HALVES
