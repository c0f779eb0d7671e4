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
from casetrack.faces.mcp.steps import See, again, if_offered

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.base.records.snapshots import UpkeepReport


class DocumentTools(SessionTools):
    """The tools of this module, for one session."""

    @tool(
        "Delete document",
        DELETES,
        required=("confirm",),
        meta={"anthropic/requiresUserInteraction": True},
        sets=("daily", "legal"),
    )
    async def delete_document(
        self,
        document_name: str,
        confirm: Annotated[bool, Field(description="Ask the user first")] = False,
        collection: CollectionName = None,
        secure: Annotated[bool, Field(description="From snapshots too")] = False,
        exclude: Annotated[bool, Field(description="Not synced again")] = False,
    ) -> CallToolResult:
        """Delete a document; its file stays.

        Without confirm: true only describes the effect. Returns its record.
        """
        target: Collection = await locate(self._session, collection)
        document = await in_thread(lambda: target.workspace.state().document(document_name, True))
        amount = (
            f"{render.counted(document.page_count, 'page')}, "
            f"{render.counted(document.chunk_count, 'chunk')}"
        )
        name = render.one_line(document.name)
        place = await in_thread(partial(target.admin.brought_back_by, document))
        comes_back = place is not None and not exclude
        if not confirm:
            back = f" {_comes_back(place)}; exclude: true prevents that." if comes_back else ""
            raise Unconfirmed(
                f'This would remove "{name}" '
                f"(ID: {document.document_id}; {amount}) from {target.info.name}.{back}",
                hint=f"The file itself stays where it is. {again()}",
            )
        work = partial(_delete, target, document.document_id, secure=secure, exclude=exclude)
        note = await write_in_thread(self._session, target.info.id, work)
        gone = f'"{name}" (ID: {document.document_id}; {amount})'
        return answer(
            f"Deleted {gone} from {target.info.name}.{note}",
            {
                "collection": target.info.name,
                "deleted": document_facts(document),
                "note": note.strip(),
            },
        )


def _comes_back(place: str | None) -> str:
    return f"Its source {place} is synced: the next sync adds it again"


def _delete(collection: "Collection", document_id: str, *, secure: bool, exclude: bool) -> str:
    """Delete a document; return a note for the answer."""
    place = collection.admin.brought_back_by(document_id)
    collection.delete_document(document_id, exclude=exclude)
    note = ""
    if exclude:
        note = if_offered(f" Syncs skip its file until {See('ingest')} adds it.")
        note += " The list of skipped files contains its path and content hash."
    elif place is not None:
        note = f" {_comes_back(place)}. To prevent that, delete it with exclude: true."
    report = collection.admin.upkeep(secure=True, wait=True) if secure else None
    return note if report is None else f"{note}{_removed(report)}"


def _removed(report: "UpkeepReport") -> str:
    """Return the further removed files, and notes on files that could not be removed."""
    removed = f" Removed also: {'; '.join(report.removed)}." if report.removed else ""
    if report.notes:
        return f"{removed} {' '.join(report.notes)}"
    return f"{removed} No file of the collection contains any of its data."
