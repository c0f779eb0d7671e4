"""Where the words of a question stand in a text."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, NamedTuple

from casetrack.ingest.steps.words import as_letters, index_terms, is_pair

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_WORD = re.compile(r"[^\W_]+(?:[.,'\u2019][^\W_]+)*")


_NOTHING: frozenset[str] = frozenset()


class Hit(NamedTuple):
    """A word of a text that is a term of the question: ``text[start:end]``."""

    start: int
    end: int
    term: str


def query_terms(query: str, /) -> frozenset[str]:
    """Return the words of a question in the form in which the index has them."""
    return frozenset(index_terms(query))


def hits_of(text: str, terms: Collection[str], /) -> Iterator[Hit]:
    """Yield every word of *text* that is one of *terms*, in order."""
    wanted = frozenset(terms)
    common_of = _common_of(wanted)
    # Scripts without spaces are indexed in pairs of signs, so their runs are searched for those.
    pairs = set(filter(is_pair, wanted))
    for match in _WORD.finditer(as_letters(text)):
        word = text[match.start() : match.end()]
        if not (common := common_of[word]):
            continue
        start = match.start()
        if pairs.isdisjoint(common) or len(word) <= 2:
            yield Hit(start, match.end(), min(common))
            continue
        for term in sorted(common - pairs):
            at = max(0, word.find(term))
            yield Hit(start + at, start + at + len(term), term)
        for at in range(len(word)):
            # A sign that the index leaves out may be inside of a pair.
            for size in (2, 3):
                if found := pairs & _terms_of(word[at : at + size]):
                    yield Hit(start + at, start + min(at + size, len(word)), min(found))
                    break


class _Common(dict[str, frozenset[str]]):
    """The terms of a question that each word has, as far as it was met."""

    def __init__(self, wanted: frozenset[str]) -> None:
        self._wanted = wanted
        # Of British spellings alone the first letter may go: "oestrogen" is "estrogen".
        initials = {term[0] for term in wanted}
        initials |= {"a", "o"} if "e" in initials else set()
        self._initials = initials | {initial.upper() for initial in initials}

    def __missing__(self, word: str) -> frozenset[str]:
        # Of a plain word nothing but the end is cut off: it begins as its term does.
        plain = word.isascii() and word[1:].islower() and word.isalpha()
        apart = plain and word[0] not in self._initials
        found = self[word] = _NOTHING if apart else self._wanted & _terms_of(word)
        return found


@functools.lru_cache(maxsize=16)
def _common_of(wanted: frozenset[str]) -> _Common:
    return _Common(wanted)


@functools.lru_cache(maxsize=32_768)
def _terms_of(word: str) -> frozenset[str]:
    return frozenset(index_terms(word))
