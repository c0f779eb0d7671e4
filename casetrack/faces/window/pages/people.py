"""Who is in the documents: people, firms, places; one of them, and the user's last word on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.api.collection.map import Map
from casetrack.base.errors import UsageError
from casetrack.base.records.graph import NAME_KINDS
from casetrack.base.records.marks import ENTITY_EDITS, PlacedMark
from casetrack.faces.window.asking import answered, wanted
from casetrack.faces.window.pages.base import Page
from casetrack.faces.window.visit import address, own_path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.responses import Response

    from casetrack.faces.window.visit import Visit

# What the user has said of people and of the timeline, and taking it back.

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


_CORRECTIONS_PAGES = (
    Page("corrections", "/c/{collection}/corrections", corrections, needs_map=True),
    Page("undo-corrections", "/c/{collection}/corrections", undo, "POST"),
)


KINDS = ("person", "organization", "location", "concept", "amount", "date")
EDITABLE = (*NAME_KINDS, "concept")
_PER_SHEET = 200
_PLACES = 50
_MOST = 1000
_NEAR = 12


def people(visit: Visit, /) -> Response:
    """List who is mentioned."""
    given = wanted(visit, Map.entities, {"sort_by": "order"}, kind="person", limit=_PER_SHEET)
    sheet, kind = visit.asked_number("sheet", 1), given["kind"]
    given |= {"named": visit.asked("name") or None, "skip": (sheet - 1) * _PER_SHEET}
    found = answered(visit, Map.entities, given | {"limit": _PER_SHEET})
    if not found and sheet > 1:
        return visit.see(visit.address_without("sheet"))
    return visit.page(
        "people.html",
        entities=found,
        total=found.total,
        kinds=KINDS,
        kind=kind,
        can_edit=kind in EDITABLE and not visit.read_only,
        order=given["sort_by"],
        name=visit.asked("name"),
        sheet=sheet,
        sheets=max(1, -(-found.total // _PER_SHEET)),
        told=told_of(visit),
    )


def entity(visit: Visit, /) -> Response:
    """Show where somebody is mentioned."""
    given = wanted(visit, Map.entity_mentions, limit=_PLACES)
    collection, name = visit.collection, visit.request.path_params["entity"]
    found = answered(visit, Map.entity_mentions, given | {"name": name})
    one = found.entity
    others = [e for e in found.other_matches if e.kind in EDITABLE]
    marks = collection.marks.all()
    return visit.page(
        "entity.html",
        found=found,
        limit=given["limit"],
        most=_MOST,
        kinds=NAME_KINDS,
        can_edit=one.kind in EDITABLE and not visit.read_only,
        others=others[:_NEAR],
        said=[m for m in marks if _is_of(m, one.entity_id)],
        told=told_of(visit),
    )


def _is_of(placed: PlacedMark, entity_id: str) -> bool:
    mark = placed.mark
    return placed.state == "in force" and entity_id in {mark.entity_id, mark.other_id}


def change_several(visit: Visit, /) -> Response:
    """Join those that were chosen to one, or hide them all."""
    marks, what = visit.collection.marks, visit.sent("what")
    # All are looked up before the first change: where one is missing, nothing is changed.
    chosen = list(dict.fromkeys(marks.id_of(who, kind="any") for who in visit.sent_all("who")))
    if not chosen or (what == "merge" and len(chosen) == 1):
        why = visit.texts("people.one_only" if chosen else "people.nobody")
        raise UsageError(str(why), hint=str(visit.texts("people.choose")))
    if what == "merge":
        return back_from(visit, [marks.merge(chosen[0], other) for other in chosen[1:]], "people")
    return back_from(visit, [marks.hide(each) for each in chosen], "people")


def back_from(visit: Visit, done: Iterable[object], /, *part: str) -> Response:
    """Send the browser back to where a form was, and tell that page of the corrections made."""
    back = own_path(visit.sent("back") or address("c", visit.collection.name, *part))
    told = [f"done={m.mark_id}" for m in done if isinstance(m, PlacedMark) and _is_told(m)]
    joint = "" if not told else "&" if "?" in back else "?"
    return visit.see(f"{back}{joint}{'&'.join(told)}")


def _is_told(placed: PlacedMark) -> bool:
    return placed.mark.kind in (*ENTITY_EDITS, *_OF_EVENTS)


PAGES = (
    *_CORRECTIONS_PAGES,
    Page("people", "/c/{collection}/people", people, needs_map=True, of=("entities", "entity")),
    Page("change-people", "/c/{collection}/people", change_several, "POST"),
    Page("entity", "/c/{collection}/people/{entity:path}", entity, needs_map=True),
)
