"""``casetrack case``: create, list, select, describe and delete cases."""

from typing import TYPE_CHECKING

import typer

from casetrack.api.operation import Arg
from casetrack.api.text.collections import described as text_of
from casetrack.editions.legal.cases import Case, Cases
from casetrack.editions.legal.casework import with_case_terms
from casetrack.faces.cli.asking import write
from casetrack.faces.cli.collection import delete_found, quoted
from casetrack.faces.cli.options import JsonOption, described, option
from casetrack.faces.cli.output import line, write_json
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from casetrack.api.collection import Collection

_CASE = option(Arg("Name or ID of the case.", "CASE"))


@described(name=_CASE, none=option(Arg("Unset the default case.", "--none")))
@with_case_terms
def use(
    ctx: typer.Context, name: str | None = None, none: bool = False, as_json: JsonOption = False
) -> None:
    """Set the default case for commands without -c; without CASE, show it."""
    cases = _cases(ctx)
    used = cases.use(name) if name is not None or none else cases.used
    if as_json:
        write_json(None if used is None else Case(used, is_used=True).as_dict())
    elif used is None:
        line("No default case is set: commands need -c NAME.")
    else:
        line(f'The default case is "{used.name}" (ID: {used.id}).')


@described(name=option(Arg("Name or ID; default: the default case.", "CASE")))
@with_case_terms
def info(ctx: typer.Context, name: str | None = None, as_json: JsonOption = False) -> None:
    """Show the name, size and location of a case."""
    cases, state = _cases(ctx), ctx.ensure_object(State)
    collection: Collection = cases.get(name) if name is not None else state.collection(None)
    about, stats = collection.info, collection.stats()
    if as_json:
        documents = [document.as_dict() for document in collection.documents()]
        used = cases.used is not None and cases.used.id == about.id
        write_json(Case(about, used, stats).as_dict() | {"documents": documents})
        return
    write(text_of(about, stats, {"Folder": str(collection.folder)}))
    line(f"List its documents: casetrack documents -c {quoted(about.name)}")


@described(name=_CASE, yes=option(Arg("Do not ask for confirmation.", "--yes -y")))
@with_case_terms
def delete(ctx: typer.Context, name: str, yes: bool = False) -> int:
    """Delete a case and all its data; your original files are not changed."""
    library = ctx.ensure_object(State).library
    return delete_found(library, _cases(ctx).find(name), "case", yes=yes)


def _cases(ctx: typer.Context) -> Cases:
    return Cases(ctx.ensure_object(State).library)
