"""Sums the contributions of a query's terms over a segment's postings, and finds the best sums.

Terms go from the one that can contribute most to the one that can contribute least. As soon as
all that is left cannot lift a row over the threshold, no new row is looked at; the candidates alone
are completed (MaxScore: Turtle and Flood 1995). Nothing is approximated: every score returned is
the sum over all terms.

Contributions are float32, sums float64 and always in the order of the terms. A score is therefore
the same, bit by bit, however it was come by and in whatever segment its row lies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from casetrack.store.index.rows import Best, by_segment, in_order, nth_best, within

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from casetrack.store.index.postings import Posting
    from casetrack.store.index.rows import Place, Rows

_FIRST_STEP = 8192
"""Postings to read before a threshold is looked for, where none is known."""
_FEW = 16
"""A look for one row costs about as much as reading so many postings."""
_ROUNDING = 1.0 - 1e-6


class Impact(Protocol):
    """What one posting adds to its row's score."""

    def __call__(
        self, rows: NDArray[np.intp], values: NDArray[np.number], gain: np.float32, /
    ) -> NDArray[np.float32]:
        """Return the contributions of postings, given by row and value, of a term with *gain*."""
        ...


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a query in one segment.

    Attributes
    ----------
    posting
        Where it occurs.
    gain
        Its weight in the query.
    bound
        The most that it can add to a row.
    """

    posting: Posting
    gain: np.float32
    bound: float

    def inside(self, span: slice, /) -> Term:
        """Return the term with the postings of the rows in *span* alone."""
        return Term(self.posting.inside(span), self.gain, 0.0)


def _left(terms: Sequence[Term]) -> tuple[list[float], list[int]]:
    """Return what all terms from each one on can add to a row, and how many postings they have."""
    bounds, postings = [0.0], [0]
    for term in reversed(terms):
        bounds.append(bounds[-1] + term.bound)
        postings.append(postings[-1] + len(term.posting.rows))
    return bounds[::-1], postings[::-1]


class Sums:
    """The scores of one segment's rows for one query.

    Parameters
    ----------
    terms
        In an order that is the same in every segment, heaviest first.
    size
        Number of rows.
    impact
        What a posting adds.
    """

    def __init__(self, terms: Sequence[Term], size: int, impact: Impact, /) -> None:
        self._terms = list(terms)
        self.size = size
        self._impact = impact

    def all(self) -> NDArray[np.float32]:
        """Return the score of every row, float32 [size]; 0 where no term occurs."""
        return self._added(np.zeros(self.size), self._terms).astype(np.float32)

    def at(self, rows: NDArray[np.intp], /) -> NDArray[np.float32]:
        """Return the score of each of *rows* (any order)."""
        sums = np.zeros(len(rows))
        for term in self._terms:
            self._complete(sums, rows, term)
        return sums.astype(np.float32)

    def best(
        self, allowed: Rows, depth: int, threshold: float, /
    ) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Return rows of *allowed* and their scores, the best *depth* among them.

        Rows with a score below *threshold* may be missing, and so may those that are not among
        the best *depth* of this segment.
        """
        terms = self._terms
        if isinstance(allowed, slice):
            terms = [term.inside(allowed) for term in terms]
            return self._read(terms, sum(len(t.posting.rows) for t in terms))
        left, postings = _left(terms)
        if postings[0] <= _FIRST_STEP:
            rows, scores = self._read(terms, postings[0])
            if allowed is None:
                return rows, scores
            live = allowed[rows]
            return rows[live], scores[live]
        sums, done = np.zeros(self.size), 0
        lowest = threshold * _ROUNDING
        while done < len(terms) and left[done] >= lowest:
            end = self._step(done, left, postings, lowest)
            sums = self._added(sums, terms[done:end])
            done = end
            if postings[done] > _FIRST_STEP:
                near = within(np.flatnonzero(sums > max(0.0, lowest - left[done])), allowed)
                lowest = max(lowest, nth_best(sums[near], depth) * _ROUNDING)
        rows = np.flatnonzero(sums > max(0.0, lowest - left[done]))
        rows = within(rows, allowed)
        return self._completed(rows, sums, done, left, lowest)

    def _read(self, terms: list[Term], count: int) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Return all rows in which any of *terms* occurs."""
        if not count:
            return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.float32)
        sums = self._added(np.zeros(self.size), terms)
        if count * _FEW < self.size:
            rows = np.unique(np.concatenate([t.posting.rows for t in terms])).astype(np.intp)
        else:
            rows = np.flatnonzero(sums > 0.0)
        return rows, sums[rows].astype(np.float32)

    def _step(self, done: int, left: list[float], postings: list[int], lowest: float) -> int:
        """Return the end of the terms to read next, all at once."""
        end = done + 1
        while end < len(self._terms) and left[end] >= lowest:
            if lowest <= 0 and postings[done] - postings[end + 1] > _FIRST_STEP:
                break
            end += 1
        return end

    def _completed(
        self,
        rows: NDArray[np.intp],
        sums: NDArray[np.float64],
        done: int,
        left: list[float],
        lowest: float,
    ) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Add the terms from *done* on to *rows* alone, dropping those that fall behind."""
        values = sums[rows]
        for number in range(done, len(self._terms)):
            near = values >= lowest - left[number]
            if not near.all():
                rows, values = rows[near], values[near]
            if len(rows) * _FEW > len(self._terms[number].posting.rows):
                sums[:] = 0.0
                sums[rows] = values
                values = self._added(sums, [self._terms[number]])[rows]
            else:
                self._complete(values, rows, self._terms[number])
        return rows, values.astype(np.float32)

    def _added(self, sums: NDArray[np.float64], terms: Sequence[Term]) -> NDArray[np.float64]:
        for term in terms:
            rows = term.posting.rows.astype(np.intp)
            sums[rows] += self._impact(rows, term.posting.values, term.gain)
        return sums

    def _complete(self, sums: NDArray[np.float64], rows: NDArray[np.intp], term: Term) -> None:
        """Add what *term* contributes to *rows*."""
        held, values, _ = term.posting
        if not len(held) or not len(rows):
            return
        # Another type of integer would make NumPy convert all of the posting's rows.
        places = np.searchsorted(held, rows.astype(held.dtype))
        np.minimum(places, len(held) - 1, out=places)
        here = np.flatnonzero(held[places] == rows)
        sums[here] += self._impact(rows[here], values[places[here]], term.gain)


def best_places(
    sums: Sequence[Sums],
    allowed: Sequence[Rows],
    depth: int,
    keys: Callable[[list[Place]], NDArray[np.int64] | None],
    /,
) -> tuple[list[Place], NDArray[np.float32]]:
    """Return the *depth* best places over all segments and their scores, ties by their keys.

    Parameters
    ----------
    sums, allowed
        Per segment.
    depth
        How many are wanted.
    keys
        See :func:`casetrack.store.index.rows.in_order`.
    """
    best = Best(depth)
    # What the largest segment holds sets a threshold that spares work in all others.
    for number in sorted(range(len(sums)), key=lambda n: -sums[n].size):
        best.add(number, *sums[number].best(allowed[number], depth, best.threshold))
    places = best.places()
    return in_order(places, scores_at(sums, places), depth, keys)


def scores_at(sums: Sequence[Sums], places: Sequence[Place], /) -> NDArray[np.float32]:
    """Return the score at each of *places*, float32."""
    scores = np.zeros(len(places), dtype=np.float32)
    for number, here, rows in by_segment(places):
        scores[here] = sums[number].at(rows)
    return scores
