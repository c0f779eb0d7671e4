"""A collection at a glance: its map, its topics, its health."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.responses import Response

from casetrack.api.collection.map import Map
from casetrack.api.operation import choices
from casetrack.api.operations import operations
from casetrack.api.viewer.report import report_html
from casetrack.api.viewer.sheet import page_policy
from casetrack.api.viewer.timeline_figure import when
from casetrack.base.records.graph import RELATION_TYPES
from casetrack.faces.window.asking import PartOfPro, answered, wanted
from casetrack.faces.window.drawings import words_of
from casetrack.faces.window.pages.base import Page, documents_to_choose

if TYPE_CHECKING:
    from casetrack.faces.window.visit import Visit


def overview(visit: Visit, /) -> Response:
    """Show the people, dates, topics, references and versions that matter most."""
    collection = visit.collection
    words = words_of(visit.texts)
    return visit.page(
        "map.html", summary=collection.map.summary(), when=lambda event: when(event, words)
    )


def briefing(visit: Visit, /) -> Response:
    """Show the briefing: a page that holds all it shows, to read, to print and to send."""
    pictures, words = bool(visit.asked("pictures")), words_of(visit.texts)
    html = visit.collection.workspace.ask(
        lambda state: report_html(state, pictures=pictures, words=words)
    )
    headers = {"content-security-policy": page_policy(html), "cache-control": "no-store"}
    if visit.asked("save"):
        name = quote(f"{visit.collection.name}.html", safe="")
        headers["content-disposition"] = f"attachment; filename*=utf-8''{name}"
    return Response(html, media_type="text/html", headers=headers)


# Health: unread documents with the reason, and the state of all parts.


def health(visit: Visit, /) -> Response:
    """Show how completely the documents were read, those with problems first."""
    health_report = visit.collection.admin.health()
    look = [d for d in health_report.documents if d.needs_a_look]
    return visit.page(
        "health.html",
        health=health_report,
        look=look,
        present={d.path for d in visit.collection.documents() if d.parent_id is None},
        doctor=operations()["doctor"],
        stats=visit.collection.stats(),
    )


# Topics of the documents, and related documents.

_SHOWN = 30
_DOCUMENTS = 12


def topics(visit: Visit, /) -> Response:
    """Show the topics, and groups of documents that belong together."""
    collection, clusters = visit.collection, visit.collection.map.topics()
    given = wanted(visit, Map.clusters, {"strategy": "by"})
    try:
        groups, refused = answered(visit, Map.clusters, given), None
    except PartOfPro as error:
        groups, refused = None, error.operation
    documents = collection.workspace.state().snapshot.documents
    named = {i for topic in clusters for i in topic.document_ids[:_DOCUMENTS]} & documents.keys()
    return visit.page(
        "topics.html",
        topics=clusters,
        names={i: documents[i].name for i in named},
        groups=groups,
        refused=refused,
        by=given["strategy"],
        strategies=choices(Map.clusters, "strategy"),
        shown=_DOCUMENTS,
    )


def related(visit: Visit, /) -> Response:
    """Show the documents that belong with a document, and why."""
    collection, given = visit.collection, wanted(visit, Map.related_documents, limit=_SHOWN)
    document = given["document"] and collection.document(given["document"])
    documents = answered(visit, Map.related_documents, given) if document else None
    return visit.page(
        "related.html",
        document=document,
        result=documents,
        relation=given["relation"],
        relations=("all", *RELATION_TYPES),
        documents=documents_to_choose(collection),
    )


PAGES = (
    Page("map", "map", overview, needs_map=True, of=("report", "summary")),
    Page("briefing", "briefing", briefing, needs_map=True),
    Page("health", "health", health, of=("doctor", "index-status")),
    Page("topics", "topics", topics, needs_map=True, of=("topics",)),
    Page("related", "related", related, needs_map=True, of=("related", "related-in-short")),
)
