"""Tools on what connects documents, and on two of them side by side."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.mcp import graph_results as results
from casetrack.mcp import outputs
from casetrack.mcp.render import relations as render
from casetrack.mcp.results import answer, document_entry
from casetrack.mcp.session import Session, in_thread, locate
from casetrack.mcp.specs import READS, CollectionName, tool

if TYPE_CHECKING:
    from casetrack.collection import Collection
    from casetrack.records import Document
    from casetrack.records.graph import RelatedDocument

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
]
_RENAMED = {"semantic_similar": "semantic", "version_chain": "version"}
DocumentType = Literal[
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
]
_MOST = 50
NameParameter = Annotated[str, Field(description="Document name or ID")]


class RelationTools:
    """The tools of this module, for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @tool(
        "Find related documents",
        READS,
        description="Find documents related to a given document, of one type of relationship or "
        "all: shared entities, shared references, similar content, version chain, explicit "
        "mention, reply, amendment, attachment. Returns related documents ranked by strength, "
        "every relationship with its reason in words and a quoted, cited passage that shows it.",
    )
    async def find_related_documents(
        self,
        document_name: Annotated[
            str, Field(description="Document name or ID to find relationships for")
        ],
        relationship_type: Annotated[
            RelationshipType, Field(description="Type of relationship to look for")
        ] = "all",
        top_k: Annotated[int, Field(ge=1, le=_MOST, description="Documents to return")] = 10,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.RelatedOutput]:
        """Return related documents with all that relates them."""
        return await self._related(document_name, relationship_type, top_k, collection)

    @tool(
        "Related documents",
        READS,
        description="Given a document, get related documents from the knowledge graph: by shared "
        "entities, shared references, similar content and what the documents say of each other. "
        "The short form of find_related_documents. Returns documents ranked by overall strength, "
        "each with its strongest relationship, the reason in words and a cited passage.",
    )
    async def get_related_documents(
        self,
        document_name: NameParameter,
        top_k: Annotated[int, Field(ge=1, le=_MOST, description="Documents to return")] = 10,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.RelatedOutput]:
        """Return related documents with what relates them most."""
        return await self._related(document_name, "all", top_k, collection, relations=1)

    async def _related(
        self,
        name: str,
        kind: RelationshipType,
        top_k: int,
        collection: str | None,
        relations: int | None = None,
    ) -> CallToolResult:
        target: Collection = await locate(self._session, collection)

        def work() -> "tuple[Document, tuple[RelatedDocument, ...]]":
            document = target.document(name)
            wanted = _RENAMED.get(kind, kind)
            key = document.document_id
            return document, target.related_documents(key, relation=wanted, limit=top_k)

        document, found = await in_thread(work)
        entries = [results.related(r, relations=relations) for r in found]
        shown = results.fit(entries)
        rest = [results.document_name(r.document) for r in found[shown:]]
        more = None
        if not found:
            more = (
                "Nothing relates it to another document in this way. Try relationship_type all, "
                "search_similar_chunks with one of its chunks, or search_documents."
            )
        elif relations is not None:
            more = "find_related_documents gives every reason, also of one relationship_type."
        elif len(found) == top_k:
            way = "raise top_k" if top_k < _MOST else "choose one relationship_type"
            more = f"There may be more: {way}."
        return answer(
            render.related(document, found[:shown], rest, more, relations=relations),
            {
                "collection": target.info.name,
                "notice": outputs.QUOTED,
                "document": results.document_name(document),
                "relationship_type": kind,
                "related": entries[:shown],
                "further": rest,
                "more": more,
            },
        )

    @tool(
        "Documents by type",
        READS,
        description="List all documents in the active collection of one type (contract, report, "
        "spreadsheet, etc.). Returns each document's ID, name, path, page count, chunk count and "
        "ingestion date.",
    )
    async def list_documents_by_type(
        self,
        document_type: Annotated[DocumentType, Field(description="Type to filter by")],
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.TypedDocumentsOutput]:
        """List a collection's documents of one type."""
        target: Collection = await locate(self._session, collection)
        found = await in_thread(partial(target.documents_of_type, document_type))
        entries = [document_entry(d) for d in found]
        shown = results.fit(entries)
        rest = [results.document_name(d) for d in found[shown : shown + results.MOST]]
        missing, more = len(found) - shown - len(rest), None
        if not found:
            more = "list_documents shows every document; get_collection_statistics counts types."
        elif missing:
            more = f"... {missing:,} more: list_documents with sort_by type goes on by offset."
        return answer(
            render.documents_of_type(document_type, len(found), found[:shown], rest, more),
            {
                "collection": target.info.name,
                "document_type": document_type,
                "total": len(found),
                "documents": entries[:shown],
                "further": rest,
                "more": more,
            },
        )

    @tool(
        "Compare documents",
        READS,
        description="Compare what two documents say about a specific topic: contract and proposal, "
        "report A and report B, two versions. Searches both independently. Returns side by side "
        "the passages of each on the topic with citations, the names and references in both or in "
        "one alone, how similar they are, and, for two versions, what changed on the topic.",
    )
    async def compare_documents(
        self,
        document_a: Annotated[str, Field(description="First document name or ID")],
        document_b: Annotated[str, Field(description="Second document name or ID")],
        topic: Annotated[
            str,
            Field(
                description="Topic to compare (e.g., 'payment terms', 'delivery schedule', "
                "'performance metrics')"
            ),
        ],
        top_k_per_document: Annotated[
            int, Field(ge=1, le=20, description="Number of passages of each document")
        ] = 5,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.ComparisonOutput]:
        """Return what two documents say of a topic."""
        target: Collection = await locate(self._session, collection)
        work = partial(target.compare, document_a, document_b, topic, limit=top_k_per_document)
        found = await in_thread(work)
        facts = results.comparison(found, target.info.name)
        return answer(render.comparison(found, facts), facts)
