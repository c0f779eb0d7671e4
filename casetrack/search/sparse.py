"""Learned sparse vectors: the dot product of the query's weights with every chunk's (exact).

The chunks' weights lie as postings beside those of BM25, as float16: the rounding is 0.05 % of a
weight at most.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from casetrack.store.index.maxscore import Sums, Term, best_places, scores_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from casetrack.store.index.index import Index
    from casetrack.store.index.rows import Place, Rows

_ROUNDED_UP = 1.0 + 1e-6


def sparse_scores(
    index: Index, terms: NDArray[np.int32], weights: NDArray[np.float32], /
) -> list[NDArray[np.float32]]:
    """Return the dot product of a query's sparse vector with every chunk's.

    Parameters
    ----------
    index
        Live segments.
    terms
        Vocabulary ids of the query, each once.
    weights
        Their weights, above 0.

    Returns
    -------
    list of float32 arrays
        One per segment, one value per row; 0 where nothing is shared. Rows that are not live have
        a score as well: the caller masks them.
    """
    return [sums.all() for sums in _sums(index, terms, weights)]


def sparse_top(
    index: Index,
    terms: NDArray[np.int32],
    weights: NDArray[np.float32],
    depth: int,
    masks: Sequence[Rows] | None = None,
    /,
) -> tuple[list[Place], NDArray[np.float32]]:
    """Return the *depth* chunks with the largest dot product; exact.

    Parameters
    ----------
    index
        Live segments.
    terms, weights
        The query's sparse vector.
    depth
        How many are wanted.
    masks
        Per segment the rows that may be found, live ones only; by default all that are live.

    Returns
    -------
    places
        Segment and row, best first, ties by chunk id; only chunks that share a term.
    scores
        float32, the same as :func:`sparse_scores` gives.
    """
    allowed = index.rows() if masks is None else masks
    return best_places(_sums(index, terms, weights), allowed, depth, index.keys)


def sparse_at(
    index: Index, terms: NDArray[np.int32], weights: NDArray[np.float32], places: Sequence[Place], /
) -> NDArray[np.float32]:
    """Return the dot product at each of *places*, float32; as :func:`sparse_scores` gives it."""
    return scores_at(_sums(index, terms, weights), places)


def _sums(index: Index, terms: NDArray[np.int32], weights: NDArray[np.float32]) -> list[Sums]:
    """Return what scores each segment; the heaviest terms come first."""
    order = np.lexsort((terms, -weights))
    terms, weights = terms[order], weights[order].astype(np.float32)
    sums = []
    for part in index.segments:
        present = [
            Term(posting, weight, float(weight) * posting.peak * _ROUNDED_UP)
            for posting, weight in zip(part.data.sparse.find(terms), weights, strict=True)
            if posting is not None
        ]
        sums.append(Sums(present, part.data.size, _product))
    return sums


def _product(
    _rows: NDArray[np.intp], values: NDArray[np.number], gain: np.float32, /
) -> NDArray[np.float32]:
    product = values.astype(np.float32)
    product *= gain
    return product
