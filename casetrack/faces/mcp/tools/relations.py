"""Tools on what connects documents, and on two of them side by side."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.api.collection.map import Map
from casetrack.api.operation import READS
from casetrack.base.records import Chunk, Document, DocumentType
from casetrack.base.records.documents import NAMED
from casetrack.base.records.graph import Change, Entity, Reference, RelatedDocument
from casetrack.base.records.shape import Spread
from casetrack.faces.mcp import graph_results as results
from casetrack.faces.mcp import outputs
from casetrack.faces.mcp.asking import Asked, asks
from casetrack.faces.mcp.budget import page_of
from casetrack.faces.mcp.comparing import comparison
from casetrack.faces.mcp.concise import Telling, document_forms, telling
from casetrack.faces.mcp.render import graph as render
from casetrack.faces.mcp.results import after_page, answer, more_from, portion, room_beside
from casetrack.faces.mcp.session import SessionTools, in_thread, locate
from casetrack.faces.mcp.specs import CollectionName, Offset, ResponseFormat, tool

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.base.records.graph import Comparison


RelationshipType = Literal[
    "all",
    "shared_entities",
    "shared_references",
    "semantic_similar",
    "version_chain",
    "explicit",
    "response_to",
    "amends",
    "attachment",
    "restates",
    "supplements",
    "schedule_of",
    "exhibit_of",
    "made_under",
    "bills",
    "interim_of",
    "forward_of",
    "same_thread",
    "copy",
]
_RENAMED = {"semantic_similar": "semantic", "version_chain": "version"}
DocumentName = Annotated[str, Field(description="Name or ID")]
DocumentCount = Annotated[int, Field(ge=1, le=50)]


class RelatedOutput(outputs.Quoting, outputs.Listed):
    """Related documents, strongest first."""

    document: Annotated[Document, NAMED]
    relationship_type: str
    related: list[RelatedDocument]


class TypedDocumentsOutput(outputs.Answer, outputs.Listed):
    """The documents of one kind."""

    document_type: str
    total: int
    root: str | None
    documents: list[Annotated[Document, outputs.LINE]]


class ScoredPassage(outputs.Passage):
    """A passage on the topic asked for."""

    score: float


class Side(TypedDict):
    """What one of two documents says; ``further`` are passages that did not fit."""

    document: Annotated[Document, NAMED, Spread()]
    passages: list[ScoredPassage]
    further: list[Annotated[Chunk, outputs.POINTER]]


class Changes(TypedDict):
    """What changed on the topic from one version to the other; the first are given in full."""

    before: Annotated[Document, NAMED]
    after: Annotated[Document, NAMED]
    unchanged_paragraphs: int
    total: int
    changes: list[Change]


class ComparisonOutput(outputs.Quoting):
    """What two documents say of a topic, and the names and references in both or in one alone.

    ``similarity`` compares the documents as a whole; ``changes`` is null where neither is a version
    of the other.
    """

    topic: str
    document_a: Side
    document_b: Side
    shared_entities: list[Annotated[Entity, outputs.ENTITY_NAME]]
    only_a: list[Annotated[Entity, outputs.ENTITY_NAME]]
    only_b: list[Annotated[Entity, outputs.ENTITY_NAME]]
    shared_references: list[Reference]
    similarity: float | None
    changes: Changes | None
    notes: list[str]
    more: str | None


class RelationTools(SessionTools):
    """The tools of this module, for one session."""

    @tool(
        "Find related",
        READS,
        description="Why documents belong to one: every reason, or one relationship_type. Returns "
        "documents by strength, each relationship with a cited quote.",
        sets=("map",),
    )
    async def find_related_documents(
        self,
        document_name: DocumentName,
        relationship_type: RelationshipType = "all",
        top_k: DocumentCount = 10,
        offset: Offset = 0,
        collection: CollectionName = None,
        response_format: ResponseFormat = "concise",
    ) -> Annotated[CallToolResult, RelatedOutput]:
        """Return related documents with all that relates them."""
        target: Collection = await locate(self._session, collection)
        told = await telling(response_format, target)
        return await _related(target, document_name, relationship_type, top_k, offset, told)

    @tool(
        "Related",
        READS,
        description="Which documents belong to one, in short. Returns them by strength with the "
        "strongest reason, cited.",
        sets=("map",),
    )
    async def get_related_documents(
        self,
        document_name: DocumentName,
        top_k: DocumentCount = 10,
        offset: Offset = 0,
        collection: CollectionName = None,
        response_format: ResponseFormat = "concise",
    ) -> Annotated[CallToolResult, RelatedOutput]:
        """Return related documents with what relates them most."""
        target: Collection = await locate(self._session, collection)
        told = await telling(response_format, target)
        return await _related(target, document_name, "all", top_k, offset, told, relations=1)

    @tool(
        "By type",
        READS,
        description="Only documents of one type. Returns ID, name, path, pages, chunks and "
        "ingestion date of each.",
        sets=("map",),
    )
    async def list_documents_by_type(
        self,
        document_type: DocumentType,
        offset: Offset = 0,
        collection: CollectionName = None,
        response_format: ResponseFormat = "concise",
    ) -> Annotated[CallToolResult, TypedDocumentsOutput]:
        """List a collection's documents of one type."""
        target: Collection = await locate(self._session, collection)
        told = await telling(response_format, target)
        found = await in_thread(partial(target.map.documents_of_type, document_type))
        entry, root = document_forms(told, found)
        page = portion(
            found,
            entry,
            lambda document, entry: render.dated_line(document, entry, concise=told.concise),
            offset=offset,
            room=told.room,
        )
        more = more_from(page.next_offset, 0, "")
        if not page.items:
            more = "list_documents shows every document; get_collection_statistics counts types."
        return answer(
            render.documents_of_type(document_type, len(found), page.blocks, more),
            told.whole(
                {
                    "collection": target.info.name,
                    "document_type": document_type,
                    "total": len(found),
                    "offset": offset,
                    "next_offset": page.next_offset,
                    "documents": list(page.entries),
                    "root": root or None,
                    "more": more,
                }
            ),
        )

    @tool(
        "Compare",
        READS,
        description="What two documents say on a topic, side by side. Returns each one's cited "
        "passages, names and references in both or one, similarity, and changes between versions.",
        feature="document_comparison",
        sets=("map", "legal"),
        page="compare",
    )
    @asks(Map.compare)
    def compare_documents(
        self, found: "Comparison", asked: Asked
    ) -> Annotated[CallToolResult, ComparisonOutput]:
        """Return what two documents say of a topic."""
        facts = comparison(found, asked.target.info, asked.told)
        return answer(render.comparison(found, facts), facts)


async def _related(
    target: "Collection",
    name: str,
    kind: RelationshipType,
    top_k: int,
    offset: int,
    told: Telling,
    *,
    relations: int | None = None,
) -> CallToolResult:
    """Return what relates other documents to one; of each the first *relations*, or all."""
    # One more than is wanted tells whether there are others.
    limit = min(offset + top_k + 1, results.LISTED)

    def work() -> "tuple[Document, tuple[RelatedDocument, ...]]":
        document = target.document(name)
        wanted: Any = _RENAMED.get(kind, kind)
        key = document.document_id
        return document, target.map.related_documents(key, relation=wanted, limit=limit)

    document, found = await in_thread(work)
    facts: dict[str, Any] = {
        "collection": target.info.name,
        "notice": outputs.QUOTED,
        "document": told.entry(NAMED.of(document)),
        "relationship_type": kind,
    }
    entry = partial(results.related, told=told, relations=relations)
    room = room_beside(facts, told)
    shown = page_of(found, entry, offset=offset, limit=top_k, room=room)[0]
    after = after_page(offset, len(shown), len(found))
    more = more_from(after, 0, "")
    if not shown:
        more = (
            "Nothing more relates it to another document in this way. Try "
            "search_similar_chunks with one of its chunks, or search_documents."
        )
    elif relations is not None:
        reasons = "find_related_documents gives every reason, also of one relationship_type."
        more = f"{more} {reasons}" if more else reasons
    return answer(
        render.related(document, shown, more, offset=offset),
        told.whole(
            facts | {"offset": offset, "next_offset": after, "related": shown, "more": more}
        ),
    )
