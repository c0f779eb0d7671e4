"""Tools that show a collection as a whole: summary, timeline, counts, groups of documents."""

from functools import partial
from typing import TYPE_CHECKING, Any

from mcp.types import CallToolResult

from casetrack.api.collection.map import Map
from casetrack.api.operation import READS
from casetrack.api.text import entry_of, head_of
from casetrack.base.records.graph import Event, Timeline
from casetrack.faces.mcp import graph_results as results
from casetrack.faces.mcp import outputs
from casetrack.faces.mcp.asking import answered, plain, takes
from casetrack.faces.mcp.briefing import briefing
from casetrack.faces.mcp.concise import telling
from casetrack.faces.mcp.results import after_page, answer, more_from, page_of, room_beside
from casetrack.faces.mcp.session import SessionTools, in_thread, locate
from casetrack.faces.mcp.specs import CollectionName, ResponseFormat, tool
from casetrack.faces.mcp.steps import in_terms

if TYPE_CHECKING:
    from casetrack.api.collection import Collection

_EVENTS = 100
_NO_DATES = "No dates here. Leave out start_date and end_date for the whole span."
_CONCISE_ROOM = 3_000
"""Tokens of the events of a concise timeline, by an estimate that is above what they are."""


class OverviewTools(SessionTools):
    """The tools of this module, for one session."""

    @tool(
        "Summary",
        READS,
        description="Call this first on an unknown collection. Returns key people, dates and "
        "topics with quotes, types, versions, references.",
        sets=("core", "map"),
        page="briefing",
        of=("topics",),
    )
    async def get_collection_summary(
        self, response_format: ResponseFormat = "concise", collection: CollectionName = None
    ) -> CallToolResult:
        """Describe a collection."""
        target: Collection = await locate(self._session, collection)
        found = await in_thread(target.map.summary)
        told = await telling(response_format, target)
        shown, facts = briefing(found, told)
        text = [plain(head_of(shown), told), facts.get("more"), outputs.QUOTED]
        return answer("\n\n".join(filter(None, text)), facts)

    @tool(
        "Timeline",
        READS,
        description="What happened when. Returns dated events in order, quoted and cited.",
        sets=("daily", "map", "legal"),
        page="timeline",
    )
    @takes(Map.timeline)
    async def get_collection_timeline(
        self,
        given: dict[str, Any],
        *,
        offset: int,
        collection: str | None,
        response_format: ResponseFormat,
    ) -> CallToolResult:
        """Return events by date."""
        target = await locate(self._session, collection)
        # Always the same number: which events are the weightiest depends on how many are read.
        ask = partial(answered, Map.timeline, target, given | {"limit": results.PLACES})
        found: Timeline = in_terms(await in_thread(ask))
        told = await telling(response_format, target)
        facts: dict[str, Any] = found.as_dict() | {"notice": outputs.QUOTED}
        del facts["events"]
        ranked = sorted(found.events, key=lambda e: -e.weight)

        def entry(each: Event) -> Any:
            return _day(each), told.entry(results.event(each, told).as_dict())

        room = _CONCISE_ROOM if told.concise else room_beside(facts)
        chosen = page_of(
            ranked, entry, offset=offset, limit=_EVENTS, room=room, beside=told.beside
        )[0]
        shown = sorted(ranked[offset : offset + len(chosen)], key=_day)
        entries = [event for _, event in sorted(chosen, key=lambda each: each[0])]
        after = after_page(offset, len(entries), len(ranked))
        missing = found.total - offset - len(entries)
        more = more_from(after, missing, "narrow start_date and end_date.")
        more = more or (None if entries else _NO_DATES)
        facts |= {"offset": offset, "next_offset": after, "events": entries, "more": more}
        blocks = [plain(entry_of(results.event(each, told)), told) for each in shown]
        some = f"{len(shown)} of them here, the weightiest." if len(shown) < found.total else ""
        text = [f"{plain(head_of(found), told)}\n{some}", "\n".join(blocks), more or ""]
        return answer("\n\n".join(filter(None, [*text, outputs.QUOTED])), told.whole(facts))


def _day(event: Event) -> tuple[str, str, str]:
    return event.first, event.last, event.value
