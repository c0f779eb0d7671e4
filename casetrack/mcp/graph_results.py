"""Answers of the graph as structured results, entry by entry, without unbounded texts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from casetrack.mcp import budget
from casetrack.mcp.results import bounded_chunk, bounded_source, cut, passage, short_passage
from casetrack.mcp.shorter import NAME_CHARS, few, short_quote, widened

if TYPE_CHECKING:
    from collections.abc import Mapping

    from casetrack.mcp import outputs
    from casetrack.records import Chunk, Document
    from casetrack.records.graph import (
        Citation,
        Cluster,
        Edge,
        Encounter,
        Entity,
        EntityGraph,
        Event,
        KeyActor,
        Mention,
        Quote,
        Reference,
        RelatedDocument,
        Relation,
        Topic,
    )

LISTED = 500
"""Entities, references and related documents that the library returns at most."""
PLACES = 1000
"""Mentions, citations, passages and events that the library returns at most."""
ALIASES = 8
NAMED = 12
_AROUND_NAMES = 60


def quote(item: Quote, /, *, concise: bool = False) -> outputs.Quote:
    """Return words of a document with their source, and with less around them where *concise*."""
    item = replace(item, provenance=bounded_source(item.provenance))
    shown: Any = short_quote(item) if concise else item
    facts: outputs.Quote = shown.as_dict()
    return facts


def pointer(item: Chunk, /) -> outputs.Pointer:
    """Return where a passage stands, and the id to ask for it by."""
    return {"chunk_id": item.chunk_id, "citation": item.citation}


def document_name(document: Document, /) -> outputs.DocumentName:
    """Return a document's name and id."""
    return {"document_id": document.document_id, "document": document.name}


def typed_name(document: Document, /) -> outputs.TypedDocumentName:
    """Return a document's name, id and kind."""
    return {
        "document_id": document.document_id,
        "document": document.name,
        "document_type": document.document_type,
    }


# --- entities and references ----------------------------------------------------------------


def entity(item: Entity, /, *, aliases: int = ALIASES) -> outputs.Entity:
    """Return an entity with its most frequent spellings."""
    facts: outputs.Entity = item.as_dict()  # type: ignore[assignment]
    facts["name"] = cut(item.name, NAME_CHARS)
    facts["entity_id"] = cut(item.entity_id, NAME_CHARS)
    facts["role"] = item.role and cut(item.role, NAME_CHARS)
    facts["aliases"] = [cut(alias, NAME_CHARS) for alias in item.aliases[:aliases]]
    return facts


def entity_name(item: Entity, /) -> outputs.EntityName:
    """Return an entity in short."""
    return {
        "entity_id": cut(item.entity_id, NAME_CHARS),
        "kind": item.kind,
        "name": cut(item.name, NAME_CHARS),
        "mention_count": item.mention_count,
        "document_count": item.document_count,
    }


def reference(item: Reference, /) -> outputs.Reference:
    """Return a reference; an address on the web may be long."""
    facts: outputs.Reference = item.as_dict()  # type: ignore[assignment]
    facts["reference_id"] = cut(item.reference_id, NAME_CHARS)
    facts["name"] = cut(item.name, NAME_CHARS)
    return facts


def mention(item: Mention, /, *, concise: bool = False) -> outputs.Mention:
    """Return a place that mentions an entity."""
    return {**quote(item.quote, concise=concise), "confidence": round(item.confidence, 4)}


def citation(item: Citation, /, *, concise: bool = False) -> outputs.Citation:
    """Return a place that refers to something."""
    return {
        **quote(item.quote, concise=concise),
        "relationship": item.relationship,
        "confidence": round(item.confidence, 4),
    }


def encounter(
    item: Encounter, collection_id: str, /, *, concise: bool = False
) -> outputs.Encounter | outputs.ShortEncounter:
    """Return a passage with the places of the names in it; *concise* quotes just these."""
    chunk = bounded_chunk(item.chunk)
    facts: Any = {
        "entities": [cut(i, NAME_CHARS) for i in item.entities],
        "places": [
            {
                "text": q.text,
                "chunk_char_start": q.char_start,
                "chunk_char_end": q.char_end,
                "citation": q.citation,
            }
            for q in item.quotes
        ],
        "score": round(item.score, 4),
    }
    found: Any
    if concise:
        found = {**short_passage(chunk, span_of(item), collection_id), **facts}
    else:
        found = {**passage(chunk, collection_id), **facts}
    shown: outputs.Encounter | outputs.ShortEncounter = found
    return shown


def span_of(item: Encounter, /) -> tuple[int, int]:
    """Return the part of a passage that holds the names in it, with a few words around them."""
    start = min((q.char_start for q in item.quotes), default=0)
    end = max((q.char_end for q in item.quotes), default=0)
    return widened(item.chunk.text, start, end, _AROUND_NAMES)


def nodes(graph: EntityGraph, /, room: int) -> list[outputs.Node]:
    """Return the first entities of a graph with their distances from its centre."""
    steps = graph.distances or (None,) * len(graph.nodes)

    def node(pair: tuple[Entity, int | None]) -> outputs.Node:
        item, away = pair
        role = item.role and cut(item.role, NAME_CHARS)
        return {**entity_name(item), "role": role, "distance": away}

    return budget.page_of(list(zip(graph.nodes, steps, strict=True)), node, room=room)[0]


def edges(graph: EntityGraph, /, room: int) -> list[outputs.Edge]:
    """Return the strongest connections of a graph, with a quote for as many as fit."""
    names = {node.entity_id: cut(node.name, NAME_CHARS) for node in graph.nodes}

    def full(item: Edge) -> outputs.Edge:
        return _edge(item, names, quote(item.quote) if item.quote else None)

    def bare(item: Edge) -> outputs.Edge:
        return _edge(item, names, None)

    found, after = budget.page_of(graph.edges, full, room=room // 3 * 2)
    if after is not None:
        found += budget.page_of(graph.edges, bare, offset=after, room=room // 3)[0]
    return found


def _edge(item: Edge, names: Mapping[str, str], evidence: outputs.Quote | None) -> outputs.Edge:
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


def actor(item: KeyActor, /, *, concise: bool = False) -> outputs.KeyActor:
    """Return somebody who matters, with the place that says who it is unless *concise*."""
    shown = quote(item.quote) if item.quote and not concise else None
    return {**entity(item.entity, aliases=2 if concise else ALIASES), "evidence": shown}


def event(item: Event, /, *, concise: bool = False) -> outputs.Event:
    """Return an event with its source."""
    facts: outputs.Event = item.as_dict()  # type: ignore[assignment]
    return {**facts, **quote(item.quote, concise=concise)}


def topic(item: Topic, /, *, concise: bool = False) -> outputs.Topic:
    """Return a topic with the documents that say most of it and one typical passage."""
    facts: outputs.Topic = item.as_dict()  # type: ignore[assignment]
    facts["terms"] = few(item.terms, most=NAMED)
    facts["document_ids"] = facts["document_ids"][: 3 if concise else NAMED]
    facts["quotes"] = [quote(q, concise=concise) for q in item.quotes[:1]]
    return facts


def cluster(item: Cluster, /) -> outputs.Cluster:
    """Return a group with its most typical documents and one place that shows it."""
    return {
        "cluster_id": item.cluster_id,
        "label": cut(item.label, NAME_CHARS),
        "shared": few(item.shared, most=NAMED),
        "document_count": len(item.documents),
        "documents": [typed_name(d) for d in item.documents[:NAMED]],
        "quotes": [quote(q) for q in item.quotes[:1]],
    }


# --- documents side by side -----------------------------------------------------------------


def relation(item: Relation, /) -> outputs.Relation:
    """Return why two documents belong together, with one place that shows it."""
    facts: outputs.Relation = item.as_dict()  # type: ignore[assignment]
    facts["description"] = cut(item.description, 2 * NAME_CHARS)
    facts["evidence"] = [quote(q) for q in item.quotes[:1]]
    return facts


def related(item: RelatedDocument, /, *, relations: int | None = None) -> outputs.RelatedDocument:
    """Return a related document, with the *relations* strongest of its relations or all."""
    return {
        **typed_name(item.document),
        "path": item.document.path,
        "weight": round(item.weight, 4),
        "relations": [relation(r) for r in item.relations[:relations]],
    }
