"""Groups results that are one place, with the reason.

One place is: the same text (a clause repeated in every mail of a chain, a contract stored twice);
nearly the same text (it starts or ends elsewhere, but within it nothing differs, not a number or a
"not"); and the next passage of a page if it matched by the text that both share. Neighbours share
an eighth of their text; a match in the rest is a separate answer, as are passages of two pages. The
best passage represents its place and lists the others. It does not depend on the limit, because
passages are processed in order.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from casetrack.base.dataclass import dataclass, field
from casetrack.ingest.steps.words import index_terms, split_words
from casetrack.search.scores import rarity, vectors_at
from casetrack.store.index.scope import by_segment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.store.index.index import Index
    from casetrack.store.index.scope import Place, Scope

SAME = "the same text"
NEARLY_SAME = "nearly the same text"
BEFORE = "the passage before"
AFTER = "the next passage"

_NEAR = 0.95
"""Minimum cosine of texts that are compared word by word; copies with other boundaries reach it."""
_OF_THE_SHORTER, _OF_THE_LONGER = 0.9, 0.7
"""Minimum shares of the words of two texts in one common run."""
_ANCHOR = 6
"""Number of words that are looked for in the other text."""
_LOOKED_AT = 20
"""Number of first results whose neighbours' texts are compared: users seldom see later ones."""
_COMPARED = 50
"""Number of first results that are compared with near copies."""
_OUTSIDE = 0.5
"""Share of the question's words outside of common text below which the rest adds nothing."""


@dataclass(slots=True)
class Folded:
    """One place."""

    head: int  # The position of its best passage in the input
    # Positions of the others in order, each with the reason.
    also: list[tuple[int, str]] = field(default_factory=list)


def fold(
    scope: Scope, places: Sequence[Place], terms: Mapping[str, float] | None = None, /
) -> list[Folded]:
    """Group passages that are one place; every position is in exactly one group.

    *places* are passages, best first, each once; the groups are in the order of their heads.
    *terms* are index terms of the query with their weights; without any, neighbours stay separate.
    """
    known = _Known(scope, places, terms or {})
    folded: list[Folded] = []
    by_key: dict[int, int] = {}
    for position, key in enumerate(known.keys):
        number, reason = by_key.get(key, -1), SAME
        if number < 0:
            number, reason = known.place_of(position) or (len(folded), "")
            by_key[key] = number
        if number < len(folded):
            folded[number].also.append((position, reason))
        else:
            known.heads[places[position]] = number
            folded.append(Folded(position))
    return folded


def distinct(index: Index, places: Sequence[Place], /) -> list[int]:
    """Return the positions of the first passage of each text, in their order."""
    return _firsts(_keys(index, places))


def _firsts(keys: Sequence[int]) -> list[int]:
    first = {key: position for position, key in reversed(list(enumerate(keys)))}
    return sorted(first.values())


def _keys(index: Index, places: Sequence[Place]) -> list[int]:
    keys = np.zeros(len(places), dtype=np.uint64)
    for number, positions, rows in by_segment(places):
        keys[positions] = index.segments[number].data.column("text_key")[rows]
    result: list[int] = keys.tolist()
    return result


class _Known:
    """The places so far.

    Attributes
    ----------
    keys
        The keys of all texts; equal texts have equal keys.
    heads
        The numbers of the places by their best passages.
    """

    def __init__(self, scope: Scope, places: Sequence[Place], terms: Mapping[str, float]) -> None:
        self._scope, self._places, self._weights = scope, places, terms
        self.keys = _keys(scope.index, places)
        self.heads: dict[Place, int] = {}
        # Equal texts are already one place; only the first of them is compared with others.
        first = [n for n in _firsts(self.keys) if n < _COMPARED]
        vectors = vectors_at(scope.index, [places[n] for n in first])
        self._near: dict[int, list[int]] = {}
        for later, earlier in np.argwhere(np.tril(vectors @ vectors.T >= _NEAR, -1)).tolist():
            self._near.setdefault(first[later], []).append(first[earlier])

    def place_of(self, position: int) -> tuple[int, str] | None:
        """Return the place that a passage belongs to, and why; ``None`` for a new place."""
        neighbours = self._neighbour_of(position) if position < _LOOKED_AT else None
        return neighbours or self._copied(position)

    def _neighbour_of(self, position: int) -> tuple[int, str] | None:
        segment, row = self._places[position]
        near = [
            (self.heads[segment, other], why)
            for other, why in ((row - 1, AFTER), (row + 1, BEFORE))
            if (segment, other) in self.heads and self._touch(segment, row, other)
        ]
        return min(near, default=None)

    def _touch(self, segment: int, row: int, other: int) -> bool:
        """Return whether two passages are on one page and the match is in their common text."""
        first, second = sorted((row, other))
        column = self._scope.index.segments[segment].data.column
        if any(column(name)[row] != column(name)[other] for name in ("revision", "page")):
            return False
        start, end = int(column("char_start")[second]), int(column("char_end")[first])
        if end <= start:
            return False
        at = int(column("char_start")[row])
        text = self._scope.index.texts([(segment, row)])[segment, row]
        return self._stand_in((segment, row), text[start - at : end - at])

    def _copied(self, position: int) -> tuple[int, str] | None:
        for head in self._near.get(position, ()):
            number = self.heads.get(self._places[head])
            if number is not None and are_copies(self._words[head], self._words[position]):
                return number, NEARLY_SAME
        return None

    @cached_property
    def _words(self) -> dict[int, list[str]]:
        """The words of the passages with similar vectors."""
        near = {n for later, earlier in self._near.items() for n in (later, *earlier)}
        texts = self._scope.index.texts([self._places[n] for n in near])
        return {n: folded_words(texts[self._places[n]]) for n in near}

    def _stand_in(self, place: Place, part: str) -> bool:
        """Return whether most of a passage's question words are in *part*."""
        inside = Counter(index_terms(part))
        held = self._counts(place)
        weights = rarity(self._scope, held)
        whole = {term: self._weights[term] * weights[term] for term in held}
        outside = sum(whole[term] for term, count in held.items() if count > inside[term])
        return outside < _OUTSIDE * sum(whole.values())

    def _counts(self, place: Place) -> dict[str, int]:
        terms, counts = sorted(self._weights), {}
        postings = self._scope.index.segments[place[0]].data.terms.find(terms)
        for term, posting in zip(terms, postings, strict=True):
            if posting is None:
                continue
            at = int(np.searchsorted(posting.rows, posting.rows.dtype.type(place[1])))
            if at < len(posting.rows) and posting.rows[at] == place[1]:
                counts[term] = int(posting.values[at])
        return counts


def folded_words(text: str, /) -> list[str]:
    """Return the words of a text in lower case, which copies share."""
    return split_words(text.casefold())


def are_copies(one: list[str], other: list[str], /) -> bool:
    """Return whether two texts have the same words except for where they start and end."""
    shorter, longer = sorted((one, other), key=len)
    if not shorter or len(shorter) < _OF_THE_LONGER * len(longer):
        return False
    run = _common_run(shorter, longer)
    return run >= _OF_THE_SHORTER * len(shorter) and run >= _OF_THE_LONGER * len(longer)


def _common_run(shorter: list[str], longer: list[str]) -> int:
    """Return the length of the longest common run of words around the middle of *shorter*."""
    size = min(_ANCHOR, len(shorter))
    middle = (len(shorter) - size) // 2
    anchor = shorter[middle : middle + size]
    best = 0
    for at in range(len(longer) - size + 1):
        if longer[at] == anchor[0] and longer[at : at + size] == anchor:
            before = same_end(shorter[:middle], longer[:at])
            best = max(best, before + same_end(shorter[middle:][::-1], longer[at:][::-1]))
    return best


def same_end(one: Sequence[str], other: Sequence[str], /) -> int:
    """Return the number of last parts that two sequences share."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
