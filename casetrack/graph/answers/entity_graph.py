"""Entities and what connects them: around one of them, or the best connected ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.records.graph import Edge, EntityGraph
from casetrack.graph.answers.lookup import match_entities
from casetrack.graph.answers.rows import entity_of, within
from casetrack.graph.answers.statements import ask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from casetrack.graph.graph import ContextGraph

_MOST_DEPTH = 4
_MOST_NODES = 100


def entity_graph(
    graph: ContextGraph, name: str | None = None, /, *, depth: int = 2, limit: int = 20
) -> EntityGraph:
    """Return entities that are mentioned together, and how strongly they are connected.

    Around a centre those with the strongest chain to it are kept: a chain is as strong as the
    product of its weights. Without a centre those are kept whose links tell most, all together: a
    link tells more the more passages and documents it stands in, and less where these name many
    others as well, as a list does. People, organisations and places go before concepts.

    Parameters
    ----------
    name
        The entity in the middle, see :func:`casetrack.graph.answers.lookup.match_entities`.
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
    if name is None:
        center, rows = None, ask(graph, "graph-best-connected", limit=limit).to_pylist()
    else:
        center = match_entities(graph, name, limit=1)[0][0]
        rows = ask(
            graph, "graph-around", entity_id=center.entity_id, depth=depth, limit=limit
        ).to_pylist()
    edges = ask(graph, "graph-edges", entity_ids=[row["entity_id"] for row in rows]).to_pylist()
    return EntityGraph(
        collection=graph.info.name,
        center=center,
        nodes=tuple(map(entity_of, rows)),
        distances=() if center is None else tuple(row["distance"] for row in rows),
        edges=_edges(graph, edges),
    )


def _edges(graph: ContextGraph, rows: Sequence[Mapping[str, Any]]) -> tuple[Edge, ...]:
    """Return the edges with words of their first passages that mention both ends."""
    quoted = [row for row in rows if row["quote_start"] is not None]
    quotes = iter(
        graph.quotes([(r["evidence"][0], r["quote_start"], r["quote_end"]) for r in quoted])
    )
    return tuple(
        Edge(
            source=row["source_id"],
            target=row["target_id"],
            type=row["type"],
            weight=row["weight"],
            count=row["count"],
            evidence=tuple(row["evidence"]),
            quote=next(quotes) if row["quote_start"] is not None else None,
        )
        for row in rows
    )
