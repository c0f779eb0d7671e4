"""Inverted files of a segment: the rows of each term, and the vectors of each cell."""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from casetrack.base.dataclass import dataclass, field
from casetrack.store.index.arrays import Strings, as_numpy, map_arrays
from casetrack.store.index.scope import Best, Place, Rows, by_segment, in_order, nth_best, within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray


_KNOWN = 4096
"""Number of terms whose list bounds are cached, without the postings."""


class Posting(NamedTuple):
    """The rows that contain a key, the value in each, and the largest value."""

    rows: NDArray[np.unsignedinteger]
    values: NDArray[np.number]
    peak: float

    def inside(self, span: slice, /) -> Posting:
        """Return the posting of the rows in *span*; its peak stays an upper bound."""
        rows = self.rows
        last = int(rows[-1]) if len(rows) else -1
        # Another integer type would make NumPy convert all rows first.
        low, high = (
            int(np.searchsorted(rows, rows.dtype.type(end))) if end <= last else len(rows)
            for end in (span.start, span.stop)
        )
        return Posting(rows[low:high], self.values[low:high], self.peak)


@dataclass(frozen=True, slots=True)
class Postings:
    """Keys with the rows and values of each; see the module for the layout."""

    keys: pa.Table
    entries: pa.Table
    _offset: np.ndarray
    counts: np.ndarray
    _peak: np.ndarray
    rows: np.ndarray
    values: np.ndarray
    _key: np.ndarray | Strings
    _known: dict[str, tuple[Posting | None]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, keys: pa.Table, entries: pa.Table, /) -> Postings:
        """Wrap the tables of keys and entries."""
        key = keys["key"]
        offset, count, peak = (as_numpy(keys[n]) for n in ("offset", "count", "peak"))
        if int(count.sum(dtype=np.int64)) != entries.num_rows:
            raise ValueError("the postings and their keys do not belong together")
        row, value = as_numpy(entries["row"]), as_numpy(entries["value"])
        lookup = as_numpy(key) if pa.types.is_integer(key.type) else Strings.of(key)
        return cls(keys, entries, offset, count, peak, row, value, lookup)

    def find(self, keys: Sequence[str] | NDArray[np.int32], /) -> list[Posting | None]:
        """Return the posting of each key; ``None`` for an unknown key."""
        if isinstance(self._key, Strings):
            return [self._of(self._key, str(key)) for key in keys]
        near = np.searchsorted(self._key, np.asarray(keys, dtype=np.int32))
        near = np.minimum(near, len(self._key) - 1)
        places = (
            np.where(self._key[near] == keys, near, -1).tolist()
            if len(self._key)
            else [-1] * len(keys)
        )
        return [None if place < 0 else self._at(place) for place in places]

    def starting(self, beginning: str, /) -> list[str]:
        """Return the keys that start with *beginning*; none if keys are not strings."""
        return list(self._key.starting(beginning)) if isinstance(self._key, Strings) else []

    def _of(self, keys: Strings, key: str) -> Posting | None:
        """Return the posting of a word; one search looks it up about ten times."""
        known = self._known.get(key)
        if known is None:
            place = keys.find(key)
            known = (None if place < 0 else self._at(place),)
            if len(self._known) >= _KNOWN:
                self._known.clear()
            self._known[key] = known
        return known[0]

    def _at(self, place: int) -> Posting:
        start = int(self._offset[place])
        end = start + int(self.counts[place])
        return Posting(self.rows[start:end], self.values[start:end], float(self._peak[place]))


def build_postings(lists: pa.ListArray, values: np.ndarray, size: int, /) -> Postings:
    """Invert the lists of distinct keys of all rows, with the value of every key."""
    import pyarrow.compute as pc

    rows = as_numpy(pc.list_parent_indices(lists)).astype(row_type(size))
    flat = lists.flatten().dictionary_encode()
    # Codes follow first appearance; rank them in key order.
    keys = flat.dictionary
    order = np.asarray(pc.sort_indices(keys))
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    ranks = rank[as_numpy(flat.indices)] if len(keys) else np.empty(0, dtype=np.int32)
    del flat
    by_key = np.argsort(ranks, kind="stable")
    counts = np.bincount(ranks, minlength=len(keys)).astype(np.int32)
    offsets = np.zeros(len(keys), dtype=np.int64)
    np.cumsum(counts[:-1], out=offsets[1:])
    rows, values = rows[by_key], values[by_key]
    peaks = np.maximum.reduceat(values, offsets) if len(keys) else values
    table = {"key": keys.take(pa.array(order)), "offset": offsets, "count": counts}
    return Postings.of(
        pa.table(table | {"peak": peaks.astype(np.float32)}),
        pa.table({"row": rows, "value": values}),
    )


def row_type(size: int, /) -> type[np.uint16 | np.uint32]:
    """Return the narrowest type for a row of a segment of *size* rows."""
    return np.uint16 if size <= 1 << 16 else np.uint32


def narrow(counts: np.ndarray, /) -> np.ndarray:
    """Return non-negative integers in the narrowest type."""
    largest = int(counts.max(initial=0))
    return counts.astype(np.min_scalar_type(largest))


# Sums of the contributions of query terms over a segment's postings, and the best sums. Terms are
# ordered by their largest possible contribution. As soon as the remaining terms cannot lift a row
# over the threshold, no new rows are read and only the candidates are completed (MaxScore: Turtle
# and Flood 1995). Nothing is approximated: every returned score is the sum over all terms.
# Contributions are float32, sums are float64 and always in term order. So a score is equal to the
# last bit, whatever the evaluation order and the segment of its row.

_FIRST_STEP = 8192
"""Postings to read before the first threshold is computed."""
_FEW = 16
"""A single-row lookup costs about as much as reading this many postings."""
_ROUNDING = 1.0 - 1e-6


class Impact(Protocol):
    """The contribution of a posting to its row's score."""

    def __call__(
        self, rows: NDArray[np.intp], values: NDArray[np.number], gain: np.float32, /
    ) -> NDArray[np.float32]:
        """Return the contributions of postings, given by row and value, of a term with *gain*."""


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a query in one segment: its weight, and the upper bound of its contribution."""

    posting: Posting
    gain: np.float32
    bound: float

    def inside(self, span: slice, /) -> Term:
        """Return the term with the postings of the rows in *span* only."""
        return Term(self.posting.inside(span), self.gain, 0.0)


def _left(terms: Sequence[Term]) -> tuple[list[float], list[int]]:
    """Return the upper bounds and numbers of postings of the terms from each one on."""
    bounds, postings = [0.0], [0]
    for term in reversed(terms):
        bounds.append(bounds[-1] + term.bound)
        postings.append(postings[-1] + len(term.posting.rows))
    return bounds[::-1], postings[::-1]


class Sums:
    """The scores of one segment's rows for one query, with the largest bounds first."""

    def __init__(self, terms: Sequence[Term], size: int, impact: Impact, /) -> None:
        self._terms = list(terms)
        self.size = size
        self._impact = impact

    def at(self, rows: NDArray[np.intp], /) -> NDArray[np.float32]:
        """Return the score of each of *rows* (any order)."""
        sums = np.zeros(len(rows))
        for term in self._terms:
            self._complete(sums, rows, term)
        return sums.astype(np.float32)

    def best(
        self, allowed: Rows, depth: int, threshold: float, /
    ) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Return *allowed* rows with scores, including the best *depth* above *threshold*."""
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
        """Return all rows that contain any of *terms*."""
        if not count:
            return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.float32)
        sums = self._added(np.zeros(self.size), terms)
        if count * _FEW < self.size:
            rows = np.sort(np.concatenate([t.posting.rows for t in terms]).astype(np.intp))
            rows = rows[np.diff(rows, prepend=-1) > 0]
        else:
            rows = np.flatnonzero(sums > 0.0)
        return rows, sums[rows].astype(np.float32)

    def _step(self, done: int, left: list[float], postings: list[int], lowest: float) -> int:
        """Return the end of the terms to read in the next step."""
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
        """Add the terms from *done* on to *rows* only, dropping rows below the threshold."""
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
        """Add the contributions of *term* to *rows*."""
        held, values, _ = term.posting
        if not len(held) or not len(rows):
            return
        # Another integer type would make NumPy convert all of the posting's rows.
        places = np.searchsorted(held, rows.astype(held.dtype))
        np.minimum(places, len(held) - 1, out=places)
        matches = np.flatnonzero(held[places] == rows)
        sums[matches] += self._impact(rows[matches], values[places[matches]], term.gain)


def best_places(
    sums: Mapping[int, Sums],
    allowed: Sequence[Rows],
    depth: int,
    keys: Callable[[list[Place]], NDArray[np.int64] | None],
    /,
) -> tuple[list[Place], NDArray[np.float32]]:
    """Return the *depth* best places over all segments with their scores, ties by *keys*."""
    best = Best(depth)
    # The largest segment first: its threshold saves work in all others.
    for number in sorted(sums, key=lambda n: -sums[n].size):
        best.add(number, *sums[number].best(allowed[number], depth, best.threshold))
    places = best.places()
    return in_order(places, scores_at(sums, places), depth, keys)


def scores_at(sums: Mapping[int, Sums], places: Sequence[Place], /) -> NDArray[np.float32]:
    """Return the score at each of *places*, float32."""
    scores = np.zeros(len(places), dtype=np.float32)
    for number, at, rows in by_segment(places):
        scores[at] = sums[number].at(rows)
    return scores


# Vectors ordered by cell, for approximate search in a large collection (an inverted file, IVF).
# Every vector of a segment belongs to the nearest centroid. A search reads the cells whose
# centroids are nearest to the query, over all segments; the vectors of a cell are contiguous in
# memory. The depth depends on the query: cells are read in rounds, until some rounds bring nothing
# new. Measured among 200,000 vectors, best 100, with two such rounds: mixtures of the vectors of
# 7,600 real passages need 10 % of all vectors for a recall of 0.995, synthetic overlapping topics
# 17 % for 0.959; 5 % for every query gave 0.980 and 0.818. For a comparison with the vector indexes
# of Lance see ``docs/benchmarks.md``. The file ``cells.bin`` of a segment is built in the
# background by :mod:`cells_build`, and published in one step. If it is missing or damaged, every
# vector is read.

# Dense vectors as int8: a quarter of the bytes, and faster to scan than float32. Measured on 7,600
# real passages (384 values): the cosine differs by 0.0004 on average and 0.002 at most, and 99.6 %
# of the best 100 are the same. Scanning 50,000 of them takes 3.2 ms on one core, float32 takes 6.7
# ms, float16 41 ms.

_LEVELS = 127
_ROWS = 4096
"""Rows that are packed at a time."""
_OFF = 1e-5
"""Upper bound of the float32 rounding error in such products."""


def quantize(matrix: NDArray[np.float32], /) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return int8 codes [n, d] and float32 scales [n]: ``scale * codes`` has unit length (or 0)."""
    codes = np.empty(matrix.shape, dtype=np.int8)
    scales = np.zeros(len(matrix), dtype=np.float32)
    for start in range(0, len(matrix), _ROWS):
        part = slice(start, start + _ROWS)
        peak = np.abs(matrix[part]).max(axis=1, initial=0.0)
        step = np.where(peak > 0, peak / _LEVELS, 1.0).astype(np.float32)
        codes[part] = np.rint(matrix[part] / step[:, None])
        lengths = np.sqrt(np.einsum("ij,ij->i", codes[part], codes[part], dtype=np.float64))
        np.divide(1.0, lengths, out=scales[part], where=lengths > 0, casting="same_kind")
    return codes, scales


@dataclass(frozen=True, slots=True)
class Asked:
    """A query vector, and its int8 rounding for fast comparison with many rows.

    A product of int8 with int8 takes a quarter of the time of one with float32. Its maximum error
    is known, so rows excluded by it cannot be among the best.

    Attributes
    ----------
    vector
        float32 [dimension], unit length.
    codes, step
        int8 [dimension]; times *step* it approximates *vector*.
    error
        Maximum difference of :meth:`roughly` from the cosine.
    """

    vector: NDArray[np.float32]
    codes: NDArray[np.int8]
    step: float
    error: float

    @classmethod
    def of(cls, vector: NDArray[np.float32], /) -> Asked:
        """Round a vector."""
        step = float(np.abs(vector).max(initial=0.0)) / _LEVELS or 1.0
        codes = np.rint(vector / step).astype(np.int8)
        # A product with a unit vector is at most the length of the other vector.
        return cls(vector, codes, step, float(np.linalg.norm(vector - codes * step)) + _OFF)

    def roughly(
        self, codes: NDArray[np.int8], scales: NDArray[np.float32], /
    ) -> NDArray[np.float32]:
        """Return the cosine with every row within :attr:`error`, float32 [n]."""
        import numkong

        if not len(codes):
            return np.empty(0, dtype=np.float32)
        scores = np.asarray(numkong.dot(codes, self.codes)).reshape(-1).astype(np.float32)
        scores *= np.float32(self.step)
        scores *= scales
        return scores

    def cosines(
        self, codes: NDArray[np.int8], scales: NDArray[np.float32], /
    ) -> NDArray[np.float32]:
        """Return the cosine with every row, float32 [n].

        The last digit depends on the number of rows; use :func:`exact` for reproducible scores.
        """
        scores: NDArray[np.float32] = codes.astype(np.float32) @ self.vector
        scores *= scales
        return scores


def exact(
    codes: NDArray[np.int8], scales: NDArray[np.float32], query: NDArray[np.float32], /
) -> NDArray[np.float32]:
    """Return the cosines summed row by row in float64: equal rows have equal scores."""
    products = codes * query.astype(np.float64)
    scores: NDArray[np.float32] = (products.sum(axis=1) * scales).astype(np.float32)
    return scores


_log = logging.getLogger(__name__)
FILE = "cells.bin"
_ROUND = 0.02
"""Share of the vectors that is read in one round."""
QUIET = 3
"""The search ends after this many rounds without a new result among the best."""
MOST = 0.6
"""Maximum share of the vectors that a search reads."""


@dataclass(frozen=True, slots=True)
class Cells:
    """The vectors of a segment by cell.

    Attributes
    ----------
    centroids
        float32 [cells, dimension], unit length.
    bounds
        int64 [cells + 1], first vector of each cell.
    rows
        uint32 [vectors], row in the segment, ascending within a cell.
    codes, scales
        int8 [vectors, dimension] and float32 [vectors], by cell.
    """

    centroids: NDArray[np.float32]
    bounds: NDArray[np.int64]
    rows: NDArray[np.uint32]
    codes: NDArray[np.int8]
    scales: NDArray[np.float32]


class CellFile:
    """The cells of one segment, which may be built while it is in use; none without a *folder*."""

    def __init__(self, folder: Path | None, /) -> None:
        self._path = folder / FILE if folder else None
        self._cells: Cells | None = None
        self._damaged: tuple[int, int] | None = None

    def get(self) -> Cells | None:
        """Return the cells, or ``None`` while they are missing or damaged."""
        if self._cells is None and self._path is not None:
            with contextlib.suppress(FileNotFoundError):
                facts = self._path.stat()
                stamp = (facts.st_mtime_ns, facts.st_size)
                if stamp != self._damaged:
                    self._load(self._path, stamp)
        return self._cells

    def _load(self, path: Path, stamp: tuple[int, int]) -> None:
        try:
            self._cells = Cells(**map_arrays(path))
        except (OSError, ValueError, TypeError, KeyError) as error:
            self._damaged = stamp
            _log.warning("Approximate search ignores a damaged file: %s: %s", path, error)


def probe(
    celled: Mapping[int, Cells], query: Asked, /
) -> Iterator[list[tuple[int, NDArray[np.intp], NDArray[np.float32]]]]:
    """Yield rounds of cells, the nearest first: per segment the rows with approximate cosines.

    The caller stops after :data:`QUIET` rounds without a new result; the generator stops after
    :data:`MOST` of the vectors. *celled* maps segment numbers to cells.
    """
    if not celled:
        return
    near = np.concatenate([cells.centroids @ query.vector for cells in celled.values()])
    sizes = np.concatenate([np.diff(cells.bounds) for cells in celled.values()])
    order = np.argsort(-near, kind="stable")
    passed = np.cumsum(sizes[order])
    total = int(passed[-1])
    place = 0
    while place < len(order) and (not place or passed[place - 1] < MOST * total):
        before = int(passed[place - 1]) if place else 0
        end = min(int(np.searchsorted(passed, before + _ROUND * total)) + 1, len(order))
        chosen = np.zeros(len(near), dtype=bool)
        chosen[order[place:end]] = True
        place, first, parts = end, 0, []
        for number, cells in celled.items():
            last = first + len(cells.centroids)
            parts.append((number, *_looked(cells, np.flatnonzero(chosen[first:last]), query)))
            first = last
        yield parts


def _looked(
    cells: Cells, numbers: NDArray[np.intp], query: Asked
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    bounds = cells.bounds
    spans = [slice(int(bounds[n]), int(bounds[n + 1])) for n in numbers]
    if not spans:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.float32)
    rows = np.concatenate([cells.rows[span] for span in spans]).astype(np.intp)
    return rows, np.concatenate([query.roughly(cells.codes[s], cells.scales[s]) for s in spans])
