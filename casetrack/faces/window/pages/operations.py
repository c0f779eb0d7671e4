"""Operations by their declarations: those that read as pages, those that change as actions."""

from __future__ import annotations

import inspect
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from starlette.responses import Response

from casetrack.api.operation import Operation, arguments_of
from casetrack.api.operations import operations
from casetrack.api.text import entries_of, entry_of, head_of, numbered, rest_of
from casetrack.base.errors import CaseTrackError, UsageError
from casetrack.base.records import Rows
from casetrack.faces.window.asking import answered, given_of
from casetrack.faces.window.pages.base import Page, document_names
from casetrack.faces.window.pages.people import back_from
from casetrack.faces.window.texts import all_texts
from casetrack.faces.window.visit import address
from casetrack.faces.window.work import begin

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable
    from typing import Any

    from casetrack.base.records.jobs import JobKind
    from casetrack.faces.window.visit import Visit

_MANAGED = {
    "collection update": {"active"},
    "export": {"active", "closed", "archived"},
    "doctor": {"active", "closed", "archived"},
    "reindex": {"active"},
    "upkeep": {"active", "closed", "archived"},
    "collection close": {"active"},
    "collection reopen": {"closed", "archived"},
    "collection archive": {"active", "closed"},
    "collection delete": {"active", "closed", "archived"},
}
"""Operations of the page for a collection as a whole, each with the statuses that allow it."""
_SURE = frozenset({"upkeep", "collection delete"})
"""Changes that require the typed name of the collection."""


def reading() -> dict[str, Operation]:
    """Return the operations that only have such a page, by name."""
    from casetrack.faces.window import pages

    done = {name for page in pages.PAGES for name in page.of}
    return {
        name: each
        for name, each in operations().items()
        if each.hints.read_only and not {name, name.split()[0]} & done
    }


def every(visit: Visit, /) -> Response:
    """List the operations of a collection that have no other page."""
    listed = sorted(reading().values(), key=lambda each: each.of_library)
    return visit.page("operations.html", collection=visit.collection, operations=listed)


def operation(visit: Visit, /) -> Response:
    """Show the form of an operation and, if its arguments are complete, the answer.

    An operation that has its own page leads there.
    """
    from casetrack.faces.window import pages

    name = visit.request.path_params["operation"]
    for page in pages.PAGES:
        if {name, name.split()[0]} & {*page.of}:
            own = page.title.removeprefix("tab.") if "{" in page.path else page.path
            return visit.see(own if own[0] == "/" else address("c", visit.collection.name, own))
    asked = reading().get(name)
    if asked is None:
        raise UsageError(f"There is no operation {name!r}.")
    arguments = arguments_of(asked.method)
    given = given_of(visit, asked.method)
    about = [a for a in arguments if "document" in a.name or a.name in {"before", "after"}]
    lacking = [a.name for a in arguments if a.is_required and a.name not in given]
    result = None if lacking else answered(visit, asked.method, given)
    entries = () if result is None else entries_of(result)[1]
    blocks = [] if result is None else [head_of(result)]
    blocks += [numbered(n, entry_of(each)) for n, each in enumerate(entries, 1)]
    return visit.page(
        "operation.html",
        collection=visit.collection,
        operation=asked,
        arguments=arguments,
        given=given,
        result=result,
        blocks=[block for block in blocks if block],
        rest=rest_of(result),
        names=document_names(visit.collection) if about else (),
    )


def manage(visit: Visit, /) -> Response:
    """Show the forms of the changes of a collection as a whole."""
    info = visit.collection.info
    shown = [operations()[name] for name, at in _MANAGED.items() if info.status in at]
    own = ("name", "description", "reference")
    return visit.page(
        "manage.html",
        sure=_SURE,
        given={"collection update": {name: getattr(info, name) for name in own}},
        # A form has the arguments that the window has texts for.
        forms=[
            (o, [a for a in arguments_of(o.method) if f"argument.{o.name}_{a.name}" in all_texts()])
            for o in shown
        ],
    )


def do(visit: Visit, /) -> Response:
    """Do an operation that changes something with the fields of a form; then go back."""
    name = visit.request.path_params["operation"]
    asked = operations().get(name)
    if asked is None or asked.hints.read_only:
        raise UsageError(f"There is no change {name!r}.")
    known = {each.name for each in arguments_of(asked.method)} if asked.of_library else set()
    own = "collection" in visit.request.path_params and visit.collection.info
    fixed = dict.fromkeys({"collection", "name_or_id"} & known, own.id) if own else {}
    given = given_of(visit, asked.method, **fixed)
    if own and name in _SURE and visit.sent("sure") != own.name:
        raise UsageError(visit.texts("manage.not_sure", name=own.name).striptags())
    if asked.work is not None:
        return visit.see(address("jobs", _begin(visit, asked, given)))
    if name == "delete":
        return _deleted(visit, asked, given)
    if own and name == "collection delete":
        visit.library.set_aside(own.id)
        return visit.see("/")
    result = answered(visit, asked.method, given)
    if visit.is_part:
        return Response(status_code=204)
    if own and visit.collection.name != own.name:
        return visit.see(address("c", visit.collection.name, "manage"))
    return back_from(visit, result if isinstance(result, Rows) else (result,))


def _deleted(visit: Visit, asked: Operation, given: dict[str, Any]) -> Response:
    """Delete a document after a snapshot, so that this can be undone."""
    admin = visit.collection.admin
    kept = admin.take_snapshot(f"before-delete-{datetime.now(UTC):%Y-%m-%d-%H%M%S-%f}")
    try:
        answered(visit, asked.method, given)
    except CaseTrackError:
        admin.remove_snapshot(kept.number)
        raise
    return visit.see(address("c", visit.collection.name, "documents", undo=kept.name))


def _begin(visit: Visit, asked: Operation, given: dict[str, Any]) -> str:
    """Start long work, and return the id of its job."""
    own = visit.collection if "collection" in visit.request.path_params else None

    def work(tell: Callable[..., None], stop: threading.Event) -> Any:
        stops = "cancel" in inspect.signature(asked.method).parameters
        others = {"progress": tell, **({"cancel": stop} if stops else {})}
        return answered(visit, asked.method, given, **others)

    name = "" if own is None else own.name
    title = asked.job_title(given, name) or f"{asked.title} of {name}"
    kind: JobKind = asked.work.job if asked.work and asked.work.job else "upkeep"
    return begin(
        visit.library, kind, work, title=title, collection=None if own is None else own.info
    )


PAGES = (
    Page("operations", "ask", every),
    Page("operation", "ask/{operation}", operation, needs_map=True),
    Page("do", "do/{operation}", do, "POST"),
    Page("do-library", "/do/{operation}", do, "POST"),
    Page(
        "manage",
        "manage",
        manage,
        of=(*_MANAGED, "collection rename", "collection describe", "collection"),
        title="manage.title",
    ),
)
