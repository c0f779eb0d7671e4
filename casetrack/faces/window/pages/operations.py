"""Each operation that only reads as a page: a form of its arguments, the text of its answer."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from casetrack.api.operation import Argument, Operation, arguments_of, called
from casetrack.api.operations import operations
from casetrack.api.text import entries_of, entry_of, head_of, numbered
from casetrack.base.errors import UsageError
from casetrack.faces.window.pages.base import Page, document_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.responses import Response

    from casetrack.faces.window.visit import Visit


def reading() -> dict[str, Operation]:
    """Return the operations that have such a page, by name."""
    return {name: each for name, each in operations().items() if each.hints.read_only}


def every(visit: Visit, /) -> Response:
    """List what can be asked of a collection, beside what has a page of its own."""
    from casetrack.faces.window import pages

    others = {page.name for page in pages.PAGES}
    listed = {name: each for name, each in reading().items() if name not in others}
    return visit.page("operations.html", collection=visit.collection, operations=listed)


def operation(visit: Visit, /) -> Response:
    """Show the form of an operation and, where its arguments are there, the answer."""
    name = visit.request.path_params["operation"]
    asked = reading().get(name)
    if asked is None:
        raise UsageError(f"There is no operation {name!r}.")
    arguments = arguments_of(asked.method)
    given = given_of(visit, asked.method)
    owner = visit.library if asked.of_library else visit.collection
    lacking = [a.name for a in arguments if a.must_be_given and a.name not in given]
    found = (
        None
        if lacking
        else called(asked.method, owner, given, name=partial(visit.texts.argument, asked))
    )
    entries = () if found is None else entries_of(found)[1]
    blocks = [] if found is None else [head_of(found)]
    blocks += [numbered(n, entry_of(each)) for n, each in enumerate(entries, 1)]
    return visit.page(
        "operation.html",
        collection=visit.collection,
        operation=asked,
        arguments=arguments,
        choices={a.name: get_args(a.type) for a in arguments if get_origin(a.type) is Literal},
        given=given,
        found=found,
        blocks=[block for block in blocks if block],
        rest=getattr(found, "total", len(entries)) - len(entries) if entries else 0,
        names=document_names(visit.collection) if any(_is_document(a) for a in arguments) else (),
    )


def given_of(visit: Visit, method: Callable[..., Any], /) -> dict[str, Any]:
    """Return the arguments of an operation that an address has; others keep their defaults.

    Raises
    ------
    UsageError
        A value is not of its type.
    """
    given = ((each, visit.asked_all(each.name)) for each in arguments_of(method))
    return {each.name: _value(each, values) for each, values in given if values}


def _value(each: Argument, values: list[str]) -> Any:
    kinds = [kind for kind in (get_args(each.type) or (each.type,)) if isinstance(kind, type)]
    if each.is_list:
        return [line for value in values for line in value.split("\n") if line.strip()]
    if bool in kinds:
        return (values[-1] == "1") is not each.turns_off
    for kind in (int, float):
        if kind in kinds:
            try:
                return kind(values[-1])
            except ValueError:
                raise UsageError(f"{each.arg.help} {values[-1]!r} is not a number.") from None
    return values[-1]


def _is_document(each: Argument) -> bool:
    return "document" in each.name or each.name in {"before", "after"}


PAGES = (
    Page("operations", "/c/{collection}/ask", every),
    Page("operation", "/c/{collection}/ask/{operation}", operation, needs_map=True),
)
