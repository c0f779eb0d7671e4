"""Cosine similarity of the query's vector with the chunks'.

Exact over all chunks while they are few, or where a filter leaves few; in a large collection
over the cells of vectors that lie nearest to the query (see :mod:`casetrack.store.index.cells`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from casetrack.store.index.cells import QUIET, probe
from casetrack.store.index.rows import Best, among, both, by_segment, in_order, nth_best, positions
from casetrack.store.index.vectors import Asked, exact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from casetrack.store.index.cells import Cells
    from casetrack.store.index.index import Index, LiveSegment
    from casetrack.store.index.rows import Place, Rows

_MANY = 4
"""Rows that are not side by side are scanned one by one below one row in so many."""


def dense_top(
    index: Index,
    query: NDArray[np.float32],
    depth: int,
    masks: Sequence[Rows] | None = None,
    /,
    *,
    approximate: bool = True,
) -> tuple[list[Place], NDArray[np.float32]]:
    """Return the *depth* chunks whose vectors are nearest to *query*.

    Parameters
    ----------
    index
        Live segments.
    query
        float32 [dimension], unit length.
    depth
        How many are wanted.
    masks
        Per segment the rows that may be found, live ones only; by default all that are live. Other
        masks than ``index.rows()`` are a filter: its rows are all looked at.
    approximate
        Whether the nearest cells of a large collection are enough; otherwise every chunk is
        looked at.

    Returns
    -------
    places
        Segment and row, best first, ties by chunk id; only chunks with a vector.
    scores
        float32, the same as :func:`cosine_at` gives.

    Raises
    ------
    ValueError
        The query has another length than the collection's vectors.
    """
    _check(index, query)
    best, asked = Best(depth), Asked.of(query)
    allowed = index.rows() if masks is None else masks
    celled: dict[int, Cells] = {}
    for number, part in enumerate(index.segments):
        rows = both(allowed[number], part.embedded)
        filtered = allowed[number] is not part.mask
        cells = None if filtered or not approximate else part.data.cells.get()
        if cells is not None:
            celled[number] = cells
        else:
            _offer(best, index, number, *_scanned(part, rows, asked), asked)
    quiet = 0
    for looked in probe(celled, asked):
        before, fresh = best.threshold, 0
        for number, found, scores in looked:
            kept = among(found, both(allowed[number], index.segments[number].embedded))
            offered = _offer(best, index, number, found[kept], scores[kept], asked)
            fresh += int(np.count_nonzero(offered > before))
        quiet = 0 if fresh else quiet + 1
        if quiet == QUIET:
            break
    places = best.places()
    return in_order(places, cosine_at(index, query, places), depth, index.keys)


def cosine_at(
    index: Index, query: NDArray[np.float32], places: Sequence[Place], /
) -> NDArray[np.float32]:
    """Return the cosine of *query* with the chunk at each of *places*, float32.

    0 where there is no vector that the collection's models made.
    """
    _check(index, query)
    scores = np.zeros(len(places), dtype=np.float32)
    for number, here, rows in by_segment(places):
        part = index.segments[number]
        found = exact(part.data.dense[rows], part.data.column("scale")[rows], query)
        scores[here] = np.where(among(rows, part.embedded), found, np.float32(0.0))
    return scores


def vectors_at(index: Index, places: Sequence[Place], /) -> NDArray[np.float32]:
    """Return the vectors at *places*, float32 [n, dimension], unit length; zeros where none is."""
    vectors = np.zeros((len(places), index.dimension), dtype=np.float32)
    for number, here, rows in by_segment(places):
        part = index.segments[number]
        found = part.data.dense[rows] * part.data.column("scale")[rows][:, None]
        vectors[here] = np.where(among(rows, part.embedded)[:, None], found, np.float32(0.0))
    return vectors


def _scanned(
    part: LiveSegment, rows: Rows, asked: Asked
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Return the rows of *rows* with their rough cosines."""
    codes, scales = part.data.dense, part.data.column("scale")
    if isinstance(rows, slice):
        return positions(rows, len(codes)), asked.roughly(codes[rows], scales[rows])
    found = positions(rows, len(codes))
    if len(found) * _MANY < len(codes):
        return found, asked.roughly(codes[found], scales[found])
    scores = asked.roughly(codes, scales)
    return found, scores if rows is None else scores[found]


def _offer(
    best: Best,
    index: Index,
    number: int,
    rows: NDArray[np.intp],
    rough: NDArray[np.float32],
    asked: Asked,
) -> NDArray[np.float32]:
    """Offer the rows that may be among the best by their cosines, and return these."""
    least = max(best.threshold, nth_best(rough, best.depth) - asked.error) - asked.error
    rows = rows[rough >= least]
    data = index.segments[number].data
    scores = asked.cosines(data.dense[rows], data.column("scale")[rows])
    best.add(number, rows, scores)
    return scores


def _check(index: Index, query: NDArray[np.float32]) -> None:
    if len(query) != index.dimension:
        raise ValueError(
            f"The query's vector has {len(query)} values, the collection's have {index.dimension}."
        )
