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
from casetrack.faces.mcp.briefing import briefing
from casetrack.faces.mcp.concise import formatter_for
from casetrack.faces.mcp.operation_tools import plain, run_operation, takes
from casetrack.faces.mcp.results import after_page, answer, list_budget, more_from, page_of
from casetrack.faces.mcp.session import SessionTools, in_thread, locate
from casetrack.faces.mcp.specs import CollectionName, ResponseFormat, tool
from casetrack.faces.mcp.steps import name_tools_in

if TYPE_CHECKING:
    from casetrack.api.collection import Collection

_EVENTS = 100
_NO_DATES = "No dates in this period. Omit start_date and end_date for all dates."
_CONCISE_BUDGET = 3_000
"""Tokens of the events of a concise timeline, by an upper estimate."""


class OverviewTools(SessionTools):
    """The tools of this module, for one session."""

    @tool("Summary", READS, sets=("core", "map"), page="briefing", of=("topics",))
    async def get_collection_summary(
        self, response_format: ResponseFormat = "concise", collection: CollectionName = None
    ) -> CallToolResult:
        """Call this first on an unknown collection.

        Returns key people, dates and topics with quotes, types, versions, references.
        """
        target: Collection = await locate(self._session, collection)
        summary = await in_thread(target.map.summary)
        formatter = await formatter_for(response_format, target)
        shown, facts = briefing(summary, formatter)
        text = [plain(head_of(shown), formatter), facts.get("more"), outputs.QUOTED]
        return answer("\n\n".join(filter(None, text)), facts)

    @tool("Timeline", READS, sets=("daily", "map", "legal"), page="timeline")
    @takes(Map.timeline)
    async def get_collection_timeline(
        self,
        given: dict[str, Any],
        *,
        offset: int,
        collection: str | None,
        response_format: ResponseFormat,
    ) -> CallToolResult:
        """Dated events. Returns them in order, quoted and cited."""
        target = await locate(self._session, collection)
        # Always request the same number, because it affects which events rank highest.
        ask = partial(run_operation, Map.timeline, target, given | {"limit": results.PLACES})
        timeline: Timeline = name_tools_in(await in_thread(ask))
        formatter = await formatter_for(response_format, target)
        facts: dict[str, Any] = timeline.as_dict() | {"notice": outputs.QUOTED}
        del facts["events"]
        ranked = sorted(timeline.events, key=lambda e: -e.weight)

        def entry(each: Event) -> Any:
            return _day(each), formatter.entry(results.event(each, formatter).as_dict())

        budget = _CONCISE_BUDGET if formatter.concise else list_budget(facts)
        chosen = page_of(
            ranked,
            entry,
            offset=offset,
            limit=_EVENTS,
            budget=budget,
            source_tokens=formatter.source_tokens,
        )[0]
        shown = sorted(ranked[offset : offset + len(chosen)], key=_day)
        entries = [event for _, event in sorted(chosen, key=lambda each: each[0])]
        after = after_page(offset, len(entries), len(ranked))
        missing = timeline.total - offset - len(entries)
        more = more_from(after, missing, "narrow start_date and end_date.")
        more = more or (None if entries else _NO_DATES)
        facts |= {"offset": offset, "next_offset": after, "events": entries, "more": more}
        blocks = [plain(entry_of(results.event(each, formatter)), formatter) for each in shown]
        some = f"{len(shown)} of them shown, by weight." if len(shown) < timeline.total else ""
        text = [f"{plain(head_of(timeline), formatter)}\n{some}", "\n".join(blocks), more or ""]
        return answer("\n\n".join(filter(None, [*text, outputs.QUOTED])), formatter.whole(facts))


def _day(event: Event) -> tuple[str, str, str]:
    return event.first, event.last, event.value
