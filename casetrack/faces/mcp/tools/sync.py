"""The tool that brings a collection in step with a folder."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import Field

from casetrack.base.records.sync import SYNC_KINDS, SyncChange, SyncReport
from casetrack.base.records.types import Spread
from casetrack.faces.mcp import budget, outputs
from casetrack.faces.mcp.jobs import WaitSeconds, run_as_job
from casetrack.faces.mcp.live_jobs import Task
from casetrack.faces.mcp.render import sync as sync_text
from casetrack.faces.mcp.results import answer, cut
from casetrack.faces.mcp.session import Session, in_thread, locate
from casetrack.faces.mcp.shorter import few, first, room_beside
from casetrack.faces.mcp.specs import DELETES, CollectionName, tool
from casetrack.faces.mcp.steps import told
from casetrack.faces.mcp.tools.ingest import (
    DefaultType,
    ExcludePatterns,
    Extensions,
    FolderPath,
    IncludePatterns,
    existing,
)

if TYPE_CHECKING:
    from casetrack.api.collection import Collection

LISTED_CHANGES = 200
_MESSAGE_CHARS = 500
_WARNINGS = 5
_ORDER = ("failed", "removed", "missing", "moved", "changed", "new", "skipped")


class SyncOutput(outputs.LongWork, total=False):
    """Counts, and the changes that matter most."""

    report: Annotated[SyncReport, Spread()]
    changes: list[SyncChange]
    changes_omitted: int


class SyncTools:
    """The tool of this module, for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @tool(
        "Sync folder",
        DELETES,
        description="Bring the collection up to date with a folder: takes in new and changed "
        "files, follows moved ones, can remove documents of missing ones. "
        "Returns counts and changes, problems first.",
    )
    async def sync_folder(
        self,
        ctx: Context,
        folder_path: FolderPath,
        remove_deleted: Annotated[
            bool, Field(description="Remove documents of missing files")
        ] = False,
        document_type: DefaultType = None,
        dry_run: Annotated[bool, Field(description="Only say what would change")] = False,
        include: IncludePatterns = None,
        exclude: ExcludePatterns = None,
        file_extensions: Extensions = None,
        wait_seconds: WaitSeconds = None,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, SyncOutput]:
        """Sync the collection with a folder."""
        found: Collection = await locate(self._session, collection)
        path = await in_thread(lambda: existing(folder_path, "folder_path", folder=True))

        def work(hear: Callable[..., None], stop: threading.Event) -> "SyncReport":
            return found.sync(
                path,
                remove_deleted=remove_deleted,
                dry_run=dry_run,
                include=include or (),
                exclude=exclude or (),
                extensions=file_extensions or None,
                document_type=document_type,
                progress=hear,
                cancel=stop,
            )

        async def finish(report: "SyncReport") -> CallToolResult:
            return _answer(report)

        task = Task(
            "sync",
            f"Sync with {path}",
            found.info,
            work,
            finish,
            amount=lambda report: report.seen,
            kept=lambda report: f"{report.count('new', 'changed', 'moved')} finished documents",
        )
        return await run_as_job(self._session, ctx, task, wait_seconds)


def _answer(report: "SyncReport") -> CallToolResult:
    facts = replace(report, changes=()).as_dict() | {
        "counts": {kind: report.count(kind) for kind in SYNC_KINDS},
        "notes": few(report.notes),
    }
    del facts["changes"]
    # Whatever needs attention comes first, so that it is in the part that is listed.
    ordered = sorted(report.changes, key=lambda change: _ORDER.index(change.kind))
    bounded = [_bounded(change) for change in ordered[:LISTED_CHANGES]]
    room = room_beside(facts, whole=budget.ROOM)
    shown = first(bounded, SyncChange.as_dict, room=room)
    omitted = len(ordered) - len(shown)
    more = " ".join(_next_steps(report, omitted)) or None
    return answer(
        sync_text.synced(report, bounded[: len(shown)], more),
        facts | {"changes": shown, "changes_omitted": omitted, "more": more},
    )


def _next_steps(report: "SyncReport", omitted: int) -> Iterator[str]:
    """Yield how to see what is not listed, and what else can be done."""
    if omitted:
        yield (
            f"{omitted:,} more changes: list_documents names what is ingested, get_index_status "
            "documents whose files are gone; sync_folder on one subfolder names its own."
        )
    if report.count("missing"):
        yield "To remove what is missing, ask the user, then use remove_deleted: true."
    if report.cancelled:
        yield "What was finished is kept; call sync_folder again to go on."


def _bounded(change: "SyncChange") -> "SyncChange":
    """Return a change without the ends of very long messages."""
    return replace(
        change,
        message=cut(change.message, _MESSAGE_CHARS),
        hint=cut(told(change.hint), _MESSAGE_CHARS),
        warnings=tuple(few(change.warnings, most=_WARNINGS)),
    )
