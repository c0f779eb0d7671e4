"""BM25 over the index's postings (Robertson and Zaragoza 2009; k1 = 1.2, b = 0.75).

The definition is SQL (``casetrack/sql/bm25.sql``), which ``casetrack query`` runs. Search uses the
arithmetic below on the same postings as memory-mapped arrays, because it is some ten times faster;
a test keeps both equal.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.views.index import Index

K1 = 1.2
B = 0.75


def inverse_document_frequency(chunk_count: int, frequency: int, /) -> float:
    """Return the weight of a term that occurs in *frequency* of *chunk_count* chunks; never < 0."""
    return math.log(1.0 + (chunk_count - frequency + 0.5) / (frequency + 0.5))


def bm25_scores(index: Index, terms: Sequence[str], /) -> list[np.ndarray]:
    """Return the BM25 score of every chunk for the query's terms.

    Parameters
    ----------
    index
        Live segments.
    terms
        Terms of the query; a repeated one counts once per occurrence.

    Returns
    -------
    list of float32 arrays
        One per segment, one value per row; 0 where no term occurs. Rows that are not live have a
        score as well: the caller masks them.
    """
    scores = [np.zeros(part.data.size, dtype=np.float32) for part in index.segments]
    for term in dict.fromkeys(terms):
        postings = [part.data.postings_of(term) for part in index.segments]
        frequency = sum(
            len(rows) if part.mask is None else int(np.count_nonzero(part.mask[rows]))
            for part, (rows, _) in zip(index.segments, postings, strict=True)
        )
        if not frequency:
            continue
        weight = inverse_document_frequency(index.chunk_count, frequency) * terms.count(term)
        gain = np.float32(weight * (K1 + 1.0))
        for number, ((rows, tf), score) in enumerate(zip(postings, scores, strict=True)):
            score[rows] += gain * tf / (tf + index.norms(number, K1, B)[rows])
    return scores
