"""Who is in the documents: people, firms, places; one of them, and the user's last word on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.api.collection.map import Map
from casetrack.base.errors import UsageError
from casetrack.base.records.graph import NAME_KINDS
from casetrack.base.records.marks import ENTITY_EDITS, PlacedMark
from casetrack.faces.window.asking import answered, wanted
from casetrack.faces.window.drawings import drawn_mails
from casetrack.faces.window.pages.base import Page
from casetrack.faces.window.visit import address, own_path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.responses import Response

    from casetrack.faces.window.visit import Visit

# The user's corrections of entities and of the timeline, and their undo.

_OF_EVENTS = ("event", "hide_event", "take_event")
_OF_NAMES = (*ENTITY_EDITS, "apart")
_ABOUT = {"people": _OF_NAMES, "timeline": _OF_EVENTS}
_SHOWN = 200


def corrections(visit: Visit, /) -> Response:
    """List the corrections, the last one first."""
    collection, about = visit.collection, visit.asked("about")
    kinds = _ABOUT.get(about, (*_OF_NAMES, *_OF_EVENTS))
    undone = bool(visit.asked("undone"))
    placed = [m for m in collection.marks.all(undone=undone) if m.mark.kind in kinds]
    sheets = visit.sheets(len(placed), _SHOWN)
    return visit.page(
        "corrections.html",
        placed_marks=placed[::-1][(sheets["sheet"] - 1) * _SHOWN :][:_SHOWN],
        count=len(placed),
        about=about if about in _ABOUT else "",
        kinds=tuple(_ABOUT),
        undone=undone,
        **sheets,
        recent=[],
    )


def undo(visit: Visit, /) -> Response:
    """Undo corrections, the last one first."""
    for mark_id in reversed(visit.sent_all("undo")):
        visit.collection.marks.undo(mark_id)
    back = visit.sent("back") or address("c", visit.collection.name, "corrections")
    return visit.see(own_path(back))


def recent_marks(visit: Visit, /) -> list[PlacedMark]:
    """Return the corrections that the address lists as just made and that are still valid."""
    wanted = set(visit.asked_all("done"))
    if not wanted:
        return []
    return [m for m in visit.collection.marks.all() if m.mark_id in wanted]


KINDS = ("person", "organization", "location", "concept", "amount", "date")
EDITABLE = (*NAME_KINDS, "concept")
_PER_SHEET = 200
_PLACES = 50
_MOST = 1000
_NEAR = 12


def people(visit: Visit, /) -> Response:
    """List the mentioned entities."""
    given = wanted(visit, Map.entities, {"sort_by": "order"}, kind="person", limit=_PER_SHEET)
    sheet, kind = visit.asked_number("sheet", 1), given["kind"]
    given |= {"named": visit.asked("name") or None, "skip": (sheet - 1) * _PER_SHEET}
    result = answered(visit, Map.entities, given | {"limit": _PER_SHEET})
    if not result and sheet > 1:
        return visit.see(visit.address_without("sheet"))
    return visit.page(
        "people.html",
        entities=result,
        total=result.total,
        kinds=KINDS,
        kind=kind,
        can_edit=kind in EDITABLE and not visit.read_only,
        order=given["sort_by"],
        name=visit.asked("name"),
        **visit.sheets(result.total, _PER_SHEET),
        recent=recent_marks(visit),
    )


def entity(visit: Visit, /) -> Response:
    """Show where an entity is mentioned."""
    given = wanted(visit, Map.entity_mentions, limit=_PLACES)
    collection, name = visit.collection, visit.request.path_params["entity"]
    result = answered(visit, Map.entity_mentions, given | {"name": name})
    one = result.entity
    others = [e for e in result.other_matches if e.kind in EDITABLE]
    marks = collection.marks.all()
    return visit.page(
        "entity.html",
        result=result,
        limit=given["limit"],
        most=_MOST,
        kinds=NAME_KINDS,
        can_edit=one.kind in EDITABLE and not visit.read_only,
        others=others[:_NEAR],
        mails=drawn_mails(visit, result.correspondence or (), is_drawn=False),
        entity_marks=[m for m in marks if _is_of(m, one.entity_id)],
        recent=recent_marks(visit),
    )


def likely_same(visit: Visit, /) -> Response:
    """List names that are probably the same, to merge or to keep apart."""
    result = answered(visit, Map.likely_same, wanted(visit, Map.likely_same))
    return visit.page("likely_same.html", pairs=result, recent=recent_marks(visit))


def correspondence(visit: Visit, /) -> Response:
    """Show who sent mails to whom, and when."""
    given = wanted(visit, Map.correspondence)
    result = answered(visit, Map.correspondence, given)
    figure = drawn_mails(visit, result)
    return visit.page("correspondence.html", mails=result, figure=figure, **given)


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
    """Send the browser back to the page of a form, with the corrections in the address."""
    back = own_path(visit.sent("back") or address("c", visit.collection.name, *part))
    marks = [m for m in done if isinstance(m, PlacedMark)]
    shown = (*_OF_NAMES, *_OF_EVENTS)
    parameters = [f"done={m.mark_id}" for m in marks if m.mark.kind in shown]
    joint = "" if not parameters else "&" if "?" in back else "?"
    return visit.see(f"{back}{joint}{'&'.join(parameters)}")


PAGES = (
    Page("corrections", "corrections", corrections, needs_map=True),
    Page("undo-corrections", "corrections", undo, "POST"),
    Page("people", "people", people, needs_map=True, of=("entities", "entity")),
    Page("change-people", "people", change_several, "POST"),
    Page("likely-same", "likely-same", likely_same, needs_map=True, of=("likely-same",)),
    Page("correspondence", "correspondence", correspondence, "GET", True, ("correspondence",)),
    Page("entity", "people/{entity:path}", entity, needs_map=True),
)
