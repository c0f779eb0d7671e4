"""Edges between entities: who and what is mentioned in the same passages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from casetrack.graph.relations.edges import EVIDENCE, edge_table, lists, taken
from casetrack.graph.relations.places import (
    CONCEPT_KINDS,
    Places,
    distinct,
    mentioned,
    pairs_within,
    strongest,
)

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from casetrack.graph.state_tables import StateTables

_PER_CHUNK = (40, 32, 24, 16, 12, 8, 6, 4, 3, 2)
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
    for limit in _PER_CHUNK:
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
