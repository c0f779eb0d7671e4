"""The tool that shows what was changed from one version of a document to another."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.base.records.graph import Change, Changes
from casetrack.base.records.shape import Spread
from casetrack.faces.mcp import outputs
from casetrack.faces.mcp.budget import page_of
from casetrack.faces.mcp.comparing import change
from casetrack.faces.mcp.concise import telling
from casetrack.faces.mcp.render import graph as render
from casetrack.faces.mcp.results import after_page, answer, more_from, room_beside
from casetrack.faces.mcp.session import SessionTools, in_thread, locate
from casetrack.faces.mcp.specs import READS, CollectionName, Offset, ResponseFormat, tool

if TYPE_CHECKING:
    from casetrack.api.collection import Collection


class VersionsOutput(outputs.Quoting, outputs.Listed):
    """What changed, in reading order.

    ``total`` paragraphs did; ``kept`` is the share of the text that is in both.
    """

    found: Annotated[Changes, Spread()]
    kept: float
    total: int
    changes: list[Change]


class VersionTools(SessionTools):
    """The tool of this module, for one session."""

    @tool(
        "Compare versions",
        READS,
        description="What changed between versions. Returns the words taken out and put in, cited.",
        sets=("daily", "map", "legal"),
        page="compare",
    )
    async def compare_versions(
        self,
        before: Annotated[str, Field(description="Name or ID")],
        after: Annotated[str, Field(description="Name or ID")],
        collection: CollectionName = None,
        offset: Offset = 0,
        response_format: ResponseFormat = "concise",
    ) -> Annotated[CallToolResult, VersionsOutput]:
        """Compare two versions of a document."""
        target: Collection = await locate(self._session, collection)
        found = await in_thread(partial(target.map.changes, before, after))
        total = len(found.changes)
        facts: dict[str, Any] = found.as_dict() | {
            "collection": target.info.name,
            "notice": outputs.QUOTED,
            "kept": round(found.kept, 4),
            "total": total,
            "offset": offset,
        }
        del facts["changes"]
        told = await telling(response_format, target)
        shape = partial(change, told=told)
        room = room_beside(facts, told)
        shown = page_of(found.changes, shape, offset=offset, room=room)[0]
        onward = after_page(offset, len(shown), total)
        more = more_from(onward, 0, "")
        return answer(
            render.versions(found, shown, more),
            told.whole(facts | {"next_offset": onward, "changes": shown, "more": more}),
        )
