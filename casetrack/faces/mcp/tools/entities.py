"""Tools on who and what documents mention, and on what they refer to."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.api.collection.map import Map
from casetrack.base.records.graph import Entity, Mention, Quote
from casetrack.base.records.graph.entities import DocumentMentions
from casetrack.base.records.shape import Spread
from casetrack.faces.mcp import graph_results as results
from casetrack.faces.mcp import outputs
from casetrack.faces.mcp.asking import Asked, asks
from casetrack.faces.mcp.budget import page_of
from casetrack.faces.mcp.concise import Telling, telling
from casetrack.faces.mcp.render import graph as render
from casetrack.faces.mcp.results import (
    NAME_CHARS,
    after_page,
    answer,
    cut,
    first,
    more_from,
    portion,
    room_beside,
    spread_page,
)
from casetrack.faces.mcp.session import SessionTools, in_thread, locate
from casetrack.faces.mcp.specs import READS, CollectionName, Offset, ResponseFormat, tool

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.base.records.graph import (
        CollectionStatistics,
        Encounter,
        Encounters,
        EntityGraph,
        EntityMentions,
    )

OneKind = Literal["person", "organization", "date", "amount", "location", "concept", "any"]
EveryKind = Literal["person", "organization", "date", "amount", "location", "concept", "all"]
MentionCount = Annotated[int, Field(ge=1, le=100)]
_DOCUMENTS, _DOCUMENTS_ROOM, _MATCHES_ROOM = 15, 1_500, 600
_NODES_ROOM = 8_000
_FEW = 3
"""Spellings and other matches that a concise answer names."""
_EDITS = 10
"""So many of the user's edits of somebody are told, the latest."""
_BEYOND = "use search_documents with document_filter."


class EntitiesOutput(outputs.Answer, outputs.Listed):
    """Entities in the order asked for; ``counts`` has all there are, by kind."""

    entity_type: str
    sort_by: str
    counts: dict[str, int]
    total: int
    entities: list[Entity]


class MentionsOutput(outputs.Quoting, outputs.Listed):
    """Where an entity is mentioned.

    ``score`` is 1 where the name is the one asked for. ``documents`` are those with most mentions,
    of ``document_count``. ``edits`` is what the user said of the entity.
    """

    query: str
    entity: Entity
    score: float
    other_matches: list[Annotated[Entity, outputs.ENTITY_NAME]]
    total: int
    document_count: int
    documents: list[DocumentMentions]
    edits: list[str]
    mentions: list[Mention]


class NamesPassage(outputs.Passage):
    """A passage that mentions several of the entities: their ids, and one place of each."""

    entities: list[str]
    places: list[Annotated[Quote, outputs.PLACE]]
    score: float
    mention_count: int


class EncountersOutput(outputs.Quoting, outputs.Listed):
    """Passages that mention the entities together, those with all of them first."""

    entities: list[Entity]
    total: int
    chunks: list[NamesPassage]


class Node(TypedDict):
    """An entity of a graph; ``distance`` is in steps from its centre, where it has one."""

    entity: Annotated[Entity, outputs.NODE, Spread()]
    distance: int | None


class Edge(TypedDict):
    """A connection of two entities of a graph.

    ``count`` passages speak for it; ``evidence`` is a place in one of them, null where it did not
    fit: get_chunk gives the passages of ``chunk_ids``.
    """

    source: str
    target: str
    source_name: str
    target_name: str
    type: str
    weight: float
    count: int
    chunk_ids: list[str]
    evidence: Quote | None


class EntityGraphOutput(outputs.Quoting):
    """Entities and what connects them, nearest to the centre or best connected first."""

    center: Annotated[Entity, outputs.ENTITY_NAME] | None
    nodes: list[Node]
    edges: list[Edge]
    edges_omitted: int
    more: str | None


async def find_in(
    target: "Collection",
    entity: str,
    kind: str,
    top_k: int,
    offset: int,
    response_format: ResponseFormat,
    /,
) -> CallToolResult:
    """Answer where a collection mentions an entity of a kind most tellingly."""

    def ask(limit: int) -> "EntityMentions":
        return target.map.find_entity(entity, kind=kind, limit=limit)

    told = await telling(response_format, target)
    shown = _Mentions(target.info.name, offset, told, by_document=True)
    return await in_thread(partial(shown.answer, ask, top_k))


class EntityTools(SessionTools):
    """The tools of this module, for one session."""

    @tool(
        "Find entity",
        READS,
        description="The most telling places about a person, organization, place, date, amount or "
        "concept, ranked; spelling may differ. Returns who it is, mentions per document and these "
        "places, cited.",
        feature="entity_search",
        sets=("map", "legal"),
    )
    async def find_entity(
        self,
        entity: str,
        entity_type: OneKind = "any",
        top_k: MentionCount = 20,
        offset: Offset = 0,
        response_format: ResponseFormat = "concise",
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, MentionsOutput]:
        """Find an entity."""
        target: Collection = await locate(self._session, collection)
        return await find_in(target, entity, entity_type, top_k, offset, response_format)

    @tool(
        "Entities",
        READS,
        description="Which names the documents mention. Returns name, type, role, spellings "
        "and counts of each.",
        sets=("map",),
    )
    async def list_entities(
        self,
        entity_type: EveryKind = "all",
        sort_by: Literal["mentions", "documents", "name"] = "mentions",
        top_k: Annotated[int, Field(ge=1, le=500)] = 50,
        offset: Offset = 0,
        collection: CollectionName = None,
        response_format: ResponseFormat = "concise",
    ) -> Annotated[CallToolResult, EntitiesOutput]:
        """List a collection's entities."""
        target: Collection = await locate(self._session, collection)
        limit = min(offset + top_k, results.LISTED)

        def work() -> "tuple[tuple[Entity, ...], CollectionStatistics]":
            found = target.map.entities(kind=entity_type, sort_by=sort_by, limit=limit)
            return found, target.map.statistics()

        found, statistics = await in_thread(work)
        every = statistics.entity_counts
        counts = {k: n for k, n in every.items() if n and entity_type in ("all", k)}
        total = sum(counts.values())
        told = await telling(response_format, target)

        def entry(item: Entity) -> Any:
            # Who one of them is, get_entity_mentions tells.
            aliases = 0 if told.concise else results.ALIASES
            return told.entry(results.entity_facts(item, aliases=aliases))

        entries = page_of(found, entry, offset=offset, room=told.room)[0]
        after = after_page(offset, len(entries), min(total, results.LISTED))
        more = more_from(
            after,
            total - offset - len(entries),
            "choose one entity_type or another order, or look for a name with find_entity.",
        )
        more = more or (None if entries else render.OTHERWISE)
        return answer(
            render.entities(target.info.name, entries, counts, more),
            told.whole(
                {
                    "collection": target.info.name,
                    "entity_type": entity_type,
                    "sort_by": sort_by,
                    "counts": counts,
                    "total": total,
                    "offset": offset,
                    "next_offset": after,
                    "entities": entries,
                    "more": more,
                }
            ),
        )

    @tool(
        "Mentions",
        READS,
        description="Every place that mentions a name, in reading order; spelling may differ. "
        "Returns each quoted and cited.",
        sets=("core", "map"),
    )
    async def get_entity_mentions(
        self,
        entity_name: str,
        entity_type: OneKind = "any",
        top_k: MentionCount = 20,
        offset: Offset = 0,
        response_format: ResponseFormat = "concise",
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, MentionsOutput]:
        """Return where an entity is mentioned."""
        target: Collection = await locate(self._session, collection)

        def ask(limit: int) -> "EntityMentions":
            return target.map.entity_mentions(entity_name, kind=entity_type, limit=limit)

        told = await telling(response_format, target)
        shown = _Mentions(target.info.name, offset, told)
        return await in_thread(partial(shown.answer, ask, top_k))

    @tool(
        "Together",
        READS,
        description="Where several names stand together. Returns cited passages, those with all of "
        "them first.",
        feature="entity_relationships",
        sets=("map",),
    )
    @asks(Map.encounters, most=results.PLACES)
    def search_entity_relationships(
        self, found: "Encounters", asked: Asked
    ) -> Annotated[CallToolResult, EncountersOutput]:
        """Return passages that mention several entities."""
        offset, told = asked.offset, asked.told
        aliases = _FEW if told.concise else results.ALIASES
        facts: dict[str, Any] = {
            "collection": asked.name,
            "notice": outputs.QUOTED,
            "entities": [
                told.entry(results.entity_facts(e, aliases=aliases)) for e in found.entities
            ],
            "total": found.total,
        }

        def entry(item: "Encounter") -> Any:
            return results.encounter(item, asked.target.info.id, told)

        def block(item: "Encounter", facts: Any) -> str:
            return render.encounter(item, found.entities, facts if told.concise else None)

        room = room_beside(facts, told)
        page = portion(found.encounters, entry, block, offset=offset, room=room)
        after = after_page(offset, len(page.items), min(found.total, results.PLACES))
        more = more_from(after, found.total - offset - len(page.items), _BEYOND)
        more = more or (None if found.total else render.NEVER_TOGETHER)
        return answer(
            render.encounters(found, page.blocks, more),
            told.whole(
                facts
                | {
                    "offset": offset,
                    "next_offset": after,
                    "chunks": list(page.entries),
                    "more": more,
                }
            ),
        )

    @tool(
        "Entity graph",
        READS,
        description="What connects names. Returns those around one, or the best connected, and "
        "their connections with cited quotes.",
        feature="entity_graph",
        sets=("map",),
        page="graph",
    )
    @asks(Map.graph)
    def get_entity_graph(
        self, found: "EntityGraph", asked: Asked
    ) -> Annotated[CallToolResult, EntityGraphOutput]:
        """Return entities and what connects them."""
        told = asked.told
        facts: dict[str, Any] = {
            "collection": found.collection,
            "notice": outputs.QUOTED,
            "center": results.entity_name(found.center) if found.center else None,
            "nodes": results.nodes(found, _NODES_ROOM, told),
        }
        edges = results.edges(found, told, room_beside(facts, told))
        omitted = len(found.edges) - len(edges)
        more = None if found.nodes else render.NOT_TOGETHER
        if omitted or len(facts["nodes"]) < len(found.nodes):
            more = (
                f"{omitted:,} weaker connections are left out: center the graph on one entity, "
                "or ask for fewer entities with top_k."
            )
        return answer(
            render.entity_graph(found, facts["nodes"], edges, more, depth=asked.given["depth"]),
            told.whole(facts | {"edges": edges, "edges_omitted": omitted, "more": more}),
        )


class _Mentions:
    """Mentions of an entity as an answer, from an offset on.

    Parameters
    ----------
    collection
        Its name.
    offset
        Mentions to pass over.
    told
        How it is told; a concise answer quotes and lists less.
    by_document
        Whether the text says how often each document mentions the entity.
    """

    def __init__(
        self, collection: str, offset: int, told: Telling, *, by_document: bool = False
    ) -> None:
        self._collection = collection
        self._offset = offset
        self._told = told
        self._by_document = by_document

    def answer(self, ask: Callable[[int], "EntityMentions"], count: int) -> CallToolResult:
        """Ask for mentions and return as many of them as fit, at most *count*."""
        found, entries = spread_page(
            ask,
            lambda each: each.mentions,
            partial(results.quoted, told=self._told),
            lambda each: room_beside(self._facts(each), self._told),
            offset=self._offset,
            count=count,
            most=results.PLACES,
        )
        facts = self._facts(found)
        after = after_page(self._offset, len(entries), min(found.total, results.PLACES))
        more = more_from(after, found.total - self._offset - len(entries), _BEYOND)
        return answer(
            render.mentions(
                found,
                entries,
                facts["documents"] if self._by_document else (),
                more,
                offset=self._offset,
            ),
            self._told.whole(
                facts
                | {"offset": self._offset, "next_offset": after, "mentions": entries, "more": more}
            ),
        )

    def _facts(self, found: "EntityMentions") -> dict[str, Any]:
        few = _FEW if self._told.concise else None
        documents: Sequence[tuple[str, str, int]] = found.documents

        def counted(item: tuple[str, str, int]) -> DocumentMentions:
            return {"document_id": item[0], "document": item[1], "mentions": item[2]}

        return {
            "collection": self._collection,
            "notice": outputs.QUOTED,
            "query": found.query,
            "entity": results.entity_facts(found.entity, aliases=few or results.ALIASES),
            "score": found.score,
            "other_matches": first(
                found.matches[1:], results.entity_name, room=_MATCHES_ROOM, most=few
            ),
            "total": found.total,
            "document_count": len(found.documents),
            "documents": first(documents, counted, room=_DOCUMENTS_ROOM, most=few or _DOCUMENTS),
            "edits": [cut(e, NAME_CHARS) for e in found.edits[-_EDITS:]],
        }
