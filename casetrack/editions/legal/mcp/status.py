"""Tools that add files to a case, and the status of the server."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import BeforeValidator, Field

from casetrack.api.operation import ADDS, READS
from casetrack.base.editions import LEGAL, edition
from casetrack.editions.legal.mcp.words import CaseName, locate_case, of_case
from casetrack.faces.mcp.session import SessionTools, in_thread
from casetrack.faces.mcp.specs import tool
from casetrack.faces.mcp.tools.collections import lower
from casetrack.faces.mcp.tools.ingest import IngestTools
from casetrack.faces.mcp.tools.status import ServerState

if TYPE_CHECKING:
    from casetrack.api.collection import Collection


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
