"""Tools on the documents of a collection: list, look at, delete."""

from functools import partial
from typing import TYPE_CHECKING, Annotated

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.api.operation import DELETES
from casetrack.faces.mcp import render
from casetrack.faces.mcp.progress import Unconfirmed
from casetrack.faces.mcp.results import answer, document_facts
from casetrack.faces.mcp.session import SessionTools, in_thread, locate, write_in_thread
from casetrack.faces.mcp.specs import CollectionName, tool
from casetrack.faces.mcp.steps import See, again, here

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.base.records.snapshots import UpkeepReport


class DocumentTools(SessionTools):
    """The tools of this module, for one session."""

    @tool(
        "Delete document",
        DELETES,
        description="Take a document out; its file stays. Without confirm: true only says what "
        "would go. Returns its record.",
        required=("confirm",),
        meta={"anthropic/requiresUserInteraction": True},
        sets=("daily", "legal"),
    )
    async def delete_document(
        self,
        document_name: str,
        confirm: Annotated[bool, Field(description="Ask the user first")] = False,
        collection: CollectionName = None,
        secure: Annotated[bool, Field(description="At once, from snapshots too")] = False,
        exclude: Annotated[bool, Field(description="No later sync takes it in again")] = False,
    ) -> CallToolResult:
        """Delete a document once that is confirmed."""
        found: Collection = await locate(self._session, collection)
        document = await in_thread(partial(found.document, document_name))
        amount = (
            f"{render.counted(document.page_count, 'page')}, "
            f"{render.counted(document.chunk_count, 'chunk')}"
        )
        name = render.one_line(document.name)
        place = await in_thread(partial(found.admin.brought_back_by, document))
        comes_back = place is not None and not exclude
        if not confirm:
            back = f" {_comes_back(place)}; with exclude: true it stays out." if comes_back else ""
            raise Unconfirmed(
                f'This would remove "{name}" '
                f"(ID: {document.document_id}; {amount}) from {found.info.name}.{back}",
                hint=f"The file itself stays where it is. {again()}",
            )
        work = partial(_delete, found, document.document_id, secure=secure, exclude=exclude)
        told = await write_in_thread(self._session, found.info.id, work)
        gone = f'"{name}" (ID: {document.document_id}; {amount})'
        return answer(
            f"Deleted {gone} from {found.info.name}.{told}",
            {
                "collection": found.info.name,
                "deleted": document_facts(document),
                "note": told.strip(),
            },
        )


def _comes_back(place: str | None) -> str:
    return f"It lies in {place}, which is synced: the next sync takes it in again"


def _delete(collection: "Collection", document_id: str, *, secure: bool, exclude: bool) -> str:
    """Delete a document; return what else is to be said."""
    place = collection.admin.brought_back_by(document_id)
    collection.delete_document(document_id, exclude=exclude)
    said = ""
    if exclude:
        said = here(f" No sync takes its file in again, until {See('ingest')} names it.")
        said += " The list of such files holds its path and the hash of its content."
    elif place is not None:
        said = f" {_comes_back(place)}. Then delete it with exclude: true to keep it out."
    report = collection.admin.upkeep(secure=True, wait=True) if secure else None
    return said if report is None else f"{said}{_removed(report)}"


def _removed(report: "UpkeepReport") -> str:
    """Return what else is gone, and what could not be removed."""
    removed = f" Removed also: {'; '.join(report.removed)}." if report.removed else ""
    if report.notes:
        return f"{removed} {' '.join(report.notes)}"
    return f"{removed} Nothing of it is left in any file of the collection."
