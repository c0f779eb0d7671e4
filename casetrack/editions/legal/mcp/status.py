"""Tools that add files to a case, and the status of the server."""

import platform
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import BeforeValidator, Field

from casetrack.api.operation import ADDS, READS
from casetrack.api.text.collections import progress_text
from casetrack.base.editions import LEGAL, edition
from casetrack.base.records import IngestProgress, IngestReport
from casetrack.editions.legal.mcp.words import CaseName, locate_case, of_case
from casetrack.faces.mcp import outputs
from casetrack.faces.mcp.jobs import job_facts, run_as_job
from casetrack.faces.mcp.outputs import Facts
from casetrack.faces.mcp.render.pieces import home_path, one_line, size
from casetrack.faces.mcp.results import answer
from casetrack.faces.mcp.session import Session, SessionTools, in_thread
from casetrack.faces.mcp.specs import tool
from casetrack.faces.mcp.tools.collections import lower
from casetrack.faces.mcp.tools.ingest import document_answer, existing, folder_answer, ingest_task
from casetrack.faces.mcp.tools.status import StatusTools

if TYPE_CHECKING:
    from casetrack.api.collection import Collection


_SAME = ("version", "tier", "license_notes", "data_dir", "models_dir", "profiles")
_NAMES = {name: name for name in _SAME} | {
    "active_collection": "active_case",
    "collections": "cases",
    "storage_bytes": "cases_bytes",
}
"""Names of the status fields of cases, by those of collections."""


class CaseStatusTools:
    """The tool of this module for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._any = StatusTools(session)

    @tool(
        "Server status",
        READS,
        description="Get CaseTrack server status including version, license tier, loaded models, "
        "and storage usage.",
        sets=("core", "legal"),
    )
    async def get_status(self) -> CallToolResult:
        """Describe the server."""
        return await in_thread(self._described)

    def _described(self) -> CallToolResult:
        import psutil

        library = self._session.library
        jobs = [job for job in library.jobs.list() if job.active]
        models = library.settings.models_dir
        status: Facts = {
            **{_NAMES[name]: value for name, value in self._any.status().items() if name in _NAMES},
            "models_bytes": sum(f.stat().st_size for f in models.rglob("*") if f.is_file()),
            "memory_used": psutil.Process().memory_info().rss,
            "memory_total": psutil.virtual_memory().total,
            "system": f"{platform.system()} {platform.release()} ({platform.machine()})",
            "jobs": [job_facts(job) for job in jobs],
        }
        going = [f"  {one_line(job.title)}: {progress_text(job)}" for job in jobs]
        return answer(_text(status, going), status)


def _text(status: Facts, going: list[str]) -> str:
    models = [f"  {p['name']}: {_state(p)}" for p in status["profiles"]]
    lines = [
        f"CaseTrack v{status['version']}",
        "",
        f"License: {status['tier'].capitalize()}",
        *(f"License note: {note}" for note in status["license_notes"]),
        f"Active Case: {status['active_case'] or 'none'}",
        "",
        "Models:",
        *models,
        "  BM25: Ready (algorithmic)",
        "",
        f"Storage: {home_path(status['data_dir'])}/",
        f"  Models: {size(status['models_bytes'])}",
        f"  Cases: {status['cases']:,} ({size(status['cases_bytes'])} total)",
        f"  Total: {size(status['models_bytes'] + status['cases_bytes'])}",
        "",
        "System:",
        f"  RAM: {size(status['memory_used'])} used / {size(status['memory_total'])} in all",
        f"  OS: {status['system']}",
        *(["", "At work:", *going] if going else []),
    ]
    return "\n".join(lines)


def _state(profile: Facts) -> str:
    if not profile["installed"]:
        return "not installed"
    return "Ready" if profile["loaded"] else "Ready (loaded when first used)"


# Tools that add files to a case, with progress and cancellation.

ASK = (
    "Call get_status for the progress; finished documents can be searched already. The user can "
    "stop the job: casetrack jobs cancel {id}"
)
_TYPES = edition(LEGAL).document_types
_NO_FOLDERS_OF = {"statute", "case_law"}
"""Document types that are only allowed for single files."""
_FOLDER_TYPES = tuple(kind for kind in _TYPES if kind not in _NO_FOLDERS_OF)


DocumentKind: Any = Annotated[
    Literal[_TYPES], BeforeValidator(lower), Field(description="Type of legal document")
]
FolderKind: Any = Annotated[
    Literal[_FOLDER_TYPES],
    BeforeValidator(lower),
    Field(description="Default type for all documents"),
]
Password = Annotated[str | None, Field(description="For a protected file; never stored")]


class CaseIngestTools(SessionTools):
    """Tools of this module for one session."""

    @tool(
        "Ingest document",
        ADDS,
        description="Ingest a document (PDF, DOCX, or image) into the active case. Extracts text "
        "(with OCR for scans), chunks the text, computes embeddings, and indexes for search. All "
        "processing and storage happens locally on your machine.",
        sets=("core", "legal"),
        of=("ingest",),
    )
    async def ingest_document(
        self,
        ctx: Context,
        file_path: Annotated[str, Field(description="Absolute path to the file on your computer")],
        document_name: Annotated[
            str | None, Field(description="Optional display name (defaults to filename)")
        ] = None,
        document_type: DocumentKind | None = None,
        copy_original: Annotated[
            bool, Field(description="Copy the original file into the case folder")
        ] = False,
        password: Password = None,
        case: CaseName = None,
    ) -> CallToolResult:
        """Ingest one file."""
        collection: Collection = await locate_case(self._session, case)
        path = await in_thread(lambda: existing(file_path, "file_path", folder=False))
        ingest = partial(
            collection.ingest,
            [path],
            document_name=document_name,
            document_type=document_type,
            copy_original=copy_original or None,
            passwords=[password] if password else (),
        )
        return await self._run(ctx, collection, path, ingest, partial(_document_answer, collection))

    @tool(
        "Ingest folder",
        ADDS,
        description="Batch ingest all supported documents in a folder. Pro tier only.",
        feature="case_folder",
        sets=("core", "legal"),
        of=("ingest",),
    )
    async def ingest_folder(
        self,
        ctx: Context,
        folder_path: Annotated[str, Field(description="Path to folder containing documents")],
        recursive: Annotated[bool, Field(description="Include subfolders")] = False,
        document_type: FolderKind | None = None,
        password: Password = None,
        case: CaseName = None,
    ) -> CallToolResult:
        """Ingest the files of a folder."""
        collection: Collection = await locate_case(self._session, case)
        await in_thread(lambda: self._session.library.entitlements.require("case_folder"))
        path = await in_thread(lambda: existing(folder_path, "folder_path", folder=True))
        ingest = partial(
            collection.ingest,
            [path],
            recursive=recursive,
            document_type=document_type,
            passwords=[password] if password else (),
        )
        return await self._run(
            ctx, collection, path, ingest, lambda r: folder_answer(r, collection.info.name, path)
        )

    async def _run(
        self,
        ctx: Context,
        collection: "Collection",
        path: Path,
        ingest: Callable[..., IngestReport],
        answer_of: Callable[[IngestReport], CallToolResult],
    ) -> CallToolResult:
        """Ingest a path as a job of the case."""

        def work(progress: Callable[[IngestProgress], None], stop: threading.Event) -> IngestReport:
            return ingest(progress=progress, cancel=stop)

        async def finish(report: IngestReport) -> CallToolResult:
            return await in_thread(partial(answer_of, report))

        task = ingest_task(collection, path, work, finish)
        return of_case(await run_as_job(self._session, ctx, task, None, ASK), collection.info)


def _document_answer(collection: "Collection", report: IngestReport) -> CallToolResult:
    result = document_answer(report, collection.info.name, edition(LEGAL))
    document_id = report.outcomes[0].document_id
    if not result.is_error and document_id is not None:
        document = outputs.LINE.of(collection.document(document_id))
        result.structured_content = {**(result.structured_content or {}), "document": document}
    return result
