"""Tools that show a collection as a whole: summary, timeline, counts, groups of documents."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.mcp import graph_results as results
from casetrack.mcp import outputs
from casetrack.mcp.render import overview as render
from casetrack.mcp.results import answer
from casetrack.mcp.session import Session, in_thread, locate
from casetrack.mcp.specs import READS, CollectionName, tool

if TYPE_CHECKING:
    from casetrack.collection import Collection

_THIRD = 15_000
"""Characters of JSON for each of the long parts of a summary."""
_EVENTS = 100


class OverviewTools:
    """The tools of this module, for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @tool(
        "Collection summary",
        READS,
        description="Get a high-level briefing on the active collection: call this FIRST when "
        "starting work on one, to plan the search. Returns key stakeholders (people and "
        "organizations mentioned most, with roles), key dates and events, key topics, documents "
        "by type, version chains, the most cited references, the most mentioned entities, and "
        "statistics; stakeholders, dates and topics each with a quoted passage and its citation.",
    )
    async def get_collection_summary(
        self, collection: CollectionName = None
    ) -> Annotated[CallToolResult, outputs.SummaryOutput]:
        """Describe a collection."""
        target: Collection = await locate(self._session, collection)
        found = await in_thread(target.summary)
        facts = found.as_dict()
        actors = [results.actor(a) for a in found.key_actors]
        dates = [results.event(e) for e in found.key_dates]
        topics = [results.topic(t) for t in found.topics]
        fitting = [results.fit(part, _THIRD) for part in (actors, dates, topics)]
        text = render.summary(found, actors=fitting[0], dates=fitting[1], topics=fitting[2])
        return answer(
            text,
            facts
            | {
                "notice": outputs.QUOTED,
                "key_actors": actors[: fitting[0]],
                "key_dates": dates[: fitting[1]],
                "topics": topics[: fitting[2]],
                "documents": [
                    kind | {"documents": kind["documents"][: results.NAMED]}
                    for kind in facts["documents"]
                ],
                "entities": [results.entity(e) for e in found.entities],
                "version_chains": facts["version_chains"][: results.NAMED],
            },
        )

    @tool(
        "Timeline",
        READS,
        description="Get a chronological timeline of key dates and events extracted from the "
        "documents of the active collection. Use this to understand the narrative sequence of "
        "events. Returns for each event the date, what the text says of it, how often it is "
        "mentioned, and its source with a citation; where there are too many events, the "
        "weightiest. Narrow the dates to see the others.",
    )
    async def get_collection_timeline(
        self,
        start_date: Annotated[
            str | None, Field(description="Optional: filter events from this date (YYYY-MM-DD)")
        ] = None,
        end_date: Annotated[
            str | None, Field(description="Optional: filter events until this date (YYYY-MM-DD)")
        ] = None,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.TimelineOutput]:
        """Return events by date."""
        target: Collection = await locate(self._session, collection)
        work = partial(target.timeline, start=start_date, end=end_date, limit=_EVENTS)
        found = await in_thread(work)
        shown = results.weightiest(found.events)
        more = None
        if len(shown) < found.total:
            more = (
                f"{found.total - len(shown):,} more events: call get_collection_timeline with a "
                "narrower start_date and end_date."
            )
        return answer(
            render.timeline(found, shown, more),
            found.as_dict()
            | {
                "notice": outputs.QUOTED,
                "events": [results.event(e) for e in shown],
                "more": more,
            },
        )

    @tool(
        "Collection statistics",
        READS,
        description="Get detailed statistics about the active collection. Useful for understanding "
        "its scope and data quality. Returns document counts by type, format, language and "
        "extraction method, page and chunk totals, entity and reference counts, embedder coverage, "
        "pages without text, storage usage, and notes on what the numbers do not show.",
    )
    async def get_collection_statistics(
        self, collection: CollectionName = None
    ) -> Annotated[CallToolResult, outputs.Statistics]:
        """Count what a collection holds."""
        target: Collection = await locate(self._session, collection)
        found = await in_thread(target.statistics)
        return answer(render.statistics(found), found.as_dict())

    @tool(
        "Document clusters",
        READS,
        description="Group all documents in the active collection by what they share. Use this to "
        "understand the structure of a large collection (100+ documents) at a glance. Returns "
        "groups with a label, what their documents share, the documents, and a cited passage that "
        "shows it; and the documents that belong to no group.",
    )
    async def find_document_clusters(
        self,
        strategy: Annotated[
            Literal["topical", "entity", "reference", "document_type"],
            Field(
                description="Clustering strategy: 'topical' = semantic similarity, 'entity' = "
                "shared people/orgs, 'reference' = shared external sources, 'document_type' = by "
                "type"
            ),
        ] = "topical",
        max_clusters: Annotated[
            int, Field(ge=1, le=20, description="Maximum clusters to return")
        ] = 10,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.ClustersOutput]:
        """Group a collection's documents."""
        target: Collection = await locate(self._session, collection)
        found = await in_thread(partial(target.clusters, strategy, limit=max_clusters))
        groups = [results.cluster(c) for c in found.clusters]
        shown = results.fit(groups)
        cut = any(len(c.documents) > results.NAMED for c in found.clusters)
        more = None
        if cut or shown < len(groups) or len(found.rest) > results.NAMED:
            more = (
                "Not every document is named here. list_documents names all; "
                "find_related_documents shows what belongs to one of them."
            )
        return answer(
            render.clusters(found, found.clusters[:shown], more),
            {
                "collection": found.collection,
                "notice": outputs.QUOTED,
                "strategy": found.strategy,
                "clusters": groups[:shown],
                "rest_count": len(found.rest),
                "rest": [results.document_name(d) for d in found.rest[: results.NAMED]],
                "more": more,
            },
        )
