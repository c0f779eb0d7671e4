"""Tools on the documents of a collection: list, look at, delete."""

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.errors import UsageError
from casetrack.mcp import outputs, render
from casetrack.mcp.graph_results import entity_name
from casetrack.mcp.results import answer, document_entry, document_facts, next_offset
from casetrack.mcp.session import Session, in_thread, locate, write_in_thread
from casetrack.mcp.specs import DELETES, READS, CollectionName, tool

if TYPE_CHECKING:
    from casetrack.collection import Collection
    from casetrack.records import DocumentStructure
    from casetrack.records.graph import Entity

_ENTITIES = 10


class DocumentTools:
    """The tools of this module, for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @tool(
        "List documents",
        READS,
        description="List all documents in the active collection. Returns each document's ID, "
        "name, path, format, type, page and chunk counts and time of ingestion; next_offset says "
        "where to go on in a long list.",
    )
    async def list_documents(
        self,
        sort_by: Annotated[
            Literal["name", "date", "pages", "type"], Field(description="Sort order")
        ] = "date",
        collection: CollectionName = None,
        offset: Annotated[int, Field(ge=0, description="Number of documents to pass over")] = 0,
        limit: Annotated[
            int, Field(ge=1, le=1000, description="Number of documents to return")
        ] = 200,
    ) -> Annotated[CallToolResult, outputs.DocumentsOutput]:
        """List a collection's documents."""
        found: Collection = await locate(self._session, collection)
        documents = await in_thread(partial(found.documents, sort_by=sort_by))
        shown, total = documents[offset : offset + limit], len(documents)
        after = next_offset(offset, len(shown), total)
        head = f"{found.info.name}: {render.counted(total, 'document')}"
        if not total:
            head += ". Ingest some with ingest_document or ingest_folder."
        more = [f"More from offset {after}."] if after is not None else []
        return answer(
            "\n".join([head, *(render.document_line(d) for d in shown), *more]),
            {
                "collection": found.info.name,
                "sort_by": sort_by,
                "total": total,
                "offset": offset,
                "next_offset": after,
                "documents": [document_entry(d) for d in shown],
            },
        )

    @tool(
        "Document structure",
        READS,
        description="Get the structural outline of a document: headings, sections, numbered "
        "clauses, and their page/chunk locations. This gives the AI a table-of-contents view for "
        "navigation. Works best with structured documents (contracts, reports, policies). Returns "
        "also the names it mentions most, how many paragraphs of each kind it has, and what is "
        "attached to it.",
    )
    async def get_document_structure(
        self,
        document_name: Annotated[str, Field(description="Document name or ID")],
        collection: CollectionName = None,
        offset: Annotated[int, Field(ge=0, description="Number of headings to pass over")] = 0,
        limit: Annotated[
            int, Field(ge=1, le=2000, description="Number of headings to return")
        ] = 500,
    ) -> Annotated[CallToolResult, outputs.StructureOutput]:
        """Return a document's table of contents."""
        target: Collection = await locate(self._session, collection)

        def work() -> "tuple[DocumentStructure, tuple[Entity, ...]]":
            structure = target.structure(document_name)
            key = structure.document.document_id
            return structure, target.document_entities(key, limit=_ENTITIES)

        found, entities = await in_thread(work)
        shown = found.sections[offset : offset + limit]
        return answer(
            render.structure(found, shown, entities),
            {
                "collection": target.info.name,
                "notice": outputs.QUOTED,
                "document": document_facts(found.document),
                "total": len(found.sections),
                "offset": offset,
                "next_offset": next_offset(offset, len(shown), len(found.sections)),
                "sections": [asdict(section) for section in shown],
                "paragraph_kinds": found.paragraph_kinds,
                "entities": [entity_name(e) for e in entities],
                "attachments": [document_entry(a) for a in found.attachments],
            },
        )

    @tool(
        "Document details",
        READS,
        description="Get detailed information about a specific document including page count, "
        "extraction method, and chunk statistics. Returns also its path, SHA-256, dates, language "
        "and warnings.",
    )
    async def get_document(
        self,
        document_name: Annotated[str, Field(description="Document name or ID")],
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.DocumentOutput]:
        """Describe a document."""
        found: Collection = await locate(self._session, collection)
        document = await in_thread(partial(found.document, document_name))
        return answer(
            render.document_details(document),
            {"collection": found.info.name, "document": document_facts(document)},
        )

    @tool(
        "Delete document",
        DELETES,
        description="Remove a document and all its chunks, embeddings, and index entries from the "
        "active collection. Without confirm: true it deletes nothing and returns an error that "
        "says what would be deleted. The original file stays where it is. With secure: true its "
        "text is taken out of every file at once, and named snapshots are removed. Returns the "
        "deleted document's record.",
        required=("confirm",),
        meta={"anthropic/requiresUserInteraction": True},
    )
    async def delete_document(
        self,
        document_name: Annotated[str, Field(description="Document name or ID to delete")],
        confirm: Annotated[bool, Field(description="Must be true to confirm deletion")] = False,
        collection: CollectionName = None,
        secure: Annotated[
            bool, Field(description="Leave nothing of it in any file; removes snapshots, too")
        ] = False,
    ) -> Annotated[CallToolResult, outputs.DeletedDocument]:
        """Delete a document once that is confirmed."""
        found: Collection = await locate(self._session, collection)
        document = await in_thread(partial(found.document, document_name))
        amount = (
            f"{render.counted(document.page_count, 'page')}, "
            f"{render.counted(document.chunk_count, 'chunk')}"
        )
        if not confirm:
            raise UsageError(
                f'Nothing was deleted. This would remove "{document.name}" '
                f"(ID: {document.document_id}; {amount}) from {found.info.name}.",
                hint="The file itself stays where it is. If the user wants it, call "
                "delete_document again with confirm: true.",
            )
        work = partial(_delete, found, document.document_id, secure=secure)
        told = await write_in_thread(self._session, found.info.id, work)
        return answer(
            f'Deleted "{document.name}" (ID: {document.document_id}; {amount}) '
            f"from {found.info.name}.{told}",
            {"collection": found.info.name, "deleted": document_facts(document)},
        )


def _delete(collection: "Collection", document_id: str, *, secure: bool) -> str:
    """Delete a document; return what else is to be said."""
    collection.delete_document(document_id)
    report = collection.upkeep(secure=True, wait=True) if secure else None
    if report is None:
        return ""
    removed = f" Removed also: {'; '.join(report.removed)}." if report.removed else ""
    if report.notes:
        return f"{removed} {' '.join(report.notes)}"
    return f"{removed} Nothing of it is left in any file of the collection."
