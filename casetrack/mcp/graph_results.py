"""Answers of the graph as structured results: bounded, with ids for what did not fit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from casetrack.mcp.outputs import QUOTED
from casetrack.mcp.results import passage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.mcp import outputs
    from casetrack.records import Chunk, Document
    from casetrack.records.graph import (
        Changes,
        Cluster,
        Comparison,
        Edge,
        Encounter,
        Entity,
        EntityGraph,
        Event,
        KeyActor,
        Quote,
        Reference,
        RelatedDocument,
        Relation,
        SimilarChunk,
        Topic,
    )

BUDGET = 45_000
"""Characters of JSON that the entries of a list may take: about 15,000 tokens.

What follows them in short stays below 5,000 tokens, so an answer stays below 20,000.
"""
MOST = 100
"""The greatest ``top_k`` of tools that return quotes."""
ALIASES = 8
NAMED = 12


def fit(entries: Sequence[Mapping[str, Any]], budget: int = BUDGET, /) -> int:
    """Return how many of *entries*, from the first on, fit in *budget* characters of JSON.

    The first one always counts: an answer without any would say nothing.
    """
    used = 0
    for count, entry in enumerate(entries):
        used += length(entry)
        if used > budget and count:
            return count
    return len(entries)


def length(value: object, /) -> int:
    """Return how many characters *value* takes as JSON."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def more(missing: int, what: str, asked: int, /) -> str | None:
    """Return how to get what was not asked for: with a greater number, else with a search."""
    if missing <= 0:
        return None
    way = "raise top_k" if asked < MOST else "use search_documents with document_filter"
    return f"... {missing:,} more {what}: {way}."


def quote(item: Quote, /) -> outputs.Quote:
    """Return words of a document with their source."""
    facts: outputs.Quote = item.as_dict()  # type: ignore[assignment]
    return facts


def pointer(item: Quote | Chunk, /) -> outputs.Pointer:
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


def entity(item: Entity, /) -> outputs.Entity:
    """Return an entity with its most frequent spellings."""
    facts: outputs.Entity = item.as_dict()  # type: ignore[assignment]
    facts["aliases"] = facts["aliases"][:ALIASES]
    return facts


def entity_name(item: Entity, /) -> outputs.EntityName:
    """Return an entity in short."""
    return {
        "entity_id": item.entity_id,
        "kind": item.kind,
        "name": item.name,
        "mention_count": item.mention_count,
        "document_count": item.document_count,
    }


def entity_short(item: Entity, /) -> outputs.EntityShort:
    """Return an entity in a list of many."""
    return {"kind": item.kind, "name": item.name, "mention_count": item.mention_count}


def reference(item: Reference, /) -> outputs.Reference:
    """Return a reference."""
    facts: outputs.Reference = item.as_dict()  # type: ignore[assignment]
    return facts


def encounter(item: Encounter, /) -> outputs.Encounter:
    """Return a passage with the places of the names in it."""
    return {
        **passage(item.chunk),
        "entities": list(item.entities),
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


def nodes(graph: EntityGraph, /) -> list[outputs.Node]:
    """Return the entities of a graph with their distances from its centre."""
    steps = graph.distances or (None,) * len(graph.nodes)
    return [
        {**entity_name(item), "role": item.role, "distance": away}
        for item, away in zip(graph.nodes, steps, strict=True)
    ]


def edges(graph: EntityGraph, /, budget: int) -> list[outputs.Edge]:
    """Return the strongest connections of a graph, with a quote for as many as fit."""
    names = {node.entity_id: node.name for node in graph.nodes}
    found = [_edge(each, names) for each in graph.edges]
    quoted = fit(found, budget // 3 * 2)
    bare: list[outputs.Edge] = [{**each, "evidence": None} for each in found[quoted:]]
    return found[:quoted] + bare[: fit(bare, budget // 3)] if bare else found


def _edge(item: Edge, names: Mapping[str, str]) -> outputs.Edge:
    return {
        "source": item.source,
        "target": item.target,
        "source_name": names.get(item.source, item.source),
        "target_name": names.get(item.target, item.target),
        "type": item.type,
        "weight": round(item.weight, 4),
        "count": item.count,
        "chunk_ids": list(item.evidence[:3]),
        "evidence": quote(item.quote) if item.quote else None,
    }


# --- a collection as a whole ----------------------------------------------------------------


def actor(item: KeyActor, /) -> outputs.KeyActor:
    """Return somebody who matters, with the place that says who it is."""
    return {**entity(item.entity), "evidence": quote(item.quote) if item.quote else None}


def weightiest(events: Sequence[Event], /) -> list[Event]:
    """Return as many events as fit, the weightiest, in their order."""
    ranked = sorted(range(len(events)), key=lambda i: (-events[i].weight, i))
    kept = ranked[: fit([event(events[i]) for i in ranked])]
    return [events[i] for i in sorted(kept)]


def event(item: Event, /) -> outputs.Event:
    """Return an event with its source."""
    facts: outputs.Event = item.as_dict()  # type: ignore[assignment]
    return facts


def topic(item: Topic, /) -> outputs.Topic:
    """Return a topic with the documents that say most of it and one typical passage."""
    facts: outputs.Topic = item.as_dict()  # type: ignore[assignment]
    facts["document_ids"] = facts["document_ids"][:NAMED]
    facts["quotes"] = facts["quotes"][:1]
    return facts


def cluster(item: Cluster, /) -> outputs.Cluster:
    """Return a group with its most typical documents and one place that shows it."""
    return {
        "cluster_id": item.cluster_id,
        "label": item.label,
        "shared": list(item.shared[:NAMED]),
        "document_count": len(item.documents),
        "documents": [typed_name(d) for d in item.documents[:NAMED]],
        "quotes": [quote(q) for q in item.quotes[:1]],
    }


# --- documents side by side -----------------------------------------------------------------


def relation(item: Relation, /) -> outputs.Relation:
    """Return why two documents belong together, with one place that shows it."""
    facts: outputs.Relation = item.as_dict()  # type: ignore[assignment]
    facts["evidence"] = facts["evidence"][:1]
    return facts


def related(item: RelatedDocument, /, *, relations: int | None = None) -> outputs.RelatedDocument:
    """Return a related document, with the *relations* strongest of its relations or all."""
    return {
        **typed_name(item.document),
        "path": item.document.path,
        "weight": round(item.weight, 4),
        "relations": [relation(r) for r in item.relations[:relations]],
    }


def changes(found: Changes, /, budget: int) -> outputs.Changes:
    """Return the first changes, as many as fit, and how many there are."""
    entries: list[outputs.Change] = [c.as_dict() for c in found.changes]  # type: ignore[misc]
    return {
        "before": document_name(found.before),
        "after": document_name(found.after),
        "unchanged_paragraphs": found.unchanged,
        "total": len(entries),
        "changes": entries[: fit(entries, budget)],
    }


def similar(item: SimilarChunk, /) -> outputs.SimilarPassage:
    """Return a passage with its similarity to another one."""
    return {**passage(item.chunk), "similarity": round(item.similarity, 4)}


def nearest(chunks: Sequence[Chunk], direction: str, /) -> tuple[list[Chunk], str | None]:
    """Return as many chunks of a way through a document as fit, and how to read on.

    Those nearest to the start of the way are kept.
    """
    ordered = list(chunks) if direction == "forward" else list(reversed(chunks))
    shown = fit([passage(c) for c in ordered])
    kept, cut = ordered[:shown], ordered[shown:]
    more = _read_on(kept, cut, direction)
    return (kept if direction == "forward" else kept[::-1]), more


def _read_on(kept: Sequence[Chunk], cut: Sequence[Chunk], direction: str) -> str:
    way = f"traverse_chunks, {direction}, from start_chunk_id"
    if cut:
        return f"Too long for one answer; go on with {way} {cut[0].chunk_id}."
    last = kept[-1]
    if last.provenance.chunk_index == (last.chunk_count - 1 if direction == "forward" else 0):
        return f"This is the {'end' if direction == 'forward' else 'beginning'} of the document."
    return f"Go on with {way} {last.chunk_id}; that chunk then comes first again."


def comparison(found: Comparison, collection: str, /) -> outputs.ComparisonOutput:
    """Return two documents side by side: half of the space for each, changes after them."""
    sides = [
        _side(found.document_a, found.passages_a, BUDGET * 2 // 5),
        _side(found.document_b, found.passages_b, BUDGET * 2 // 5),
    ]
    changed = changes(found.changes, BUDGET // 5) if found.changes else None
    cut = changed is not None and len(changed["changes"]) < changed["total"]
    return {
        "collection": collection,
        "notice": QUOTED,
        "topic": found.topic,
        "document_a": sides[0],
        "document_b": sides[1],
        "shared_entities": [entity_name(e) for e in found.shared_entities[:NAMED]],
        "only_a": [entity_name(e) for e in found.only_a[:NAMED]],
        "only_b": [entity_name(e) for e in found.only_b[:NAMED]],
        "shared_references": [reference(r) for r in found.shared_references[:NAMED]],
        "similarity": None if found.similarity is None else round(found.similarity, 4),
        "changes": changed,
        "notes": list(found.notes),
        "more": "Not all changes are shown: compare on a narrower topic." if cut else None,
    }


def _side(document: Document, passages: Sequence[tuple[Chunk, float]], budget: int) -> outputs.Side:
    entries: list[outputs.ScoredPassage] = [
        {**passage(chunk), "score": round(score, 6)} for chunk, score in passages
    ]
    shown = fit(entries, budget)
    return {
        **document_name(document),
        "passages": entries[:shown],
        "further": [pointer(chunk) for chunk, _ in passages[shown:]],
    }
