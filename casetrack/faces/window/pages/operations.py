"""Operations by their declarations: those that read as pages, those that change as actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args, get_origin

from starlette.responses import Response

from casetrack.api.operation import Argument, Operation, arguments_of
from casetrack.api.operations import operations
from casetrack.api.text import entries_of, entry_of, head_of, numbered, rest_of
from casetrack.base.errors import UsageError
from casetrack.base.records import Rows
from casetrack.faces.window.asking import answered, given_of
from casetrack.faces.window.pages.base import Page, document_names
from casetrack.faces.window.pages.people import back_from

if TYPE_CHECKING:
    from casetrack.faces.window.visit import Visit


def reading() -> dict[str, Operation]:
    """Return the operations that have such a page, by name."""
    return {name: each for name, each in operations().items() if each.hints.read_only}


def every(visit: Visit, /) -> Response:
    """List the operations of a collection that have no other page."""
    from casetrack.faces.window import pages

    done = {name for page in pages.PAGES for name in page.of}
    listed = [each for n, each in reading().items() if not {n, n.split()[0]} & done]
    listed.sort(key=lambda each: each.of_library)
    return visit.page("operations.html", collection=visit.collection, operations=listed)


def operation(visit: Visit, /) -> Response:
    """Show the form of an operation and, if its arguments are complete, the answer."""
    name = visit.request.path_params["operation"]
    asked = reading().get(name)
    if asked is None:
        raise UsageError(f"There is no operation {name!r}.")
    arguments = arguments_of(asked.method)
    given = given_of(visit, asked.method)
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
        choices={a.name: get_args(a.type) for a in arguments if get_origin(a.type) is Literal},
        given=given,
        result=result,
        blocks=[block for block in blocks if block],
        rest=rest_of(result),
        names=document_names(visit.collection) if any(_is_document(a) for a in arguments) else (),
    )


def do(visit: Visit, /) -> Response:
    """Do an operation that changes something with the fields of a form; then go back."""
    name = visit.request.path_params["operation"]
    asked = operations().get(name)
    if asked is None or asked.hints.read_only or asked.work is not None:
        raise UsageError(f"There is no change {name!r}.")
    fixed = {"collection": visit.collection.info.id} if asked.of_library else {}
    given = given_of(visit, asked.method, **fixed)
    result = answered(visit, asked.method, given)
    if visit.is_part:
        return Response(status_code=204)
    return back_from(visit, result if isinstance(result, Rows) else (result,))


def _is_document(each: Argument) -> bool:
    return "document" in each.name or each.name in {"before", "after"}


PAGES = (
    Page("operations", "/c/{collection}/ask", every),
    Page("operation", "/c/{collection}/ask/{operation}", operation, needs_map=True),
    Page("do", "/c/{collection}/do/{operation}", do, "POST"),
)
