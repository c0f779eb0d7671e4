"""Closed lists for names: titles, degrees, legal forms, frequent words."""

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
"""Words before a person's name, folded, with the gender that they state."""

DEGREES = frozenset(_LISTS.words("degrees"))
"""Letters after a person's name, without full stops."""

SAFE_DEGREES = DEGREES - set("ma ba md sc pe mp rn phil jd".split())
"""Degrees that are not spelled like a surname."""

SUFFIXES = {"jr": "jr", "junior": "jr", "sr": "sr", "senior": "sr", "ii": "ii", "iii": "iii"}
SUFFIXES |= {"iv": "iv", "jnr": "jr", "snr": "sr"}
"""Suffixes that distinguish generations of a family."""

PARTICLES = frozenset(_LISTS.words("particles"))
"""Words that belong to the following surname."""

PLACED = "(place)"
"""Counted as a role of a document's entity: the name appears in the position of a town."""

LEGAL_FORMS: dict[tuple[str, ...], str] = {
    tuple(written.split()): family
    for family, all_ in lists.LEGAL_FORMS.pairs("families").items()
    for written in all_.split("|")
}
"""The words of a legal form, folded, and its family."""

FORMS_BEFORE = {"pt": "pt", "ooo": "ooo", "oao": "jsc", "zao": "jsc", "pao": "jsc", "ao": "jsc"}
"""Legal forms that precede the name, folded; only in capitals."""

SHORT_FORMS = frozenset(f[0] for f in LEGAL_FORMS if len(f) == 1 and len(f[0]) <= 3) - frozenset(
    "ltd inc plc llc llp oyj srl sro doo zrt kft".split()
)
"""Legal forms that may be ordinary words: they count only in capitals (or as ``Co``)."""

LONGEST_FORM = max(map(len, LEGAL_FORMS))

COMMON_FIRST_WORDS = frozenset(_LISTS.words("common_first_words"))
"""First words shared by too many organisations to identify one."""

FREQUENT_SURNAMES = frozenset(_LISTS.words("frequent_surnames"))
"""Surnames so frequent that two people may also share a given name."""

_MALE = _LISTS.words("male")
_FEMALE = _LISTS.words("female")
GIVEN_NAMES: dict[str, str] = dict.fromkeys(_MALE, "m") | dict.fromkeys(_FEMALE, "f")
"""Given names of one gender nearly everywhere: used to separate people, never to merge."""


# Short forms of given names: which two names can belong to one person.


def _read() -> dict[str, frozenset[str]]:
    formal_names: dict[str, set[str]] = {}
    for formal, short in _LISTS.groups("forms").items():
        for name in (formal, *short):
            formal_names.setdefault(name, set()).add(formal)
    return {name: frozenset(formal) for name, formal in formal_names.items()}


FORMAL_NAMES = _read()
"""The full names, itself included, that each listed given name, folded, can stand for."""


def is_nickname(given: str, /) -> bool:
    """Return whether a folded given name is a short form and not a full name itself.

    >>> is_nickname("bob"), is_nickname("robert"), is_nickname("adaeze")
    (True, False, False)
    """
    formal = FORMAL_NAMES.get(given)
    return formal is not None and given not in formal


@functools.lru_cache(maxsize=4096)
def may_be_one_name(a: str, b: str, /) -> bool:
    """Return whether two folded given names can belong to one person.

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
    # Two full names are different, even if they share a short form.
    if a in mine and b in theirs:
        return b in mine or a in theirs
    return not mine.isdisjoint(theirs)


def name_classes(given: Iterable[str], /) -> dict[str, str]:
    """Map given names that can only be one name to their representative.

    A short form that fits two of the names ("Ted" with Edward and Theodore) is ambiguous, so none
    of these names is mapped. *given* are the folded first names of all persons with one surname;
    names without a variant are left out.
    """
    names = sorted(n for n in set(given) if n in FORMAL_NAMES)
    near = {n: [m for m in names if m != n and may_be_one_name(n, m)] for n in names}
    classes: dict[str, str] = {}
    for name, others in near.items():
        group = {name, *others}
        if others and all(group == {n, *near[n]} for n in group):
            classes[name] = min(group, key=lambda n: (is_nickname(n), n))
    return classes
