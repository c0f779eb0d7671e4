"""Tools on the documents of a collection: list, look at, delete."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, TypedDict

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.api.operation import DELETES, READS
from casetrack.base.records import Document, Section
from casetrack.base.records.documents import NAMED
from casetrack.base.records.graph import Entity
from casetrack.faces.mcp import outputs, render
from casetrack.faces.mcp.concise import Telling, document_forms, telling
from casetrack.faces.mcp.graph_results import entity_name
from casetrack.faces.mcp.progress import Unconfirmed
from casetrack.faces.mcp.results import (
    answer,
    bounded_document,
    cut,
    document_entry,
    document_facts,
    onward,
    portion,
)
from casetrack.faces.mcp.session import SessionTools, in_thread, locate, write_in_thread
from casetrack.faces.mcp.specs import CollectionName, Offset, ResponseFormat, tool
from casetrack.faces.mcp.uris import document_uri

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.api.collection import Collection
    from casetrack.base.records import DocumentStructure
    from casetrack.base.records.snapshots import UpkeepReport

_ENTITIES = 10
_NAME_CHARS = 120
_TITLE_CHARS = 300
_OUTLINE_ROOM = 9_000
_FACTS_ROOM = 4_000


class DocumentsOutput(outputs.Answer, outputs.Paged):
    """The documents of a collection."""

    sort_by: str
    total: int
    root: NotRequired[str]
    documents: list[Annotated[Document, outputs.LINE]]
    next_step: str | None


class DocumentOutput(outputs.Quoting):
    """One document; its words about itself, such as a title, are quoted from it."""

    uri: str
    document: Document


class StructureOutput(outputs.Quoting, outputs.Paged):
    """A document's headings in reading order, then its attachments.

    ``entities`` are the names it mentions most, counted over the whole collection.
    """

    document: Document
    uri: str
    total: int
    attachment_count: int
    sections: list[Section]
    paragraph_kinds: dict[str, int]
    entities: list[Annotated[Entity, outputs.ENTITY_NAME]]
    attachments: list[Annotated[Document, outputs.LINE]]


class ShortSection(TypedDict):
    """A heading and the passage that it begins."""

    title: str
    level: int
    citation: str
    chunk_id: str


class ShortStructure(outputs.Quoting):
    """The concise form of an outline."""

    document: Annotated[Document, NAMED]
    total: int
    attachment_count: int
    next_offset: NotRequired[int]
    sections: list[ShortSection]
    paragraph_kinds: dict[str, int]
    entities: list[dict[str, Any]]
    attachments: list[dict[str, Any]]


class DeletedDocument(outputs.Answer):
    """A document that is gone."""

    deleted: Document
    note: str


class DocumentTools(SessionTools):
    """The tools of this module, for one session."""

    @tool(
        "List documents",
        READS,
        description="Which documents there are. Returns ID, name, path, type, pages, chunks and "
        "warnings of each.",
        sets=("core", "search", "legal"),
    )
    async def list_documents(
        self,
        sort_by: Literal["name", "date", "pages", "type"] = "date",
        collection: CollectionName = None,
        offset: Offset = 0,
        limit: Annotated[int, Field(ge=1, le=1000)] = 200,
        response_format: ResponseFormat = "concise",
    ) -> Annotated[CallToolResult, DocumentsOutput]:
        """List a collection's documents."""
        found: Collection = await locate(self._session, collection)
        documents = await in_thread(partial(found.documents, sort_by=sort_by))
        told = await telling(response_format, found)
        entry, root = document_forms(told, documents)
        shown = portion(
            documents, entry, render.document_line, offset=offset, limit=limit, room=told.room
        )
        step = None
        head = f"{found.info.name}: {render.counted(len(documents), 'document')}"
        if not documents:
            step = "Ingest some with ingest_document or ingest_folder."
            head += f". {step}"
        more = onward(shown.next_offset)
        structured = {
            "collection": found.info.name,
            "sort_by": sort_by,
            "total": len(documents),
            "offset": offset,
            "next_offset": shown.next_offset,
            "documents": shown.entries,
            "next_step": step,
        }
        return answer(
            "\n".join([head, *shown.blocks, *([more] if more else [])]),
            told.whole({**structured, "root": root or None} if told.concise else structured),
        )

    @tool(
        "Outline",
        READS,
        description="A document's table of contents. Returns headings with page and chunk_id, main "
        "names, attachments.",
        sets=("search",),
    )
    async def get_document_structure(
        self,
        document_name: Annotated[str, Field(description="Name or ID")],
        collection: CollectionName = None,
        offset: Offset = 0,
        response_format: ResponseFormat = "concise",
    ) -> Annotated[CallToolResult, StructureOutput, ShortStructure]:
        """Return a document's table of contents."""
        target: Collection = await locate(self._session, collection)

        def work() -> "tuple[DocumentStructure, tuple[Entity, ...]]":
            structure = target.read.structure(document_name)
            key = structure.document.document_id
            return structure, target.map.document_entities(key, limit=_ENTITIES)

        found, entities = await in_thread(work)
        names = [replace(e, name=cut(e.name, _NAME_CHARS)) for e in entities]
        outline = [replace(s, title=cut(s.title, _TITLE_CHARS)) for s in found.sections]
        items: Sequence[Section | Document] = (*outline, *found.attachments)
        told = await telling(response_format, target)
        room = min(_OUTLINE_ROOM, told.room)
        entry = partial(_outline_entry, told)
        shown = portion(items, entry, _outline_line, offset=offset, room=room)
        document = bounded_document(found.document, _FACTS_ROOM).as_dict()
        if told.concise:
            document = NAMED.of(found.document)
        headings = sum(isinstance(item, Section) for item in shown.items)
        return answer(
            render.structure(
                found,
                shown.blocks[:headings],
                shown.blocks[headings:],
                names,
                onward(shown.next_offset),
            ),
            told.whole(
                {
                    "collection": target.info.name,
                    "notice": outputs.QUOTED,
                    "document": document,
                    "uri": document_uri(target.info.id, found.document.document_id),
                    "total": len(found.sections),
                    "attachment_count": len(found.attachments),
                    "offset": offset,
                    "next_offset": shown.next_offset,
                    "sections": shown.entries[:headings],
                    "paragraph_kinds": found.paragraph_kinds,
                    "entities": [entity_name(e) for e in names],
                    "attachments": shown.entries[headings:],
                }
            ),
        )

    @tool(
        "Document",
        READS,
        description="Facts about one document's file, no text. Returns path, SHA-256, dates, "
        "language, counts, how it was read and warnings.",
        sets=("search", "legal"),
    )
    async def get_document(
        self,
        document_name: Annotated[str, Field(description="Name or ID")],
        collection: CollectionName = None,
        response_format: ResponseFormat = "concise",
    ) -> Annotated[CallToolResult, DocumentOutput]:
        """Describe a document."""
        found: Collection = await locate(self._session, collection)
        told = await telling(response_format, found)
        document = bounded_document(await in_thread(partial(found.document, document_name)))
        return answer(
            render.document_details(document, concise=told.concise),
            told.whole(
                {
                    "collection": found.info.name,
                    "notice": outputs.QUOTED,
                    "uri": document_uri(found.info.id, document.document_id),
                    "document": document_facts(document),
                }
            ),
        )

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
        document_name: Annotated[str, Field(description="Name or ID")],
        confirm: Annotated[bool, Field(description="Ask the user first")] = False,
        collection: CollectionName = None,
        secure: Annotated[bool, Field(description="At once, from snapshots too")] = False,
        exclude: Annotated[bool, Field(description="No later sync takes it in again")] = False,
    ) -> Annotated[CallToolResult, DeletedDocument]:
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
                hint="The file itself stays where it is. If the user wants it, call "
                "delete_document again with confirm: true.",
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


def _outline_entry(told: Telling, item: Section | Document) -> Any:
    return told.entry(item.as_dict() if isinstance(item, Section) else document_entry(item))


def _outline_line(item: Section | Document, entry: dict[str, Any]) -> str:
    if isinstance(item, Section):
        return render.section_line(item, entry)
    return render.document_line(item, entry)


def _comes_back(place: str | None) -> str:
    return f"It lies in {place}, which is synced: the next sync takes it in again"


def _delete(collection: "Collection", document_id: str, *, secure: bool, exclude: bool) -> str:
    """Delete a document; return what else is to be said."""
    place = collection.admin.brought_back_by(document_id)
    collection.delete_document(document_id, exclude=exclude)
    said = ""
    if exclude:
        said = " No sync takes its file in again, until ingest_document names it."
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
