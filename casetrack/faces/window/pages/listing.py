"""The documents of a collection, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.api.collection.listing import LIST_ORDERS, listing, types_of
from casetrack.faces.window.pages.base import Page

if TYPE_CHECKING:
    from starlette.responses import Response

    from casetrack.api.collection.listing import Listing
    from casetrack.faces.window.visit import Visit

_PER_PAGE = 100


def documents(visit: Visit, /) -> Response:
    """List the documents, in an order of the visitor's, those whose name holds some words."""
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

    def part(number: int) -> Listing:
        return listing(
            state,
            words=asked["name"],
            kind=asked["kind"],
            partly=bool(asked["partly"]),
            sort_by=order,
            offset=(number - 1) * _PER_PAGE,
            limit=_PER_PAGE,
        )

    found = part(sheet)
    if not found.documents and sheet > 1:
        # The list has become shorter, or the number is made up.
        sheet = 1
        found = part(sheet)
    return visit.page(
        "documents.html",
        collection=collection,
        found=found,
        types=types_of(state),
        orders=LIST_ORDERS,
        order=order,
        asked=asked,
        sheet=sheet,
        sheets=max(1, -(-found.total // _PER_PAGE)),
    )


PAGES = (Page("documents", "/c/{collection}/documents", documents),)
