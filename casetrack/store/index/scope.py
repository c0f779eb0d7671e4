"""What a search looks at: the rows that may be found, and what BM25 counts over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.store.index.index import Index
    from casetrack.store.index.postings import Posting
    from casetrack.store.index.rows import Place, Rows

# What finds the best rows of an index by the signals of a question, wherever the rows are read.


@dataclass(frozen=True, slots=True)
class Question:
    """What the recall stages look for; a stage whose part is ``None`` is left out.

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
    """What a search did not look at.

    Attributes
    ----------
    chunks
        How many passages.
    notes
        Which, and why, in words.
    """

    chunks: int = 0
    notes: tuple[str, ...] = ()


class Lists(Protocol):
    """Makes the lists of one search: the best rows by each signal alone."""

    def top(
        self, scope: Scope, question: Question, depth: int, /
    ) -> Iterator[tuple[str, list[Place], NDArray[np.float32]]]:
        """Yield for each signal its name and its best *depth* rows, in the order of the signals.

        The places stand best first, ties by chunk id, and beside them their scores.
        """
        ...

    @property
    def unsearched(self) -> Unsearched:
        """What none of the lists so far can hold."""
        ...


@dataclass(frozen=True, slots=True)
class Scope:
    """Rows of an index that a search may find, and their statistics.

    How rare a word is, and how long a passage is for its kind, is said of the rows that are
    searched: in one contract "tenant" tells nothing, whatever it tells in a thousand files.

    Attributes
    ----------
    index
        The segments.
    rows
        Per segment the rows that may be found, live ones only.
    chunk_count
        How many they are.
    average_length
        Mean number of terms of them.
    documents
        Ids of the documents that the rows are of; ``None`` where they are of any.
    weighed_as
        Where words are as rare as they are in other rows: the scope of these.
    """

    index: Index
    rows: Sequence[Rows]
    chunk_count: int
    average_length: float
    documents: frozenset[str] | None = None
    weighed_as: Scope | None = None

    @property
    def is_filtered(self) -> bool:
        """Whether live rows are left out."""
        return self.chunk_count < self.index.chunk_count

    def frequency(self, number: int, posting: Posting | None, /) -> int:
        """Return how many rows of segment *number* in the scope a posting holds."""
        if posting is None:
            return 0
        rows = self.rows[number]
        if rows is None:
            return len(posting.rows)
        if isinstance(rows, slice):
            return len(posting.inside(rows).rows)
        return int(np.count_nonzero(rows[posting.rows]))

    def held(self, number: int, posting: Posting | None, /) -> NDArray[np.integer]:
        """Return the rows of segment *number* in the scope that a posting holds, ascending."""
        if posting is None:
            return np.empty(0, dtype=np.intp)
        inside = self.rows[number]
        if isinstance(inside, slice):
            return posting.inside(inside).rows
        return posting.rows if inside is None else posting.rows[inside[posting.rows]]

    def holding(self, terms: Collection[str], /) -> Iterator[Place]:
        """Yield the places in the scope of the passages that hold all *terms*; none for none."""
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
        """Return BM25's length normalisation of a segment's rows, and a lower bound of it."""
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
    """Return the scope of all live rows, or of those of some documents by their ids."""
    rows = index.rows(documents)
    if documents is None:
        return Scope(index, rows, index.chunk_count, index.average_length)
    return scope_of_rows(index, rows, frozenset(documents))


def scope_of_rows(
    index: Index, rows: Sequence[Rows], documents: frozenset[str] | None = None, /
) -> Scope:
    """Return the scope of some live rows, given per segment, and the documents they are of."""
    count, terms = 0, 0
    for part, inside in zip(index.segments, rows, strict=True):
        found = part.data.column("length")[slice(None) if inside is None else inside]
        count += len(found)
        terms += int(found.sum(dtype=np.int64))
    return Scope(index, rows, count, terms / count if count else 0.0, documents)
