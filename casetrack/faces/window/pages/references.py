"""What the documents refer to, what of it is there, and where it is cited."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.records.graph.references import REFERENCE_SORTS, REFERENCE_TYPES
from casetrack.faces.window.pages.base import Page

if TYPE_CHECKING:
    from starlette.responses import Response

    from casetrack.faces.window.visit import Visit

_PER_SHEET = 200
_PLACES = 50
_MOST = 1000
_THERE = {"there": True, "missing": False}


def references(visit: Visit, /) -> Response:
    """List what the documents refer to."""
    kind, order, there = visit.asked("kind"), visit.asked("order"), visit.asked("there")
    kind = kind if kind in REFERENCE_TYPES else "all"
    order = order if order in REFERENCE_SORTS else "citations"
    sheet = visit.asked_number("sheet", 1)
    found = visit.collection.map.references(
        type=kind,
        sort_by=order,
        named=visit.asked("name") or None,
        there=_THERE.get(there),
        skip=(sheet - 1) * _PER_SHEET,
        limit=_PER_SHEET,
    )
    if not found and sheet > 1:
        return visit.see(visit.address_without("sheet"))
    return visit.page(
        "references.html",
        collection=visit.collection,
        references=found,
        total=found.total,
        kind=kind,
        kinds=("all", *REFERENCE_TYPES),
        order=order,
        name=visit.asked("name"),
        there=there if there in _THERE else "",
        sheet=sheet,
        sheets=max(1, -(-found.total // _PER_SHEET)),
    )


def reference(visit: Visit, /) -> Response:
    """Show where something is referred to."""
    limit = visit.asked_number("limit", _PLACES, high=_MOST)
    name = visit.request.path_params["reference"]
    found = visit.collection.map.reference_citations(name, limit=limit)
    return visit.page(
        "reference.html", collection=visit.collection, found=found, limit=limit, most=_MOST
    )


PAGES = (
    Page("references", "/c/{collection}/references", references, needs_map=True),
    Page("reference", "/c/{collection}/references/{reference:path}", reference, needs_map=True),
)
