"""What the documents are about, and which of them belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.errors import FreeTierLimit
from casetrack.base.records.graph import RELATION_TYPES
from casetrack.faces.window.pages.base import Page, document_names

if TYPE_CHECKING:
    from starlette.responses import Response

    from casetrack.faces.window.visit import Visit

_STRATEGIES = ("topical", "entity", "reference", "document_type")
_SHOWN = 30
_DOCUMENTS = 12


def topics(visit: Visit, /) -> Response:
    """Show the topics, and groups of documents that belong together."""
    collection, by = visit.collection, visit.asked("by")
    by = by if by in _STRATEGIES else "topical"
    found = collection.map.topics()
    try:
        groups, refused = collection.map.clusters(by), None
    except FreeTierLimit as error:
        groups, refused = None, error
    documents = collection.workspace.state().snapshot.documents
    wanted = {i for topic in found for i in topic.document_ids[:_DOCUMENTS]} & documents.keys()
    return visit.page(
        "topics.html",
        collection=collection,
        topics=found,
        names={i: documents[i].name for i in wanted},
        groups=groups,
        refused=refused,
        by=by,
        strategies=_STRATEGIES,
        shown=_DOCUMENTS,
    )


def related(visit: Visit, /) -> Response:
    """Show the documents that belong with a document, and why."""
    collection, relation = visit.collection, visit.asked("relation")
    relation = relation if relation in RELATION_TYPES else "all"
    wanted = visit.asked("document")
    document = collection.document(wanted) if wanted else None
    found = (
        collection.map.related_documents(document, relation=relation, limit=_SHOWN)
        if document
        else None
    )
    return visit.page(
        "related.html",
        collection=collection,
        document=document,
        found=found,
        relation=relation,
        relations=("all", *RELATION_TYPES),
        names=document_names(collection),
    )


PAGES = (
    Page("topics", "/c/{collection}/topics", topics, needs_map=True),
    Page("related", "/c/{collection}/related", related, needs_map=True),
)
