"""Entities: which there are, where they are mentioned, and where together."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from casetrack.answers.lookup import match_entities
from casetrack.answers.places import by_document, places_of, quotes_of, spread
from casetrack.answers.rows import (
    among,
    counted,
    document_ranks,
    entities_by_id,
    entity_of,
    one_of,
    shown,
    up_to,
)
from casetrack.errors import UsageError
from casetrack.records import Rows
from casetrack.records.graph import (
    ENTITY_KINDS,
    NAME_KINDS,
    Encounter,
    Encounters,
    Entity,
    EntityMentions,
    Mention,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from casetrack.answers.places import Place
    from casetrack.graph.graph import ContextGraph
    from casetrack.records import Document

ENTITY_SORTS = ("mentions", "documents", "name")
_MATCHES = 5
_MOST = 500
_MOST_PLACES = 1000
_ZERO = r"^amount:[^°:]*:0$"
"""Sums and shares of nothing; zero degrees are a temperature like any other."""


def entities(
    source: ContextGraph, /, *, kind: str = "all", sort_by: str = "mentions", limit: int | None = 50
) -> Rows[Entity]:
    """Return the entities of the collection.

    Parameters
    ----------
    kind
        One of ``ENTITY_KINDS``, or ``all``.
    sort_by
        ``mentions`` or ``documents``, most first and amounts of zero last, or ``name``.
    limit
        1..500, or ``None`` for all.

    Raises
    ------
    UsageError
        An argument is not one of these.
    """
    one_of("entity_type", kind, ("all", *ENTITY_KINDS))
    one_of("sort_by", sort_by, ENTITY_SORTS)
    limit = up_to(limit, _MOST)
    table = source.table("entities")
    if kind != "all":
        table = among(table, "kind", [kind])
    rows = _ranked(table, sort_by, limit)
    return Rows(map(entity_of, rows), of=Entity, total=table.num_rows)


def _ranked(table: pa.Table, sort_by: str, limit: int) -> list[dict[str, object]]:
    """Return the first rows; amounts of zero, which say nothing, rank after all others."""
    if sort_by == "name":
        return in_order(table, sort_by, limit, "mention_count")
    is_zero = pc.match_substring_regex(table["entity_id"], _ZERO)
    rows = in_order(table.filter(pc.invert(is_zero)), sort_by, limit, "mention_count")
    return rows + in_order(table.filter(is_zero), sort_by, limit - len(rows), "mention_count")


def in_order(table: pa.Table, sort_by: str, limit: int, count: str, /) -> list[dict[str, object]]:
    """Return the first rows by *count*, by ``document_count`` or by name; names break ties."""
    if sort_by == "name":
        names = pc.utf8_lower(table["name"])
        order = pc.sort_indices(
            table.select(["name"]).append_column("folded", names),
            sort_keys=[("folded", "ascending"), ("name", "ascending")],
        )
    else:
        first, second = count, "document_count"
        if sort_by == "documents":
            first, second = second, first
        keys = [(first, "descending"), (second, "descending"), ("name", "ascending")]
        order = pc.sort_indices(table, sort_keys=keys)
    rows: list[dict[str, object]] = table.take(order[:limit]).to_pylist()
    return rows


def find_entity(
    source: ContextGraph, name: str, /, *, kind: str = "any", limit: int | None = 20
) -> EntityMentions:
    """Return where an entity is mentioned, spread over the documents.

    The most telling place of each document comes first: one that says what the entity is, then the
    fullest name. See :func:`casetrack.answers.lookup.match_entities` for *name*, *kind* and
    the errors.
    """
    limit = up_to(limit, _MOST_PLACES)
    matches, table, places = _mentioned(source, name, kind)
    roles, texts = table["role"].to_pylist(), table["text"].to_pylist()
    telling = {
        p.row: (roles[p.row] is not None) + min(len(texts[p.row]), 60) / 60 + p.confidence
        for p in places
    }
    return _mentions(source, name, matches, places, spread(places, telling, limit))


def entity_mentions(
    source: ContextGraph, name: str, /, *, kind: str = "any", limit: int | None = 20
) -> EntityMentions:
    """Return where an entity is mentioned, in reading order, document by document.

    Documents with most mentions come first. Arguments and errors as in :func:`find_entity`.
    """
    limit = up_to(limit, _MOST_PLACES)
    matches, _, places = _mentioned(source, name, kind)
    chosen = [place for group in by_document(places) for place in group][:limit]
    return _mentions(source, name, matches, places, chosen)


def _mentioned(
    source: ContextGraph, name: str, kind: str
) -> tuple[list[tuple[Entity, float]], pa.Table, list[Place]]:
    matches = match_entities(source, name, kind=kind, limit=_MATCHES)
    table = counted(among(source.table("mentions"), "entity_id", [matches[0][0].entity_id]))
    return matches, table, places_of(table, document_ranks(source))


def _mentions(
    source: ContextGraph,
    name: str,
    matches: Sequence[tuple[Entity, float]],
    places: Sequence[Place],
    chosen: Sequence[Place],
) -> EntityMentions:
    entity, score = matches[0]
    names = {d.document_id: d.name for d in source.documents}
    quotes = quotes_of(source, chosen)
    return EntityMentions(
        query=shown(name),
        matches=tuple(e for e, _ in matches),
        score=score,
        total=len(places),
        mentions=tuple(
            Mention(entity, quote, place.confidence)
            for place, quote in zip(chosen, quotes, strict=True)
        ),
        documents=tuple(
            (g[0].document_id, names.get(g[0].document_id, ""), len(g)) for g in by_document(places)
        ),
    )


def document_entities(
    source: ContextGraph, document: Document, /, *, limit: int | None = 10
) -> Rows[Entity]:
    """Return the people, organisations, places and concepts that a document mentions most.

    Names come before concepts; the counts of the entities are those of the whole collection.
    """
    limit = up_to(limit, _MOST)
    table = counted(among(source.table("mentions"), "document_id", [document.document_id]))
    table = among(table, "kind", [*NAME_KINDS, "concept"])
    counts = Counter(zip(table["entity_id"].to_pylist(), table["kind"].to_pylist(), strict=True))
    ranked = sorted(counts, key=lambda c: (c[1] == "concept", -counts[c], c[0]))
    chosen = [entity_id for entity_id, _ in ranked[:limit]]
    known = entities_by_id(source, chosen)
    return Rows((known[i] for i in chosen), of=Entity, total=len(ranked))


def encounters(
    source: ContextGraph, names: Sequence[str], /, *, limit: int | None = 20
) -> Encounters:
    """Return the passages that mention at least two of the entities named.

    Those with most of them come first, then those where they stand closest together.

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
        raise UsageError(
            f"{1 if isinstance(names, str) else len(names)} names were given; "
            "two to five are needed.",
            hint='Give the names one by one, such as "Acme Corp" and "John Smith".',
        )
    asked = _distinct(names, [match_entities(source, n, limit=1)[0][0] for n in names])
    by_chunk = _meetings(source, [e.entity_id for e in asked])
    ranked = sorted(by_chunk, key=lambda m: (-m[0], m[1][0].order))
    return _encounters(source, asked, ranked[:limit], len(ranked))


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


def _meetings(
    source: ContextGraph, ids: Sequence[str]
) -> list[tuple[float, list[Place], list[str]]]:
    """Return (score, places, ids) for every chunk that mentions at least two, each once."""
    table = among(source.table("mentions"), "entity_id", ids)
    places = places_of(table, document_ranks(source))
    owners, repeated = table["entity_id"].to_pylist(), table["repeated"].to_pylist()
    chunks: dict[str, list[Place]] = {}
    for place in places:
        chunks.setdefault(place.chunk_id, []).append(place)
    meetings = []
    for group in chunks.values():
        by_owner: dict[str, list[Place]] = {}
        for place in group:
            by_owner.setdefault(owners[place.row], []).append(place)
        # What the chunk before holds in full is that chunk's.
        if len(by_owner) < 2 or all(repeated[p.row] for p in group):
            continue
        closest = _closest(by_owner)
        width = max(p.end for p in closest) - min(p.start for p in closest)
        score = len(by_owner) / len(ids) - min(width, 4000) / 40000
        meetings.append((score, closest, [owners[p.row] for p in closest]))
    return meetings


def _closest(by_owner: Mapping[str, Sequence[Place]]) -> list[Place]:
    """Return one place of each, those that stand closest together, in reading order."""
    few = [group[:6] for group in by_owner.values()]
    best = min(product(*few), key=lambda ps: max(p.end for p in ps) - min(p.start for p in ps))
    return sorted(best, key=lambda p: p.order)


def _encounters(
    source: ContextGraph,
    asked: tuple[Entity, ...],
    chosen: Sequence[tuple[float, list[Place], list[str]]],
    total: int,
) -> Encounters:
    flat = [place for _, places, _ in chosen for place in places]
    quotes = iter(quotes_of(source, flat))
    chunks = source.chunks([places[0].chunk_id for _, places, _ in chosen])
    found = tuple(
        Encounter(chunk, tuple(ids), tuple(next(quotes) for _ in places), float(np.clip(s, 0, 1)))
        for chunk, (s, places, ids) in zip(chunks, chosen, strict=True)
    )
    return Encounters(asked, total, found)
