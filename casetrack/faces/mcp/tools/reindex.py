"""Tools that rebuild vectors and search terms, and report outdated ones."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from mcp.types import CallToolResult

from casetrack.api.operation import READS
from casetrack.api.text import head_of
from casetrack.api.text.collections import about
from casetrack.base.errors import UsageError
from casetrack.base.records import FileOutcome, IngestReport
from casetrack.faces.mcp import render
from casetrack.faces.mcp.operation_tools import plain
from casetrack.faces.mcp.render.reindex import status_result, status_text
from casetrack.faces.mcp.results import answer, few, first, more_of
from casetrack.faces.mcp.session import SessionTools, in_thread, locate
from casetrack.faces.mcp.specs import CollectionName, Offset, tool
from casetrack.faces.mcp.steps import See, if_offered, name_tools
from casetrack.faces.mcp.tools.ingest import bounded_outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection
    from casetrack.base.records.snapshots import ReindexReport

    Tell = Callable[[str, int, int], None]

LISTED_FILES = 100
_FILES_BUDGET = 7_000


class ReindexTools(SessionTools):
    """The tools of this module, for one session."""

    @tool(
        "Index status",
        READS,
        description="Returns documents that are stale, changed, without file or read in part, and "
        "what to do.",
        of=("index-status",),
    )
    async def get_index_status(
        self,
        document_filter: str | None = None,
        offset: Offset = 0,
        collection: CollectionName = None,
    ) -> CallToolResult:
        """Report outdated parts of the index."""
        target: Collection = await locate(self._session, collection)
        status = await in_thread(partial(target.admin.index_status, document_filter))
        facts = status_result(status, offset)
        return answer(status_text(status, facts), facts)


def reindex_answer(report: "ReindexReport", notes: list[str], again: str, /) -> CallToolResult:
    """Return the answer about a rebuild; *again* is the tool that continues it."""
    every_note = [*notes, *report.notes, *(report.files.notes if report.files else ())]
    facts = _result(report, every_note, again=again)
    bounded = replace(report, notes=tuple(facts["notes"]))
    if report.files is not None:
        outcomes = tuple(map(bounded_outcome, report.files.outcomes))
        bounded = replace(bounded, files=IngestReport(outcomes, report.files.seconds))
    stopped = f'Stopped; "{report.collection}" is consistent.' if report.cancelled else ""
    text = name_tools(plain(head_of(bounded)))
    return answer("\n".join(filter(None, (stopped, text, facts["more"]))), facts)


def unconfirmed(collection: "Collection", given: dict[str, Any], /) -> UsageError:
    """Return the error of an unconfirmed call: its effect and its duration."""
    profile, skip_unchanged = given["profile"], not given["force"]
    collection.workspace.require_active()
    from casetrack.api.collection.admin import first_time_seconds

    stats, seconds = collection.stats(), first_time_seconds(collection.documents())
    size = f"{render.counted(stats.document_count, 'document')}, "
    size += render.counted(stats.chunk_count, "chunk")
    what = f'all of "{collection.info.name}" ({size})'
    if skip_unchanged and (profile is None or profile == collection.info.profile):
        status = collection.admin.index_status()
        counted = sum(d.action in {"reindex", "reparse"} for d in status.documents)
        what = f'{render.counted(counted, "document")} of "{collection.info.name}" (of {size})'
    long = "the duration is unknown"
    if seconds is not None:
        long = f"the first ingest took {about(seconds)}"
    return UsageError(
        f"Nothing was reindexed. This would rebuild {what}; {long}.",
        hint="Searches work meanwhile. If the user agrees, call reindex_collection again with "
        "confirm: true; skip_unchanged: true skips documents that are up to date.",
    )


def _result(report: "ReindexReport", notes: list[str], *, again: str) -> dict[str, Any]:
    raw = report.as_dict()
    files = raw.pop("files")
    outcomes = report.files.outcomes if report.files else ()
    failed = [bounded_outcome(o) for o in outcomes if o.status == "failed"]
    missing = raw["missing_files"]
    shown = first(missing, str, budget=_FILES_BUDGET, most=LISTED_FILES)
    listed = first(failed, FileOutcome.as_dict, budget=_FILES_BUDGET, most=LISTED_FILES)
    omitted, more = len(missing) - len(shown) + len(failed) - len(listed), None
    if omitted:
        way = f"{See('index-status')} lists all documents with problems"
        more = more_of(f"{omitted:,} more files", if_offered(way))
    if report.cancelled:
        more = f"Call {again} to continue." + (f" {more}" if more else "")
    return raw | {
        "counts": files["counts"] if files else None,
        "missing_files": shown,
        "missing_files_omitted": len(missing) - len(shown),
        "failed_files": listed,
        "failed_files_omitted": len(failed) - len(listed),
        "notes": few(notes),
        "more": more,
    }
