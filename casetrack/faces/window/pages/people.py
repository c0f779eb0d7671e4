"""Who is in the documents: people, firms, places; one of them, and the user's last word on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

from casetrack.api.collection.map import Map
from casetrack.api.operation import choices
from casetrack.base.errors import UsageError
from casetrack.base.records.graph import NAME_KINDS
from casetrack.base.records.marks import ENTITY_EDITS
from casetrack.faces.window.pages.base import Page
from casetrack.faces.window.visit import address, own_path

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from starlette.responses import Response

    from casetrack.api.collection.marks import NamedKind
    from casetrack.base.records.marks import PlacedMark
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


_CORRECTIONS_PAGES = (
    Page("corrections", "/c/{collection}/corrections", corrections, needs_map=True),
    Page("undo-corrections", "/c/{collection}/corrections", undo, "POST"),
)


T = TypeVar("T")
KINDS = ("person", "organization", "location", "concept", "amount", "date")
EDITABLE = (*NAME_KINDS, "concept")
_PER_SHEET = 200
_PLACES = 50
_MOST = 1000
_NEAR = 12


def people(visit: Visit, /) -> Response:
    """List who is mentioned."""
    kind = visit.asked_word("kind", KINDS, "person")
    order = visit.asked_word("order", choices(Map.entities, "sort_by"), "mentions")
    sheet = visit.asked_number("sheet", 1)
    found = visit.collection.map.entities(
        kind=kind,
        sort_by=order,
        named=visit.asked("name") or None,
        skip=(sheet - 1) * _PER_SHEET,
        limit=_PER_SHEET,
    )
    if not found and sheet > 1:
        return visit.see(visit.address_without("sheet"))
    return visit.page(
        "people.html",
        collection=visit.collection,
        entities=found,
        total=found.total,
        kinds=KINDS,
        kind=kind,
        can_edit=kind in EDITABLE and not visit.read_only,
        order=order,
        name=visit.asked("name"),
        sheet=sheet,
        sheets=max(1, -(-found.total // _PER_SHEET)),
        told=told_of(visit),
    )


def entity(visit: Visit, /) -> Response:
    """Show where somebody is mentioned."""
    limit = visit.asked_number("limit", _PLACES, high=_MOST)
    name = visit.request.path_params["entity"]
    collection = visit.collection
    found = collection.map.entity_mentions(name, limit=limit)
    one = found.entity
    others = [e for e in found.other_matches if e.kind in EDITABLE]
    marks = collection.marks.all()
    return visit.page(
        "entity.html",
        collection=collection,
        found=found,
        limit=limit,
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


def change(visit: Visit, /) -> Response:
    """Join, part, rename, retype or hide somebody."""
    marks, name = visit.collection.marks, visit.request.path_params["entity"]
    what, value = visit.sent("what"), visit.sent("value")
    ways: dict[str, Callable[[], PlacedMark]] = {
        "merge": lambda: marks.merge(name, value),
        "split": lambda: marks.split(
            name, value, as_name=visit.sent("as") or None, document=visit.sent("document") or None
        ),
        "rename": lambda: marks.rename(name, value),
        "kind": lambda: marks.set_kind(name, cast("NamedKind", value)),
        "hide": lambda: marks.hide(name),
    }
    done = _way(what, ways)()
    if what == "hide":
        return _back(visit, [done], address("c", visit.collection.name, "people"))
    # Of another kind, somebody has another id.
    here = done.mark.entity_name or name if what == "kind" else name
    return _back(visit, [done], address("c", visit.collection.name, "people", here))


def change_several(visit: Visit, /) -> Response:
    """Join those that were chosen to one, or hide them all."""
    marks = visit.collection.marks
    # All are looked up before the first change: where one is missing, nothing is changed.
    chosen = list(dict.fromkeys(marks.id_of(who, kind="any") for who in visit.sent_all("who")))
    if not chosen:
        raise UsageError(str(visit.texts("people.nobody")), hint=str(visit.texts("people.choose")))
    first, *others = chosen
    if visit.sent("what") == "merge" and not others:
        raise UsageError(
            str(visit.texts("people.one_only")), hint=str(visit.texts("people.choose"))
        )
    ways: dict[str, Callable[[], list[PlacedMark]]] = {
        "merge": lambda: [marks.merge(first, other) for other in others],
        "hide": lambda: [marks.hide(each) for each in chosen],
    }
    done = _way(visit.sent("what"), ways)()
    return _back(visit, done, address("c", visit.collection.name, "people"))


def _way(what: str, ways: dict[str, T]) -> T:
    if what not in ways:
        raise UsageError(f"There is no change {what!r}.", hint=f"Use one of: {', '.join(ways)}.")
    return ways[what]


def _back(visit: Visit, done: Sequence[PlacedMark], default: str) -> Response:
    back = own_path(visit.sent("back") or default)
    told = "&".join(f"done={m.mark_id}" for m in done)
    return visit.see(f"{back}{'&' if '?' in back else '?'}{told}")


PAGES = (
    *_CORRECTIONS_PAGES,
    Page("people", "/c/{collection}/people", people, needs_map=True, of=("entities", "entity")),
    Page("change-people", "/c/{collection}/people", change_several, "POST"),
    Page("entity", "/c/{collection}/people/{entity:path}", entity, needs_map=True),
    Page("change-entity", "/c/{collection}/people/{entity:path}", change, "POST"),
)
