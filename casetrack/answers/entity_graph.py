"""Entities and what connects them: around one of them, or the best connected ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from casetrack.answers.lookup import match_entities
from casetrack.answers.places import places_of
from casetrack.answers.rows import (
    among,
    codes_of,
    counted,
    document_ranks,
    entities_by_id,
    numbers,
    within,
)
from casetrack.graph.relations.places import CONCEPT_KINDS
from casetrack.records.graph import Edge, EntityGraph

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from casetrack.answers.places import Place
    from casetrack.graph.graph import ContextGraph
    from casetrack.records.graph import Entity

_MOST_DEPTH = 4
_MOST_NODES = 100
_EDGES_PER_NODE = 4
_WIDEST = 240
_INTEREST = {"concept": 0.5, "date": 0.3, "amount": 0.3}


@dataclass(frozen=True, slots=True, eq=False)
class _Network:
    """Undirected edges by node numbers: *ends* int64 [edges, 2], *weights* float64 [edges]."""

    ids: list[str]
    ends: NDArray[np.int64]
    weights: NDArray[np.float64]


def entity_graph(
    source: ContextGraph, name: str | None = None, /, *, depth: int = 2, limit: int = 20
) -> EntityGraph:
    """Return entities that are mentioned together, and how strongly they are connected.

    Around a centre those with the strongest chain to it are kept: a chain is as strong as the
    product of its weights. Without a centre those are kept whose links tell most, all together: a
    link tells more the more passages and documents it stands in, and less where these name many
    others as well, as a list does; see :func:`_best_connected`. People, organisations and places go
    before concepts.

    Parameters
    ----------
    name
        The entity in the middle, see :func:`casetrack.answers.lookup.match_entities`.
    depth
        Longest chain from the centre, 1..4 steps; without a centre it means nothing.
    limit
        Most nodes, 1..100, the centre among them.

    Raises
    ------
    EntityNotFound
        *name* fits nothing.
    UsageError
        *depth* or *limit* is out of range.
    """
    within("depth", depth, 1, _MOST_DEPTH)
    within("limit", limit, 1, _MOST_NODES)
    table = among(source.edges("entity"), "type", ["co_occurrence"])
    network = _network(table)
    center = match_entities(source, name, limit=1)[0][0] if name is not None else None
    if center is None:
        nodes, distances = _best_connected(source, table, network, limit), list[int]()
    else:
        nodes, distances = _around(network, center.entity_id, depth, limit)
    known = entities_by_id(source, nodes)
    edges = _edges_among(table, nodes, len(nodes) * _EDGES_PER_NODE)
    return EntityGraph(
        collection=source.info.name,
        center=center,
        nodes=tuple(known[n] for n in nodes if n in known),
        distances=tuple(d for n, d in zip(nodes, distances, strict=False) if n in known),
        edges=_quoted(source, edges, known),
    )


def _network(table: pa.Table) -> _Network:
    import pyarrow as pa

    count = table.num_rows
    both = pa.table(
        {"id": pa.concat_arrays([*table["source_id"].chunks, *table["target_id"].chunks])}
        if count
        else {"id": pa.array([], pa.string())}
    )
    codes, ids = codes_of(both, "id")
    weights = np.asarray(table["weight"].to_numpy(), dtype=np.float64)
    return _Network(ids, np.stack([codes[:count], codes[count:]], axis=1), weights)


def _best_connected(
    source: ContextGraph, table: pa.Table, network: _Network, limit: int
) -> list[str]:
    """Return the nodes whose links tell most; a concept counts less, and so do links to one."""
    interest = _interest(network.ids)
    tells = _telling(source, table) * network.weights * interest[network.ends].prod(axis=1)
    degree = np.zeros(len(network.ids))
    for side in (0, 1):
        np.add.at(degree, network.ends[:, side], tells)
    degree *= interest
    order = sorted(range(len(degree)), key=lambda i: (-degree[i], network.ids[i]))
    return [network.ids[i] for i in order[:limit]]


def _telling(source: ContextGraph, table: pa.Table) -> NDArray[np.float64]:
    """Return how much each link tells by where it stands, float64 [edges].

    A passage that names *k* things gives each of its links ``1 / (k - 1)``, so that a list makes
    nobody well connected (Newman 2001, Scientific collaboration networks II, for authors of
    papers). What all passages give is damped by a logarithm, and so is the number of documents;
    both are those of the passages that are kept as evidence.
    """
    evidence = table["evidence"].combine_chunks()
    edge = np.asarray(pc.list_parent_indices(evidence))
    chunks = pc.list_flatten(evidence)
    named = _named_in(source, chunks.unique())
    row = np.asarray(pc.index_in(chunks, value_set=named["chunk_id"].combine_chunks()))
    share = 1 / np.maximum(numbers(named, "names")[row] - 1, 1)
    shown = np.bincount(edge, minlength=table.num_rows)
    mean = np.bincount(edge, share, minlength=table.num_rows) / np.maximum(shown, 1)
    codes, ids = codes_of(named, "document_id")
    width = max(1, len(ids))
    met = np.unique(edge * width + codes[row]) // width
    documents = np.maximum(np.bincount(met, minlength=table.num_rows), 1)
    told: NDArray[np.float64] = np.log1p(numbers(table, "count") * mean) * (1 + np.log(documents))
    return told


def _named_in(source: ContextGraph, chunks: pa.Array) -> pa.Table:
    """Return ``chunk_id``, ``document_id`` and how many different ``names`` each of *chunks* has.

    Counted is what connects; every chunk of an edge has two or more.
    """
    mentions = counted(source.table("mentions"))
    mentions = mentions.filter(pc.is_in(mentions["chunk_id"], value_set=chunks))
    grouped = among(mentions, "kind", CONCEPT_KINDS).group_by(["chunk_id", "document_id"])
    found = grouped.aggregate([("entity_id", "count_distinct")])
    return found.rename_columns(["chunk_id", "document_id", "names"])


def _interest(ids: Sequence[str]) -> NDArray[np.float64]:
    """Return how much of interest each node is: names first, then concepts, dates and amounts."""
    return np.array([_INTEREST.get(i.partition(":")[0], 1.0) for i in ids])


def _around(network: _Network, center: str, depth: int, limit: int) -> tuple[list[str], list[int]]:
    """Return the nodes with the strongest chains from the centre, nearest first."""
    if center not in network.ids:
        return [center], [0]
    start = network.ids.index(center)
    strength = np.zeros(len(network.ids))
    distance = np.full(len(network.ids), -1)
    strength[start], distance[start] = 1.0, 0
    for step in range(1, depth + 1):
        reached = strength.copy()
        for here, there in ((0, 1), (1, 0)):
            carried = strength[network.ends[:, here]] * network.weights
            np.maximum.at(reached, network.ends[:, there], carried)
        distance[(distance < 0) & (reached > 0)] = step
        strength = reached
    found = np.flatnonzero(strength > 0)
    ids = network.ids
    strength = strength * _interest(ids)
    kept = sorted(found, key=lambda i: (-strength[i], distance[i], ids[i]))[:limit]
    kept = sorted(kept, key=lambda i: (distance[i], -strength[i], ids[i]))
    return [ids[i] for i in kept], [int(distance[i]) for i in kept]


def _edges_among(table: pa.Table, nodes: Sequence[str], limit: int) -> tuple[Edge, ...]:
    """Return the strongest connections between the nodes, and the strongest one of each node."""
    inner = among(among(table, "source_id", nodes), "target_id", nodes) if nodes else table[:0]
    keys = [
        ("weight", "descending"),
        ("count", "descending"),
        ("source_id", "ascending"),
        ("target_id", "ascending"),
    ]
    seen: set[str] = set()
    edges: list[Edge] = []
    for row in inner.take(pc.sort_indices(inner, sort_keys=keys)).to_pylist():
        ends = {row["source_id"], row["target_id"]}
        if len(edges) < limit or ends - seen:
            edges.append(edge_of(row))
        seen |= ends
    return tuple(edges)


def edge_of(row: Mapping[str, object], /) -> Edge:
    """Return a row of ``edges`` as its record."""
    evidence = row["evidence"]
    return Edge(
        source=str(row["source_id"]),
        target=str(row["target_id"]),
        type=str(row["type"]),
        weight=float(row["weight"]),  # type: ignore[arg-type]
        count=int(row["count"]),  # type: ignore[call-overload]
        evidence=tuple(evidence) if isinstance(evidence, list) else (),
    )


def _quoted(
    source: ContextGraph, edges: Sequence[Edge], known: Mapping[str, Entity]
) -> tuple[Edge, ...]:
    """Return the edges with words of their first passages that mention both ends."""
    wanted = {edge.evidence[0] for edge in edges if edge.evidence}
    if not wanted:
        return tuple(edges)
    table = among(among(source.table("mentions"), "chunk_id", list(wanted)), "entity_id", known)
    owners = table["entity_id"].to_pylist()
    places: dict[str, list[Place]] = {}
    for place in places_of(table, document_ranks(source)):
        places.setdefault(place.chunk_id, []).append(place)
    spans: dict[int, tuple[str, int, int]] = {}
    for number, edge in enumerate(edges):
        ends, chunk_id = {edge.source, edge.target}, next(iter(edge.evidence), "")
        group = [p for p in places.get(chunk_id, ()) if owners[p.row] in ends]
        if group:
            spans[number] = (chunk_id, *_joint(group, owners))
    quotes = dict(zip(spans, source.quotes(list(spans.values())), strict=True))
    return tuple(replace(edge, quote=quotes.get(n)) for n, edge in enumerate(edges))


def _joint(places: Sequence[Place], owners: Sequence[str]) -> tuple[int, int]:
    """Return the shortest stretch with both, or the first place where that is too long."""
    pairs = [
        (min(a.start, b.start), max(a.end, b.end))
        for a, b in pairwise(places)
        if owners[a.row] != owners[b.row]
    ]
    start, end = min(pairs, key=lambda s: (s[1] - s[0], s), default=(0, _WIDEST + 1))
    if end - start > _WIDEST:
        return places[0].start, places[0].end
    return start, end


__all__ = ["edge_of", "entity_graph"]
