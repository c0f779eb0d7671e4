"""The tool that brings a collection in step with a folder."""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import Field

from casetrack.mcp import outputs
from casetrack.mcp.jobs import Task, WaitSeconds, run_as_job
from casetrack.mcp.render import sync as sync_text
from casetrack.mcp.results import answer
from casetrack.mcp.session import Session, in_thread, locate
from casetrack.mcp.specs import DELETES, CollectionName, tool
from casetrack.mcp.tools.ingest import DocumentType, existing

if TYPE_CHECKING:
    from casetrack.collection import Collection
    from casetrack.records.sync import SyncReport

LISTED_CHANGES = 200
_ORDER = ("failed", "removed", "missing", "moved", "changed", "new", "skipped")


class SyncTools:
    """The tool of this module, for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @tool(
        "Sync folder",
        DELETES,
        description="Sync a folder with the active collection. Compares files on disk (path and "
        "SHA256) with what is ingested and (1) ingests new files, (2) re-ingests changed ones, (3) "
        "follows renamed and moved ones without reading them again, (4) optionally removes "
        "documents whose source files no longer exist. The easiest way to keep a collection up to "
        "date with a directory: point it at the folder and run it whenever files change. A "
        "cancelled sync keeps what is finished. Returns counts and the changes.",
    )
    async def sync_folder(
        self,
        ctx: Context,
        folder_path: Annotated[
            str,
            Field(description="Absolute path to folder to sync. All subfolders are included."),
        ],
        remove_deleted: Annotated[
            bool,
            Field(
                description="Remove documents whose source files no longer exist on disk (default: "
                "false, they are reported as missing and kept)"
            ),
        ] = False,
        document_type: Annotated[
            DocumentType | None, Field(description="Default type of newly ingested files")
        ] = None,
        dry_run: Annotated[
            bool,
            Field(description="Only report what would change (default: false)"),
        ] = False,
        include: Annotated[
            list[str] | None,
            Field(description='Only files that fit these gitignore patterns, as "contracts/**"'),
        ] = None,
        exclude: Annotated[
            list[str] | None, Field(description='Not what fits these, as "drafts/" or "*.bak"')
        ] = None,
        file_extensions: Annotated[
            list[str] | None, Field(description='Only these kinds, as ["pdf", "docx"]')
        ] = None,
        wait_seconds: WaitSeconds = None,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.SyncOutput]:
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
            return answer(sync_text.synced(report), _result(report))

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


def _result(report: "SyncReport") -> dict[str, Any]:
    # Whatever needs attention comes first, so that it is in the part that is listed.
    changes = sorted(report.changes, key=lambda change: _ORDER.index(change.kind))
    shown = [change.as_dict() for change in changes[:LISTED_CHANGES]]
    return report.as_dict() | {
        "changes": shown,
        "changes_omitted": len(changes) - len(shown),
    }
