"""Tools that take files into a collection, with progress and cancellation."""

import os
import stat
import threading
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeVar

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import BeforeValidator, Field

from casetrack.api.operation import ADDS
from casetrack.api.text import line
from casetrack.api.text.work import ingest_lines
from casetrack.base.errors import FileNotFound, FileUnreadable, UsageError, WrongPathKind
from casetrack.base.records import FileOutcome, IngestProgress, IngestReport
from casetrack.base.records.sync import SyncChange
from casetrack.faces.mcp import results
from casetrack.faces.mcp.failures import error_text, failed
from casetrack.faces.mcp.jobs import ASK_STATUS, WaitSeconds, run_as_job
from casetrack.faces.mcp.live_jobs import Task
from casetrack.faces.mcp.operation_tools import plain
from casetrack.faces.mcp.results import answer, few, first, list_budget, more_of
from casetrack.faces.mcp.session import SessionTools, in_thread, locate
from casetrack.faces.mcp.specs import CollectionName, tool
from casetrack.faces.mcp.steps import See, if_offered, name_tools
from casetrack.faces.mcp.texts import cut
from casetrack.faces.mcp.tools.collections import lower

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.base.editions import Edition

LISTED_OUTCOMES = 200
_NAMES = f"{See('documents')} lists all ingested files"
_OTHER = f"Use {See('ingest')} for it."
_MESSAGE_CHARS = 500
_WARNINGS = 5
Outcome = TypeVar("Outcome", FileOutcome, SyncChange)
_ORDER = {"failed": 0, "partial": 1, "ingested": 2, "skipped": 3}

DefaultType = Annotated[str | None, BeforeValidator(lower)]
Extensions = list[str] | None
FolderPath = Annotated[str, Field(description="Absolute")]
Password = str | None
OcrEngine = Literal["auto", "tesseract", "easyocr", "rapidocr", "off"] | None
OcrLanguage = Annotated[str | None, Field(description="Such as deu+eng")]


class IngestTools(SessionTools):
    """The tools of this module, for one session."""

    words: "ClassVar[Edition | None]" = None
    ask: ClassVar = ASK_STATUS

    @tool("Ingest document", ADDS, sets=("core", "legal"), of=("ingest",))
    async def ingest_document(
        self,
        ctx: Context,
        file_path: Annotated[str, Field(description="Absolute")],
        document_name: str | None = None,
        document_type: DefaultType = None,
        copy_original: bool = False,
        password: Password = None,
        ocr: OcrEngine = None,
        ocr_language: OcrLanguage = None,
        wait_seconds: WaitSeconds = None,
        collection: CollectionName = None,
    ) -> CallToolResult:
        """Ingest a file: PDF, Office, mail, HTML, EPUB, CSV, JSON, scans and others.

        A changed one replaces its version. Returns ID, counts, warnings.
        """
        target: Collection = await locate(self._session, collection)
        path = await in_thread(lambda: existing(file_path, "file_path", folder=False))

        def work(progress: Callable[[IngestProgress], None], stop: threading.Event) -> IngestReport:
            return target.ingest(
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
            return document_answer(report, target.info.name, self.words)

        task = ingest_task(target, path, work, finish)
        return await run_as_job(self._session, ctx, task, wait_seconds, self.ask)

    @tool("Ingest folder", ADDS, sets=("core", "legal"), of=("ingest",))
    async def ingest_folder(
        self,
        ctx: Context,
        folder_path: FolderPath,
        recursive: bool = True,
        skip_existing: bool = True,
        document_type: DefaultType = None,
        file_extensions: Extensions = None,
        password: Password = None,
        ocr: OcrEngine = None,
        ocr_language: OcrLanguage = None,
        wait_seconds: WaitSeconds = None,
        collection: CollectionName = None,
    ) -> CallToolResult:
        """Ingest new files of a folder. Returns counts, failures."""
        target: Collection = await locate(self._session, collection)
        path = await in_thread(lambda: existing(folder_path, "folder_path", folder=True))

        def work(progress: Callable[[IngestProgress], None], stop: threading.Event) -> IngestReport:
            return target.ingest(
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
            return folder_answer(report, target.info.name, path)

        task = ingest_task(target, path, work, finish)
        return await run_as_job(self._session, ctx, task, wait_seconds, self.ask)


def ingest_task(
    collection: "Collection",
    path: Path,
    work: "Callable[[Callable[[IngestProgress], None], threading.Event], IngestReport]",
    finish: "Callable[[IngestReport], Awaitable[CallToolResult]]",
    /,
) -> Task[IngestReport]:
    """Return the job that ingests a file or a folder."""
    return Task("ingest", f"Ingest of {path}", collection.info, work, finish)


def document_answer(
    report: IngestReport, collection: str, words: "Edition | None" = None, /
) -> CallToolResult:
    """Return the answer about an ingested file; *words* are those of an edition."""
    outcome, *attachments = map(bounded_outcome, report.outcomes)
    if outcome.status in {"failed", "skipped"}:
        return failed(error_text(outcome.code, outcome.message, outcome.hint, words))
    facts = _document_facts(report, collection)
    named = [outcome, *attachments[: len(facts["attachments"])]]
    search_step = if_offered(f"{See('search')} finds it.")
    head = f'"{collection}" has it as {outcome.document_id}. {search_step}'
    text = name_tools(plain([line(head), *ingest_lines(report, named)]))
    return answer("\n".join(filter(None, (text, facts["more"]))), facts)


def _document_facts(report: IngestReport, collection: str) -> dict[str, Any]:
    """Return the facts of an ingested file."""
    outcome, *attachments = map(bounded_outcome, report.outcomes)
    facts: dict[str, Any] = {
        "collection": collection,
        "outcome": outcome.as_dict(),
        "notes": few(report.notes),
    }
    budget = list_budget(facts, whole=results.BUDGET)
    shown = first(attachments, FileOutcome.as_dict, budget=budget, most=LISTED_OUTCOMES)
    omitted, more = len(attachments) - len(shown), None
    if omitted:
        more = more_of(f"{omitted:,} more attachments", if_offered(_NAMES))
    return facts | {"attachments": shown, "attachments_omitted": omitted, "more": more}


def folder_answer(report: IngestReport, collection: str, path: Path, /) -> CallToolResult:
    """Return the answer about an ingested folder."""
    facts, shown = _folder_facts(report, collection, path)
    head = f"Files of {path} in {collection}:"
    text = name_tools(plain([line(head), *ingest_lines(report, shown, path)]))
    return answer("\n".join(filter(None, (text, facts["more"]))), facts)


def _folder_facts(
    report: IngestReport, collection: str, path: Path
) -> tuple[dict[str, Any], list[FileOutcome]]:
    """Return the facts of an ingested folder, and the files that they list."""
    facts: dict[str, Any] = {
        "collection": collection,
        "folder": str(path),
        **replace(report, notes=tuple(few(report.notes))).as_dict(),
    }
    del facts["outcomes"]
    # Whatever needs attention comes first, so that it is in the part that is listed.
    ordered = sorted(report.outcomes, key=lambda o: _ORDER[o.status])
    bounded = [bounded_outcome(o) for o in ordered[:LISTED_OUTCOMES]]
    shown = first(bounded, FileOutcome.as_dict, budget=list_budget(facts, whole=results.BUDGET))
    omitted = len(ordered) - len(shown)
    more = _others(omitted, sum(o.status == "failed" for o in ordered) > len(shown))
    result = facts | {"outcomes": shown, "outcomes_omitted": omitted, "more": more}
    return result, bounded[: len(shown)]


def _others(omitted: int, failures: bool) -> str | None:
    """Return how to see the files that are not listed."""
    if not omitted:
        return None
    more = more_of(f"{omitted:,} more files", if_offered(_NAMES))
    if failures:
        more += " ingest_folder on one subfolder retries and lists its failures."
    return more


def bounded_outcome(outcome: Outcome, /) -> Outcome:
    """Return how a file ended, without the ends of very long messages."""
    return replace(
        outcome,
        message=cut(outcome.message, _MESSAGE_CHARS),
        hint=cut(name_tools(outcome.hint), _MESSAGE_CHARS),
        warnings=tuple(few(outcome.warnings, most=_WARNINGS)),
    )


def existing(text: str, field: str, /, *, folder: bool) -> Path:
    """Return the path in *text*."""
    path = _absolute(text, field)
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except PermissionError as error:
        raise FileUnreadable(text, error.strerror or "permission denied") from error
    except (OSError, ValueError) as error:
        raise FileNotFound(text) from error
    if is_folder and not folder:
        raise WrongPathKind(f"{text} is a folder, not a file.", hint=_OTHER)
    if folder and not is_folder:
        raise WrongPathKind(f"{text} is a file, not a folder.", hint=_OTHER)
    return path


def _absolute(text: str, field: str) -> Path:
    try:
        path = Path(text).expanduser()
    except RuntimeError as error:  # An unknown user: "~name"
        raise FileNotFound(text) from error
    if not path.is_absolute():
        raise UsageError(
            f'{field} must be an absolute path, not "{text}".',
            hint="Start the path with the drive or the root folder.",
        )
    return Path(os.path.normpath(path))
