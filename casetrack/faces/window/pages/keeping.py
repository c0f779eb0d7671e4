"""The documents of a collection: listed, kept, and compared."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.responses import Response

from casetrack.api.collection.listing import LIST_ORDERS, listing, types_of
from casetrack.api.collection.map import Map
from casetrack.api.viewer.kept import kept_docx, kept_markdown, kept_places
from casetrack.faces.window.asking import answered, wanted
from casetrack.faces.window.drawings import words_of
from casetrack.faces.window.pages.base import Page, documents_to_choose

if TYPE_CHECKING:
    from casetrack.faces.window.visit import Visit

_DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def kept(visit: Visit, /) -> Response:
    """List the saved items."""
    collection, tag = visit.collection, visit.asked("tag")
    state = collection.workspace.state()
    every = kept_places(state)
    places = kept_places(state, tag=tag) if tag else every
    tags = sorted({t for place in every for t in place.tags}, key=str.casefold)
    return visit.page("kept.html", places=places, tags=tags, tag=tag)


def paper(visit: Visit, /) -> Response:
    """Return the saved items as a file for further work."""
    collection, tag = visit.collection, visit.asked("tag")
    places = kept_places(collection.workspace.state(), tag=tag or None)
    title = visit.texts("kept.paper", name=collection.name).striptags()
    words = words_of(visit.texts)
    ending = visit.request.path_params["ending"]
    if ending == "md":
        body, kind = kept_markdown(title, places, words).encode(), "text/markdown"
    else:
        body, kind, ending = kept_docx(title, places, words), _DOCX, "docx"
    name = quote(f"{title}.{ending}", safe="")
    headers = {"content-disposition": f"attachment; filename*=utf-8''{name}"}
    return Response(body, media_type=kind, headers=headers)


# The documents of a collection, as a table.

_PER_PAGE = 100


def documents(visit: Visit, /) -> Response:
    """List the documents in the requested order, filtered by words of their names."""
    collection = visit.collection
    order = visit.asked("order")
    order = order if order in LIST_ORDERS else "name"
    sheet = visit.asked_number("sheet", 1)
    asked = {
        "name": visit.asked("name"),
        "kind": visit.asked("kind"),
        "partly": "1" if visit.asked("partly") else "",
        "order": "" if order == "name" else order,
    }
    state = collection.workspace.state()
    result = listing(
        state,
        words=asked["name"],
        kind=asked["kind"],
        partly=bool(asked["partly"]),
        sort_by=order,
        offset=(sheet - 1) * _PER_PAGE,
        limit=_PER_PAGE,
    )
    if not result.documents and sheet > 1:
        return visit.see(visit.address_without("sheet"))
    return visit.page(
        "documents.html",
        result=result,
        types=types_of(state),
        orders=LIST_ORDERS,
        order=order,
        asked=asked,
        **visit.sheets(result.total, _PER_PAGE),
    )


# Two documents side by side: their changes, or their passages on a topic.

_PER_SHEET = 200
_KINDS = ("changed", "added", "removed")


def compare(visit: Visit, /) -> Response:
    """Show the changes between two documents, or their passages on a topic."""
    collection = visit.collection
    given = wanted(visit, Map.compare, {"document_a": "before", "document_b": "after"})
    before, after, topic = given["document_a"], given["document_b"], given["topic"]
    both = bool(before and after)
    differences = collection.map.changes(before, after) if both and not topic else None
    comparison = answered(visit, Map.compare, given) if both and topic else None
    kind = visit.asked("kind")
    every = differences.changes if differences else ()
    changes = [c for c in every if kind not in _KINDS or c.kind == kind]
    sheets = visit.sheets(len(changes), _PER_SHEET)
    pair = [collection.document(each) if each else None for each in (before, after)]
    return visit.page(
        "compare.html",
        documents=documents_to_choose(collection),
        topic=topic,
        differences=differences,
        comparison=comparison,
        pair=pair,
        kind=kind if kind in _KINDS else "",
        counts={k: sum(c.kind == k for c in every) for k in _KINDS},
        changes=changes[(sheets["sheet"] - 1) * _PER_SHEET :][:_PER_SHEET],
        **sheets,
        versions=() if both else collection.map.versions(),
    )


PAGES = (
    Page("kept", "kept", kept, of=("marks",)),
    Page("kept-paper", "kept.{ending:str}", paper),
    Page("documents", "documents", documents, of=("documents", "documents-of-type")),
    Page("compare", "compare", compare, of=("changes", "compare")),
)
