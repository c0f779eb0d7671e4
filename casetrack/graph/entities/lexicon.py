"""Closed lists about names: titles, degrees, legal forms, words that many names share."""

from __future__ import annotations

from casetrack.base.words import WordLists
from casetrack.base.words import legal_forms as lists
from casetrack.base.words.titles import TITLES

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
