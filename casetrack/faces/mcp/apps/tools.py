"""Tools that only pages call, for drawings and details; their visibility is ``app``."""

import base64
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from mcp.types import CallToolResult, ImageContent
from pydantic import Field

from casetrack.api.operation import READS
from casetrack.faces.mcp import graph_results as results
from casetrack.faces.mcp import outputs
from casetrack.faces.mcp.concise import formatter_for
from casetrack.faces.mcp.results import answer, bounded_chunk, passage
from casetrack.faces.mcp.session import Session, in_thread
from casetrack.faces.mcp.specs import CollectionName, tool
from casetrack.faces.mcp.tools.reading import require_one_way

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.api.viewer.shown import ShownPage

Locate = Callable[[Session, str | None], Awaitable["Collection"]]
"""Opens the collection with a name or id; the active one for ``None``."""
Width = Annotated[int, Field(ge=200, le=3_000, description="Of the drawing, in pixels")]

MOST_EVENTS = 300
"""Highest number of events in a drawing, by weight; a shorter period shows the others."""
_BUDGET = 1_000_000
"""Tokens of a list for pages; the arguments of the call bound it."""


class PageCalls:
    """The tools of this module, for one session; *find* returns the collection of a call."""

    def __init__(self, session: Session, find: Locate) -> None:
        self._session, self._find = session, find

    @tool(
        "Show a page",
        READS,
        only_for=("search", "page", "timeline", "graph", "compare", "briefing"),
    )
    async def show_page(
        self,
        chunk_id: str | None = None,
        document_name: str | None = None,
        page: Annotated[int | None, Field(ge=1)] = None,
        question: str | None = None,
        collection: CollectionName = None,
        password: str | None = None,
    ) -> CallToolResult:
        """For the pages of this server: a page with a passage marked."""
        require_one_way(chunk_id, document_name, page)
        target = await self._find(self._session, collection)

        def work() -> "ShownPage":
            from casetrack.api.viewer.shown import shown_page, shown_passage

            state = target.workspace.state()
            if chunk_id is not None:
                return shown_passage(state, chunk_id, question=question, password=password)
            return shown_page(state, str(document_name), int(page or 0), password=password)

        shown = await in_thread(work)
        facts = _facts(shown, target)
        result = answer(facts["citation"], facts)
        if shown.png is not None:
            data = base64.b64encode(shown.png).decode("ascii")
            result.content.append(ImageContent(type="image", data=data, mime_type="image/png"))
        return result

    @tool("Draw a timeline", READS, only_for=("timeline", "briefing"))
    async def show_timeline(
        self,
        width: Width,
        start_date: str | None = None,
        end_date: str | None = None,
        collection: CollectionName = None,
    ) -> CallToolResult:
        """For the pages of this server: the timeline as a drawing."""
        from casetrack.api.viewer.timeline_figure import timeline_svg, when

        target = await self._find(self._session, collection)
        ask = partial(target.map.timeline, start=start_date, end=end_date, limit=MOST_EVENTS)
        timeline = await in_thread(ask)
        formatter = await formatter_for("concise", target)
        entry = formatter.entry
        drawing = partial(timeline_svg, timeline, width=width, link="#event-{}".format)
        facts = timeline.as_dict() | {
            "notice": outputs.QUOTED,
            "events": [entry(results.event(e, formatter).as_dict()) for e in timeline.events],
            "words": [when(each) for each in timeline.events],
            "drawing": await in_thread(drawing),
        }
        return answer(f"{len(timeline.events)} events", formatter.whole(facts))

    @tool("Draw a graph", READS, feature="entity_graph", only_for=("graph", "briefing"))
    async def show_graph(
        self,
        width: Width,
        entity_name: str | None = None,
        depth: Annotated[int, Field(ge=1, le=4)] = 2,
        top_k: Annotated[int, Field(ge=1, le=100)] = 20,
        collection: CollectionName = None,
    ) -> CallToolResult:
        """For the pages of this server: the graph as a drawing."""
        from casetrack.api.viewer.graph_figure import ANCHORS, graph_svg, legend

        target = await self._find(self._session, collection)
        graph = await in_thread(partial(target.map.graph, entity_name, depth=depth, limit=top_k))
        formatter = await formatter_for("concise", target)
        drawing = partial(graph_svg, graph, width=width, links=ANCHORS)
        facts = {
            "collection": graph.collection,
            "notice": outputs.QUOTED,
            "center": results.entity_name(graph.center) if graph.center else None,
            "nodes": results.nodes(graph, _BUDGET, formatter),
            "edges": results.edges(graph, formatter, _BUDGET),
            "drawing": await in_thread(drawing),
            "legend": legend(graph),
        }
        return answer(f"{len(graph.nodes)} names", formatter.whole(facts))


def _facts(shown: "ShownPage", target: "Collection") -> dict[str, Any]:
    """Return the facts that a page shows in addition to the picture."""
    chunk, document = shown.chunk, shown.document
    quoted = citation = None
    if chunk is not None:
        quoted, citation = chunk.text.strip(), chunk.citation
    if shown.answers:
        quoted, citation = shown.answers[0]
    place = f"{document.name}, page {shown.page}"
    return {
        "collection": target.info.name,
        "notice": outputs.QUOTED,
        "document": document.name,
        "document_id": document.document_id,
        "path": document.path,
        "page": shown.page,
        "page_count": document.page_count,
        "page_kind": shown.kind,
        "sheet": shown.sheet,
        "citation": chunk.citation if chunk is not None else place,
        "passage": passage(bounded_chunk(chunk), target.info.id) if chunk is not None else None,
        "answers": [text for text, _ in shown.answers],
        "quote": quoted,
        "quote_citation": citation,
        "before": shown.before,
        "after": shown.after,
        "marks": shown.marks,
        "body": shown.body,
        "notes": list(shown.notes),
    }
