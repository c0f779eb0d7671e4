"""Tools that bring a collection in step with folders, once or by themselves."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mcp.types import CallToolResult

from casetrack.api.operation import READS
from casetrack.api.text import line, lines_of
from casetrack.api.text.work import sync_lines
from casetrack.api.watch.watches import Watches
from casetrack.base.records.sync import SYNC_KINDS, SyncChange, SyncReport, WatchedFolder
from casetrack.faces.mcp import results
from casetrack.faces.mcp.operation_tools import plain
from casetrack.faces.mcp.results import answer, few, first, list_budget, onward, page_of
from casetrack.faces.mcp.session import SessionTools, in_thread
from casetrack.faces.mcp.specs import Offset, tool
from casetrack.faces.mcp.steps import See, if_offered, name_tools
from casetrack.faces.mcp.texts import cut
from casetrack.faces.mcp.tools.ingest import bounded_outcome

if TYPE_CHECKING:
    from casetrack.faces.mcp.session import Session

LISTED_CHANGES = 200
_ORDER = ("failed", "removed", "missing", "moved", "changed", "new", "skipped")


def sync_answer(report: "SyncReport", /) -> CallToolResult:
    """Return the answer on a folder that was synced: counts, and the changes that matter most."""
    facts = replace(report, changes=()).as_dict() | {
        "counts": {kind: report.count(kind) for kind in SYNC_KINDS},
        "notes": few(report.notes),
    }
    del facts["changes"]
    # Whatever needs attention comes first, so that it is in the part that is listed.
    ordered = sorted(report.changes, key=lambda change: _ORDER.index(change.kind))
    bounded = [bounded_outcome(change) for change in ordered[:LISTED_CHANGES]]
    budget = list_budget(facts, whole=results.BUDGET)
    shown = first(bounded, SyncChange.as_dict, budget=budget)
    omitted = len(ordered) - len(shown)
    more = " ".join(filter(None, _next_steps(report, omitted))) or None
    lines = [line(f"{report.folder} and {report.collection}:")]
    text = name_tools(plain([*lines, *sync_lines(report, bounded[: len(shown)])]))
    facts |= {"changes": shown, "changes_omitted": omitted, "more": more}
    return answer("\n".join(filter(None, (text, more))), facts)


def _next_steps(report: "SyncReport", omitted: int) -> Iterator[str]:
    """Yield advice on unlisted files and further actions."""
    if omitted:
        yield f"{omitted:,} more changes: sync_folder on a subfolder lists its changes."
        yield if_offered(f"{See('documents')} lists the documents.")
        yield if_offered(f"{See('index-status')} lists documents without their file.")
    if report.count("missing"):
        yield "To remove missing documents, ask the user, then use remove_deleted: true."
    if report.cancelled:
        yield "Completed work is kept; call sync_folder again to continue."


# Tools for folders that are kept in sync by themselves.

LISTED_WATCHES = 100

_PATTERNS, _PATTERN_CHARS = 20, 200
_NOTE_CHARS = 1_000


class WatchTools(SessionTools):
    """The tools of this module, for one session."""

    @tool(
        "Watches",
        READS,
        description="Returns watched folders: schedule, last sync, status, problems, what to do.",
        of=("watch",),
    )
    async def list_watches(
        self, collection_filter: str | None = None, offset: Offset = 0
    ) -> CallToolResult:
        """List the watched folders."""

        def work() -> tuple[str, dict[str, Any]]:
            known = Watches(self._session.library).all(collection=collection_filter)
            watches = [as_watched(each, self._session) for each in known]
            entries, after = page_of(watches, watch_entry, offset=offset, limit=LISTED_WATCHES)
            more = onward(after)
            listed = watches[offset : offset + len(entries)]
            shown = (name_tools(plain(lines_of(each))) for each in listed)
            text = "\n\n".join([*shown, *([more] if more else [])])
            return text or if_offered(
                f"No folder is watched. Use {See('watch add')} to watch one."
            ), {
                "watches": entries,
                "omitted": max(0, len(watches) - offset - len(entries)),
                "next_offset": after,
                "more": more,
            }

        return answer(*await in_thread(work))


def as_watched(watched: WatchedFolder, session: "Session", /) -> WatchedFolder:
    """Return a watched folder as this server sees it, which may be about to watch."""
    if watched.status.health == "unwatched" and session.watching:
        return replace(watched, status=replace(watched.status, health="starting"))
    return watched


def watch_entry(watched: WatchedFolder, /) -> dict[str, Any]:
    """Return the facts of a watched folder, without the ends of very long ones."""
    raw = watched.as_dict()
    for patterns in ("include", "exclude", "file_extensions"):
        if raw[patterns]:
            raw[patterns] = few(raw[patterns], most=_PATTERNS, chars=_PATTERN_CHARS)
    for words in ("last_error", "next_step", "note"):
        raw["status"][words] = cut(name_tools(raw["status"][words]), _NOTE_CHARS)
    return raw
