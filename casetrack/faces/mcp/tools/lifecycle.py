"""Tools on what a collection is called and whether it takes changes."""

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import Field

from casetrack.api.operation import ADDS, SWITCHES
from casetrack.api.text import lines_of
from casetrack.base.errors import UsageError
from casetrack.base.files import private_folder
from casetrack.base.records.snapshots import ExportReport
from casetrack.faces.mcp.asking import plain
from casetrack.faces.mcp.jobs import WaitSeconds, run_as_job
from casetrack.faces.mcp.live_jobs import Task
from casetrack.faces.mcp.results import answer, bounded_collection, collection_facts
from casetrack.faces.mcp.session import SessionTools, in_thread, locate, write_in_thread
from casetrack.faces.mcp.specs import CollectionName, tool
from casetrack.faces.mcp.tools.collections import CollectionType

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.base.records import CollectionInfo, StatusChange
    from casetrack.faces.mcp import outputs


class LifecycleTools(SessionTools):
    """The tools of this module, for one session."""

    @tool(
        "Close collection",
        SWITCHES,
        description="Make a collection read-only. Returns its status and the previous one.",
        of=("collection close",),
    )
    async def close_collection(self, collection_name: CollectionName = None) -> CallToolResult:
        """Close a collection."""
        return await self._turn(collection_name, "close")

    @tool(
        "Reopen collection",
        SWITCHES,
        description="Let a closed or archived collection take changes again. Returns its status.",
        of=("collection reopen",),
    )
    async def reopen_collection(self, collection_name: CollectionName = None) -> CallToolResult:
        """Reopen a collection."""
        return await self._turn(collection_name, "reopen")

    @tool(
        "Archive collection",
        SWITCHES,
        description="Make a collection read-only and leave it out of lists. Returns its status.",
        of=("collection archive",),
    )
    async def archive_collection(self, collection_name: CollectionName = None) -> CallToolResult:
        """Archive a collection."""
        return await self._turn(collection_name, "archive")

    @tool(
        "Update collection",
        SWITCHES,
        description="Change a collection's own facts; what is left out stays, an empty text "
        "removes. Returns the facts.",
        of=("collection describe", "collection rename"),
    )
    async def update_collection(
        self,
        collection: CollectionName = None,
        name: Annotated[str | None, Field(description="New name")] = None,
        description: Annotated[str | None, Field(description="What it is about")] = None,
        reference: Annotated[str | None, Field(description="User's own number")] = None,
        collection_type: CollectionType | None = None,
        add_tags: Annotated[list[str] | None, Field(description="Tags to add")] = None,
        remove_tags: Annotated[list[str] | None, Field(description="Tags to remove")] = None,
    ) -> CallToolResult:
        """Change a collection's own facts."""
        wishes = (name, description, reference, collection_type, add_tags, remove_tags)
        if all(wish is None for wish in wishes):
            raise UsageError(
                "Nothing was said that should change.",
                hint="Give name, description, reference, collection_type, add_tags or remove_tags.",
            )
        found: Collection = await locate(self._session, collection)
        work = partial(
            found.admin.update,
            name=name,
            description=description,
            reference=reference,
            collection_type=collection_type,
            add_tags=add_tags or (),
            remove_tags=remove_tags or (),
        )
        info = await write_in_thread(self._session, "", work)
        is_active = self._is_active(info)
        if is_active:
            self._session.activate(info)
        text = plain(lines_of(bounded_collection(info)))
        facts = {"collection": collection_facts(info), "is_active": is_active}
        return answer(f"Updated collection.\n{text}", facts)

    async def _turn(
        self, name: str | None, wish: Literal["close", "reopen", "archive"]
    ) -> CallToolResult:
        found: Collection = await locate(self._session, name)
        work = {
            "close": found.admin.close,
            "reopen": found.admin.reopen,
            "archive": found.admin.archive,
        }[wish]
        change: StatusChange = await write_in_thread(self._session, "", work)
        info, is_active = change.info, self._is_active(change.info)
        head, *rest = plain(lines_of(change)).split("\n")
        note = "\n".join(rest) or "Nothing was changed."
        if is_active and info.status != "active":
            note += "\nIt stays the collection that your calls use: read-only."
        facts: outputs.Facts = {"collection": collection_facts(info)}
        facts |= {"previous_status": change.before}
        facts |= {"changed": change.changed, "is_active": is_active, "note": note}
        return answer(f"{head} {note}", facts)

    def _is_active(self, info: "CollectionInfo") -> bool:
        return self._session.active is not None and self._session.active.id == info.id


# The tool that writes a whole collection into one file.

FOLDER = "exports"
"""Where files are written by default, below the data folder."""


class ExportTools(SessionTools):
    """The tool of this module, for one session."""

    @tool(
        "Export collection",
        ADDS,
        description="Write a whole collection into one .ctcollection file, to keep or move it; "
        "never over a file. Returns its path and size.",
    )
    async def export_collection(
        self,
        ctx: Context,
        output_folder: Annotated[
            str | None, Field(description="Absolute; default: exports in the data folder")
        ] = None,
        wait_seconds: WaitSeconds = None,
        collection: CollectionName = None,
    ) -> CallToolResult:
        """Export a collection."""
        target: Collection = await locate(self._session, collection)
        folder = await in_thread(lambda: self._folder(output_folder))

        def work(hear: Callable[..., None], stop: threading.Event) -> ExportReport:
            return target.admin.export(folder, progress=hear, cancel=stop)

        async def finish(report: ExportReport) -> CallToolResult:
            return answer(plain(lines_of(report)), report.as_dict())

        task = Task(
            "export",
            f"Export of {target.name}",
            target.info,
            work,
            finish,
            amount=lambda _: 100,
            kept=lambda _: "nothing",
        )
        return await run_as_job(self._session, ctx, task, wait_seconds)

    def _folder(self, named: str | None) -> Path:
        """Return the folder to write to; that of the program itself is made.

        Raises
        ------
        UsageError
            The folder is not there, or its path is not absolute.
        """
        if named is None:
            own = self._session.library.settings.data_dir / FOLDER
            private_folder(own)
            return own
        try:
            folder = Path(named).expanduser()
        except RuntimeError:  # "~nobody"
            folder = Path(named)
        if not folder.is_absolute() or not folder.is_dir():
            raise UsageError(
                f"output_folder is no folder with an absolute path: {named}",
                hint="Name one that exists, or leave it out.",
            )
        return folder
