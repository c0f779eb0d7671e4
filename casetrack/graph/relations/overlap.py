"""Documents that share names or references, and documents that mean nearly the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from casetrack.base.records.graph import Edge, RelationType
from casetrack.graph.relations.cosines import Nearest, Rows
from casetrack.graph.relations.edges import EVIDENCE
from casetrack.graph.relations.places import pairs_within, strongest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from casetrack.base.records import Document
    from casetrack.graph.relations.places import Places

PER_DOCUMENT = 20
_MANY = 10
_BARE_TITLE = re.compile(r"document:\D*(?:\d{1,2}\D*)?")
"""A document that is told by neither its own number nor a date."""
SEMANTIC_FLOOR = 0.75
_COMMON_SHARE, _COMMON_DOCUMENTS = 0.2, 50
_MAX_PAIRS = 5_000_000
_IDF_UNIT = 1 << 20
_VECTOR_UNIT = 2896
"""2^11.5: products of two unit vectors of such integers stay below 2^24."""


def shared_edges(
    documents: tuple[Document, ...], places: Places, type_: RelationType, /, *, least: int
) -> list[Edge]:
    """Return edges between documents that share at least *least* of the things in *places*.

    With ``idf = ln(1 + N / n) / ln(1 + N)`` for a thing in *n* of *N* documents, the weight is the
    sum over the shared things, divided by the geometric mean of the sums over all things of either
    document. A thing in more than a fifth of the documents (and more than 50) says little, and does
    not count; nor does a place or a concept in more than a third of ten documents or more. What two
    documents call by the mere title of a document ("the Distributor Agreement") is shared by a
    quarter, since many bear it. Each document keeps its 20 strongest, and those that are among the
    20 of the other.

    Parameters
    ----------
    documents
        All documents.
    places
        Where the things stand.
    type_
        Type of the edges.
    """
    total = len(documents)
    thing, document, chunk = _first_in_documents(places, total)
    spread = np.bincount(thing, minlength=len(places.things))
    telling = (spread <= max(_COMMON_DOCUMENTS, _COMMON_SHARE * total))[thing]
    if total >= _MANY:
        common = spread > total / 3
        told = [t.startswith(("location:", "concept:")) for t in places.things]
        telling &= ~(common & np.array(told, bool))[thing]
    bare = np.array([_BARE_TITLE.fullmatch(t) is not None for t in places.things], bool)
    thing, document, chunk = thing[telling], document[telling], chunk[telling]
    # Whole numbers: a sum of them has no order.
    idf = np.rint(
        _IDF_UNIT * np.log1p(total / np.maximum(spread, 1)) / np.log1p(max(total, 1))
    ).astype(np.int64)
    whole = np.zeros(total, np.int64)
    np.add.at(whole, document, idf[thing])
    kept = spread[thing] <= _widest(spread)
    thing, document, chunk = thing[kept], document[kept], chunk[kept]
    first, second = pairs_within(thing)
    key, pair = np.unique(document[first] * max(1, total) + document[second], return_inverse=True)
    a, b = np.divmod(key, max(1, total))
    sums = np.zeros(len(key), np.int64)
    np.add.at(sums, pair, np.where(bare, idf // 4, idf)[thing[first]])
    count = np.bincount(pair, minlength=len(key))
    weight = np.minimum(sums / np.sqrt(whole[a].astype(float) * whole[b]), 1.0)
    enough = np.flatnonzero(count >= least)
    rank = strongest((a[enough], b[enough]), weight[enough])
    chosen = enough[rank < PER_DOCUMENT]
    shown = _rarest(pair, chosen, spread[thing[first]], thing[first], (chunk[first], chunk[second]))
    return [
        _undirected(
            documents,
            int(a[i]),
            int(b[i]),
            type_,
            float(weight[i]),
            int(count[i]),
            tuple(places.chunks[c] for c in shown[i]),
        )
        for i in chosen.tolist()
    ]


def semantic_edges(documents: tuple[Document, ...], vectors: NDArray[np.float32], /) -> list[Edge]:
    """Return edges between documents whose vectors have a cosine of at least 0.75.

    Parameters
    ----------
    documents
        All documents.
    vectors
        float32 [documents, dimension], unit length; zeros for a document without.
    """
    codes = np.rint(vectors.astype(np.float64) * _VECTOR_UNIT).astype(np.int16)
    rows = Rows.of(codes)
    found = Nearest(rows, k=PER_DOCUMENT, floor=SEMANTIC_FLOOR)
    found.meet_each_other(np.flatnonzero(rows.squares > 0))
    near, cosines = found.near, found.cosines
    pairs = {
        (min(i, int(j)), max(i, int(j))): float(cosine)
        for i in range(len(documents))
        for j, cosine in zip(near[i], cosines[i], strict=True)
        if cosine >= SEMANTIC_FLOOR
    }
    return [
        _undirected(documents, i, j, "semantic", min(cosine, 1.0), 1, ())
        for (i, j), cosine in sorted(pairs.items())
    ]


def _first_in_documents(
    places: Places, total: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return each thing's documents with its first chunk there, ordered by thing and document."""
    document = places.documents[places.chunk].astype(np.int64)
    # Places are in reading order, so the first of equal keys is the first place.
    key, first = np.unique(places.thing * max(1, total) + document, return_index=True)
    return key // max(1, total), key % max(1, total), places.chunk[first]


def _widest(spread: NDArray[np.int64]) -> int:
    """Return in how many documents a thing may stand so that the pairs can be counted."""
    sizes, times = np.unique(spread[spread >= 2], return_counts=True)
    pairs = np.cumsum(times * (sizes * (sizes - 1) // 2))
    fits = sizes[pairs <= _MAX_PAIRS]
    return int(fits[-1]) if len(fits) else 2


def _rarest(
    pair: NDArray[np.int64],
    chosen: NDArray[np.int64],
    spread: NDArray[np.int64],
    thing: NDArray[np.int64],
    chunks: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> dict[int, list[int]]:
    """Return for each chosen pair chunks of both that show the rarest shared things."""
    rows = np.flatnonzero(np.isin(pair, chosen))
    rows = rows[np.lexsort((thing[rows], spread[rows], pair[rows]))]
    ordered = pair[rows]
    rows = rows[np.arange(len(rows)) - np.searchsorted(ordered, ordered) < EVIDENCE]
    found: dict[int, dict[int, None]] = {}
    for at, left, right in zip(
        pair[rows].tolist(), chunks[0][rows].tolist(), chunks[1][rows].tolist(), strict=True
    ):
        found.setdefault(at, {}).update({left: None, right: None})
    return {at: list(shown)[:EVIDENCE] for at, shown in found.items()}


def _undirected(
    documents: tuple[Document, ...],
    i: int,
    j: int,
    type_: RelationType,
    weight: float,
    count: int,
    evidence: tuple[str, ...],
) -> Edge:
    source, target = sorted((documents[i].document_id, documents[j].document_id))
    return Edge(source, target, type_, weight, count, evidence)
