"""Two documents side by side: what changed, or what both say of a topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.faces.window.pages.base import Page, document_names

if TYPE_CHECKING:
    from starlette.responses import Response

    from casetrack.faces.window.visit import Visit

_PER_SHEET = 200
_KINDS = ("changed", "added", "removed")
_PASSAGES = 5


def compare(visit: Visit, /) -> Response:
    """Show what changed from one document to another, or what both say of a topic."""
    collection, topic = visit.collection, visit.asked("topic")
    before, after = visit.asked("before"), visit.asked("after")
    both = bool(before and after)
    found = collection.map.changes(before, after) if both and not topic else None
    said = collection.map.compare(before, after, topic, limit=_PASSAGES) if both and topic else None
    kind = visit.asked("kind")
    every = found.changes if found else ()
    changes = [c for c in every if kind not in _KINDS or c.kind == kind]
    sheets = max(1, -(-len(changes) // _PER_SHEET))
    sheet = visit.asked_number("sheet", 1, high=sheets)
    pair = (found.before, found.after) if found else None
    if not both:
        before, after = (collection.document(d).name if d else "" for d in (before, after))
    return visit.page(
        "compare.html",
        collection=collection,
        names=document_names(collection),
        before=before,
        after=after,
        topic=topic,
        found=found,
        said=said,
        pair=(said.document_a, said.document_b) if said else pair,
        kind=kind if kind in _KINDS else "",
        counts={k: sum(c.kind == k for c in every) for k in _KINDS},
        changes=changes[(sheet - 1) * _PER_SHEET : sheet * _PER_SHEET],
        sheet=sheet,
        sheets=sheets,
        versions=() if both else collection.map.versions(),
    )


PAGES = (Page("compare", "/c/{collection}/compare", compare),)
