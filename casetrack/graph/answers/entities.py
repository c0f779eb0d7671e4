"""Entities: which there are, where they are mentioned, and where together."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from casetrack.base.arguments import one_of, shown, within
from casetrack.base.errors import UsageError
from casetrack.base.records import Rows
from casetrack.base.records.graph import (
    COURT,
    ENTITY_KINDS,
    Edge,
    Encounter,
    Encounters,
    Entity,
    EntityGraph,
    EntityMentions,
    Mention,
)
from casetrack.base.records.marks import ENTITY_EDITS
from casetrack.graph.answers.lookup import match_entities
from casetrack.graph.answers.rows import ask, entity_of, quotes_of, total_of, up_to

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.base.records import Document
    from casetrack.graph.graph import ContextGraph

# The user's edits of entities in words: "You joined Bob Smith with it".


def edits_of(graph: ContextGraph, entity: Entity, /) -> tuple[str, ...]:
    """Return the edits that made an entity what it is, in sentences, the first one first."""
    if not entity.edited_by_user:
        return ()
    return tuple(
        f"{placed.mark.sentence(entity.entity_id)} ({placed.mark_id})."
        for placed in graph.marks
        if placed.state == "in force"
        and entity.entity_id in {placed.mark.entity_id, placed.mark.other_id}
        and placed.mark.kind in ENTITY_EDITS
    )


ENTITY_SORTS = ("mentions", "documents", "name")
_MATCHES = 5
_MOST = 500
_MOST_PLACES = 1000
_FAR = 4000

_Place = dict[str, Any]
"""A row of ``together.sql``."""


def entities(
    graph: ContextGraph,
    /,
    *,
    kind: str = "all",
    sort_by: str = "mentions",
    named: str | None = None,
    skip: int = 0,
    limit: int | None = 50,
) -> Rows[Entity]:
    """Return the entities of the collection.

    Parameters
    ----------
    kind
        One of ``ENTITY_KINDS``, ``court`` for the organisations that are one, or ``all``.
    sort_by
        ``mentions`` or ``documents``, most first and amounts of zero last, or ``name``.
    named
        Only those with this in their name or in another spelling, letter case aside.
    skip
        So many are left out at the start.
    limit
        1..500, or ``None`` for all.

    Raises
    ------
    UsageError
        An argument is not one of these.
    """
    one_of("kind", kind, ("all", *ENTITY_KINDS, COURT))
    one_of("sort_by", sort_by, ENTITY_SORTS)
    limit = up_to(limit, _MOST)
    asked = {"kind": kind, "sort_by": sort_by, "named": named, "skip": skip, "limit": limit}
    rows = ask(graph, "entities", **asked).to_pylist()
    return Rows(map(entity_of, rows), of=Entity, total=total_of(rows))


def find_entity(
    graph: ContextGraph, name: str, /, *, kind: str = "any", limit: int | None = 20
) -> EntityMentions:
    """Return where an entity is mentioned, spread over the documents.

    All places are there, also those of copies of a mail, which count once in the entity's counts.
    The most telling place of each document comes first: one that says what the entity is, then the
    fullest name. See :func:`casetrack.graph.answers.lookup.match_entities` for *name*, *kind* and
    the errors.
    """
    return _mentions(graph, name, kind, limit, spread=True)


def entity_mentions(
    graph: ContextGraph, name: str, /, *, kind: str = "any", limit: int | None = 20
) -> EntityMentions:
    """Return where an entity is mentioned, in reading order, document by document.

    Documents with most mentions come first. Arguments and errors as in :func:`find_entity`.
    """
    return _mentions(graph, name, kind, limit, spread=False)


def _mentions(
    graph: ContextGraph, name: str, kind: str, limit: int | None, *, spread: bool
) -> EntityMentions:
    limit = up_to(limit, _MOST_PLACES)
    matches = match_entities(graph, name, kind=kind, limit=_MATCHES)
    found, score = counted_once(graph, [e for e, _ in matches]), matches[0][1]
    entity, own = found[0], found[0].entity_id
    rows = ask(graph, "entity-places", entity_id=own, spread=spread, limit=limit).to_pylist()
    documents = ask(graph, "entity-documents", entity_id=own).to_pylist()
    return EntityMentions(
        query=shown(name),
        matches=found,
        score=score,
        total=total_of(rows),
        mentions=tuple(
            Mention(entity, quote, row["confidence"], row["found_by"])
            for row, quote in zip(rows, quotes_of(graph, rows), strict=True)
        ),
        documents=tuple((d["document_id"], d["name"], d["places"]) for d in documents),
        edits=edits_of(graph, entity),
    )


def counted_once(graph: ContextGraph, entities: Sequence[Entity], /) -> tuple[Entity, ...]:
    """Return entities with the counts that they have where the copies of a mail count as one.

    Who or what nothing but copies name keeps its counts.
    """
    rows = ask(graph, "entity-counts", entity_ids=[e.entity_id for e in entities]).to_pylist()
    counts = {row.pop("entity_id"): row for row in rows}
    return tuple(replace(e, **counts.get(e.entity_id, {})) for e in entities)


def document_entities(
    graph: ContextGraph, document: Document, /, *, limit: int | None = 10
) -> Rows[Entity]:
    """Return the people, organisations, places and concepts that a document mentions most.

    Names come before concepts; the counts of the entities are those of the whole collection.
    """
    limit = up_to(limit, _MOST)
    rows = ask(
        graph, "document-entities", document_id=document.document_id, limit=limit
    ).to_pylist()
    return Rows(map(entity_of, rows), of=Entity, total=total_of(rows))


def encounters(
    graph: ContextGraph, names: Sequence[str], /, *, limit: int | None = 20
) -> Encounters:
    """Return the passages that mention at least two of the entities named.

    Those with most of them come first, then those where they stand closest together. Who stands
    in the head of a mail (From, To, Cc) is together with all whom the mail mentions.

    Parameters
    ----------
    names
        Two to five names; each stands for the entity that fits it best.

    Raises
    ------
    EntityNotFound
        A name fits nothing.
    UsageError
        There are not two to five names, or two of them stand for the same entity.
    """
    limit = up_to(limit, _MOST_PLACES)
    if isinstance(names, str) or not 2 <= len(names) <= 5:
        count = 1 if isinstance(names, str) else len(names)
        hint = 'Give the names one by one, such as "Acme Corp" and "John Smith".'
        raise UsageError.of(("names",), f"needs 2 to 5 values, not {count}", hint=hint)
    fitting = [match_entities(graph, n, limit=1)[0][0] for n in names]
    asked = counted_once(graph, _distinct(names, fitting))
    meetings = _meetings(graph, [e.entity_id for e in asked])
    meetings.sort(key=lambda m: -m[0])
    chosen = meetings[:limit]
    quotes = iter(quotes_of(graph, [place for _, places, _ in chosen for place in places]))
    chunks = graph.chunks([places[0]["passage_id"] for _, places, _ in chosen])
    found = tuple(
        Encounter(
            chunk,
            tuple(place["entity_id"] for place in places),
            tuple(next(quotes) for _ in places),
            min(max(score, 0.0), 1.0),
            count,
        )
        for chunk, (score, places, count) in zip(chunks, chosen, strict=True)
    )
    return Encounters(asked, len(meetings), found)


def _distinct(names: Sequence[str], found: Sequence[Entity]) -> tuple[Entity, ...]:
    seen: dict[str, str] = {}
    for name, entity in zip(names, found, strict=True):
        if entity.entity_id in seen:
            raise UsageError(
                f'"{shown(seen[entity.entity_id])}" and "{shown(name)}" both stand for '
                f"{entity.name} ({entity.kind}).",
                hint="Name different people, organisations or things.",
            )
        seen[entity.entity_id] = name
    return tuple(found)


def _meetings(graph: ContextGraph, ids: Sequence[str]) -> list[tuple[float, list[_Place], int]]:
    """Return of every passage with two of them, in reading order: score, nearest places, count."""
    rows = ask(graph, "together", entity_ids=ids).to_pylist()
    meetings = []
    for _, group in groupby(rows, key=lambda row: row["passage_id"]):
        places = list(group)
        owners = {place["entity_id"] for place in places}
        closest = _closest(places, len(owners))
        score = len(owners) / len(ids) - min(_width(closest), _FAR) / (10 * _FAR)
        meetings.append((score, closest, len(places)))
    return meetings


def _closest(places: Sequence[_Place], owners: int) -> list[_Place]:
    """Return one place of each owner, those that stand closest together, in reading order.

    *places* are in reading order; of each beginning the last place of every owner so far is tried.
    """
    last: dict[str, _Place] = {}
    best: list[_Place] = []
    for place in places:
        last.pop(place["entity_id"], None)
        last[place["entity_id"]] = place
        if len(last) == owners and (not best or _width(list(last.values())) < _width(best)):
            best = list(last.values())
    return best


def _width(places: Sequence[_Place]) -> int:
    """Return how far places stand apart, in characters; what stands in several chunks is far."""
    if len({place["chunk_id"] for place in places}) > 1:
        return _FAR
    return int(max(p["char_end"] for p in places) - min(p["char_start"] for p in places))


# Entities and what connects them: around one of them, or the best connected ones.

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
