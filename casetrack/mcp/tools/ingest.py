"""Tools that take files into a collection, with progress and cancellation."""

import os
import stat
import threading
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import BeforeValidator, Field

from casetrack.errors import (
    FileNotFound,
    FileUnreadable,
    UsageError,
    WrongPathKind,
)
from casetrack.mcp import outputs
from casetrack.mcp.failures import error_text, failed
from casetrack.mcp.jobs import Task, WaitSeconds, run_as_job
from casetrack.mcp.render import ingest as ingest_text
from casetrack.mcp.results import answer
from casetrack.mcp.session import Session, in_thread, locate
from casetrack.mcp.specs import ADDS, CollectionName, tool
from casetrack.mcp.tools.collections import lower
from casetrack.records import FileOutcome, IngestProgress, IngestReport

if TYPE_CHECKING:
    from casetrack.collection import Collection

FORMATS = (
    "PDF, DOCX, DOC, PPTX, PPT, XLSX, XLS, ODS, ODT, ODP, RTF, HTML, EPUB, EML, MSG, MBOX, CSV, "
    "TSV, JSONL, TXT, MD, JPG, PNG, TIFF, WEBP"
)
LISTED_OUTCOMES = 200
_ORDER = {"failed": 0, "partial": 1, "ingested": 2, "skipped": 3}

DocumentType = Annotated[
    Literal[
        "contract",
        "report",
        "spreadsheet",
        "presentation",
        "correspondence",
        "memo",
        "proposal",
        "invoice",
        "policy",
        "other",
    ],
    BeforeValidator(lower),
]


Password = Annotated[str | None, Field(description="Opens password-protected files; never stored")]
OcrEngine = Annotated[
    Literal["auto", "tesseract", "easyocr", "rapidocr", "off"] | None,
    Field(description="How scans and pictures are read (default: chosen automatically)"),
]
OcrLanguage = Annotated[
    str | None, Field(description='Languages of scans as Tesseract codes, such as "deu+eng"')
]


class IngestTools:
    """The tools of this module, for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @tool(
        "Ingest document",
        ADDS,
        description=f"Ingest a document ({FORMATS} or source code) into the active collection. "
        "Extracts text, with text recognition for scans and pictures, "
        "chunks the text, computes embeddings, and indexes for search. All processing and storage "
        "happens locally on your machine. A changed file replaces its earlier version. Returns "
        "the document's ID, page and chunk counts and warnings.",
    )
    async def ingest_document(
        self,
        ctx: Context,
        file_path: Annotated[str, Field(description="Absolute path to the file on your computer")],
        document_name: Annotated[
            str | None, Field(description="Optional display name (defaults to filename)")
        ] = None,
        document_type: Annotated[DocumentType | None, Field(description="Type of document")] = None,
        copy_original: Annotated[
            bool, Field(description="Copy the original file into the collection folder")
        ] = False,
        password: Password = None,
        ocr: OcrEngine = None,
        ocr_language: OcrLanguage = None,
        wait_seconds: WaitSeconds = None,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.IngestedDocument]:
        """Ingest one file."""
        found: Collection = await locate(self._session, collection)
        path = await in_thread(lambda: existing(file_path, "file_path", folder=False))

        def work(progress: Callable[[IngestProgress], None], stop: threading.Event) -> IngestReport:
            return found.ingest(
                [path],
                document_name=document_name,
                document_type=document_type,
                copy_original=copy_original or None,
                passwords=[password] if password else (),
                ocr=ocr,
                ocr_language=ocr_language,
                progress=progress,
                cancel=stop,
            )

        async def finish(report: IngestReport) -> CallToolResult:
            return _document_answer(report, found.info.name)

        task = _task(found, path, work, finish)
        return await run_as_job(self._session, ctx, task, wait_seconds)

    @tool(
        "Ingest folder",
        ADDS,
        description="Ingest all supported documents in a folder and all subfolders. Walks the "
        "entire directory tree recursively. Automatically skips files already ingested (matched "
        f"by SHA256 hash). Supported formats: {FORMATS} and source code. Each file is chunked "
        "into 2000-character segments with full provenance. A file that fails does not stop the "
        "others; cancelling "
        "keeps what is finished. Returns counts and each file's outcome.",
    )
    async def ingest_folder(
        self,
        ctx: Context,
        folder_path: Annotated[
            str,
            Field(
                description="Absolute path to folder containing documents. All subfolders are "
                "included automatically."
            ),
        ],
        recursive: Annotated[
            bool,
            Field(
                description="Include subfolders (default: true). Set to false to only process the "
                "top-level folder."
            ),
        ] = True,
        skip_existing: Annotated[
            bool,
            Field(
                description="Skip files already ingested (matched by SHA256 hash). Set to false to "
                "re-ingest everything."
            ),
        ] = True,
        document_type: Annotated[
            DocumentType | None,
            Field(description="Default document type for all files"),
        ] = None,
        file_extensions: Annotated[
            list[str] | None,
            Field(
                description="Optional filter: only ingest files with these extensions "
                '(e.g., ["pdf", "docx", "xlsx"]). Default: all supported formats.'
            ),
        ] = None,
        password: Password = None,
        ocr: OcrEngine = None,
        ocr_language: OcrLanguage = None,
        wait_seconds: WaitSeconds = None,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.FolderOutput]:
        """Ingest the files of a folder."""
        found: Collection = await locate(self._session, collection)
        path = await in_thread(lambda: existing(folder_path, "folder_path", folder=True))

        def work(progress: Callable[[IngestProgress], None], stop: threading.Event) -> IngestReport:
            return found.ingest(
                [path],
                recursive=recursive,
                extensions=file_extensions or None,
                force=not skip_existing,
                document_type=document_type,
                passwords=[password] if password else (),
                ocr=ocr,
                ocr_language=ocr_language,
                progress=progress,
                cancel=stop,
            )

        async def finish(report: IngestReport) -> CallToolResult:
            return answer(
                ingest_text.folder(report, found.info.name, path),
                _folder_result(report, found.info.name, path),
            )

        task = _task(found, path, work, finish)
        return await run_as_job(self._session, ctx, task, wait_seconds)


def _task(
    found: "Collection",
    path: Path,
    work: "Callable[[Callable[[IngestProgress], None], threading.Event], IngestReport]",
    finish: "Callable[[IngestReport], Awaitable[CallToolResult]]",
) -> Task[IngestReport]:
    return Task(
        "ingest",
        f"Ingest of {path}",
        found.info,
        work,
        finish,
        amount=lambda report: len(report.outcomes),
        kept=lambda report: f"{report.count('ingested', 'partial')} finished documents",
    )


def _document_answer(report: IngestReport, collection: str) -> CallToolResult:
    outcome, *attachments = report.outcomes
    if outcome.status in {"failed", "skipped"}:
        return failed(error_text(outcome.code, outcome.message, outcome.hint))
    return answer(
        ingest_text.ingested(outcome, attachments, collection, report.notes),
        {
            "collection": collection,
            "outcome": _outcome(outcome),
            "attachments": [_outcome(a) for a in attachments[:LISTED_OUTCOMES]],
            "notes": list(report.notes),
        },
    )


def existing(text: str, field: str, /, *, folder: bool) -> Path:
    """Return the path that *text* names.

    Raises
    ------
    UsageError
        It is not absolute: the server's own folder means nothing to the user.
    FileNotFound, FileUnreadable, WrongPathKind
        Nothing is there, it may not be looked at, or it is a folder instead of a file, or the
        other way round.
    """
    path = _absolute(text, field)
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except PermissionError as error:
        raise FileUnreadable(text, error.strerror or "permission denied") from error
    except (OSError, ValueError) as error:
        raise FileNotFound(text) from error
    if is_folder and not folder:
        raise WrongPathKind(f"{text} is a folder, not a file.", hint="Use ingest_folder for it.")
    if folder and not is_folder:
        raise WrongPathKind(f"{text} is a file, not a folder.", hint="Use ingest_document for it.")
    return path


def _absolute(text: str, field: str) -> Path:
    try:
        path = Path(text).expanduser()
    except RuntimeError as error:  # "~nobody"
        raise FileNotFound(text) from error
    if not path.is_absolute():
        raise UsageError(
            f'{field} must be an absolute path, not "{text}".',
            hint="Give the whole path, beginning with the drive or the root folder.",
        )
    return Path(os.path.normpath(path))


def _outcome(outcome: FileOutcome) -> dict[str, Any]:
    return asdict(outcome) | {"warnings": list(outcome.warnings)}


def _folder_result(report: IngestReport, collection: str, path: Path) -> dict[str, Any]:
    raw = report.as_dict()
    # Whatever needs attention comes first, so that it is in the part that is listed.
    ordered = sorted(report.outcomes, key=lambda o: _ORDER[o.status])
    shown = [_outcome(o) for o in ordered[:LISTED_OUTCOMES]]
    return {
        "collection": collection,
        "folder": str(path),
        **raw,
        "outcomes": shown,
        "outcomes_omitted": len(ordered) - len(shown),
    }
