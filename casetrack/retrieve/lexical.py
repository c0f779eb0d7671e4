"""BM25 over the index's postings (Robertson and Zaragoza 2009; k1 = 1.2, b = 0.75).

The definition is SQL (``casetrack/sql/bm25.sql``), which ``casetrack query`` runs. Search uses the
arithmetic below on the same postings as memory-mapped arrays, because it is some ten times faster;
a test keeps both equal.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from casetrack.views.maxscore import Sums, Term, best_places, scores_at

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.views.index import Index, LiveSegment
    from casetrack.views.maxscore import Impact
    from casetrack.views.postings import Posting
    from casetrack.views.rows import Place, Rows

K1 = 1.2
B = 0.75
_ROUNDED_UP = 1.0 + 1e-6


def inverse_document_frequency(chunk_count: int, frequency: int, /) -> float:
    """Return the weight of a term that occurs in *frequency* of *chunk_count* chunks; never < 0."""
    return math.log(1.0 + (chunk_count - frequency + 0.5) / (frequency + 0.5))


def bm25_scores(index: Index, terms: Mapping[str, float], /) -> list[NDArray[np.float32]]:
    """Return the BM25 score of every chunk for the query's terms.

    Parameters
    ----------
    index
        Live segments.
    terms
        Terms of the query with their weights, such as how often each occurs in it.

    Returns
    -------
    list of float32 arrays
        One per segment, one value per row; 0 where no term occurs. Rows that are not live have a
        score as well: the caller masks them.
    """
    return [sums.all() for sums in _sums(index, terms)]


def lexical_top(
    index: Index, terms: Mapping[str, float], depth: int, masks: Sequence[Rows] | None = None, /
) -> tuple[list[Place], NDArray[np.float32]]:
    """Return the *depth* chunks with the best BM25 scores; exact, but without scoring all chunks.

    Parameters
    ----------
    index
        Live segments.
    terms
        Terms of the query with their weights, such as how often each occurs in it.
    depth
        How many are wanted.
    masks
        Per segment the rows that may be found, live ones only; by default all that are live.

    Returns
    -------
    places
        Segment and row, best first, ties by chunk id; only chunks in which a term occurs.
    scores
        float32, the same as :func:`bm25_scores` gives.
    """
    allowed = index.rows() if masks is None else masks
    return best_places(_sums(index, terms), allowed, depth, index.chunk_ids)


def lexical_at(
    index: Index, terms: Mapping[str, float], places: Sequence[Place], /
) -> NDArray[np.float32]:
    """Return the BM25 score at each of *places*, float32; the same as :func:`bm25_scores` gives."""
    return scores_at(_sums(index, terms), places)


def _sums(index: Index, terms: Mapping[str, float]) -> list[Sums]:
    """Return what scores each segment; the heaviest terms come first."""
    distinct = sorted(terms)
    found = [part.data.terms.find(distinct) for part in index.segments]
    weights = []
    for place, term in enumerate(distinct):
        frequency = sum(
            _live(part, postings[place])
            for part, postings in zip(index.segments, found, strict=True)
        )
        weight = inverse_document_frequency(index.chunk_count, frequency) if frequency else 0.0
        weights.append(np.float32(weight * terms[term] * (K1 + 1.0)))
    order = sorted((p for p, weight in enumerate(weights) if weight), key=lambda p: -weights[p])
    sums = []
    for number, (part, postings) in enumerate(zip(index.segments, found, strict=True)):
        norms, least = index.norms(number, K1, B)
        present = [
            Term(posting, weights[p], _bound(posting.peak, weights[p], least))
            for p in order
            if (posting := postings[p]) is not None
        ]
        sums.append(Sums(present, part.data.size, _saturated(norms)))
    return sums


def _live(part: LiveSegment, posting: Posting | None) -> int:
    if posting is None:
        return 0
    if part.mask is None:
        return len(posting.rows)
    return int(np.count_nonzero(part.mask[posting.rows]))


def _bound(peak: float, gain: np.float32, least_norm: float) -> float:
    return float(gain) * peak / (peak + least_norm) * _ROUNDED_UP


def _saturated(norms: NDArray[np.float32]) -> Impact:
    """Return the share of a posting with BM25's saturation of frequent terms."""

    def impact(
        rows: NDArray[np.intp], values: NDArray[np.number], gain: np.float32, /
    ) -> NDArray[np.float32]:
        frequency = values.astype(np.float32)
        share = norms[rows]
        share += frequency
        frequency *= gain
        frequency /= share
        return frequency

    return impact
