"""Tools for cases: create, list, switch, delete, describe."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import BeforeValidator, Field

from casetrack.api.operation import ADDS, DELETES, READS
from casetrack.api.text import lines_of
from casetrack.base.editions import LEGAL, edition
from casetrack.base.records import CollectionEntry, CollectionInfo, CollectionStats
from casetrack.editions.legal.cases import CASE, Cases, case_entry
from casetrack.editions.legal.mcp.words import CaseName, locate_case, of_case
from casetrack.faces.mcp.operation_tools import plain
from casetrack.faces.mcp.results import answer, bounded_collection
from casetrack.faces.mcp.session import SessionTools, in_thread, write_in_thread
from casetrack.faces.mcp.specs import Offset, ResponseFormat, tool
from casetrack.faces.mcp.steps import if_offered
from casetrack.faces.mcp.tools.collections import LIST_CHARS, NEXT_STEP, CountingTools, lower, sizes
from casetrack.faces.mcp.tools.ingest import IngestTools
from casetrack.faces.mcp.tools.status import ServerState

if TYPE_CHECKING:
    from casetrack.api.collection import Collection

CaseType = Annotated[
    str,
    BeforeValidator(lower),
    Field(
        description="Type of legal case",
        json_schema_extra={"enum": list(edition(LEGAL).collection_types)},
    ),
]


class CaseTools(CountingTools):
    """Tools of this module for one session."""

    noun = "case"

    @property
    def _cases(self) -> Cases:
        return Cases(self._session.library)

    def _every(self) -> Sequence[CollectionInfo]:
        return self._cases.all()

    def _find(self, name: str, /) -> CollectionInfo:
        return self._cases.find(name)

    def _shown(
        self, info: CollectionInfo, stats: CollectionStats | None, problem: str, /
    ) -> CollectionEntry:
        return case_entry(info, stats, problem)

    def _facts(
        self, info: CollectionInfo, stats: CollectionStats | None, /, problem: str = ""
    ) -> dict[str, Any]:
        case = CASE.of(bounded_collection(info, LIST_CHARS))
        return {**case, "is_active": self._is_active(info), **sizes(stats), "problem": problem}

    _entry = _facts

    def _whole(self, entry: dict[str, Any], /) -> dict[str, Any]:
        return {"case": entry}

    @tool(
        "Create case",
        ADDS,
        description="Create a new legal case. Creates an isolated database for this case on your "
        "machine. Automatically switches to the new case.",
        sets=("core", "legal"),
        of=("case create", "collection create"),
    )
    async def create_case(
        self,
        name: Annotated[str, Field(description="Case name (e.g., 'Smith v. Jones')")],
        case_number: Annotated[
            str | None, Field(description="Optional docket or case number")
        ] = None,
        case_type: CaseType | None = None,
    ) -> CallToolResult:
        """Create a case and activate it."""
        create = partial(self._cases.create, name, case_type=case_type, case_number=case_number)
        info = (await write_in_thread(self._session, "", create)).info
        remembered = self._session.activate(info)
        note = "This is now your active case." if remembered else self._no_state()
        step = if_offered(NEXT_STEP)
        return answer(
            f"Created a case. {note}\n{plain(lines_of(info))}\nNext: {step}",
            {
                "case": self._facts(info, CollectionStats(0, 0, 0, 0)),
                "next_step": step if remembered else note,
            },
        )

    @tool(
        "List cases",
        READS,
        description="List all cases. Shows name, type, status, document count, and which case is "
        "active.",
        sets=("core", "search", "map", "legal"),
        of=("case list", "collection list"),
    )
    async def list_cases(
        self,
        status_filter: Annotated[
            Literal["active", "closed", "archived", "all"],
            BeforeValidator(lower),
            Field(description="Filter by case status"),
        ] = "active",
        offset: Offset = 0,
    ) -> CallToolResult:
        """List the cases of a status."""
        return await in_thread(partial(self._listed, status_filter, offset))

    @tool(
        "Switch case",
        READS,
        description="Switch to a different case. All subsequent operations (ingest, search) will "
        "use this case.",
        sets=("core", "search", "map", "legal"),
        of=("case use",),
    )
    async def switch_case(
        self, case_name: Annotated[str, Field(description="Case name or ID to switch to")]
    ) -> CallToolResult:
        """Activate a case."""
        return await self._switched(case_name)

    @tool(
        "Delete case",
        DELETES,
        description="Permanently delete a case and all its documents, embeddings, and data. This "
        "cannot be undone.",
        required=("confirm",),
        meta={"anthropic/requiresUserInteraction": True},
        sets=("legal",),
    )
    async def delete_case(
        self,
        case_name: Annotated[str, Field(description="Case name or ID to delete")],
        confirm: Annotated[bool, Field(description="Must be true to confirm deletion")] = False,
    ) -> CallToolResult:
        """Delete a case after confirmation."""
        return await self._deleted(case_name, confirm)

    @tool(
        "Case",
        READS,
        description="Get detailed information about the active case including document list and "
        "storage usage.",
        sets=("legal",),
        of=("collection info",),
    )
    async def get_case_info(
        self, case: CaseName = None, response_format: ResponseFormat = "concise"
    ) -> CallToolResult:
        """Describe a case."""
        return await self._described(await locate_case(self._session, case), response_format)


# Tools that add files to a case, and the status of the server.


class CaseStatusTools(ServerState):
    """The tool of this module for one session."""

    noun = "case"

    @tool(
        "Server status",
        READS,
        description="Get CaseTrack server status including version, license tier, loaded models, "
        "and storage usage.",
        sets=("core", "legal"),
    )
    async def get_status(self) -> CallToolResult:
        """Describe the server."""
        return await self._described()


# Tools that add files to a case, with progress and cancellation.

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


class _AnyIngest(IngestTools):
    words = edition(LEGAL)
    ask = (
        "Call get_status for the progress; finished documents can be searched already. The user "
        "can stop the job: casetrack jobs cancel {id}"
    )


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
        target: Collection = await locate_case(self._session, case)
        given: dict[str, Any] = {"document_name": document_name, "document_type": document_type}
        given |= {"copy_original": copy_original, "password": password}
        ingest = partial(_AnyIngest(self._session).ingest_document, ctx, file_path, **given)
        return of_case(await ingest(collection=target.info.id), target.info)

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
        target: Collection = await locate_case(self._session, case)
        await in_thread(lambda: self._session.library.entitlements.require("case_folder"))
        given: dict[str, Any] = {"recursive": recursive, "document_type": document_type}
        given |= {"password": password}
        ingest = partial(_AnyIngest(self._session).ingest_folder, ctx, folder_path, **given)
        return of_case(await ingest(collection=target.info.id), target.info)
