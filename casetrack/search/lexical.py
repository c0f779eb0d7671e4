"""BM25 over the index's postings (Robertson and Zaragoza 2009; k1 = 1.2, b = 0.75).

The definition is SQL (``store/sql/bm25.sql``), which ``casetrack query`` runs. Search uses the
arithmetic below on the same postings as memory-mapped arrays, because it is some ten times faster;
a test keeps both equal.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from casetrack.store.index.maxscore import Sums, Term, best_places, scores_at

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.store.index.maxscore import Impact
    from casetrack.store.index.rows import Place
    from casetrack.store.index.scope import Scope

K1 = 1.2
B = 0.75
_ROUNDED_UP = 1.0 + 1e-6


def inverse_document_frequency(chunk_count: int, frequency: int, /) -> float:
    """Return the weight of a term that occurs in *frequency* of *chunk_count* chunks; never < 0."""
    return math.log(1.0 + (chunk_count - frequency + 0.5) / (frequency + 0.5))


def bm25_scores(scope: Scope, terms: Mapping[str, float], /) -> list[NDArray[np.float32]]:
    """Return the BM25 score of every chunk for the query's terms.

    Parameters
    ----------
    scope
        What is searched; the rarity of a term and the mean length are those of its rows.
    terms
        Terms of the query with their weights, such as how often each occurs in it.

    Returns
    -------
    list of float32 arrays
        One per segment, one value per row; 0 where no term occurs. Rows outside the scope have a
        score as well: the caller masks them.
    """
    return [sums.all() for sums in _sums(scope, gains(scope, terms))]


def lexical_top(
    scope: Scope, terms: Mapping[str, float], depth: int, /
) -> tuple[list[Place], NDArray[np.float32]]:
    """Return the *depth* chunks with the best BM25 scores; exact, but without scoring all chunks.

    Parameters
    ----------
    scope
        What is searched; the rarity of a term and the mean length are those of its rows.
    terms
        Terms of the query with their weights, such as how often each occurs in it.
    depth
        How many are wanted.

    Returns
    -------
    places
        Segment and row, best first, ties by chunk id; only chunks in which a term occurs.
    scores
        float32, the same as :func:`bm25_scores` gives.
    """
    return best_by(scope, gains(scope, terms), depth)


def best_by(
    scope: Scope, weights: Mapping[str, np.float32], depth: int, /
) -> tuple[list[Place], NDArray[np.float32]]:
    """Return what :func:`lexical_top` does, by what :func:`gains` says of the terms.

    Who has some of the segments alone is told what the terms weigh over all of them.
    """
    return best_places(_sums(scope, weights), scope.rows, depth, scope.index.keys)


def lexical_at(
    scope: Scope, terms: Mapping[str, float], places: Sequence[Place], /
) -> NDArray[np.float32]:
    """Return the BM25 score at each of *places*, float32; the same as :func:`bm25_scores` gives."""
    return scores_at(_sums(scope, gains(scope, terms)), places)


def rarity(scope: Scope, terms: Collection[str], /) -> dict[str, float]:
    """Return the inverse document frequency of each term among the rows of a scope."""
    distinct = sorted(terms)
    found = [part.data.terms.find(distinct) for part in scope.index.segments]
    weights = {}
    for place, term in enumerate(distinct):
        frequency = sum(scope.frequency(n, postings[place]) for n, postings in enumerate(found))
        weights[term] = inverse_document_frequency(scope.chunk_count, frequency)
    return weights


def gains(scope: Scope, terms: Mapping[str, float], /) -> dict[str, np.float32]:
    """Return what each term of a query weighs that occurs in the scope, the heaviest first."""
    distinct = sorted(terms)
    counted = scope.weighed_as or scope
    found = [part.data.terms.find(distinct) for part in scope.index.segments]
    weights = {}
    for place, term in enumerate(distinct):
        frequency = sum(
            counted.frequency(number, postings[place]) for number, postings in enumerate(found)
        )
        if frequency:
            idf = inverse_document_frequency(counted.chunk_count, frequency)
            weights[term] = np.float32(idf * terms[term] * (K1 + 1.0))
    order = sorted((term for term, weight in weights.items() if weight), key=lambda t: -weights[t])
    return {term: weights[term] for term in order}


def _sums(scope: Scope, weights: Mapping[str, np.float32]) -> list[Sums]:
    """Return what scores each segment, by the weights of the terms in their order."""
    wanted = list(weights)
    sums = []
    for number, part in enumerate(scope.index.segments):
        norms, least = scope.norms(number, K1, B)
        present = [
            Term(posting, weights[term], _bound(posting.peak, weights[term], least))
            for term, posting in zip(wanted, part.data.terms.find(wanted), strict=True)
            if posting is not None
        ]
        sums.append(Sums(present, part.data.size, _saturated(norms)))
    return sums


def _bound(peak: float, gain: np.float32, least_norm: float) -> float:
    return float(gain) * peak / (peak + least_norm) * _ROUNDED_UP


def _saturated(norms: Callable[[NDArray[np.intp]], NDArray[np.float32]]) -> Impact:
    """Return the share of a posting with BM25's saturation of frequent terms."""

    def impact(
        rows: NDArray[np.intp], values: NDArray[np.number], gain: np.float32, /
    ) -> NDArray[np.float32]:
        frequency = values.astype(np.float32)
        share = norms(rows)
        share += frequency
        frequency *= gain
        frequency /= share
        return frequency

    return impact
