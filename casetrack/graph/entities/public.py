"""Public bodies and firms that everybody calls by their initials, and what those stand for."""

from __future__ import annotations

from casetrack.base.words import WordLists
from casetrack.graph.entities.text import slug

_LISTS = WordLists(__file__)
_OWNERS = ("", "us-", "united-states-")
"""What may stand before the name of a body, in the form of a key."""


def _read() -> dict[str, str]:
    found = {}
    for letters, names in _LISTS.pairs("known").items():
        for name in names.split(" | "):
            key = slug(name).removesuffix("-corporation")
            found.update({owner + key: letters.lower() for owner in _OWNERS})
        found[letters.lower()] = letters.lower()
        found[f"us-{letters.lower()}"] = letters.lower()
    return found


PUBLIC_INITIALS = _read()
"""For the key of a public body or firm, without its legal form, its initials, folded."""


def may_be_initials(letters: str, key: str, /) -> bool:
    """Return whether letters that everybody knows as a public body's can be initials of *key*.

    Parameters
    ----------
    letters
        Folded.
    key
        Of the longer name, without its legal form.

    Examples
    --------
    >>> may_be_initials("sec", "southern-energy"), may_be_initials("htv", "halden-tele-vision")
    (False, True)
    """
    return letters not in PUBLIC_INITIALS or PUBLIC_INITIALS.get(key) == letters


def is_public_body(key: str, /) -> bool:
    """Return whether a key, without its legal form, names what documents of all kinds mention."""
    return key in PUBLIC_INITIALS
