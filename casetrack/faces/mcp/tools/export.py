"""The tool that writes a whole collection into one file."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import Field

from casetrack.base.errors import UsageError
from casetrack.base.files import private_folder
from casetrack.base.records.transfer import ExportReport
from casetrack.base.records.types import Spread
from casetrack.faces.mcp import outputs, render
from casetrack.faces.mcp.jobs import WaitSeconds, run_as_job
from casetrack.faces.mcp.live_jobs import Task
from casetrack.faces.mcp.results import answer
from casetrack.faces.mcp.session import Session, in_thread, locate
from casetrack.faces.mcp.specs import ADDS, CollectionName, tool

if TYPE_CHECKING:
    from casetrack.api.collection import Collection

FOLDER = "exports"
"""Where files are written by default, below the data folder."""


class ExportOutput(outputs.LongWork, total=False):
    """The file, and what is in it."""

    report: Annotated[ExportReport, Spread("collection")]


class ExportTools:
    """The tool of this module, for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

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
    ) -> Annotated[CallToolResult, ExportOutput]:
        """Export a collection."""
        target: Collection = await locate(self._session, collection)
        folder = await in_thread(lambda: self._folder(output_folder))

        def work(hear: Callable[..., None], stop: threading.Event) -> ExportReport:
            return target.admin.export(folder, progress=hear, cancel=stop)

        async def finish(report: ExportReport) -> CallToolResult:
            held = ", ".join(
                render.counted(count, noun)
                for count, noun in ((report.documents, "document"), (report.pages, "page"))
            )
            name = f'Exported "{render.one_line(report.collection)}"'
            text = f"{name} ({held}) to {report.path} ({render.size(report.bytes)})."
            return answer("\n".join([text, *report.notes]), report.as_dict())

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
