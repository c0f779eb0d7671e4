"""The words of a question with their places, as the index knows them."""

from __future__ import annotations

import re
from typing import NamedTuple

from casetrack.records.reading import Part
from casetrack.steps.words import index_terms

_WORD = re.compile(
    r"\d+(?:[.,\u2019']\d+)*(?![^\W_])|(?:[^\W\d_]\.){2,}|[^\W_]+(?:['\u2019][^\W_]+)*"
)


class Word(NamedTuple):
    """A word of the question.

    Attributes
    ----------
    text
        As it stands there.
    start, end
        Where.
    terms
        Its index terms: mostly one, none for a very common word.
    """

    text: str
    start: int
    end: int
    terms: tuple[str, ...]


def words_of(text: str, /) -> list[Word]:
    """Return the words of *text* in order."""
    return [
        Word(m.group(), m.start(), m.end(), tuple(index_terms(m.group())))
        for m in _WORD.finditer(text)
    ]


def part(query: str, start: int, end: int, /) -> Part:
    """Return a part of the question."""
    return Part(query[start:end], start, end)
