"""Answers of the graph as structured results, entry by entry, without unbounded texts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.api.quoting import part_of
from casetrack.base.records.passages import widened
from casetrack.faces.mcp import outputs, results
from casetrack.faces.mcp.outputs import ENTITY_NAME, NODE, PLACE, Facts
from casetrack.faces.mcp.results import (
    NAME_CHARS,
    bounded_chunk,
    bounded_source,
    few,
    list_budget,
    passage,
)
from casetrack.faces.mcp.texts import cut

if TYPE_CHECKING:
    from collections.abc import Mapping

    from casetrack.base.records.graph import (
        Edge,
        Encounter,
        Entity,
        EntityGraph,
        Event,
        KeyActor,
        Quote,
        Reference,
        Topic,
    )
    from casetrack.faces.mcp.concise import ResponseFormatter

PLACES = 1000
"""Highest number of mentions, citations, passages and events that the library returns."""
ALIASES = 8
SHOWN_NAMES = 12
_AROUND_NAMES = 60
_EVENT_CHARS = 180
_NODES_BUDGET = 8_000


def quote(item: Quote, /, *, concise: bool = False) -> Quote:
    """Return a quotation with a bounded source.

    If *concise*, the quotation includes its context, and the source covers all of it.
    """
    source = bounded_source(item.provenance)
    if concise:
        start = source.char_start - item.snippet_start
        source = replace(source, char_start=start, char_end=start + len(item.snippet))
    return replace(item, provenance=source)


# --- entities and references ----------------------------------------------------------------


def entity(item: Entity, /, *, aliases: int = ALIASES) -> Entity:
    """Return an entity without the ends of very long names, with its most frequent spellings."""
    return replace(
        item,
        entity_id=cut(item.entity_id, NAME_CHARS),
        name=cut(item.name, NAME_CHARS),
        role=item.role and cut(item.role, NAME_CHARS),
        aliases=tuple(cut(alias, NAME_CHARS) for alias in item.aliases[:aliases]),
    )


def entity_facts(item: Entity, /, *, aliases: int = ALIASES) -> Facts:
    """Return :func:`entity` as structure."""
    return entity(item, aliases=aliases).as_dict()


def entity_name(item: Entity, /) -> Facts:
    """Return an entity in short."""
    return ENTITY_NAME.of(entity(item))


def reference(item: Reference, /) -> Reference:
    """Return a reference; an address on the web may be long."""
    key, name = cut(item.reference_id, NAME_CHARS), cut(item.name, NAME_CHARS)
    return replace(item, reference_id=key, name=name)


def event(item: Event, /, formatter: ResponseFormatter) -> Event:
    """Return an event; a concise answer has of a long sentence the beginning."""
    description = cut(item.description, _EVENT_CHARS) if formatter.concise else item.description
    return replace(
        item, description=description, quote=quote(item.quote, concise=formatter.concise)
    )


def encounter(item: Encounter, collection_id: str, formatter: ResponseFormatter, /) -> Facts:
    """Return a passage with the places of the names in it; a concise answer quotes just these."""
    chunk = bounded_chunk(item.chunk)
    if formatter.concise:
        chunk = part_of(chunk, span_of(item))
    facts = passage(chunk, collection_id) | {
        "entities": [cut(i, NAME_CHARS) for i in item.entities],
        "places": [PLACE.of(q) for q in item.quotes],
        "score": round(item.score, 4),
        "mention_count": item.mention_count,
    }
    return formatter.entry(facts)


def span_of(item: Encounter, /) -> tuple[int, int]:
    """Return the part of a passage with the names in it and a few words of context."""
    # The header of an email is in another chunk than a late part of it.
    own = [q for q in item.quotes if q.chunk_id == item.chunk.chunk_id]
    start = min((q.char_start for q in own), default=0)
    end = max((q.char_end for q in own), default=0)
    return widened(item.chunk.text, start, end, _AROUND_NAMES)


def graph_facts(
    graph: EntityGraph, formatter: ResponseFormatter, collection: str, /
) -> tuple[EntityGraph, Facts]:
    """Return as much of a graph as fits, and its facts."""
    facts: Facts = {
        "center": entity_name(graph.center) if graph.center else None,
        "nodes": nodes(graph, _NODES_BUDGET, formatter),
    }
    budget = list_budget(facts | {"collection": collection, "notice": outputs.QUOTED}, formatter)
    shown = edges(graph, formatter, budget)
    omitted = len(graph.edges) - len(shown)
    facts |= {"edges": shown, "edges_omitted": omitted, "more": None}
    if omitted or len(facts["nodes"]) < len(graph.nodes):
        facts["more"] = (
            f"{omitted:,} weaker connections are left out: center the graph on one entity, or "
            "request fewer entities with top_k."
        )
    quoted = tuple(
        edge if told_edge.get("evidence") else replace(edge, quote=None)
        for edge, told_edge in zip(graph.edges, shown, strict=False)
    )
    count = len(facts["nodes"])
    few_nodes, distances = graph.nodes[:count], graph.distances[:count]
    return replace(graph, nodes=few_nodes, distances=distances, edges=quoted), facts


def nodes(graph: EntityGraph, /, budget: int, formatter: ResponseFormatter) -> list[Facts]:
    """Return the first entities of a graph with their distances from its centre."""
    steps = graph.distances or (None,) * len(graph.nodes)

    def node(pair: tuple[Entity, int | None]) -> Facts:
        return formatter.entry(NODE.of(entity(pair[0])) | {"distance": pair[1]})

    return results.page_of(list(zip(graph.nodes, steps, strict=True)), node, budget=budget)[0]


def edges(graph: EntityGraph, /, formatter: ResponseFormatter, budget: int) -> list[Facts]:
    """Return the strongest connections of a graph, with a quote for as many as fit."""
    names = {node.entity_id: cut(node.name, NAME_CHARS) for node in graph.nodes}

    def full(item: Edge) -> Facts:
        shown = quote(item.quote, concise=formatter.concise).as_dict() if item.quote else None
        return formatter.entry(_edge(item, names, shown))

    def bare(item: Edge) -> Facts:
        return formatter.entry(_edge(item, names, None))

    entries, after = results.page_of(graph.edges, full, budget=budget // 3 * 2)
    if after is not None:
        entries += results.page_of(graph.edges, bare, offset=after, budget=budget // 3)[0]
    return entries


def _edge(item: Edge, names: Mapping[str, str], evidence: Facts | None) -> Facts:
    return {
        "source": cut(item.source, NAME_CHARS),
        "target": cut(item.target, NAME_CHARS),
        "source_name": names.get(item.source, item.source),
        "target_name": names.get(item.target, item.target),
        "type": item.type,
        "weight": round(item.weight, 4),
        "count": item.count,
        "chunk_ids": list(item.evidence[:3]),
        "evidence": evidence,
    }


# --- a collection as a whole ----------------------------------------------------------------


def actor(item: KeyActor, /, formatter: ResponseFormatter) -> KeyActor:
    """Return a key actor with the place that names the role."""
    shown = item.quote and quote(item.quote, concise=formatter.concise)
    who = entity(item.entity, aliases=0 if formatter.concise else ALIASES)
    return replace(item, entity=who, quote=shown)


def topic(item: Topic, /, formatter: ResponseFormatter) -> Topic:
    """Return a topic with its main documents and one typical passage."""
    few_only = formatter.concise
    return replace(
        item,
        terms=() if few_only else tuple(few(item.terms, most=SHOWN_NAMES)),
        document_ids=item.document_ids[: 3 if few_only else SHOWN_NAMES],
        quotes=tuple(quote(q, concise=few_only) for q in item.quotes[:1]),
    )
