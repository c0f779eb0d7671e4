"""What the user has said of people and of the timeline, and taking it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.records.marks import ENTITY_EDITS
from casetrack.faces.window.pages.base import Page
from casetrack.faces.window.visit import address, own_path

if TYPE_CHECKING:
    from starlette.responses import Response

    from casetrack.base.records.marks import PlacedMark
    from casetrack.faces.window.visit import Visit

_OF_EVENTS = ("event", "hide_event", "take_event")
_ABOUT = {"people": ENTITY_EDITS, "timeline": _OF_EVENTS}
_SHOWN = 200


def corrections(visit: Visit, /) -> Response:
    """List the corrections, the last one first."""
    collection, about = visit.collection, visit.asked("about")
    kinds = _ABOUT.get(about, (*ENTITY_EDITS, *_OF_EVENTS))
    undone = bool(visit.asked("undone"))
    found = [m for m in collection.marks.all(undone=undone) if m.mark.kind in kinds]
    sheets = max(1, -(-len(found) // _SHOWN))
    sheet = visit.asked_number("sheet", 1, high=sheets)
    return visit.page(
        "corrections.html",
        collection=collection,
        found=found[::-1][(sheet - 1) * _SHOWN : sheet * _SHOWN],
        count=len(found),
        about=about if about in _ABOUT else "",
        kinds=tuple(_ABOUT),
        undone=undone,
        sheet=sheet,
        sheets=sheets,
        told=[],
    )


def undo(visit: Visit, /) -> Response:
    """Take corrections back, the last one first."""
    for mark_id in reversed(visit.sent_all("undo")):
        visit.collection.marks.undo(mark_id)
    back = visit.sent("back") or address("c", visit.collection.name, "corrections")
    return visit.see(own_path(back))


def told_of(visit: Visit, /) -> list[PlacedMark]:
    """Return the corrections that the address says were just made, those that still stand."""
    wanted = set(visit.asked_all("done"))
    if not wanted:
        return []
    return [m for m in visit.collection.marks.all() if m.mark_id in wanted]


PAGES = (
    Page("corrections", "/c/{collection}/corrections", corrections, needs_map=True),
    Page("undo-corrections", "/c/{collection}/corrections", undo, "POST"),
)
