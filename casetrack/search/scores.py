"""Scores of passages by each signal, and the lists of the best."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from casetrack.base.dataclass import dataclass
from casetrack.store.checksums import COLUMN, is_damaged
from casetrack.store.index.postings import (
    QUIET,
    Asked,
    Sums,
    Term,
    best_places,
    exact,
    probe,
    scores_at,
)
from casetrack.store.index.scope import (
    Best,
    Unsearched,
    among,
    both,
    by_segment,
    in_order,
    nth_best,
    positions,
)
from casetrack.store.passages import CITE_COLUMNS, PLACE_COLUMNS, make_provenance

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.base.provenance import Provenance
    from casetrack.store.datasets import Snapshot
    from casetrack.store.index.index import Index, LiveSegment
    from casetrack.store.index.postings import Cells, Impact
    from casetrack.store.index.scope import CandidateLists, Place, Question, Rows, Scope
    from casetrack.store.workspace import State

# BM25 over the index's postings (Robertson and Zaragoza 2009; k1 = 1.2, b = 0.75). The definition
# is SQL (``store/sql/bm25.sql``), which ``casetrack query`` runs. Search uses the arithmetic below
# on the same postings as memory-mapped arrays, because it is about ten times faster; a test keeps
# both equal.

K1 = 1.2
B = 0.75
_ROUNDED_UP = 1.0 + 1e-6


def inverse_document_frequency(chunk_count: int, frequency: int, /) -> float:
    """Return the weight of a term in *frequency* of *chunk_count* chunks; never negative."""
    return math.log(1.0 + (chunk_count - frequency + 0.5) / (frequency + 0.5))


def lexical_top(
    scope: Scope, terms: Mapping[str, float], depth: int, /
) -> tuple[list[Place], NDArray[np.float32]]:
    """Return the *depth* chunks with the best BM25 scores (exact, without scoring all chunks).

    Places are best first, ties by chunk id, and only chunks with a term; scores equal those of
    :func:`lexical_at`.
    """
    return best_by(scope, gains(scope, terms), depth)


def best_by(
    scope: Scope, weights: Mapping[str, np.float32], depth: int, /
) -> tuple[list[Place], NDArray[np.float32]]:
    """Return the list of :func:`lexical_top` for the term weights of :func:`gains`.

    A process with some of the segments gets the weights over all of them.
    """
    sums = _sums(scope, weights, range(len(scope.rows)))
    return best_places(sums, scope.rows, depth, scope.index.keys)


def lexical_at(
    scope: Scope, terms: Mapping[str, float], places: Sequence[Place], /
) -> NDArray[np.float32]:
    """Return the BM25 score at each of *places*, float32."""
    return scores_at(_sums(scope, gains(scope, terms), {n for n, _ in places}), places)


def rarity(scope: Scope, terms: Collection[str], /) -> dict[str, float]:
    """Return the inverse document frequency of each term among the rows of a scope."""
    counts = _frequencies(scope, sorted(terms)).items()
    return {term: inverse_document_frequency(scope.chunk_count, count) for term, count in counts}


def _frequencies(scope: Scope, terms: Sequence[str]) -> dict[str, int]:
    return {
        term: sum(scope.frequency(n, each) for n, each in enumerate(scope.index.postings(term)))
        for term in terms
    }


def gains(scope: Scope, terms: Mapping[str, float], /) -> dict[str, np.float32]:
    """Return the weight of each query term that occurs in the scope, the largest first."""
    counted, weights = scope.weighed_as or scope, {}
    for term, frequency in _frequencies(counted, sorted(terms)).items():
        if frequency:
            idf = inverse_document_frequency(counted.chunk_count, frequency)
            weights[term] = np.float32(idf * terms[term] * (K1 + 1.0))
    order = sorted((term for term, weight in weights.items() if weight), key=lambda t: -weights[t])
    return {term: weights[term] for term in order}


def _sums(
    scope: Scope, weights: Mapping[str, np.float32], numbers: Iterable[int]
) -> dict[int, Sums]:
    """Return the scorers of some segments for weighted terms."""
    wanted = list(weights)
    sums = {}
    for number in numbers:
        part = scope.index.segments[number]
        norms, least = scope.norms(number, K1, B)
        present = [
            Term(posting, weights[term], _bound(posting.peak, weights[term], least))
            for term, posting in zip(wanted, part.data.terms.find(wanted), strict=True)
            if posting is not None
        ]
        sums[number] = Sums(present, part.data.size, _saturated(norms))
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


# Learned sparse vectors: the dot product of the query's weights with every chunk's (exact). The
# chunks' weights are float16 postings: the rounding is at most 0.05 % of a weight.


def sparse_top(
    index: Index,
    terms: NDArray[np.int32],
    weights: NDArray[np.float32],
    depth: int,
    masks: Sequence[Rows] | None = None,
    /,
) -> tuple[list[Place], NDArray[np.float32]]:
    """Return the *depth* chunks with the largest dot product (exact), ties by chunk id.

    *masks* are the allowed live rows per segment, by default all; only chunks that share a term are
    returned. Scores equal those of :func:`sparse_at`.
    """
    allowed = index.rows() if masks is None else masks
    sums = _weighted_sums(index, terms, weights, range(len(allowed)))
    return best_places(sums, allowed, depth, index.keys)


def sparse_at(
    index: Index, terms: NDArray[np.int32], weights: NDArray[np.float32], places: Sequence[Place], /
) -> NDArray[np.float32]:
    """Return the dot product at each of *places*, float32."""
    return scores_at(_weighted_sums(index, terms, weights, {n for n, _ in places}), places)


def _weighted_sums(
    index: Index, terms: NDArray[np.int32], weights: NDArray[np.float32], numbers: Iterable[int]
) -> dict[int, Sums]:
    """Return the scorers of some segments; the terms with the largest weights come first."""
    order = np.lexsort((terms, -weights))
    terms, weights = terms[order], weights[order].astype(np.float32)
    sums = {}
    for number in numbers:
        part = index.segments[number]
        present = [
            Term(posting, weight, float(weight) * posting.peak * _ROUNDED_UP)
            for posting, weight in zip(part.data.sparse.find(terms), weights, strict=True)
            if posting is not None
        ]
        sums[number] = Sums(present, part.data.size, _product)
    return sums


def _product(
    _rows: NDArray[np.intp], values: NDArray[np.number], gain: np.float32, /
) -> NDArray[np.float32]:
    product = values.astype(np.float32)
    product *= gain
    return product


# Cosine similarity of the query's vector with the chunks'. Exact over all chunks if they are few,
# or if a filter leaves few; in a large collection over the nearest cells of vectors (see
# :mod:`casetrack.store.index.postings`).

_MANY = 4
"""Non-consecutive rows are scanned individually if they are less than one in this many."""


def dense_top(
    index: Index,
    query: NDArray[np.float32],
    depth: int,
    masks: Sequence[Rows] | None = None,
    /,
    *,
    approximate: bool = True,
) -> tuple[list[Place], NDArray[np.float32]]:
    """Return the *depth* chunks whose vectors are nearest to *query*, ties by chunk id.

    *query* is float32 [dimension], unit length. *masks* are per segment the allowed live rows, by
    default all; masks other than ``index.rows()`` are a filter: all of its rows are scanned.
    *approximate* scans only the nearest cells of a large collection.
    """
    if len(query) != index.dimension:
        raise ValueError(f"the query has {len(query)} values, the vectors {index.dimension}")
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
        for number, rows_of_cell, scores in looked:
            kept = among(rows_of_cell, both(allowed[number], index.segments[number].embedded))
            offered = _offer(best, index, number, rows_of_cell[kept], scores[kept], asked)
            fresh += int(np.count_nonzero(offered > before))
        quiet = 0 if fresh else quiet + 1
        if quiet == QUIET:
            break
    places = best.places()
    return in_order(places, cosine_at(index, query, places), depth, index.keys)


def cosine_at(
    index: Index, query: NDArray[np.float32], places: Sequence[Place], /
) -> NDArray[np.float32]:
    """Return the cosine of *query* with the chunks at *places*, float32; 0 without a vector."""
    scores = np.zeros(len(places), dtype=np.float32)
    for number, at, rows in by_segment(places):
        part = index.segments[number]
        cosines = exact(part.data.dense[rows], part.data.column("scale")[rows], query)
        scores[at] = np.where(among(rows, part.embedded), cosines, np.float32(0.0))
    return scores


def vectors_at(index: Index, places: Sequence[Place], /) -> NDArray[np.float32]:
    """Return the vectors at *places*, float32 [n, dimension], unit length; zeros if missing."""
    vectors = np.zeros((len(places), index.dimension), dtype=np.float32)
    for number, at, rows in by_segment(places):
        part = index.segments[number]
        scaled = part.data.dense[rows] * part.data.column("scale")[rows][:, None]
        vectors[at] = np.where(among(rows, part.embedded)[:, None], scaled, np.float32(0.0))
    return vectors


def _scanned(
    part: LiveSegment, rows: Rows, asked: Asked
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Return the given rows with their approximate cosines."""
    codes, scales = part.data.dense, part.data.column("scale")
    if isinstance(rows, slice):
        return positions(rows, len(codes)), asked.roughly(codes[rows], scales[rows])
    chosen = positions(rows, len(codes))
    if len(chosen) * _MANY < len(codes):
        return chosen, asked.roughly(codes[chosen], scales[chosen])
    scores = asked.roughly(codes, scales)
    return chosen, scores if rows is None else scores[chosen]


def _offer(
    best: Best,
    index: Index,
    number: int,
    rows: NDArray[np.intp],
    rough: NDArray[np.float32],
    asked: Asked,
) -> NDArray[np.float32]:
    """Offer the rows that may be among the best, and return their cosines."""
    least = max(best.threshold, nth_best(rough, best.depth) - asked.error) - asked.error
    rows = rows[rough >= least]
    data = index.segments[number].data
    scores = asked.cosines(data.dense[rows], data.column("scale")[rows])
    best.add(number, rows, scores)
    return scores


# The lists of a search in this process, and the score of every signal for any row.

# Texts and sources of chunks, read from the index by their places.


@dataclass(frozen=True, slots=True)
class PlacedText:
    """The text and source of a chunk for a result."""

    text: str
    provenance: Provenance


def texts_at(
    snapshot: Snapshot,
    index: Index,
    places: Sequence[Place],
    neighbours: Iterable[Place] = (),
    texts: Mapping[Place, str] | None = None,
    /,
) -> dict[Place, PlacedText]:
    """Return the chunks at *places* and *neighbours*; a neighbour's source has only its citation.

    Damaged chunks are left out: all stored fields of *places* are checked, only the text of
    neighbours. *texts* are known ones.
    """
    every = list(dict.fromkeys([*places, *neighbours]))
    if not every:
        return {}
    known = texts or {}
    texts = {**known, **index.texts([place for place in every if place not in known])}
    sources = sources_at(snapshot, index, set(every).difference(places), CITE_COLUMNS, texts)
    sources |= sources_at(snapshot, index, set(places), PLACE_COLUMNS, texts)
    return {place: PlacedText(texts[place], sources[place]) for place in every if place in sources}


def sources_at(
    snapshot: Snapshot,
    index: Index,
    places: Iterable[Place],
    columns: Sequence[str] = PLACE_COLUMNS,
    texts: Mapping[Place, str] | None = None,
    /,
) -> dict[Place, Provenance]:
    """Return the sources of the chunks at some places, with *columns*.

    Damaged chunks are left out: texts are checked if given, sources if all of their columns are
    read.
    """
    compared = ["text"] if texts is not None else []
    if set(columns) >= set(PLACE_COLUMNS):
        compared.append("place")
    ordered = list(places)
    sources: dict[Place, Provenance] = {}
    for place, row in zip(ordered, index.rows_at(ordered, [*columns, COLUMN]), strict=True):
        if texts is not None:
            row["text"] = texts[place]
        if not (compared and is_damaged(row, "chunks", *compared)):
            sources[place] = make_provenance(row, snapshot)
    return sources


def name_at(snapshot: Snapshot, index: Index, place: Place, /) -> str:
    """Return the name of a passage's document."""
    return str(snapshot.documents.cells(index.document_at(place), ["name"])["name"])


_ALL = Unsearched()


class LocalLists:
    """Computes lists from the segments that this process maps; complete."""

    @property
    def unsearched(self) -> Unsearched:
        """Empty."""
        return _ALL

    def top(
        self, scope: Scope, question: Question, depth: int, /
    ) -> Iterator[tuple[str, list[Place], NDArray[np.float32]]]:
        """Yield the lists; see :class:`casetrack.store.index.scope.CandidateLists`."""
        if question.terms is not None:
            yield "bm25", *lexical_top(scope, question.terms, depth)
        if question.vector is not None:
            yield "semantic", *dense_top(scope.index, question.vector, depth, scope.rows)
        if question.sparse is not None:
            yield "sparse", *sparse_top(scope.index, *question.sparse, depth, scope.rows)


LOCAL: CandidateLists = LocalLists()


def lists_of(state: State, /) -> CandidateLists:
    """Return the list provider for searches of a state."""
    elsewhere = state.workspace.searched_by
    return LOCAL if elsewhere is None else elsewhere(state)


def scorers(
    scope: Scope, question: Question, /
) -> dict[str, Callable[[Sequence[Place]], NDArray[np.float32]]]:
    """Return for each signal of a question a function that scores any rows, reading only those."""
    by_signal: dict[str, Callable[[Sequence[Place]], NDArray[np.float32]]] = {}
    if (terms := question.terms) is not None:
        by_signal["bm25"] = lambda places: lexical_at(scope, terms, places)
    if (vector := question.vector) is not None:
        by_signal["semantic"] = lambda places: cosine_at(scope.index, vector, places)
    if (sparse := question.sparse) is not None:
        by_signal["sparse"] = lambda places: sparse_at(scope.index, *sparse, places)
    return by_signal
