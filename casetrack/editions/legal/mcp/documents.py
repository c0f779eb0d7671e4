"""Tools on the documents of a case: list, look at, delete."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

from mcp.types import CallToolResult
from pydantic import BeforeValidator, Field

from casetrack.editions.legal.mcp.locating import CaseName, locate_case
from casetrack.editions.legal.mcp.told import case_form, of_case
from casetrack.faces.mcp.progress import Unconfirmed
from casetrack.faces.mcp.render.pieces import counted, one_line
from casetrack.faces.mcp.session import Session, in_thread
from casetrack.faces.mcp.specs import DELETES, READS, Offset, ResponseFormat, tool
from casetrack.faces.mcp.tools.collections import lower
from casetrack.faces.mcp.tools.documents import (
    DeletedDocument,
    DocumentOutput,
    DocumentsOutput,
    DocumentTools,
)

if TYPE_CHECKING:
    from casetrack.api.collection import Collection


class CaseDocumentTools:
    """The tools of this module, for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._any = DocumentTools(session)

    @tool(
        "List documents",
        READS,
        description="List all documents in the active case.",
        sets=("core", "search", "legal"),
    )
    async def list_documents(
        self,
        sort_by: Annotated[
            Literal["name", "date", "pages", "type"],
            BeforeValidator(lower),
            Field(description="Sort order"),
        ] = "date",
        case: CaseName = None,
        offset: Offset = 0,
        response_format: ResponseFormat = "concise",
    ) -> Annotated[CallToolResult, case_form(DocumentsOutput)]:
        """List a case's documents."""
        found: Collection = await locate_case(self._session, case)
        listed = await self._any.list_documents(
            sort_by, found.info.id, offset, response_format=response_format
        )
        return of_case(listed, found.info)

    @tool(
        "Document",
        READS,
        description="Get detailed information about a specific document including page count, "
        "extraction method, and chunk statistics.",
        sets=("search", "legal"),
    )
    async def get_document(
        self,
        document_name: Annotated[str, Field(description="Document name or ID")],
        case: CaseName = None,
        response_format: ResponseFormat = "concise",
    ) -> Annotated[CallToolResult, case_form(DocumentOutput)]:
        """Describe a document."""
        found: Collection = await locate_case(self._session, case)
        described = await self._any.get_document(document_name, found.info.id, response_format)
        return of_case(described, found.info)

    @tool(
        "Delete document",
        DELETES,
        description="Remove a document and all its chunks, embeddings, and index entries from the "
        "active case.",
        required=("confirm",),
        meta={"anthropic/requiresUserInteraction": True},
        sets=("legal",),
    )
    async def delete_document(
        self,
        document_name: Annotated[str, Field(description="Document name or ID to delete")],
        confirm: Annotated[bool, Field(description="Must be true to confirm deletion")] = False,
        case: CaseName = None,
    ) -> Annotated[CallToolResult, case_form(DeletedDocument)]:
        """Delete a document once that is confirmed."""
        found: Collection = await locate_case(self._session, case)
        if not confirm:
            document = await in_thread(partial(found.document, document_name))
            held = counted(document.chunk_count, "chunk")
            raise Unconfirmed(
                f'This will permanently remove "{one_line(document.name)}" and its {held} from '
                f'case "{found.info.name}". This cannot be undone; the file itself stays where '
                "it is.",
                before="Deletion requires confirm=true.",
            )
        gone = await self._any.delete_document(document_name, confirm, found.info.id)
        return of_case(gone, found.info)
