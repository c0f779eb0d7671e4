"""Tools on what the documents refer to."""

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
    from casetrack.records.graph import CollectionStatistics, Reference

ReferenceType = Literal[
    "document",
    "standard",
    "regulation",
    "report",
    "case",
    "section",
    "exhibit",
    "link",
    "all",
]
INTERNAL = ("section", "exhibit")
"""References within a document: "all" leaves them out."""


class ReferenceTools:
    """The tools of this module, for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @tool(
        "List references",
        READS,
        description="List the sources that the active collection cites: documents, reports, "
        "standards, regulations, court cases, links. 'all' means external sources; sections and "
        "exhibits are listed only on request. Use this to understand which sources matter most. "
        "Returns name, type, citation count, number of citing documents, and the document of the "
        "collection that is meant, if there is one.",
    )
    async def list_references(
        self,
        reference_type: Annotated[
            ReferenceType, Field(description="Filter by type of reference")
        ] = "all",
        sort_by: Annotated[
            Literal["citations", "documents", "name"], Field(description="Sort order")
        ] = "citations",
        top_k: Annotated[int, Field(ge=1, le=200, description="Maximum references to return")] = 50,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.ReferencesOutput]:
        """List what a collection refers to."""
        target: Collection = await locate(self._session, collection)

        def work() -> "tuple[tuple[Reference, ...], CollectionStatistics]":
            found = target.references(type=reference_type, sort_by=sort_by, limit=top_k)
            return found, target.statistics()

        found, statistics = await in_thread(work)
        counts = {
            kind: count
            for kind, count in statistics.reference_counts.items()
            if count and _is_wanted(kind, reference_type)
        }
        entries = [results.reference(r) for r in found]
        shown = results.fit(entries)
        missing, more = sum(counts.values()) - shown, None
        if missing > 0:
            more = (
                f"{missing:,} more: raise top_k, choose one reference_type, or look for a name "
                "with get_reference_citations."
            )
        return answer(
            render.references(target.info.name, found[:shown], counts, more),
            {
                "collection": target.info.name,
                "reference_type": reference_type,
                "sort_by": sort_by,
                "counts": counts,
                "references": entries[:shown],
                "more": more,
            },
        )

    @tool(
        "Citations of a reference",
        READS,
        description="Get the places that cite a specific reference, with the context of each "
        "citation. Use this to understand how a reference is used throughout the collection. "
        "Returns what the name refers to and the citations, each quoted with its source, its "
        "chunk_id and what the text says of the two (cites, amends, incorporates and so on).",
    )
    async def get_reference_citations(
        self,
        reference: Annotated[
            str,
            Field(
                description="The reference to look up (e.g., 'Master Service Agreement v2.1', "
                "'ISO 27001')"
            ),
        ],
        top_k: Annotated[
            int, Field(ge=1, le=100, description="Number of citations to return")
        ] = 20,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.CitationsOutput]:
        """Return where something is referred to."""
        target: Collection = await locate(self._session, collection)
        found = await in_thread(partial(target.reference_citations, reference, limit=top_k))
        facts = found.as_dict()
        shown = results.fit(facts["citations"])
        pointers = [results.pointer(c.quote) for c in found.citations[shown:]]
        more = results.more(found.total - len(found.citations), "citations", top_k)
        return answer(
            render.citations(found, shown, pointers, more),
            facts
            | {
                "collection": target.info.name,
                "notice": outputs.QUOTED,
                "citations": facts["citations"][:shown],
                "further": pointers,
                "more": more,
            },
        )


def _is_wanted(kind: str, wanted: str) -> bool:
    return kind == wanted or (wanted == "all" and kind not in INTERNAL)
