"""A collection at a glance: who, when, about what, which documents, what they rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.compute as pc

from casetrack.answers.places import Place, places_of, quotes_of
from casetrack.answers.references import references
from casetrack.answers.rows import among, counted, document_ranks, entity_of
from casetrack.answers.statistics import statistics
from casetrack.answers.timeline import timeline
from casetrack.answers.topics import topic_records
from casetrack.records.graph import CollectionSummary, KeyActor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.graph.graph import ContextGraph
    from casetrack.records import Document
    from casetrack.records.graph import Entity

_ACTORS = 10
_DATES = 12
_TOPICS = 8
_REFERENCES = 8
_ENTITIES = 10
_LOOKED_AT = 200
_SHOWN_KINDS = ("person", "organization", "location", "concept")


def summary(
    source: ContextGraph,
    /,
    *,
    storage_bytes: int,
    coverage: Mapping[str, float] | None = None,
    notes: Sequence[str] = (),
) -> CollectionSummary:
    """Return the collection at a glance; arguments as in :func:`.statistics.statistics`."""
    return CollectionSummary(
        collection=source.info.name,
        collection_type=source.info.type,
        key_actors=key_actors(source, limit=_ACTORS),
        key_dates=timeline(source, limit=_DATES).events,
        topics=topic_records(source, limit=_TOPICS),
        documents=documents_by_kind(source),
        references=references(source, limit=_REFERENCES),
        entities=_top_entities(source),
        version_chains=version_chains(source),
        statistics=statistics(source, storage_bytes=storage_bytes, coverage=coverage, notes=notes),
    )


def key_actors(source: ContextGraph, /, *, limit: int = _ACTORS) -> tuple[KeyActor, ...]:
    """Return the people and organisations that matter most: by mentions times documents.

    Each with the place that says what it is, or, where none does, its first one.
    """
    entities = _weightiest(source, ["person", "organization"], limit)
    places = _telling_places(source, entities)
    shown = [e.entity_id for e in entities if e.entity_id in places]
    quotes = dict(zip(shown, quotes_of(source, [places[i] for i in shown]), strict=True))
    return tuple(KeyActor(e, quotes.get(e.entity_id)) for e in entities)


def _telling_places(source: ContextGraph, entities: Sequence[Entity]) -> dict[str, Place]:
    """Return for each entity the surest place that says its role, or the first of its full name."""
    if not entities:
        return {}
    table = counted(among(source.table("mentions"), "entity_id", [e.entity_id for e in entities]))
    ranks = document_ranks(source)
    found = {}
    for entity in entities:
        own = among(table, "entity_id", [entity.entity_id])
        for column, value in (("role", entity.role), ("text", entity.name)):
            fitting = own.filter(pc.equal(own[column], value)) if value is not None else own[:0]
            if fitting.num_rows:
                # Surest first where words say what it is; a name in full is a name in full.
                own = fitting
                break
        places = places_of(own[:_LOOKED_AT], ranks)
        if places:
            by_role = entity.role is not None and column == "role"
            found[entity.entity_id] = (
                max(places, key=lambda p: p.confidence) if by_role else places[0]
            )
    return found


def documents_by_kind(source: ContextGraph, /) -> tuple[tuple[str, tuple[Document, ...]], ...]:
    """Return the documents by kind, the largest kind first, ``other`` last."""
    kinds: dict[str, list[Document]] = {}
    for document in source.documents:
        kinds.setdefault(document.document_type or "other", []).append(document)
    ordered = sorted(kinds, key=lambda k: (k == "other", -len(kinds[k]), k))
    return tuple((kind, tuple(kinds[kind])) for kind in ordered)


def _top_entities(source: ContextGraph) -> tuple[Entity, ...]:
    return _weightiest(source, _SHOWN_KINDS, _ENTITIES)


def _weightiest(source: ContextGraph, kinds: Sequence[str], limit: int) -> tuple[Entity, ...]:
    """Return the entities with most mentions times documents."""
    table = among(source.table("entities"), "kind", kinds)
    counts = (table[name].cast("int64") for name in ("mention_count", "document_count"))
    table = table.append_column("worth", pc.multiply(*counts))
    keys = [("worth", "descending"), ("mention_count", "descending"), ("entity_id", "ascending")]
    rows = table.take(pc.sort_indices(table, sort_keys=keys)[:limit]).to_pylist()
    return tuple(entity_of(row) for row in rows)


def version_chains(source: ContextGraph, /) -> tuple[tuple[Document, ...], ...]:
    """Return documents that are versions of each other, the oldest first, the longest chain first.

    A document comes after all that are earlier versions of it; equally early ones by name.
    """
    edges = among(source.edges("document"), "type", ["version"])
    known = {d.document_id: d for d in source.documents}
    earlier: dict[str, set[str]] = {}
    pairs = zip(edges["source_id"].to_pylist(), edges["target_id"].to_pylist(), strict=True)
    for old, new in pairs:
        earlier.setdefault(new, set()).add(old)
        earlier.setdefault(old, set())
    left = {i for i in earlier if i in known}
    chains = []
    while left:
        family = _family(min(left), earlier)
        left -= family
        chains.append(tuple(known[i] for i in _oldest_first(family & known.keys(), earlier, known)))
    found = [chain for chain in chains if len(chain) > 1]
    return tuple(sorted(found, key=lambda c: (-len(c), c[0].name, c[0].document_id)))


def _family(start: str, earlier: Mapping[str, set[str]]) -> set[str]:
    family, open_ = {start}, [start]
    while open_:
        at = open_.pop()
        near = earlier[at] | {new for new, old in earlier.items() if at in old}
        open_ += sorted(near - family)
        family |= near
    return family


def _oldest_first(
    family: set[str], earlier: Mapping[str, set[str]], known: Mapping[str, Document]
) -> list[str]:
    order: list[str] = []
    left = sorted(family, key=lambda i: (known[i].name, i))
    while left:
        # Where versions go round in a circle, the name decides.
        free = [i for i in left if not (earlier[i] & family) - set(order)] or left
        order.append(free[0])
        left.remove(free[0])
    return order
