"""Tools on who and what documents mention, and on what they refer to."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.mcp import graph_results as results
from casetrack.mcp import outputs
from casetrack.mcp.render import graph as render
from casetrack.mcp.results import answer
from casetrack.mcp.session import Session, in_thread, locate
from casetrack.mcp.specs import READS, CollectionName, tool

if TYPE_CHECKING:
    from casetrack.collection import Collection
    from casetrack.records.graph import CollectionStatistics, Entity, EntityMentions

OneKind = Literal["person", "organization", "date", "amount", "location", "concept", "any"]
EveryKind = Literal["person", "organization", "date", "amount", "location", "concept", "all"]
_DOCUMENTS = 15
# Characters of JSON for entities in full, and for those that follow in short.
_FULL, _SHORT = 18_000, 36_000


class EntityTools:
    """The tools of this module, for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @tool(
        "Find entity",
        READS,
        description="Find an entity (person, organization, location, date, amount, concept) across "
        "documents; spelling may differ. Returns what the name stands for, other entities it may "
        "mean, how often each document mentions it, and mentions spread over the documents, each "
        "quoted with its citation. Use get_entity_mentions to read all mentions in order.",
    )
    async def find_entity(
        self,
        entity: Annotated[
            str,
            Field(description="Entity to find (e.g., 'John Smith', 'Acme Corp', '$1.2 million')"),
        ],
        entity_type: Annotated[OneKind, Field(description="Type of entity to search for")] = "any",
        top_k: Annotated[int, Field(ge=1, le=100, description="Number of mentions to return")] = 20,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.MentionsOutput]:
        """Find an entity."""
        target: Collection = await locate(self._session, collection)
        work = partial(target.find_entity, entity, kind=entity_type, limit=top_k)
        return _mentions(target.info.name, await in_thread(work), documents=_DOCUMENTS)

    @tool(
        "List entities",
        READS,
        description="List the entities extracted from the documents of the active collection, "
        "grouped by type: persons, organizations, locations, dates, monetary amounts and concepts. "
        "Returns name, type, role, other spellings, number of mentions and number of documents for "
        "each, and how many there are of each type.",
    )
    async def list_entities(
        self,
        entity_type: Annotated[EveryKind, Field(description="Filter by entity type")] = "all",
        sort_by: Annotated[
            Literal["mentions", "documents", "name"], Field(description="Sort order")
        ] = "mentions",
        top_k: Annotated[int, Field(ge=1, le=500, description="Maximum entities to return")] = 50,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.EntitiesOutput]:
        """List a collection's entities."""
        target: Collection = await locate(self._session, collection)

        def work() -> "tuple[tuple[Entity, ...], CollectionStatistics]":
            found = target.entities(kind=entity_type, sort_by=sort_by, limit=top_k)
            return found, target.statistics()

        found, statistics = await in_thread(work)
        every = statistics.entity_counts
        counts = {k: n for k, n in every.items() if n and entity_type in ("all", k)}
        entries = [results.entity(e) for e in found]
        shown = results.fit(entries, _FULL)
        short = [results.entity_short(e) for e in found[shown:]]
        short = short[: results.fit(short, _SHORT)]
        rest = found[shown : shown + len(short)]
        more, missing = None, sum(counts.values()) - shown - len(short)
        if missing > 0:
            more = (
                f"{missing:,} more: raise top_k, choose one entity_type, or look for a name with "
                "find_entity."
            )
        return answer(
            render.entities(target.info.name, found[:shown], rest, counts, more),
            {
                "collection": target.info.name,
                "entity_type": entity_type,
                "sort_by": sort_by,
                "counts": counts,
                "entities": entries[:shown],
                "further": short,
                "more": more,
            },
        )

    @tool(
        "Entity mentions",
        READS,
        description="Get the places that mention a specific entity, with context snippets showing "
        "how it is referenced. Supports fuzzy matching on the entity's name. Returns the mentions "
        "in reading order, documents with most mentions first, each quoted with its citation and "
        "chunk_id.",
    )
    async def get_entity_mentions(
        self,
        entity_name: Annotated[
            str,
            Field(
                description="Name of the entity to find (e.g., 'John Smith', 'Acme Corp', "
                "'payment terms')"
            ),
        ],
        entity_type: Annotated[OneKind, Field(description="Type of entity to search for")] = "any",
        top_k: Annotated[int, Field(ge=1, le=100, description="Number of mentions to return")] = 20,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.MentionsOutput]:
        """Return where an entity is mentioned."""
        target: Collection = await locate(self._session, collection)
        work = partial(target.entity_mentions, entity_name, kind=entity_type, limit=top_k)
        return _mentions(target.info.name, await in_thread(work))

    @tool(
        "Entities together",
        READS,
        description="Find passages where two or more entities are mentioned together. Use this to "
        "trace relationships (who interacted with whom, what terms apply to which party). Returns "
        "the passages that name all of them first, each in full with its citation and the place of "
        "each name.",
    )
    async def search_entity_relationships(
        self,
        entities: Annotated[
            list[str],
            Field(
                min_length=2,
                max_length=5,
                description="Entity names to find together (e.g., ['Acme Corp', 'Summit "
                "Services'])",
            ),
        ],
        top_k: Annotated[int, Field(ge=1, le=100, description="Number of passages to return")] = 20,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.EncountersOutput]:
        """Return passages that mention several entities."""
        target: Collection = await locate(self._session, collection)
        found = await in_thread(partial(target.encounters, entities, limit=top_k))
        entries = [results.encounter(e) for e in found.encounters]
        shown = results.fit(entries)
        pointers = [results.pointer(e.chunk) for e in found.encounters[shown:]]
        more = results.more(found.total - len(entries), "passages", top_k)
        return answer(
            render.encounters(found, shown, pointers, more),
            {
                "collection": target.info.name,
                "notice": outputs.QUOTED,
                "entities": [results.entity(e) for e in found.entities],
                "total": found.total,
                "chunks": entries[:shown],
                "further": pointers,
                "more": more,
            },
        )

    @tool(
        "Entity graph",
        READS,
        description="Show how people, organizations and other entities of the active collection "
        "relate to each other: a graph of entities connected by being mentioned together. Returns "
        "the entities around the one named, or the best connected ones, and the connections, "
        "strongest first, each with the number of passages and a quoted, cited one.",
    )
    async def get_entity_graph(
        self,
        entity_name: Annotated[
            str | None,
            Field(
                description="Optional: center the graph on a specific entity. If omitted, returns "
                "the top entities by connectivity."
            ),
        ] = None,
        depth: Annotated[
            int,
            Field(
                ge=1,
                le=4,
                description="How many relationship hops to include from the center entity",
            ),
        ] = 2,
        top_k: Annotated[
            int, Field(ge=1, le=100, description="Maximum entities to include in the graph")
        ] = 20,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.EntityGraphOutput]:
        """Return entities and what connects them."""
        target: Collection = await locate(self._session, collection)
        found = await in_thread(partial(target.entity_graph, entity_name, depth=depth, limit=top_k))
        nodes = results.nodes(found)
        edges = results.edges(found, results.BUDGET - results.length(nodes))
        omitted, more = len(found.edges) - len(edges), None
        if omitted:
            more = (
                f"{omitted:,} weaker connections are left out: center the graph on one entity, "
                "or ask for fewer entities with top_k."
            )
        return answer(
            render.entity_graph(found, edges, more, depth=depth),
            {
                "collection": found.collection,
                "notice": outputs.QUOTED,
                "center": results.entity_name(found.center) if found.center else None,
                "nodes": nodes,
                "edges": edges,
                "edges_omitted": omitted,
                "more": more,
            },
        )


def _mentions(name: str, found: "EntityMentions", *, documents: int = 0) -> CallToolResult:
    """Return mentions; with *documents* their number in each of the first documents as well."""
    entries = [m.as_dict() for m in found.mentions]
    shown = results.fit(entries)
    pointers = [results.pointer(m.quote) for m in found.mentions[shown:]]
    more = results.more(found.total - len(entries), "mentions", len(entries))
    return answer(
        render.mentions(found, shown, pointers, more, documents=documents),
        {
            "collection": name,
            "notice": outputs.QUOTED,
            "query": found.query,
            "entity": results.entity(found.entity),
            "score": found.score,
            "other_matches": [results.entity_name(e) for e in found.matches[1:]],
            "total": found.total,
            "document_count": len(found.documents),
            "documents": [
                {"document_id": key, "document": document, "mentions": count}
                for key, document, count in found.documents[:_DOCUMENTS]
            ],
            "mentions": entries[:shown],
            "further": pointers,
            "more": more,
        },
    )
