"""Edges between chunks: those that mean nearly the same, and those that name one rare thing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from casetrack.base.records.graph import NAME_KINDS
from casetrack.graph.relations.edges import edge_table, lists, taken
from casetrack.graph.relations.places import (
    EXTERNAL_TYPES,
    Places,
    cited,
    distinct,
    mentioned,
    pairs_within,
    strongest,
    together,
)

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from casetrack.graph.relations.neighbours import Neighbours
    from casetrack.graph.state_tables import StateTables

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
