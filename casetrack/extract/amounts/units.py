"""Units of measure: the words and abbreviations that people write, each to its usual symbol.

Metric units with their prefixes are made here, not listed. Abbreviations keep their case where it
tells units apart ("MB" and "Mb", "mW" and "MW").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from casetrack.base.words import WordLists

Family = Literal[
    "length",
    "area",
    "volume",
    "weight",
    "speed",
    "temperature",
    "information",
    "time",
    "energy",
    "power",
    "angle",
    "pressure",
    "electricity",
    "frequency",
    "force",
    "rate",
]


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of measure.

    Attributes
    ----------
    symbol
        Its usual symbol ("km"), or its name where it has none ("day").
    family
        What it measures.
    """

    symbol: str
    family: Family


_LISTS = WordLists(__file__)
_DRAW_WORDS = frozenset("are ares rod rods chain chains hand hands league leagues mil mils".split())
"""Units that are far more often another word; they are left out."""
SHAKY = frozenset(_LISTS.words("shaky"))
"""Units whose word is often something else: found, but held less sure."""
PLURAL_ONLY = frozenset(("second", "turn", "minim", "quarter", "slug"))
"""Words that, in the singular and after a space, count a unit only where the number is one."""


def _short_forms(symbol: str) -> set[str]:
    return {symbol, "μ" + symbol[1:], "u" + symbol[1:]} if symbol[0] == "µ" else {symbol}


def _metric() -> tuple[dict[str, Unit], dict[str, Unit]]:
    words: dict[str, Unit] = {}
    short: dict[str, Unit] = {}
    for names, (symbol, family, *allowed) in _LISTS.groups("metric").items():
        for prefix, mark in (("", ""), *_LISTS.pairs("prefixes").items()):
            if prefix and mark not in allowed:
                continue
            unit = Unit(mark + symbol, cast("Family", family))
            for name in names.split(","):
                words[prefix + name] = words[prefix + name + "s"] = unit
            short.update(dict.fromkeys(_short_forms(mark + symbol), unit))
    return words, short


def _more_short(short: dict[str, Unit]) -> dict[str, Unit]:
    return {word: short[symbol] for word, symbol in _LISTS.pairs("more").items()}


def _listed(words: dict[str, Unit], short: dict[str, Unit]) -> None:
    for family, entries in _LISTS.pairs("listed").items():
        for entry in entries.split("|"):
            symbol, *names = (name.replace("_", " ") for name in entry.split())
            unit = Unit(symbol, cast("Family", family))
            for name in names:
                words[name.lower()] = unit
            if len(symbol) <= 2 and symbol.isascii():
                short.setdefault(symbol, unit)
            else:
                words.setdefault(symbol.lower(), unit)


def _raised(words: dict[str, Unit], short: dict[str, Unit]) -> None:
    lengths = [(word, unit) for word, unit in words.items() if unit.family == "length"]
    brief = [(word, unit) for word, unit in short.items() if unit.family == "length"]
    kinds: tuple[tuple[Family, str, tuple[str, ...], str], ...] = (
        ("area", "²", ("square", "sq", "sq."), "2"),
        ("volume", "³", ("cubic", "cu", "cu."), "3"),
    )
    for family, mark, before, digit in kinds:
        for word, unit in lengths + brief:
            raised = Unit(unit.symbol + mark, family)
            for first in before:
                words[f"{first} {word.lower()}"] = words[f"{first}-{word.lower()}"] = raised
        for word, unit in brief:
            raised = Unit(unit.symbol + mark, family)
            short.update(dict.fromkeys((word + mark, word + digit, f"{word}^{digit}"), raised))


def _build() -> tuple[dict[str, Unit], dict[str, Unit]]:
    words, short = _metric()
    short.update(_more_short(short))
    _listed(words, short)
    _raised(words, short)
    for word in ("ft", "yd", "mi"):
        short[word.upper()] = short[word]
    for symbol in ("m", "g", "L", "s", "W", "V", "A", "J", "N", "t", "h"):
        words.pop(symbol, None)
    for word in _DRAW_WORDS:
        words.pop(word, None)
    for abbreviation in ("B", "K", "Mt", "Mg"):
        short.pop(abbreviation, None)
    return words, short


WORDS, SHORT = _build()
"""Names in small letters, and abbreviations in their own case; each to its unit."""
