"""Edges by what is shared: between passages, between entities, and between documents."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from casetrack.base.records.graph import NAME_KINDS, Edge, RelationType
from casetrack.graph.relations.edges import (
    CONCEPT_KINDS,
    EVIDENCE,
    EXTERNAL_TYPES,
    Places,
    cited,
    distinct,
    edge_table,
    lists,
    mentioned,
    pairs_within,
    strongest,
    taken,
    together,
)
from casetrack.graph.relations.neighbours import Nearest, Rows

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from casetrack.base.records import Document
    from casetrack.graph.relations.neighbours import Neighbours
    from casetrack.graph.state_tables import StateTables

# Edges between chunks: those that mean nearly the same, and those that name one rare thing.

RARE = 8
"""A thing in more chunks than this does not make two of them belong together."""
_PER_CHUNK = 10
_UNIT = 840
"""Divisible by 1 to 8: shares of it are whole numbers, whose sum has no order."""


def chunk_edges(source: StateTables, neighbours: Neighbours | None, /) -> pa.Table:
    """Return the edges between chunks, in the columns of the table ``edges``.

    ``similar``: cosine of at least 0.8, kept where one is among the ten nearest of the other.
    ``coreference``: both name a person, an organisation, a place or something outside that at most
    eight chunks of the collection name; each such thing counts one divided by its chunks, and the
    weight is their sum, at most 1. Kept where one is among the ten strongest of the other. Neither
    joins chunks that stand beside each other in one document.

    Parameters
    ----------
    neighbours
        Those of all chunks; ``None`` where the collection is too large to keep them, which leaves
        out ``similar``.
    """
    import pyarrow as pa

    tables = [] if neighbours is None else [_similar(neighbours)]
    return pa.concat_tables([*tables, _coreference(rare_places(source))])


def rare_places(source: StateTables, /) -> Places:
    """Return the places of everything that can make chunks belong together."""
    return together(mentioned(source, NAME_KINDS), cited(source, EXTERNAL_TYPES))


def _similar(neighbours: Neighbours) -> pa.Table:
    here, column = np.nonzero(neighbours.near >= 0)
    there = neighbours.near[here, column].astype(np.int64)
    cosine = neighbours.cosines[here, column]
    key = np.minimum(here, there) * max(1, len(neighbours.ids)) + np.maximum(here, there)
    key, first = np.unique(key, return_index=True)
    a, b = np.divmod(key, max(1, len(neighbours.ids)))
    # What quantised vectors make of a duplicate may be a hair above one.
    return _pair_table("similar", neighbours.ids, a, b, np.minimum(cosine[first], 1.0))


def _coreference(places: Places) -> pa.Table:
    a, b, units, count = shared(places)
    weight = np.minimum(units / _UNIT, 1.0)
    kept = np.flatnonzero(strongest((a, b), weight) < _PER_CHUNK)
    return _pair_table("coreference", places.chunks, a[kept], b[kept], weight[kept], count[kept])


def shared(
    places: Places, /
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs of chunks that share rare things: both, the weight in 840ths, and how many."""
    n = max(1, len(places.chunks))
    thing, chunk = np.divmod(distinct(places.thing * n + places.chunk), n)
    spread = np.bincount(thing, minlength=len(places.things))
    rare = (spread[thing] >= 2) & (spread[thing] <= RARE)
    thing, chunk = thing[rare], chunk[rare]
    first, second = pairs_within(thing)
    a, b = chunk[first], chunk[second]
    beside = (places.documents[a] == places.documents[b]) & (
        np.abs(places.indexes[a] - places.indexes[b]) <= 1
    )
    units = (_UNIT // spread[thing[first]])[~beside]
    key, inverse = np.unique((a * n + b)[~beside], return_inverse=True)
    total = np.zeros(len(key), np.int64)
    np.add.at(total, inverse, units)
    a, b = np.divmod(key, n)
    return a, b, total, np.bincount(inverse, minlength=len(key))


def _pair_table(
    type_: str,
    ids: tuple[str, ...],
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    weight: NDArray[np.float64],
    count: NDArray[np.int64] | None = None,
) -> pa.Table:
    """Return edges whose evidence are both ends, in the order of *ids*; the smaller id is first."""
    rank = np.empty(len(ids), np.int64)
    rank[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
    low, high = np.minimum(a, b), np.maximum(a, b)
    order = np.lexsort((high, low))
    low, high = low[order], high[order]
    ends = np.stack([low, high], axis=1).ravel()
    swap = rank[low] > rank[high]
    source, target = np.where(swap, high, low), np.where(swap, low, high)
    return edge_table(
        "chunk",
        type_,
        source=taken(ids, source),
        target=taken(ids, target),
        weight=weight[order],
        count=np.ones(len(a), np.int64) if count is None else count[order],
        evidence=lists(ids, np.arange(0, len(ends) + 1, 2), ends),
    )


_NAMES_PER_CHUNK = (40, 32, 24, 16, 12, 8, 6, 4, 3, 2)
"""Entities of a chunk that are paired, the rarest; the largest number that the pairs allow."""
_PLACES = 3
_MAX_PAIRS = 6_000_000
_PER_ENTITY = 25
_MAX_EDGES = 300_000
_COMMON_SHARE, _COMMON_CHUNKS = 0.3, 5
_FAR = 4096
"""Longer than a chunk; a gap then fits twelve bits."""


def entity_edges(source: StateTables, /) -> pa.Table:
    """Return the edges between entities, in the columns of the table ``edges``.

    ``co_occurrence``: persons, organisations, places and concepts that one chunk mentions. With *n*
    chunks that mention both, the weight is Dice's coefficient ``2 n / (a + b)`` of the chunks that
    mention either, times ``n / (n + 1)``, since a single chunk may be chance. The evidence are the
    chunks where the two stand nearest. A concept in more than 30 % of the chunks connects nothing,
    nor does it connect to a name that is.

    The work is bounded: a chunk pairs its 40 rarest entities, fewer where a large collection is
    made of pages of names; an entity keeps its 25 strongest edges and those that are among the 25
    strongest of the other end, fewer where all together would be more than 300,000.
    """
    places = mentioned(source, CONCEPT_KINDS)
    spread = places.spread()
    first, second = _pairs(places, spread)
    ends = np.sort(np.stack([places.thing[first], places.thing[second]]), axis=0)
    kept = (ends[0] != ends[1]) & _telling(source, places, spread, ends)
    first, second = first[kept], second[kept]
    n = max(1, len(places.things))
    key, pair = np.unique(ends[0, kept] * n + ends[1, kept], return_inverse=True)
    gap = np.minimum(np.abs(places.start[first] - places.start[second]), _FAR - 1)
    pair, chunk, gap = _nearest(pair, places.chunk[first], gap, max(1, len(places.chunks)))
    a, b = np.divmod(key, n)
    count = np.bincount(pair, minlength=len(key))
    weight = 2 * count / np.maximum(spread[a] + spread[b], 1) * count / (count + 1)
    chosen = _chosen(strongest((a, b), weight))
    starts, items = _evidence(pair, chunk, gap, chosen, len(key))
    documents, share = _passages(places, starts, items)
    return edge_table(
        "entity",
        "co_occurrence",
        source=taken(places.things, a[chosen]),
        target=taken(places.things, b[chosen]),
        weight=weight[chosen],
        count=count[chosen],
        evidence=lists(places.chunks, starts, items),
        documents=documents,
        passage_share=share,
    )


def _pairs(
    places: Places, spread: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs of places of one chunk: of its rarest things, the first places of each."""
    # Rarer things have smaller numbers; of equally rare ones those with the smaller id.
    rarity = np.empty(len(spread), np.int64)
    rarity[np.lexsort((np.arange(len(spread)), spread))] = np.arange(len(spread))
    order = np.lexsort((places.start, rarity[places.thing], places.chunk))
    chunk, thing = places.chunk[order], places.thing[order]
    begins = np.ones(len(order), bool)
    begins[1:] = (chunk[1:] != chunk[:-1]) | (thing[1:] != thing[:-1])
    group = np.cumsum(begins) - 1
    within = np.arange(len(order)) - np.flatnonzero(begins)[group]
    rank = group - group[np.searchsorted(chunk, chunk)]
    early = within < _PLACES
    for limit in _NAMES_PER_CHUNK:
        kept = early & (rank < limit)
        sizes = np.bincount(chunk[kept])
        if int((sizes * (sizes - 1) // 2).sum()) <= _MAX_PAIRS:
            break
    order = order[kept]
    first, second = pairs_within(chunk[kept])
    return order[first], order[second]


def _telling(
    source: StateTables, places: Places, spread: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.bool_]:
    import pyarrow.compute as pc

    entities = source.table("entities")
    concepts = entities.filter(pc.equal(entities["kind"], "concept"))["entity_id"].to_pylist()
    known = frozenset(concepts)
    is_concept = np.fromiter((t in known for t in places.things), bool, len(places.things))
    chunks = sum(d.chunk_count for d in source.documents)
    common = spread > max(_COMMON_CHUNKS, _COMMON_SHARE * chunks)
    telling: NDArray[np.bool_] = ~(
        (is_concept[ends[0]] | is_concept[ends[1]]) & (common[ends[0]] | common[ends[1]])
    )
    return telling


def _nearest(
    pair: NDArray[np.int64], chunk: NDArray[np.int64], gap: NDArray[np.int64], chunks: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Keep the nearest places of each pair in each chunk; ordered by pair and chunk."""
    # Packed into one number, they sort many times faster than as three.
    packed = np.sort((pair * chunks + chunk) * _FAR + gap)
    where, gap = np.divmod(packed, _FAR)
    new = np.ones(len(where), bool)
    new[1:] = where[1:] != where[:-1]
    pair, chunk = np.divmod(where[new], chunks)
    return pair, chunk, gap[new]


def _chosen(rank: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the edges that are kept: as many for each end as the whole may have."""
    limit = _PER_ENTITY
    while limit > 1 and np.count_nonzero(rank < limit) > _MAX_EDGES:
        limit -= 1
    kept: NDArray[np.int64] = np.flatnonzero(rank < limit)
    return kept


def _evidence(
    pair: NDArray[np.int64],
    chunk: NDArray[np.int64],
    gap: NDArray[np.int64],
    chosen: NDArray[np.int64],
    pairs: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the chunks of each chosen pair begin, and the chunks, nearest places first."""
    new = np.full(pairs, -1, np.int64)
    new[chosen] = np.arange(len(chosen))
    kept = new[pair] >= 0
    pair, chunk, gap = new[pair[kept]], chunk[kept], gap[kept]
    order = np.lexsort((chunk, gap, pair))
    pair, chunk = pair[order], chunk[order]
    top = np.arange(len(pair)) - np.searchsorted(pair, pair) < EVIDENCE
    starts = np.zeros(len(chosen) + 1, np.int64)
    np.cumsum(np.bincount(pair[top], minlength=len(chosen)), out=starts[1:])
    return starts, chunk[top]


def _passages(
    places: Places, starts: NDArray[np.int64], items: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return of each edge how many documents its evidence stands in, and its share of a passage.

    Both are the same for every question, and would else be counted for each anew.
    """
    chunks = max(1, len(places.chunks))
    named = np.bincount(distinct(places.thing * chunks + places.chunk) % chunks, minlength=chunks)
    share = 1 / np.maximum(named - 1, 1)
    edge = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    mean = np.bincount(edge, share[items], len(starts) - 1) / np.maximum(np.diff(starts), 1)
    n = max(1, int(places.documents.max(initial=0)) + 1)
    several = distinct(edge * n + places.documents[items]) // n
    return np.bincount(several, minlength=len(starts) - 1), mean


# Documents that share names or references, and documents that mean nearly the same.

PER_DOCUMENT = 20
_MANY = 10
_BARE_TITLE = re.compile(r"document:\D*(?:\d{1,2}\D*)?")
"""A document that is told by neither its own number nor a date."""
SEMANTIC_FLOOR = 0.75
_COMMON_DOCUMENT_SHARE, _COMMON_DOCUMENTS = 0.2, 50
_MAX_DOCUMENT_PAIRS = 5_000_000
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
    telling = (spread <= max(_COMMON_DOCUMENTS, _COMMON_DOCUMENT_SHARE * total))[thing]
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
    fits = sizes[pairs <= _MAX_DOCUMENT_PAIRS]
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
