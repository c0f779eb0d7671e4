"""Tools on what the documents refer to."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.base.records.graph import Citation, Reference
from casetrack.faces.mcp import graph_results as results
from casetrack.faces.mcp import outputs
from casetrack.faces.mcp.budget import page_of
from casetrack.faces.mcp.concise import telling
from casetrack.faces.mcp.render import graph as render
from casetrack.faces.mcp.results import (
    after_page,
    answer,
    first,
    more_from,
    room_beside,
    spread_page,
)
from casetrack.faces.mcp.session import SessionTools, in_thread, locate
from casetrack.faces.mcp.specs import READS, CollectionName, Offset, ResponseFormat, tool

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.base.records.graph import CollectionStatistics, ReferenceCitations

ReferenceType = Literal[
    "document", "standard", "regulation", "report", "case", "section", "exhibit", "link", "all"
]
INTERNAL = ("section", "exhibit")
"""References within a document: "all" leaves them out."""
_MATCHES_ROOM = 1_000


class ReferencesOutput(outputs.Answer, outputs.Listed):
    """References in the order asked for; ``counts`` has all there are, by type."""

    reference_type: str
    sort_by: str
    counts: dict[str, int]
    total: int
    references: list[Reference]


class CitationsOutput(outputs.Quoting, outputs.Listed):
    """Where something is referred to; ``score`` is 1 where the name is the one asked for."""

    query: str
    reference: Reference
    score: float
    other_matches: list[Reference]
    total: int
    citations: list[Citation]


class ReferenceTools(SessionTools):
    """The tools of this module, for one session."""

    @tool(
        "References",
        READS,
        description="Which laws, standards and documents are cited; sections and exhibits on "
        "request. Returns name, type, counts, and the document of the collection that is meant.",
        sets=("map", "legal"),
    )
    async def list_references(
        self,
        reference_type: ReferenceType = "all",
        sort_by: Literal["citations", "documents", "name"] = "citations",
        top_k: Annotated[int, Field(ge=1, le=200)] = 50,
        offset: Offset = 0,
        collection: CollectionName = None,
        response_format: ResponseFormat = "concise",
    ) -> Annotated[CallToolResult, ReferencesOutput]:
        """List what a collection refers to."""
        target: Collection = await locate(self._session, collection)
        limit = min(offset + top_k, results.LISTED)

        def work() -> "tuple[tuple[Reference, ...], CollectionStatistics]":
            found = target.map.references(type=reference_type, sort_by=sort_by, limit=limit)
            return found, target.map.statistics()

        found, statistics = await in_thread(work)
        counts = {
            kind: count
            for kind, count in statistics.reference_counts.items()
            if count and _is_wanted(kind, reference_type)
        }
        total = sum(counts.values())
        told = await telling(response_format, target)

        def entry(item: Reference) -> Any:
            return told.entry(results.reference(item))

        entries = page_of(found, entry, offset=offset, room=told.room)[0]
        after = after_page(offset, len(entries), min(total, results.LISTED))
        more = more_from(
            after,
            total - offset - len(entries),
            "choose one reference_type or another order, or look for a name with "
            "get_reference_citations.",
        )
        more = more or (None if entries else render.OTHERWISE)
        return answer(
            render.references(target.info.name, entries, counts, more, offset=offset),
            told.whole(
                {
                    "collection": target.info.name,
                    "reference_type": reference_type,
                    "sort_by": sort_by,
                    "counts": counts,
                    "total": total,
                    "offset": offset,
                    "next_offset": after,
                    "references": entries,
                    "more": more,
                }
            ),
        )

    @tool(
        "Citations",
        READS,
        description="Every place that cites one of them, by its name. Returns each quoted and "
        "cited, with what it says of it.",
        sets=("map", "legal"),
    )
    async def get_reference_citations(
        self,
        reference: str,
        top_k: Annotated[int, Field(ge=1, le=100)] = 20,
        offset: Offset = 0,
        response_format: ResponseFormat = "concise",
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, CitationsOutput]:
        """Return where something is referred to."""
        target: Collection = await locate(self._session, collection)
        told = await telling(response_format, target)

        def ask(limit: int) -> "ReferenceCitations":
            return target.map.reference_citations(reference, limit=limit)

        def facts_of(found: "ReferenceCitations") -> dict[str, Any]:
            few = 2 if told.concise else None
            return {
                "collection": target.info.name,
                "notice": outputs.QUOTED,
                "query": found.query,
                "reference": results.reference(found.reference),
                "score": round(found.score, 4),
                "other_matches": first(
                    found.matches[1:], results.reference, room=_MATCHES_ROOM, most=few
                ),
                "total": found.total,
            }

        def work() -> CallToolResult:
            found, entries = spread_page(
                ask,
                lambda each: each.citations,
                partial(results.quoted, told=told),
                lambda each: room_beside(facts_of(each), told),
                offset=offset,
                count=top_k,
                most=results.PLACES,
            )
            after = after_page(offset, len(entries), min(found.total, results.PLACES))
            more = more_from(
                after,
                found.total - offset - len(entries),
                "use search_documents with document_filter.",
            )
            return answer(
                render.citations(found, entries, more, offset=offset),
                told.whole(
                    facts_of(found)
                    | {"offset": offset, "next_offset": after, "citations": entries, "more": more}
                ),
            )

        return await in_thread(work)


def _is_wanted(kind: str, wanted: str) -> bool:
    return kind == wanted or (wanted == "all" and kind not in INTERNAL)
