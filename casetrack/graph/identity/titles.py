"""Titles of agreements as words that can be compared."""

from __future__ import annotations

import re

from casetrack.graph.entities.text import fold

_NOUNS = (
    "agreement agreements contract contracts deed letter document instrument vertrag vertrages "
    "vertrags vereinbarung abkommen contrat contrato convention accord acuerdo contratto "
    "overeenkomst"
)
_SMALL = (
    "the a an this that certain such said original existing current prior previous initial "
    "underlying aforementioned foregoing amended restated second and of for to in on by with "
    "between among as under no nr number dated der die das des dem den vom zum zur und fuer fur "
    "ursprunglicher ursprungliche ursprunglichen bestehende bestehenden du de la le les et el los "
    "y il"
)
_EMPTY = frozenset(f"{_NOUNS} {_SMALL}".split())
RESTATED = re.compile(
    r"(?i:\b(?:amended\s+and\s+re-?stated|re-?stated|neugefasst\w*|neufassung)\b)"
)
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_COMPOUND = re.compile(r"(.{3,})(?:vertrag|vereinbarung|abkommen)(?:e?s|en)?$")
_ALIKE = 0.6
_SHORTEST = 4


def title_words(text: str, /) -> tuple[str, ...]:
    """Return the words of a title that tell one agreement from another, each once, in order.

    Examples
    --------
    >>> title_words("AMENDED AND RESTATED Master Services Agreement")
    ('master', 'services')
    >>> title_words("Rahmenvertrag")
    ('rahmen',)
    """
    found: dict[str, None] = {}
    for raw in _WORD.findall(text):
        word = fold(raw)
        compound = _COMPOUND.fullmatch(word)
        word = compound[1].rstrip("s") if compound else word
        if word not in _EMPTY and not word.isdigit():
            found[word] = None
    return tuple(found)


def alike(one: str, other: str, /) -> bool:
    """Return whether two words are forms of one ("distributor", "distribution")."""
    if one == other:
        return True
    longest = max(len(one), len(other))
    common = next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    return common >= _SHORTEST and common >= _ALIKE * longest


def agreement_of(one: tuple[str, ...], other: tuple[str, ...], /) -> int:
    """Return how well two titles fit.

    2 where they say the same, 1 where one says what the other does and more, 0 where one of them
    says nothing, -1 where they differ.
    """
    if not one or not other:
        return 0
    first = all(any(alike(a, b) for b in other) for a in one)
    second = all(any(alike(a, b) for a in one) for b in other)
    return 2 if first and second else 1 if first or second else -1
