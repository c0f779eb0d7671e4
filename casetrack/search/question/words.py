"""The words of a question with their places, as the index knows them."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from casetrack.base.records.reading import Part
from casetrack.ingest.steps.words import as_letters, index_terms

_WORD = re.compile(
    r"(?P<short>[^\W\d_]{1,3}(?:&[^\W\d_]{1,3})+)(?!\w)|"
    r"\d+(?:[.,\u2019']\d+)*(?![^\W_])|(?:[^\W\d_]\.){2,}|[^\W_]+(?:['\u2019][^\W_]+)*"
)


_KEPT = 16384
"""Names whose terms are kept: those of the vocabularies are looked at with every question."""


class Word(NamedTuple):
    """A word of the question.

    Attributes
    ----------
    text
        As it stands there.
    start, end
        Where.
    terms
        Its index terms: mostly one, none for a very common word. Letters joined by ``&`` are one
        word here, as ``r&d``: what the index knows of them is next to nothing.
    """

    text: str
    start: int
    end: int
    terms: tuple[str, ...]


def words_of(text: str, /) -> list[Word]:
    """Return the words of *text* in order."""
    return [
        Word(word, m.start(), m.end(), _terms(word, is_short=m["short"] is not None))
        for m in _WORD.finditer(as_letters(text))
        for word in (text[m.start() : m.end()],)
    ]


@functools.lru_cache(maxsize=_KEPT)
def stems_of(text: str, /) -> tuple[str, ...]:
    """Return the terms of the words of *text*, by which names are compared."""
    return tuple(term for word in words_of(text) for term in word.terms)


@functools.lru_cache(maxsize=_KEPT)
def terms_of(text: str, /) -> tuple[str, ...]:
    """Return the index terms of a name, as :func:`index_terms` has them."""
    return tuple(index_terms(text))


def _terms(word: str, *, is_short: bool) -> tuple[str, ...]:
    return (word.casefold(),) if is_short else tuple(index_terms(word))


def part(query: str, start: int, end: int, /) -> Part:
    """Return a part of the question."""
    return Part(query[start:end], start, end)
