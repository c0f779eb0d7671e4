"""Entities: lists, mentions, and passages that mention several."""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby, product
from typing import TYPE_CHECKING, Any

from casetrack.base.addresses import correspondents
from casetrack.base.arguments import one_of, shown, within
from casetrack.base.errors import UsageError
from casetrack.base.records import Rows
from casetrack.base.records.graph import (
    COURT,
    ENTITY_KINDS,
    Correspondence,
    Edge,
    Encounter,
    Encounters,
    Entity,
    EntityGraph,
    EntityMentions,
    LikelySame,
    Mention,
    StatedRole,
)
from casetrack.base.records.marks import ENTITY_EDITS
from casetrack.graph.answers.lookup import match_entities
from casetrack.graph.answers.rows import ask, entity_of, quotes_of, total_of, up_to

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.base.records import Document
    from casetrack.graph.graph import ContextGraph

# The user's edits of entities as sentences: "You joined Bob Smith with it".


def edits_of(graph: ContextGraph, entity: Entity, /) -> tuple[str, ...]:
    """Return the user's edits of an entity as sentences, in the order they were made."""
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
_MATCHES, _EXCHANGES = 5, 20
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
    """Return the entities of the collection; see ``Collection.map.entities``."""
    one_of("kind", kind, ("all", *ENTITY_KINDS, COURT))
    one_of("sort_by", sort_by, ENTITY_SORTS)
    limit = up_to(limit, _MOST)
    asked = {"kind": kind, "sort_by": sort_by, "named": named, "skip": skip, "limit": limit}
    rows = ask(graph, "entities", **asked).to_pylist()
    return Rows(map(entity_of, rows), of=Entity, total=total_of(rows))


def entity_mentions(
    graph: ContextGraph,
    name: str,
    /,
    *,
    kind: str = "any",
    limit: int | None = 20,
    spread: bool = False,
) -> EntityMentions:
    """Return the mentions of an entity in reading order; documents with most mentions first.

    *spread* takes them from all documents: the most informative place of each comes first, one that
    states a role, then the fullest name. All places are returned, including those in copies of a
    mail, which the counts of the entity ignore. See
    :func:`casetrack.graph.answers.lookup.match_entities` for *name*, *kind* and the errors.
    """
    limit = up_to(limit, _MOST_PLACES)
    matches = match_entities(graph, name, kind=kind, limit=_MATCHES)
    entity, score = matches[0]
    own = entity.entity_id
    rows = ask(graph, "entity-places", entity_id=own, spread=spread, limit=limit).to_pylist()
    documents = ask(graph, "entity-documents", entity_id=own).to_pylist()
    return EntityMentions(
        query=shown(name),
        matches=tuple(e for e, _ in matches),
        score=score,
        total=total_of(rows),
        mentions=tuple(
            Mention(entity, quote, row["confidence"], row["found_by"])
            for row, quote in zip(rows, quotes_of(graph, rows), strict=True)
        ),
        documents=tuple((d["document_id"], d["name"], d["places"]) for d in documents),
        edits=edits_of(graph, entity),
        **(_card(graph, own) if entity.kind in {"person", "organization"} else {}),
    )


def _card(graph: ContextGraph, entity_id: str) -> dict[str, Any]:
    """Return roles, addresses and correspondence of a person or firm; ``None`` for none."""
    rows = ask(graph, "entity-roles", entity_id=entity_id, limit=_MATCHES).to_pylist()
    rows = [row | row.pop("place") for row in rows]
    placed = zip(rows, quotes_of(graph, rows), strict=True)
    roles = tuple(
        StatedRole(r["role"], r["since"], r["until"], r["document_count"], quote)
        for r, quote in placed
    )
    own = sorted(a for a, (owner, _) in graph.owners.items() if owner == entity_id)
    mails = correspondence(graph, limit=None) if own else ()
    exchanged = [e for e in mails if entity_id in {e.sender_id, e.recipient_id}]
    return {
        "roles": roles or None,
        "addresses": tuple(own) or None,
        "correspondence": tuple(exchanged[:_EXCHANGES]) or None,
    }


def correspondence(graph: ContextGraph, /, *, limit: int | None = 50) -> Rows[Correspondence]:
    """Return who sent mails to whom, how many and when, most mails first."""
    limit, names = up_to(limit, _MOST), dict(graph.owners.values())
    days: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for message in graph.mails.originals:
        ends = []
        for fields in (("from",), ("to", "cc")):
            people = correspondents("; ".join(message.head.get(f, "") for f in fields))
            known = {c.address.casefold(): c for c in people if c.address}
            ends.append({graph.owners.get(a, (a,))[0]: c.person for a, c in known.items()})
        for one, other in product(*ends):
            if one != other:
                days[one, other].append(f"{message.sent:%F}" if message.sent else "")
        for end, name in (*ends[0].items(), *ends[1].items()):
            if "@" in names.get(end, "@"):
                names[end] = name
    exchanges = [
        Correspondence(
            names[one],
            names[other],
            len(sent),
            since=min(filter(None, sent), default=None),
            until=max(sent) or None,
            sender_id=one,
            recipient_id=other,
        )
        for (one, other), sent in days.items()
    ]
    exchanges.sort(key=lambda e: (-e.mails, e.sender_id, e.recipient_id))
    return Rows(exchanges[:limit], of=Correspondence, total=len(exchanges))


def likely_same(graph: ContextGraph, /, *, limit: int | None = 50) -> Rows[LikelySame]:
    """Return names that are probably of the same person or firm, the most mentioned first."""
    found = ask(graph, "likely-same", limit=up_to(limit, _MOST))
    pairs = (LikelySame(**row) for row in found.drop_columns("total").to_pylist())
    return Rows(pairs, of=LikelySame, total=total_of(found.select(["total"]).to_pylist()))


def document_entities(
    graph: ContextGraph, document: Document, /, *, limit: int | None = 10
) -> Rows[Entity]:
    """Return the frequent names, then concepts, of a document; counts are of all documents."""
    limit = up_to(limit, _MOST)
    rows = ask(
        graph, "document-entities", document_id=document.document_id, limit=limit
    ).to_pylist()
    return Rows(map(entity_of, rows), of=Entity, total=total_of(rows))


def encounters(
    graph: ContextGraph, names: Sequence[str], /, *, limit: int | None = 20
) -> Encounters:
    """Return the passages that mention at least two of the named entities.

    Passages with most of the entities come first, then those with the smallest distance. An entity
    in the head of a mail (From, To, Cc) counts as near all entities that the mail mentions.
    Arguments and errors as in ``Collection.map.encounters``.
    """
    limit = up_to(limit, _MOST_PLACES)
    if isinstance(names, str) or not 2 <= len(names) <= 5:
        count = 1 if isinstance(names, str) else len(names)
        hint = 'Give separate names, such as "Acme Corp" and "John Smith".'
        raise UsageError.of(("names",), f"needs 2 to 5 values, not {count}", hint=hint)
    fitting = [match_entities(graph, n, limit=1)[0][0] for n in names]
    asked = _distinct(names, fitting)
    meetings = _meetings(graph, [e.entity_id for e in asked])
    meetings.sort(key=lambda m: -m[0])
    chosen = meetings[:limit]
    quotes = iter(quotes_of(graph, [place for _, places, _ in chosen for place in places]))
    chunks = graph.chunks([places[0]["passage_id"] for _, places, _ in chosen])
    passages = tuple(
        Encounter(
            chunk,
            tuple(place["entity_id"] for place in places),
            tuple(next(quotes) for _ in places),
            min(max(score, 0.0), 1.0),
            count,
        )
        for chunk, (score, places, count) in zip(chunks, chosen, strict=True)
    )
    return Encounters(asked, len(meetings), passages)


def _distinct(names: Sequence[str], matches: Sequence[Entity]) -> tuple[Entity, ...]:
    seen: dict[str, str] = {}
    for name, entity in zip(names, matches, strict=True):
        if entity.entity_id in seen:
            raise UsageError(
                f'"{shown(seen[entity.entity_id])}" and "{shown(name)}" both match '
                f"{entity.name} ({entity.kind}).",
                hint="Name different people, organisations or things.",
            )
        seen[entity.entity_id] = name
    return tuple(matches)


def _meetings(graph: ContextGraph, ids: Sequence[str]) -> list[tuple[float, list[_Place], int]]:
    """Return (score, nearest places, number of places) per passage with two or more entities."""
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
    """Return one place of each owner, with the smallest total distance, in reading order."""
    last: dict[str, _Place] = {}
    best: list[_Place] = []
    for place in places:
        last.pop(place["entity_id"], None)
        last[place["entity_id"]] = place
        if len(last) == owners and (not best or _width(list(last.values())) < _width(best)):
            best = list(last.values())
    return best


def _width(places: Sequence[_Place]) -> int:
    """Return the distance of places in characters; places in several chunks are far apart."""
    if len({place["chunk_id"] for place in places}) > 1:
        return _FAR
    return int(max(p["char_end"] for p in places) - min(p["char_start"] for p in places))


# Entities and their connections: around one entity, or the best connected ones.

_MOST_DEPTH = 4
_MOST_NODES = 100


def entity_graph(
    graph: ContextGraph, name: str | None = None, /, *, depth: int = 2, limit: int = 20
) -> EntityGraph:
    """Return entities that are mentioned together, and the strength of their connections.

    With a centre, the entities with the strongest chains to it are returned; the strength of a
    chain is the product of its weights. Without a centre, those with the strongest links in total:
    a link weighs more with more passages and documents, and less if these mention many other
    entities, as a list does. People, organisations and places come before concepts. Arguments and
    errors as in ``Collection.map.graph``.
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
    """Return the edges with a quote of the first passage that mentions both ends."""
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
