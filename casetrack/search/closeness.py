"""How much of a question is in one place of a passage, and not only somewhere in it.

A passage about the same subject has many words of a question, but seldom next to each other. The
words are compared in the text: another form ("accurate", "accuracy") or a compound ("Beitrag",
"Mitgliedsbeitrag") counts in part.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from casetrack.ingest.steps.words import index_terms, word_spans

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from casetrack.search.asked_words import AskedWords

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int_]

WINDOW = 240
"""Characters of one place: about two sentences."""
_BEYOND = 0.5
"""Share of a word's weight that counts at twice the distance, or in a heading."""
_RELATED = 0.8
"""Share of a word's weight that another form or a compound counts."""
_SHORTEST, _ENDING = 5, 3
"""Minimum length of a word with other forms, and maximum length of its ending."""
_SHORTEST_PART = 6
"""Minimum length of a part of a compound."""
_START = 3
"""Number of first letters that a word shares with its term."""
_WORD = re.compile(r"\d+(?:[.,'\u2019]\d+)+|[^\W_]+")
_SIGNS = re.compile("[\u0300-\u036f\u0590-\u05ff\u0600-\u06ff\u0900-\u0dff\u0e00-\u109f]")
"""Scripts and accents whose signs are no letters for :mod:`re`."""
_LATIN_TO_CYRILLIC = "\u0530"
_ACCENTS = {
    code: base[0]
    for code in range(0xC0, 0x250)
    if len(base := unicodedata.normalize("NFD", chr(code))) > 1
}
_MOST_PLACES = 200
"""Maximum number of compared words of a text; scripts without spaces have many."""
_PAIR = 40
"""Maximum distance in characters of two words that are next to each other in the question."""


class Closeness(NamedTuple):
    """How close a passage is to a question; each 0 to 1."""

    covered: float  # Share of the question's words in the passage
    together: float  # Share of the words in the best place of the passage
    pairs: float  # Share of neighbouring words of the question that are close to each other


class Comparer:
    """Compares the words of one question with texts."""

    def __init__(self, words: AskedWords, /) -> None:
        worth = words.worth
        self._own = list(worth)
        self._worth = np.array(list(worth.values())) / (sum(worth.values()) or 1.0)
        names = (term for other in words.others for name in other.names for term in name)
        self._columns = {t: n for n, t in enumerate(dict.fromkeys([*self._own, *names]))}
        column = self._columns.__getitem__
        self._others = [
            ([column(t) for t in o.own], [list(map(column, name)) for name in o.names], o)
            for o in words.others
        ]
        self._parts = [t for t in self._own if t.isalpha() and len(t) >= _SHORTEST]
        self._inner = [t for t in self._parts if len(t) >= _SHORTEST_PART]
        self._starts = frozenset(t[:_START] for t in self._columns)
        self._known: dict[str, list[tuple[int, float]]] = {}

    def closeness(self, text: str, headings: Iterable[str] = (), /) -> Closeness:
        """Compare a passage and its headings with the question."""
        starts, columns, shares = self._places(text)
        if not len(starts):
            return Closeness(0.0, 0.0, 0.0)
        _, titles, of_titles = self._places("\n".join(headings))
        distance = np.abs(starts[:, None] - starts)
        # The rows: the headings, the text, and around each word one and two windows.
        within = [np.where(distance <= n * WINDOW, shares, 0.0) for n in (1, 2)]
        rows = (
            self._best(titles, of_titles[None]),
            self._best(columns, np.vstack([shares, *within])),
        )
        present = frozenset([*columns.tolist(), *titles.tolist()])
        credit = self._credit(np.concatenate(rows), present)
        near, far = credit[2 : 2 + len(starts)], credit[2 + len(starts) :]
        together = np.maximum(near, _BEYOND * np.maximum(far, credit[0])) @ self._worth
        covered = float(credit[1] @ self._worth)
        return Closeness(covered, float(together.max()), self._pairs(distance, columns))

    def _best(self, columns: Ints, shares: Floats) -> Floats:
        """Return the highest share of each term in each row of *shares*, float [rows, terms]."""
        best = np.zeros((len(shares), len(self._columns)))
        if len(columns):
            order = np.argsort(columns, kind="stable")
            ordered = columns[order]
            first = np.flatnonzero(np.diff(ordered, prepend=-1))
            best[:, ordered[first]] = np.maximum.reduceat(shares[:, order], first, axis=1)
        return best

    def _credit(self, best: Floats, present: frozenset[int]) -> Floats:
        """Return what each word of the question counts, with other names; float [rows, words]."""
        credit = best[:, : len(self._own)].copy()
        for own, names, other in self._others:
            held = [best[:, name].mean(axis=1) for name in names if not present.isdisjoint(name)]
            if held:
                share = np.max(held, axis=0)
                counted = np.where(share >= other.least, share, 0.0) * other.weight
                credit[:, own] = np.maximum(credit[:, own], counted[:, None])
        return credit

    def _pairs(self, distance: Floats, columns: Ints) -> float:
        """Return the share of neighbouring words of the question that are close in a text."""
        pairs = len(self._own) - 1
        if not pairs:
            return 0.5
        is_next = (distance <= _PAIR) & (columns == columns[:, None] + 1)
        first = columns[is_next.any(axis=1)]
        return len(np.unique(first[first < pairs])) / pairs

    def _places(self, text: str) -> tuple[Ints, Ints, Floats]:
        """Return start, column and share of the words of *text* that are words of the question."""
        known = self._known
        if _SIGNS.search(text) is None:
            words = [(match.group(), match.start()) for match in _WORD.finditer(text)]
        else:
            words = [(text[start:end], start) for start, end in word_spans(text)]
        for word, _ in words:
            if word not in known:
                known[word] = self._matches(word)
        places = [
            (start, column, share)
            for word, start in words
            if known[word]
            for column, share in known[word]
        ]
        kept = np.array(places[:_MOST_PLACES]).reshape(-1, 3)
        return kept[:, 0].astype(int), kept[:, 1].astype(int), kept[:, 2]

    def _matches(self, word: str) -> list[tuple[int, float]]:
        """Return the columns of the terms that a word is, or is related to, with its share."""
        plain = word.lower() if word.isascii() else word.lower().translate(_ACCENTS)
        # Most words are neither a form of a word nor a compound with it; stemming is slow.
        is_other = plain[:_START] not in self._starts and plain[0] < _LATIN_TO_CYRILLIC
        if is_other and (len(plain) <= _SHORTEST_PART or not any(p in plain for p in self._inner)):
            return []
        terms = _terms_of(word)
        matches = {term: 1.0 for term in sorted(terms) if term in self._columns}
        for part in self._parts:
            if part not in matches and any(_is_related(part, term) for term in terms):
                matches[part] = _RELATED
        return [(self._columns[term], share) for term, share in matches.items()]


@functools.lru_cache(maxsize=32_768)
def _terms_of(word: str) -> frozenset[str]:
    return frozenset(index_terms(word))


def _is_related(term: str, other: str) -> bool:
    """Return whether one of two terms is another form of the other, or a part of it."""
    short, long = sorted((term, other), key=len)
    if len(short) < _SHORTEST or not long.isalpha():
        return False
    is_form = long.startswith(short) and len(long) - len(short) <= _ENDING
    return is_form or (len(short) >= _SHORTEST_PART and short in long)
