"""Currencies: ISO 4217 codes, the signs and the words that people write for them.

A sign or word that belongs to one currency only gives its code; one that several share gives a
plain name ("$" is ``dollar``, "kr" is ``krona/krone``). "£" and "pounds sterling" are ``GBP``:
other countries' pounds carry a letter ("E£").
"""

from __future__ import annotations

from collections import defaultdict

from casetrack.base.words import WordLists

_LISTS = WordLists(__file__)

_TABLE = _LISTS.text("table").strip()

_PLAIN_WORDS = _LISTS.pairs("plain_words")
_PLAIN_SIGNS = _LISTS.pairs("plain_signs")
_MINOR = _LISTS.pairs("minor")
_SHARED = {"krona": "krona/krone", "krone": "krona/krone", "rouble": "ruble"}
_MORE_PHRASES = _LISTS.pairs("more_phrases")
_MOST_LIKELY = {"ruble": "RUB", "rouble": "RUB", "lira": "lira", "won": "KRW"}
"""Words that two states share, of which one is meant unless an adjective says otherwise."""
WORD_LIKE_CODES = frozenset(_LISTS.words("word_like_codes"))
"""Codes that are words, or abbreviations of something else, in capitals."""
WORD_LIKE_NAMES = frozenset(_LISTS.words("word_like_names"))
"""Names of money that are also other words: they count only with a number that looks like money."""
LOWER_CODES = frozenset(_LISTS.words("lower_codes"))
"""Codes that people also write in small letters."""


def _plurals(word: str) -> tuple[str, ...]:
    ends = "es" if word.endswith(("s", "x", "ch")) else "s"
    return (word, word + ends)


def _build() -> tuple[dict[str, str], dict[str, str], frozenset[str]]:
    owners: dict[str, list[str]] = defaultdict(list)
    phrases: dict[str, str] = {}
    signs: dict[str, str] = {}
    codes = set()
    for line in _TABLE.splitlines():
        code, words, adjectives, marks = line.split(";")
        codes.add(code)
        signs.update(dict.fromkeys(filter(None, marks.split(",")), code))
        for word in filter(None, words.split(",")):
            owners[word].append(code)
            for form in _plurals(word):
                phrases.update(
                    {
                        f"{adjective} {form}": code
                        for adjective in adjectives.split(",")
                        if adjective
                    }
                )
    owners["pound"].append("GBP")
    for word, of in owners.items():
        unit = of[0] if len(of) == 1 else _MOST_LIKELY.get(word, _SHARED.get(word, word))
        phrases.update(dict.fromkeys(_plurals(word), unit))
    for plural in ("kronor", "kroner", "kronur"):
        phrases[plural] = "krona/krone"
    for word, unit in _PLAIN_WORDS.items():
        phrases.update(dict.fromkeys(_plurals(word), unit))
    return phrases | _MORE_PHRASES, signs | _PLAIN_SIGNS, frozenset(codes)


PHRASES, SIGNS, CODES = _build()
"""Names in small letters, signs as written, ISO codes; each to the unit of an amount."""


def minor_of(unit: str, /) -> str | None:
    """Return the name of the small coin of a currency, ``None`` where it is not known.

    Parameters
    ----------
    unit
        A currency's code or plain name.
    """
    name = PHRASES_OF_CODE.get(unit, unit)
    return _MINOR.get(unit) or _MINOR.get(name)


PHRASES_OF_CODE = {"GBP": "pound"} | {
    line.split(";")[0]: line.split(";")[1].split(",")[0]
    for line in _TABLE.splitlines()
    if not line.startswith("GBP")
}
"""The word for each code's money ("dollar" for ``USD``)."""


def same_money(one: str, other: str, /) -> bool:
    """Say whether two units can be the same money ("dollar" and ``USD`` can).

    Parameters
    ----------
    one, other
        Currency codes or plain names.
    """
    first, second = (set(PHRASES_OF_CODE.get(unit, unit).split("/")) for unit in (one, other))
    return one == other or (bool(first & second) and (one not in CODES or other not in CODES))
