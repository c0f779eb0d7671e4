"""The tools that make vectors and search terms anew, and that say where this is due."""

import threading
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import Field

from casetrack.errors import UsageError
from casetrack.mcp import outputs, render
from casetrack.mcp.jobs import Task, WaitSeconds, run_as_job
from casetrack.mcp.render.reindex import (
    duration,
    reindexed_text,
    status_result,
    status_text,
)
from casetrack.mcp.results import answer
from casetrack.mcp.session import Session, in_thread, locate
from casetrack.mcp.specs import READS, SWITCHES, CollectionName, tool
from casetrack.mcp.tools.collections import ProfileName, profile_notes
from casetrack.store.info import require_active

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.collection import Collection
    from casetrack.ingest.reindexed import ReindexReport

    Tell = Callable[[str, int, int], None]

LISTED_FILES = 100
LISTED_DOCUMENTS = 100


class ReindexTools:
    """The tools of this module, for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @tool(
        "Reindex document",
        SWITCHES,
        description="Rebuild all embeddings, chunks and search terms of a single document. Use it "
        "when its source file has changed on disk, or its embeddings are stale. The source file is "
        "read again (what came attached to a mail comes with the mail); if it is gone, what is "
        "stored is kept. The old stays searchable until the new is whole. Returns what was "
        "rebuilt.",
    )
    async def reindex_document(
        self,
        ctx: Context,
        document_name: Annotated[str, Field(description="Document name or ID")],
        force: Annotated[
            bool, Field(description="Also if the file is unchanged and nothing is stale")
        ] = False,
        reparse: Annotated[
            bool,
            Field(description="Read the source file again; false keeps the chunks (faster)"),
        ] = True,
        wait_seconds: WaitSeconds = None,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.ReindexOutput]:
        """Make one document anew."""
        found: Collection = await locate(self._session, collection)

        def work(tell: "Tell", stop: threading.Event) -> "ReindexReport":
            return found.reindex_document(
                document_name, force=force, reparse=reparse, progress=tell, cancel=stop
            )

        title = f'Reindex of "{document_name}" in "{found.name}"'
        return await self._run(
            found, ctx, work, "reindex_document", [], title=title, wait_seconds=wait_seconds
        )

    @tool(
        "Reindex collection",
        SWITCHES,
        description="Rebuild all embeddings, chunks and search terms of every document in a "
        "collection, with the same or another profile of models. Without confirm: true it does "
        "nothing and says what it would do. Can take long for hundreds of documents; searches go "
        "on meanwhile, nothing is lost, and a cancelled run goes on where it stopped. Source files "
        "that are gone are kept as stored. Returns what was rebuilt.",
        required=("confirm",),
    )
    async def reindex_collection(
        self,
        ctx: Context,
        confirm: Annotated[bool, Field(description="Must be true to confirm")] = False,
        reparse: Annotated[
            bool,
            Field(description="Read the source files again; false keeps the chunks (faster)"),
        ] = True,
        skip_unchanged: Annotated[
            bool,
            Field(description="Only documents that are stale or whose source file has changed"),
        ] = False,
        profile: ProfileName = None,
        wait_seconds: WaitSeconds = None,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.ReindexOutput]:
        """Make all documents anew."""
        found: Collection = await locate(self._session, collection)
        if not confirm:
            raise await in_thread(
                partial(_unconfirmed, found, profile, skip_unchanged=skip_unchanged)
            )

        def work(tell: "Tell", stop: threading.Event) -> "ReindexReport":
            return found.reindex(
                profile, reparse=reparse, force=not skip_unchanged, progress=tell, cancel=stop
            )

        notes = await in_thread(partial(profile_notes, self._session.library, profile))
        title = f'Reindex of "{found.name}"'
        return await self._run(
            found, ctx, work, "reindex_collection", notes, title=title, wait_seconds=wait_seconds
        )

    @tool(
        "Index status",
        READS,
        description="Returns index health for all documents of a collection, or one: which have "
        "complete embeddings, which are stale, changed on disk, without their file or read only in "
        "part, and what to do about it. Documents with problems come first.",
    )
    async def get_index_status(
        self,
        document_filter: Annotated[
            str | None, Field(description="Only this document: its name or ID")
        ] = None,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.IndexStatusOutput]:
        """Say what of the index is out of date."""
        found: Collection = await locate(self._session, collection)
        status = await in_thread(partial(found.index_status, document_filter))
        return answer(
            status_text(status, LISTED_DOCUMENTS), status_result(status, LISTED_DOCUMENTS)
        )

    async def _run(
        self,
        found: "Collection",
        ctx: Context,
        work: "Callable[[Tell, threading.Event], ReindexReport]",
        name: str,
        notes: list[str],
        *,
        title: str,
        wait_seconds: int | None,
    ) -> CallToolResult:
        """Do long work and tell what it did."""

        async def finish(report: "ReindexReport") -> CallToolResult:
            said = [*notes, *report.notes, *(report.files.notes if report.files else ())]
            text = reindexed_text(report, said, again=name, listed=LISTED_FILES)
            return answer(text, _result(report, said))

        task = Task(
            "reindex",
            title,
            found.info,
            work,
            finish,
            amount=lambda report: report.chunks,
            kept=lambda report: f"{report.documents} documents, {report.embedded} embedded texts",
        )
        return await run_as_job(self._session, ctx, task, wait_seconds)


def _unconfirmed(found: "Collection", profile: str | None, *, skip_unchanged: bool) -> UsageError:
    """Return what a call without a confirmation is told: what would be done, and how long."""
    require_active(found.info)
    stats, seconds = found.stats(), found.rough_seconds()
    size = f"{render.counted(stats.document_count, 'document')}, "
    size += render.counted(stats.chunk_count, "chunk")
    what = f'all of "{found.info.name}" ({size})'
    if skip_unchanged and (profile is None or profile == found.info.profile):
        status = found.index_status()
        counted = sum(d.action in {"reindex", "reparse"} for d in status.documents)
        what = f'{render.counted(counted, "document")} of "{found.info.name}" (of {size})'
    long = "how long it takes cannot be told beforehand"
    if seconds is not None:
        long = f"taking in all of it took about {duration(seconds)}"
    return UsageError(
        f"Nothing was reindexed. This would rebuild {what}; {long}.",
        hint="Searches go on meanwhile. If the user wants it, call reindex_collection again with "
        "confirm: true; skip_unchanged: true leaves out what is up to date.",
    )


def _result(report: "ReindexReport", notes: list[str]) -> dict[str, Any]:
    raw = report.as_dict()
    files = raw.pop("files")
    listed = raw["missing_files"][:LISTED_FILES]
    failed = [o for o in files["outcomes"] if o["status"] == "failed"] if files else []
    return raw | {
        "counts": files["counts"] if files else None,
        "missing_files": listed,
        "missing_files_omitted": len(raw["missing_files"]) - len(listed),
        "failed_files": failed[:LISTED_FILES],
        "failed_files_omitted": max(0, len(failed) - LISTED_FILES),
        "notes": notes,
    }
