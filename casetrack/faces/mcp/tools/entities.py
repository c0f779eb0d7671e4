"""Tools on who and what documents mention, and on what they refer to."""

from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from mcp.types import CallToolResult

from casetrack.api.collection.map import Map
from casetrack.api.operation import READS
from casetrack.base.records.graph import Entity, Quote
from casetrack.base.records.shape import Spread
from casetrack.faces.mcp import graph_results as results
from casetrack.faces.mcp import outputs
from casetrack.faces.mcp.asking import Asked, asks
from casetrack.faces.mcp.render import graph as render
from casetrack.faces.mcp.results import after_page, answer, more_from, portion, room_beside
from casetrack.faces.mcp.session import SessionTools
from casetrack.faces.mcp.specs import tool
from casetrack.faces.mcp.steps import See, here

if TYPE_CHECKING:
    from casetrack.base.records.graph import Encounter, Encounters, EntityGraph

_DOCUMENTS, _DOCUMENTS_ROOM, _MATCHES_ROOM = 15, 1_500, 600
_NODES_ROOM = 8_000
_FEW = 3
"""Spellings and other matches that a concise answer names."""
_BEYOND = f"use {See('search')} with document_filter."


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


class EntityTools(SessionTools):
    """The tools of this module, for one session."""

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
        more = more_from(after, found.total - offset - len(page.items), here(_BEYOND))
        more = more or (None if found.total else here(render.NEVER_TOGETHER))
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
        more = None if found.nodes else here(render.NOT_TOGETHER)
        if omitted or len(facts["nodes"]) < len(found.nodes):
            more = (
                f"{omitted:,} weaker connections are left out: center the graph on one entity, "
                "or ask for fewer entities with top_k."
            )
        return answer(
            render.entity_graph(found, facts["nodes"], edges, more, depth=asked.given["depth"]),
            told.whole(facts | {"edges": edges, "edges_omitted": omitted, "more": more}),
        )
