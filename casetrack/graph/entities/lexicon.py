"""Closed lists about names: titles, degrees, legal forms, words that many names share."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from casetrack.base.words import WordLists, lists
from casetrack.base.words.lists import TITLES

if TYPE_CHECKING:
    from collections.abc import Iterable

_LISTS = WordLists(__file__)

HONORIFICS: dict[str, str] = {
    title: gender
    for gender, key in (("", "neutral"), ("m", "men"), ("f", "women"))
    for title in TITLES.words(key)
}
"""Words before a name of a person, folded, each with the gender that it states."""

DEGREES = frozenset(_LISTS.words("degrees"))
"""Letters behind a name of a person, without their full stops."""

SAFE_DEGREES = DEGREES - set("ma ba md sc pe mp rn phil jd".split())
"""Those that no surname is written like."""

SUFFIXES = {"jr": "jr", "junior": "jr", "sr": "sr", "senior": "sr", "ii": "ii", "iii": "iii"}
SUFFIXES |= {"iv": "iv", "jnr": "jr", "snr": "sr"}
"""What tells the generations of a family apart."""

PARTICLES = frozenset(_LISTS.words("particles"))
"""Words that belong to the surname behind them."""

PLACED = "(place)"
"""Counted with the roles of a document's entity, though it is none: a name stands as towns do."""

LEGAL_FORMS: dict[tuple[str, ...], str] = {
    tuple(written.split()): family
    for family, all_ in lists.LEGAL_FORMS.pairs("families").items()
    for written in all_.split("|")
}
"""The words of a legal form, folded, and the family that they belong to."""

FORMS_BEFORE = {"pt": "pt", "ooo": "ooo", "oao": "jsc", "zao": "jsc", "pao": "jsc", "ao": "jsc"}
"""Legal forms that stand before the name, folded; in capitals only."""

SHORT_FORMS = frozenset(f[0] for f in LEGAL_FORMS if len(f) == 1 and len(f[0]) <= 3) - frozenset(
    "ltd inc plc llc llp oyj srl sro doo zrt kft".split()
)
"""Those that may be a word of their own: they count in capitals only (or as ``Co``)."""

LONGEST_FORM = max(map(len, LEGAL_FORMS))

COMMON_FIRST_WORDS = frozenset(_LISTS.words("common_first_words"))
"""First words that so many organisations share that alone they name none of them."""

FREQUENT_SURNAMES = frozenset(_LISTS.words("frequent_surnames"))
"""Surnames of so many people that two who share a given name too are often two."""

_MALE = _LISTS.words("male")
_FEMALE = _LISTS.words("female")
GIVEN_NAMES: dict[str, str] = dict.fromkeys(_MALE, "m") | dict.fromkeys(_FEMALE, "f")
"""Given names that are one gender's nearly everywhere: used to keep people apart, never to join."""


# Short and pet forms of given names: which two can be the same person's.


def _read() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for formal, short in _LISTS.groups("forms").items():
        for name in (formal, *short):
            found.setdefault(name, set()).add(formal)
    return {name: frozenset(formal) for name, formal in found.items()}


FORMAL_NAMES = _read()
"""For each given name of the list, folded, the written-out names that it can stand for.

Written for this program: English first, then what letters and contracts from Germany, France and
Spain have. A name that is written out stands for itself too.
"""


def is_nickname(given: str, /) -> bool:
    """Return whether a folded given name is short for another one and is not written out itself.

    Examples
    --------
    >>> is_nickname("bob"), is_nickname("robert"), is_nickname("adaeze")
    (True, False, False)
    """
    formal = FORMAL_NAMES.get(given)
    return formal is not None and given not in formal


@functools.lru_cache(maxsize=4096)
def may_be_one_name(a: str, b: str, /) -> bool:
    """Return whether two folded given names can be the same person's.

    Examples
    --------
    >>> may_be_one_name("bob", "robert"), may_be_one_name("ted", "edward")
    (True, True)
    >>> may_be_one_name("robert", "albert"), may_be_one_name("john", "jon")
    (False, False)
    """
    if a == b:
        return True
    mine, theirs = FORMAL_NAMES.get(a), FORMAL_NAMES.get(b)
    if mine is None or theirs is None:
        return False
    # Two written-out names are two names, whatever short form they share.
    if a in mine and b in theirs:
        return b in mine or a in theirs
    return not mine.isdisjoint(theirs)


def name_classes(given: Iterable[str], /) -> dict[str, str]:
    """Return for given names that can only be one name the one that stands for them.

    Where a short form fits two of the names ("Ted" beside Edward and Theodore), nobody is sure, and
    none of those it fits is put together with it.

    Parameters
    ----------
    given
        The folded first names of all persons with one surname.

    Returns
    -------
    dict of str to str
        Names that stand for others or are stood for; those that are alone are left out.
    """
    names = sorted(n for n in set(given) if n in FORMAL_NAMES)
    near = {n: [m for m in names if m != n and may_be_one_name(n, m)] for n in names}
    found: dict[str, str] = {}
    for name, others in near.items():
        group = {name, *others}
        if others and all(group == {n, *near[n]} for n in group):
            found[name] = min(group, key=lambda n: (is_nickname(n), n))
    return found
