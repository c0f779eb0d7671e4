"""Edges by shared content: between chunks, entities, and documents."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from casetrack.base.records.graph import NAME_KINDS, RelationType
from casetrack.graph.relations.edges import (
    CONCEPT_KINDS,
    EVIDENCE,
    EXTERNAL_TYPES,
    Places,
    connected,
    distinct,
    edge_table,
    lists,
    mentioned,
    pairs_within,
    strongest,
    taken,
)
from casetrack.graph.relations.neighbours import Nearest, Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from casetrack.base.records import Document
    from casetrack.graph.relations.neighbours import Neighbours
    from casetrack.graph.state_tables import StateTables

# Edges between chunks of similar meaning, and between chunks that name one rare thing.

RARE = 8
"""Maximum number of chunks of a thing that relates them."""
_PER_CHUNK = 10
_UNIT = 840
"""Divisible by 1 to 8: shares are integers, so that sums do not depend on order."""


def chunk_edges(source: StateTables, neighbours: Neighbours | None, /) -> pa.Table:
    """Return the edges between chunks, in the columns of the table ``edges``.

    ``similar``: cosine of at least 0.8, if one is among the ten nearest of the other.
    ``coreference``: both name an entity or external reference that at most eight chunks name; each
    contributes one divided by its number of chunks, the weight is the sum, at most 1. Kept if one
    is among the ten strongest of the other. Adjacent chunks of a document are never joined.
    *neighbours* is ``None`` if the collection is too large for them; ``similar`` is then left out.
    """
    import pyarrow as pa

    tables = [_coreference(connected(source, NAME_KINDS, EXTERNAL_TYPES))]
    if neighbours is not None:
        tables.insert(0, _near_table(("chunk", "similar"), neighbours.ids, neighbours))
    return pa.concat_tables(tables)


def _near_table(
    named: tuple[str, str], ids: Sequence[str], nearest: Neighbours | Nearest
) -> pa.Table:
    """Return an edge for each pair of nearest neighbours, whose cosines are positive."""
    row, column = np.nonzero(nearest.cosines > 0)
    other = nearest.near[row, column].astype(np.int64)
    key = np.minimum(row, other) * max(1, len(ids)) + np.maximum(row, other)
    key, first = np.unique(key, return_index=True)
    a, b = np.divmod(key, max(1, len(ids)))
    # The cosine of quantised duplicates may be slightly above one.
    cosine = np.minimum(nearest.cosines[row, column][first], 1.0)
    return _pair_table(named, ids, a, b, cosine)


def _coreference(places: Places) -> pa.Table:
    a, b, units, count = shared(places)
    weight = np.minimum(units / _UNIT, 1.0)
    kept = np.flatnonzero(strongest((a, b), weight) < _PER_CHUNK)
    ends = a[kept], b[kept]
    return _pair_table(("chunk", "coreference"), places.chunks, *ends, weight[kept], count[kept])


def shared(
    places: Places, /
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs of chunks that share rare things: both, the weight in 840ths, and the number."""
    n = max(1, len(places.chunks))
    thing, chunk = np.divmod(distinct(places.thing * n + places.chunk), n)
    spread = np.bincount(thing, minlength=len(places.things))
    rare = (spread[thing] >= 2) & (spread[thing] <= RARE)
    thing, chunk = thing[rare], chunk[rare]
    first, second = pairs_within(thing)
    a, b = chunk[first], chunk[second]
    adjacent = (places.documents[a] == places.documents[b]) & (
        np.abs(places.indexes[a] - places.indexes[b]) <= 1
    )
    units = (_UNIT // spread[thing[first]])[~adjacent]
    key, inverse = np.unique((a * n + b)[~adjacent], return_inverse=True)
    total = np.zeros(len(key), np.int64)
    np.add.at(total, inverse, units)
    a, b = np.divmod(key, n)
    return a, b, total, np.bincount(inverse, minlength=len(key))


def _pair_table(
    named: tuple[str, str],
    ids: Sequence[str],
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    weight: NDArray[np.float64],
    count: NDArray[np.int64] | None = None,
    evidence: pa.ListArray | None = None,
) -> pa.Table:
    """Return edges of a kind and type, in the order of *ids*; the smaller id is first.

    Without *evidence* chunks are their own, and documents have none.
    """
    rank = np.empty(len(ids), np.int64)
    rank[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
    low, high = np.minimum(a, b), np.maximum(a, b)
    order = np.lexsort((high, low))
    low, high = low[order], high[order]
    if evidence is None:
        ends = np.stack([low, high], axis=1)[:, : 2 * (named[0] == "chunk")]
        starts = np.arange(len(ends) + 1) * ends.shape[1]
        evidence = lists(ids, starts, ends.ravel())
    else:
        evidence = evidence.take(order)
    swap = rank[low] > rank[high]
    source, target = np.where(swap, high, low), np.where(swap, low, high)
    return edge_table(
        *named,
        source=taken(ids, source),
        target=taken(ids, target),
        weight=weight[order],
        count=np.ones(len(a), np.int64) if count is None else count[order],
        evidence=evidence,
    )


_NAMES_PER_CHUNK = (40, 32, 24, 16, 12, 8, 6, 4, 3, 2)
"""Maximum numbers of entities paired per chunk, rarest first; the largest that fits is used."""
_PLACES = 3
_MAX_PAIRS = 6_000_000
_PER_ENTITY = 25
_MAX_EDGES = 300_000
_COMMON_SHARE, _COMMON_CHUNKS = 0.3, 5
_FAR = 4096
"""Larger than a chunk; a gap fits twelve bits."""


def entity_edges(source: StateTables, /) -> pa.Table:
    """Return the edges between entities, in the columns of the table ``edges``.

    ``co_occurrence``: persons, organisations, places and concepts in one chunk. With *n* common
    chunks, the weight is Dice's coefficient ``2 n / (a + b)`` times ``n / (n + 1)``, since a single
    chunk may be chance. The evidence is the chunks where the two are closest. Lists of a
    mail's recipients, concepts in more than 30 % of the chunks, and edges of these to frequent
    names are left out.

    The work is bounded: a chunk pairs its 40 rarest entities, fewer in a large collection of name
    lists; an entity keeps its 25 strongest edges and those among the 25 strongest of the other end,
    fewer if there would be more than 300,000 in total.
    """
    places = mentioned(source, CONCEPT_KINDS, listed=False)
    spread = places.spread()
    first, second = _pairs(places, spread)
    ends = np.sort(np.stack([places.thing[first], places.thing[second]]), axis=0)
    kept = (ends[0] != ends[1]) & _informative(source, places, spread, ends)
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
    """Return pairs of places in one chunk: the first places of its rarest things."""
    # Rarer things have smaller numbers; ties go to the smaller id.
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


def _informative(
    source: StateTables, places: Places, spread: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.bool_]:
    import pyarrow.compute as pc

    entities = source.table("entities")
    concepts = entities.filter(pc.equal(entities["kind"], "concept"))["entity_id"].to_pylist()
    known = frozenset(concepts)
    is_concept = np.fromiter((t in known for t in places.things), bool, len(places.things))
    chunks = sum(d.chunk_count for d in source.documents)
    common = spread > max(_COMMON_CHUNKS, _COMMON_SHARE * chunks)
    informative: NDArray[np.bool_] = ~(
        (is_concept[ends[0]] | is_concept[ends[1]]) & (common[ends[0]] | common[ends[1]])
    )
    return informative


def _nearest(
    pair: NDArray[np.int64], chunk: NDArray[np.int64], gap: NDArray[np.int64], chunks: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Keep the closest places of each pair in each chunk, ordered by pair and chunk."""
    # Packed into one number, they sort many times faster than as three.
    packed = np.sort((pair * chunks + chunk) * _FAR + gap)
    where, gap = np.divmod(packed, _FAR)
    new = np.ones(len(where), bool)
    new[1:] = where[1:] != where[:-1]
    pair, chunk = np.divmod(where[new], chunks)
    return pair, chunk, gap[new]


def _chosen(rank: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the edges that are kept under the limits per end and in total."""
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
    """Return the start of each chosen pair's chunks, and the chunks, closest places first."""
    new = np.full(pairs, -1, np.int64)
    new[chosen] = np.arange(len(chosen))
    kept = new[pair] >= 0
    pair, chunk, gap = new[pair[kept]], chunk[kept], gap[kept]
    order = np.lexsort((chunk, gap, pair))
    pair, chunk = pair[order], chunk[order]
    top = _place_in_group(pair) < EVIDENCE
    starts = np.zeros(len(chosen) + 1, np.int64)
    np.cumsum(np.bincount(pair[top], minlength=len(chosen)), out=starts[1:])
    return starts, chunk[top]


def _passages(
    places: Places, starts: NDArray[np.int64], items: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return per edge the number of documents with evidence, and its mean share of a chunk.

    Both are independent of the query, so they are computed once.
    """
    chunks = max(1, len(places.chunks))
    named = np.bincount(distinct(places.thing * chunks + places.chunk) % chunks, minlength=chunks)
    share = 1 / np.maximum(named - 1, 1)
    edge = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    mean = np.bincount(edge, share[items], len(starts) - 1) / np.maximum(np.diff(starts), 1)
    n = max(1, int(places.documents.max(initial=0)) + 1)
    several = distinct(edge * n + places.documents[items]) // n
    return np.bincount(several, minlength=len(starts) - 1), mean


# Documents that share names or references, and documents of similar meaning.

PER_DOCUMENT = 20
_MANY = 10
_BARE_TITLE = re.compile(r"document:\D*(?:\d{1,2}\D*)?")
"""The key of a document without a number or date."""
SEMANTIC_FLOOR = 0.75
_COMMON_DOCUMENT_SHARE, _COMMON_DOCUMENTS = 0.2, 50
_MAX_DOCUMENT_PAIRS = 5_000_000
_IDF_UNIT = 1 << 20
_VECTOR_UNIT = 2896
"""2^11.5: products of two unit vectors of such integers stay below 2^24."""


def shared_edges(
    documents: Sequence[Document], places: Places, type_: RelationType, /, *, least: int
) -> pa.Table:
    """Return edges between documents that share at least *least* of the things in *places*.

    With ``idf = ln(1 + N / n) / ln(1 + N)`` for a thing in *n* of *N* documents, the weight is the
    sum over the shared things, divided by the geometric mean of both documents' sums over all their
    things. Things in more than a fifth of the documents (and more than 50) do not count, nor do
    places and concepts in more than a third of ten or more documents. A bare document title ("the
    Distributor Agreement") counts a quarter, because many documents have it. Each document keeps
    its 20 strongest edges, and those among the 20 strongest of the other.
    """
    total = len(documents)
    thing, document, chunk = _first_in_documents(places, total)
    spread = np.bincount(thing, minlength=len(places.things))
    informative = (spread <= max(_COMMON_DOCUMENTS, _COMMON_DOCUMENT_SHARE * total))[thing]
    if total >= _MANY:
        common = spread > total / 3
        is_topic = [t.startswith(("location:", "concept:")) for t in places.things]
        informative &= ~(common & np.array(is_topic, bool))[thing]
    bare = np.array([_BARE_TITLE.fullmatch(t) is not None for t in places.things], bool)
    thing, document, chunk = thing[informative], document[informative], chunk[informative]
    # Integers: the sum does not depend on order.
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
    rows = np.flatnonzero(np.isin(pair, chosen))
    rows = rows[np.lexsort((thing[first[rows]], spread[thing[first[rows]]], pair[rows]))]
    rows = rows[_place_in_group(pair[rows]) < EVIDENCE]
    ends = np.stack([chunk[first[rows]], chunk[second[rows]]], axis=1).ravel()
    of = np.searchsorted(chosen, np.repeat(pair[rows], 2))
    _, new = np.unique(of * max(1, len(places.chunks)) + ends, return_index=True)
    new.sort()
    new = new[_place_in_group(of[new]) < EVIDENCE]
    starts = np.searchsorted(of[new], np.arange(len(chosen) + 1))
    shown = lists(places.chunks, starts, ends[new])
    ids = [d.document_id for d in documents]
    named = ("document", type_)
    return _pair_table(named, ids, a[chosen], b[chosen], weight[chosen], count[chosen], shown)


def _place_in_group(group: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return each row's position in its group; *group* is ascending."""
    return np.arange(len(group)) - np.searchsorted(group, group)


def semantic_edges(documents: Sequence[Document], vectors: NDArray[np.float32], /) -> pa.Table:
    """Return edges between documents with a cosine of at least 0.75; zeros have no vector."""
    codes = np.rint(vectors.astype(np.float64) * _VECTOR_UNIT).astype(np.int16)
    rows = Rows.of(codes)
    nearest = Nearest(rows, k=PER_DOCUMENT, floor=SEMANTIC_FLOOR)
    nearest.compare_all(np.flatnonzero(rows.squares > 0))
    return _near_table(("document", "semantic"), [d.document_id for d in documents], nearest)


def _first_in_documents(
    places: Places, total: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the first chunk of each thing in each document, ordered by thing and document."""
    document = places.documents[places.chunk].astype(np.int64)
    # Places are in reading order, so the first of equal keys is the first place.
    key, first = np.unique(places.thing * max(1, total) + document, return_index=True)
    return key // max(1, total), key % max(1, total), places.chunk[first]


def _widest(spread: NDArray[np.int64]) -> int:
    """Return the largest number of documents of a thing for which the pairs can be counted."""
    sizes, times = np.unique(spread[spread >= 2], return_counts=True)
    pairs = np.cumsum(times * (sizes * (sizes - 1) // 2))
    fits = sizes[pairs <= _MAX_DOCUMENT_PAIRS]
    return int(fits[-1]) if len(fits) else 2
