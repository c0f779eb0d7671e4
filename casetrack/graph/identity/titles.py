"""Titles of agreements as words that can be compared."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from casetrack.base.words import WordLists
from casetrack.graph.entities.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

# Numbers that name contracts, orders and invoices: "Contract No. 4711-B", "PO: 2024-113".

_LISTS = WordLists(__file__)

_LABELS = tuple(_LISTS.pairs("labels").items())
_LABEL = "|".join(rf"(?P<{name}>{words})" for name, words in _LABELS)
_ID = r"(?P<id>(?:[A-Z]{1,6} )?(?=[\w./-]*\d)[A-Za-z0-9]+(?:[-/._][A-Za-z0-9]+)*)"
_NUMBER = re.compile(
    rf"(?<![\w-])(?i:{_LABEL})\s{{0,3}}-?\s?(?:(?i:No|Nr|Num|Ref)\b\.?|(?i:Number|Numero|Nummer|nummer|Reference|ID)\b|n°|N°|\#|№|:)"
    rf"(?:\s?(?:\(s\)|[:.\#]))*[ \t]*\n?[ \t]*{_ID}(?![\w])"
)
_DATE = re.compile(r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d\d-\d\d|(?:19|20)\d\d")
_LEAST = 3


def numbers_in(text: str, start: int, end: int, /) -> Iterator[tuple[int, str]]:
    """Yield the numbers in a range of text, each with its position and type.

    >>> list(numbers_in("Contract No. FA-2023/17", 0, 23))
    [(0, 'contract:fa-2023-17')]
    """
    for match in _NUMBER.finditer(text, start, end):
        if number := number_key(match["id"]):
            yield match.start(), f"{next(n for n, _ in _LABELS if match[n])}:{number}"


def number_key(written: str, /) -> str:
    """Return a number in comparable form; empty for a date or a number that is too short."""
    number = re.sub(r"[^\w]+", "-", written.strip().casefold()).strip("-")
    if _DATE.fullmatch(written.strip()) or len(number.replace("-", "")) < _LEAST:
        return ""
    return number


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
    """Return the distinctive words of a title, each once, in order.

    >>> title_words("AMENDED AND RESTATED Master Services Agreement")
    ('master', 'services')
    >>> title_words("Rahmenvertrag")
    ('rahmen',)
    """
    words: dict[str, None] = {}
    for raw in _WORD.findall(text):
        word = fold(raw)
        compound = _COMPOUND.fullmatch(word)
        word = compound[1].rstrip("s") if compound else word
        if word not in _EMPTY and not word.isdigit():
            words[word] = None
    return tuple(words)


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


@functools.lru_cache(maxsize=65_536)
def agreement_of(one: tuple[str, ...], other: tuple[str, ...], /) -> int:
    """Return how well two titles match.

    2: same words, 1: one contains the words of the other, 0: one is empty, -1: they differ.
    """
    if not one or not other:
        return 0
    first = all(any(alike(a, b) for b in other) for a in one)
    second = all(any(alike(a, b) for a in one) for b in other)
    return 2 if first and second else 1 if first or second else -1
