"""Which rows of a segment may be found, and the best ones over all segments.

Rows are given as ``None`` (every row), a ``slice`` (a document's rows stand side by side) or a
mask (bool, one value per row).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Rows = slice | NDArray[np.bool_] | None
NO_ROWS = slice(0, 0)
Place = tuple[int, int]
"""Where a chunk stands in the index: segment number, row."""

_SAMPLE = 8
_SLACK = 1e-5
"""How far the last digits of one score may differ between two ways of summing."""


def both(first: Rows, second: Rows, /) -> Rows:
    """Return the rows that are in *first* and in *second*."""
    if first is None or second is None:
        return second if first is None else first
    if isinstance(first, slice) and isinstance(second, slice):
        start, stop = max(first.start, second.start), min(first.stop, second.stop)
        return slice(start, max(start, stop))
    if isinstance(first, slice):
        return both(second, first)
    if isinstance(second, slice):
        mask: NDArray[np.bool_] = np.zeros(len(first), dtype=np.bool_)
        mask[second] = first[second]
        return mask
    joined: NDArray[np.bool_] = np.logical_and(first, second)
    return joined


def positions(rows: Rows, size: int, /) -> NDArray[np.intp]:
    """Return the row numbers, ascending."""
    if rows is None:
        return np.arange(size)
    return np.arange(rows.start, rows.stop) if isinstance(rows, slice) else np.flatnonzero(rows)


def among(found: NDArray[np.intp], rows: Rows, /) -> NDArray[np.bool_]:
    """Return for each of *found* whether it is in *rows*."""
    inside: NDArray[np.bool_]
    if rows is None:
        inside = np.ones(len(found), dtype=np.bool_)
    elif isinstance(rows, slice):
        inside = (found >= rows.start) & (found < rows.stop)
    else:
        inside = rows[found]
    return inside


def within(found: NDArray[np.intp], rows: Rows, /) -> NDArray[np.intp]:
    """Return those of *found* that are in *rows*."""
    return found if rows is None else found[among(found, rows)]


def by_segment(
    places: Sequence[Place], /
) -> Iterator[tuple[int, NDArray[np.intp], NDArray[np.intp]]]:
    """Yield for each segment its number, which of *places* are in it, and their rows."""
    rows = np.fromiter((row for _, row in places), dtype=np.intp, count=len(places))
    numbers = [number for number, _ in places]
    found = sorted(set(numbers))
    if len(found) == 1:
        yield found[0], np.arange(len(rows)), rows
        return
    segments = np.array(numbers, dtype=np.intp)
    for number in found:
        here = np.flatnonzero(segments == number)
        yield number, here, rows[here]


def nth_best(values: NDArray[np.floating], depth: int, /) -> float:
    """Return the *depth*-th largest value, or minus infinity where there are fewer."""
    if len(values) < depth:
        return float("-inf")
    sample = values[::_SAMPLE]
    if len(sample) > depth * _SAMPLE:
        # The sample's depth-th best is a lower bound of the whole's: most values fall out at once.
        values = values[values >= np.partition(sample, len(sample) - depth)[len(sample) - depth]]
    return float(np.partition(values, len(values) - depth)[len(values) - depth])


class Best:
    """Collects the *depth* best rows over the segments; ties with the last one are kept.

    Parameters
    ----------
    depth
        How many are wanted.
    """

    def __init__(self, depth: int, /) -> None:
        self.depth = depth
        self.threshold = float("-inf")
        """Nothing below this can be among the best; rounding is allowed for."""
        self._found: list[tuple[int, NDArray[np.intp], NDArray[np.floating]]] = []
        self._pool: NDArray[np.floating] = np.empty(0)

    def add(self, number: int, rows: NDArray[np.intp], values: NDArray[np.floating], /) -> None:
        """Offer rows of segment *number* with their scores."""
        near = values >= self.threshold
        if not near.all():
            rows, values = rows[near], values[near]
        if not len(rows):
            return
        best = nth_best(values, self.depth)
        if best > float("-inf"):
            near = values >= best - _SLACK * max(1.0, abs(best))
            rows, values = rows[near], values[near]
        self._found.append((number, rows, values))
        self._pool = np.concatenate([self._pool, values])
        lowest = nth_best(self._pool, self.depth)
        if lowest > float("-inf"):
            self.threshold = max(self.threshold, lowest - _SLACK * max(1.0, abs(lowest)))
            self._pool = self._pool[self._pool >= self.threshold]

    def places(self) -> list[Place]:
        """Return the places that may be among the best: at least the best *depth*, in no order."""
        found = []
        for number, rows, values in self._found:
            found += [(number, int(row)) for row in rows[values >= self.threshold]]
        return found


def in_order(
    places: list[Place],
    scores: NDArray[np.float32],
    depth: int,
    keys: Callable[[list[Place]], NDArray[np.int64] | None],
    /,
) -> tuple[list[Place], NDArray[np.float32]]:
    """Return the *depth* best places with their scores, best first, ties by their keys.

    Where there are no keys, all places that are as good as the last one are returned.
    """
    if len(places) > depth:
        near = np.flatnonzero(scores >= nth_best(scores, depth))
        places, scores = [places[i] for i in near], scores[near]
    ties = keys(places)
    order = np.argsort(-scores, kind="stable") if ties is None else np.lexsort((ties, -scores))
    order = order if ties is None else order[:depth]
    return [places[i] for i in order], scores[order]
