"""Places that are written in several ways."""

from __future__ import annotations

from casetrack.base.words import WordLists
from casetrack.graph.entities.text import fold, plain_words, slug

_LISTS = WordLists(__file__)
_CANONICAL = {
    slug(variant): slug(variants.partition("|")[0])
    for variants in _LISTS.phrases("variants")
    for variant in variants.split("|")
}


def location_key(text: str, /) -> str:
    """Return the key of a place: the same for the usual ways of writing it.

    Examples
    --------
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
    """Return whether a key is that of a country or city of the list above."""
    return key in _CANONICAL
