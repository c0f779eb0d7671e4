"""How much of a question is in one place of a passage, and not only somewhere in it.

A passage about the same subject has many words of a question, but seldom next to each other. The
words are compared in the text: another form ("accurate", "accuracy") or a compound ("Beitrag",
"Mitgliedsbeitrag") counts in part.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from casetrack.ingest.steps.words import word_spans
from casetrack.search.pinpoint.scoring import terms_of_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
_WORD = re.compile(r"(\d+(?:[.,'\u2019]\d+)+|[^\W_]+)")
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

    def closeness(self, passages: Sequence[tuple[str, Iterable[str]]], /) -> list[Closeness]:
        """Compare passages, each a text with its headings, with the question; all at once."""
        parts = [part for text, headings in passages for part in (text, "\n".join(headings))]
        places = [self._places(part) for part in parts]
        ends = np.cumsum([len(each) for each in places])
        begins, apart = np.append(0, ends[:-1]), max(map(len, parts), default=0) + 3 * WINDOW
        flat = list(itertools.chain.from_iterable(places))
        part = np.repeat(np.arange(len(parts)), ends - begins)
        starts = np.array([start for start, _, _ in flat], dtype=int) + part * apart
        columns = np.array([column for _, column, _ in flat], dtype=int)
        is_whole = np.array([share == 1.0 for _, _, share in flat], dtype=bool)
        # Sums over the places before each one: a range has a term if they differ at its ends.
        some, whole = np.zeros((2, len(flat) + 1, len(self._columns)), dtype=int)
        held = columns[:, None] == np.arange(len(self._columns))
        np.cumsum(held, axis=0, out=some[1:])
        np.cumsum(held & is_whole[:, None], axis=0, out=whole[1:])
        # The ranges: each part, and around each place one and two windows.
        around, reach = np.tile(starts, 2), np.repeat([WINDOW, 2 * WINDOW], len(flat))
        first = np.append(begins, starts.searchsorted(around - reach))
        last = np.append(ends, starts.searchsorted(around + reach, "right"))
        related = np.where(some[last] > some[first], _RELATED, 0.0)
        credit = self._credit(np.where(whole[last] > whole[first], 1.0, related))
        of_parts, near, far = np.split(credit, [len(parts), len(parts) + len(flat)])
        together = np.maximum(near, _BEYOND * np.maximum(far, of_parts[1::2][part // 2]))
        best = np.zeros(len(parts))
        np.maximum.at(best, part, together @ self._worth)
        covered = of_parts[::2] @ self._worth
        pairs = self._pairs(starts, columns, part, some, len(parts))
        return [
            Closeness(float(covered[n]), float(best[2 * n]), float(pairs[2 * n]))
            if places[2 * n]
            else Closeness(0.0, 0.0, 0.0)
            for n in range(len(passages))
        ]

    def _pairs(self, starts: Ints, columns: Ints, part: Ints, some: Ints, parts: int) -> Floats:
        """Return the share of neighbouring words of the question that are close in each part."""
        most = len(self._own) - 1
        if not most:
            return np.full(parts, 0.5)
        at = np.flatnonzero(columns < most)
        low = starts.searchsorted(starts[at] - _PAIR)
        high = starts.searchsorted(starts[at] + _PAIR, "right")
        at = at[some[high, columns[at] + 1] > some[low, columns[at] + 1]]
        close = {*zip(part[at].tolist(), columns[at].tolist(), strict=True)}
        numbers = np.array([number for number, _ in close], dtype=int)
        return np.bincount(numbers, minlength=parts) / most

    def _credit(self, best: Floats) -> Floats:
        """Return what each word of the question counts, with other names; float [rows, words]."""
        credit = best[:, : len(self._own)].copy()
        for own, names, other in self._others:
            share = np.max([best[:, name].mean(axis=1) for name in names], axis=0)
            counted = np.where(share >= other.least, share, 0.0) * other.weight
            credit[:, own] = np.maximum(credit[:, own], counted[:, None])
        return credit

    def _places(self, text: str) -> list[tuple[int, int, float]]:
        """Return start, column and share of the words of *text* that are words of the question."""
        known = self._known
        if _SIGNS.search(text) is None:
            # Signs and words in turn.
            parts = _WORD.split(text)
            words, starts = parts[1::2], [*itertools.accumulate(map(len, parts))][::2]
        else:
            spans = word_spans(text)
            words, starts = [text[a:b] for a, b in spans], [start for start, _ in spans]
        lower = text.lower()
        # The words in order, each with its letters without case and accents.
        fresh = {word: word.lower() for word in set(words).difference(known)}
        if not lower.isascii():
            fresh = {word: plain.translate(_ACCENTS) for word, plain in fresh.items()}
        # Most words are neither a form of a word nor a compound with it; stemming is slow.
        starts_of, inner = self._starts, self._inner
        near = [w for w, plain in fresh.items() if plain[:_START] in starts_of]
        if lower.isascii():
            inner = [each for each in inner if each in lower]
        else:
            near += [w for w, plain in fresh.items() if plain[0] >= _LATIN_TO_CYRILLIC]
        for each in inner:
            near += [w for w, plain in fresh.items() if each in plain]
        known.update((word, []) for word in fresh)
        known.update({word: self._matches(word) for word in dict.fromkeys(near)})
        matches = [
            (at, known[word]) for at, word in zip(starts, words, strict=False) if known[word]
        ]
        places = [(at, column, share) for at, each in matches for column, share in each]
        return places[:_MOST_PLACES]

    def _matches(self, word: str) -> list[tuple[int, float]]:
        """Return the columns of the terms that a word is, or is related to, with its share."""
        terms = terms_of_word(word)
        matches = {term: 1.0 for term in sorted(terms) if term in self._columns}
        for part in self._parts:
            if part not in matches and any(_is_related(part, term) for term in terms):
                matches[part] = _RELATED
        return [(self._columns[term], share) for term, share in matches.items()]


def _is_related(term: str, other: str) -> bool:
    """Return whether one of two terms is another form of the other, or a part of it."""
    short, long = sorted((term, other), key=len)
    if len(short) < _SHORTEST or not long.isalpha():
        return False
    is_form = long.startswith(short) and len(long) - len(short) <= _ENDING
    return is_form or (len(short) >= _SHORTEST_PART and short in long)
