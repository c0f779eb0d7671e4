"""The rows that a search may return, and their BM25 statistics."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from casetrack.base.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from casetrack.store.index.index import Index
    from casetrack.store.index.postings import Posting

# Sets of rows of a segment, and the best rows over all segments. A set of rows is ``None`` (every
# row), a ``slice`` (the rows of a document are contiguous) or a mask (bool, one value per row).

Rows = slice | NDArray[np.bool_] | None
NO_ROWS = slice(0, 0)
Place = tuple[int, int]
"""Position of a chunk in the index: segment number, row."""

_SAMPLE = 8
_SLACK = 1e-5
"""Tolerance between two ways of summing one score."""


def both(first: Rows, second: Rows, /) -> Rows:
    """Return the intersection of two sets of rows."""
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


def among(numbers: NDArray[np.intp], rows: Rows, /) -> NDArray[np.bool_]:
    """Return whether each of *numbers* is in *rows*."""
    inside: NDArray[np.bool_]
    if rows is None:
        inside = np.ones(len(numbers), dtype=np.bool_)
    elif isinstance(rows, slice):
        inside = (numbers >= rows.start) & (numbers < rows.stop)
    else:
        inside = rows[numbers]
    return inside


def within(numbers: NDArray[np.intp], rows: Rows, /) -> NDArray[np.intp]:
    """Return those of *numbers* that are in *rows*."""
    return numbers if rows is None else numbers[among(numbers, rows)]


def by_segment(
    places: Sequence[Place], /
) -> Iterator[tuple[int, NDArray[np.intp], NDArray[np.intp]]]:
    """Yield for each segment its number, the indices of its *places*, and their rows."""
    flat = np.fromiter(chain.from_iterable(places), dtype=np.intp, count=2 * len(places))
    segments, rows = flat[::2], flat[1::2]
    present = sorted(set(segments.tolist()))
    if len(present) == 1:
        yield present[0], np.arange(len(rows)), rows
        return
    for number in present:
        at = np.flatnonzero(segments == number)
        yield number, at, rows[at]


def nth_best(values: NDArray[np.floating], depth: int, /) -> float:
    """Return the *depth*-th largest value, or minus infinity if there are fewer."""
    if len(values) < depth:
        return float("-inf")
    sample = values[::_SAMPLE]
    if len(sample) > depth * _SAMPLE:
        # The depth-th best of a sample is a lower bound for all values and excludes most of them at
        # once.
        values = values[values >= np.partition(sample, len(sample) - depth)[len(sample) - depth]]
    return float(np.partition(values, len(values) - depth)[len(values) - depth])


class Best:
    """The *depth* best rows over the segments, including ties with the last one."""

    def __init__(self, depth: int, /) -> None:
        self.depth = depth
        self.threshold = float("-inf")
        """Lower bound for the best rows, with a tolerance for rounding."""
        self._found: list[tuple[int, NDArray[np.intp], NDArray[np.floating]]] = []
        self._pool: NDArray[np.floating] = np.empty(0)

    def add(self, number: int, rows: NDArray[np.intp], values: NDArray[np.floating], /) -> None:
        """Add rows of segment *number* with their scores."""
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
        """Return the places that may be among the best, at least *depth*, in no order."""
        result = []
        for number, rows, values in self._found:
            result += [(number, int(row)) for row in rows[values >= self.threshold]]
        return result


def in_order(
    places: list[Place],
    scores: NDArray[np.float32],
    depth: int,
    keys: Callable[[list[Place]], NDArray[np.int64] | None],
    /,
) -> tuple[list[Place], NDArray[np.float32]]:
    """Return the *depth* best places with scores, best first; without keys, also ties."""
    if len(places) > depth:
        near = np.flatnonzero(scores >= nth_best(scores, depth))
        places, scores = [places[i] for i in near], scores[near]
    ties = keys(places)
    order = np.argsort(-scores, kind="stable") if ties is None else np.lexsort((ties, -scores))
    order = order if ties is None else order[:depth]
    return [places[i] for i in order], scores[order]


# Candidate lists: the best rows of an index by the signals of a query, in this or other processes.


@dataclass(frozen=True, slots=True)
class Question:
    """The input of the recall stages; a stage whose part is ``None`` is skipped.

    Attributes
    ----------
    terms
        Index terms and their weights, for ``bm25``.
    vector
        float32 [dimension], unit length, for ``semantic``.
    sparse
        Vocabulary ids and weights, for ``sparse``.
    """

    terms: Mapping[str, float] | None = None
    vector: np.ndarray | None = None
    sparse: tuple[np.ndarray, np.ndarray] | None = None


@dataclass(frozen=True, slots=True)
class Unsearched:
    """The part of the index that a search skipped."""

    chunks: int = 0
    notes: tuple[str, ...] = ()


class CandidateLists(Protocol):
    """Makes the candidate lists of one search: the best rows by each signal."""

    def top(
        self, scope: Scope, question: Question, depth: int, /
    ) -> Iterator[tuple[str, list[Place], NDArray[np.float32]]]:
        """Yield name, best *depth* places and scores of each signal; ties by chunk id."""

    @property
    def unsearched(self) -> Unsearched:
        """The part of the index that the lists so far do not cover."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Rows of an index that a search may return, and their statistics.

    Term rarity and normal passage length are those of the searched rows: within one lease "tenant"
    is common, even if it is rare in a thousand files.

    Attributes
    ----------
    rows
        Allowed live rows per segment.
    documents
        Document ids of the rows; ``None`` for all documents.
    weighed_as
        Another scope whose term statistics apply.
    """

    index: Index
    rows: Sequence[Rows]
    chunk_count: int
    average_length: float
    documents: frozenset[str] | None = None
    weighed_as: Scope | None = None

    @property
    def is_filtered(self) -> bool:
        """Whether some live rows are excluded."""
        return self.chunk_count < self.index.chunk_count

    def places_of(self, document_id: str, /) -> Iterator[Place]:
        """Yield the rows of a document that are in the scope."""
        for number, (part, rows) in enumerate(zip(self.index.segments, self.rows, strict=True)):
            span = part.span_of(document_id)
            inside = within(np.arange(span.start, span.stop), rows)
            yield from ((number, row) for row in inside.tolist())

    def frequency(self, number: int, posting: Posting | None, /) -> int:
        """Return the number of rows of segment *number* in the scope that a posting contains."""
        if posting is None:
            return 0
        rows = self.rows[number]
        if rows is None:
            return len(posting.rows)
        if isinstance(rows, slice):
            return len(posting.inside(rows).rows)
        return int(np.count_nonzero(rows[posting.rows]))

    def held(self, number: int, posting: Posting | None, /) -> NDArray[np.integer]:
        """Return the rows of segment *number* in the scope that a posting contains, ascending."""
        if posting is None:
            return np.empty(0, dtype=np.intp)
        inside = self.rows[number]
        if isinstance(inside, slice):
            return posting.inside(inside).rows
        return posting.rows if inside is None else posting.rows[inside[posting.rows]]

    def holding(self, terms: Collection[str], /) -> Iterator[Place]:
        """Yield the places in the scope whose passages contain all *terms*; none without terms."""
        wanted = sorted(set(terms))
        for number, part in enumerate(self.index.segments):
            rows: NDArray[np.integer] | None = None
            for posting in part.data.terms.find(wanted):
                held = self.held(number, posting)
                rows = held if rows is None else np.intersect1d(rows, held, assume_unique=True)
            yield from ((number, int(row)) for row in (() if rows is None else rows))

    def norms(
        self, number: int, k1: float, b: float, /
    ) -> tuple[Callable[[NDArray[np.intp]], NDArray[np.float32]], float]:
        """Return BM25's length normalisation of a segment's rows, and a lower bound."""
        if not self.is_filtered:
            norms, least = self.index.norms(number, k1, b)
            return norms.__getitem__, least
        lengths = self.index.segments[number].data.column("length")

        def norms_of(rows: NDArray[np.intp]) -> NDArray[np.float32]:
            share = lengths[rows] / self.average_length
            norms: NDArray[np.float32] = (k1 * (1.0 - b + b * share)).astype(np.float32)
            return norms

        return norms_of, k1 * (1.0 - b)


def scope_of(index: Index, documents: Collection[str] | None = None, /) -> Scope:
    """Return the scope of all live rows, or of some documents by their ids."""
    rows = index.rows(documents)
    if documents is None:
        return Scope(index, rows, index.chunk_count, index.average_length)
    return scope_of_rows(index, rows, frozenset(documents))


def scope_of_rows(
    index: Index, rows: Sequence[Rows], documents: frozenset[str] | None = None, /
) -> Scope:
    """Return the scope of some live rows per segment, with their document ids."""
    count, terms = 0, 0
    for part, inside in zip(index.segments, rows, strict=True):
        lengths = part.data.column("length")[slice(None) if inside is None else inside]
        count += len(lengths)
        terms += int(lengths.sum(dtype=np.int64))
    return Scope(index, rows, count, terms / count if count else 0.0, documents)
