"""``casetrack case``: create, list, select, describe and delete cases."""

import functools
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

import typer

from casetrack.api.text import Lines, lines_of, numbered
from casetrack.api.text.collections import described as text_of
from casetrack.base.editions import LEGAL, edition
from casetrack.base.errors import CaseTrackError
from casetrack.base.records.table import RowList
from casetrack.editions.legal.cases import Case, Cases, case_entry
from casetrack.editions.legal.operation import ADDS, READS, Arg, operation
from casetrack.faces.cli.asking import write
from casetrack.faces.cli.collection import delete_found, quoted
from casetrack.faces.cli.options import JsonOption, described, option
from casetrack.faces.cli.output import line, write_json
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library
    from casetrack.base.records import CollectionInfo

# Operations on cases: create and list.

R = TypeVar("R")


@lines_of.register
def _lines(case: Case) -> Lines:
    lines = lines_of(case_entry(case.info, case.stats, case.problem))
    return numbered(0, lines, "* " if case.is_used else "- ")


def with_case_terms(function: "Callable[..., R]", /) -> "Callable[..., R]":
    """Make a command report its errors with the terms of cases."""

    @functools.wraps(function)
    def wrapped(*args: object, **given: object) -> R:
        try:
            return function(*args, **given)
        except CaseTrackError as error:
            error.message, error.hint = edition(LEGAL).on_command_line(error)
            raise

    return wrapped


@operation("case create", ADDS)
@with_case_terms
def create(
    library: "Library",
    name: Annotated[str, Arg("Name of the case, such as 'Smith v. Jones'.", "NAME")],
    /,
    *,
    number: Annotated[str | None, Arg("Docket or case number.", "--number TEXT")] = None,
    case_type: Annotated[
        str, Arg("Type of the case; an invalid one lists all types.", "--type TYPE")
    ] = "other",
) -> Case:
    """Create an empty case and make it the default case."""
    cases = Cases(library)
    made = cases.create(name, case_type=case_type, case_number=number).info
    cases.use(made.id)
    return _counted(library, made, is_used=True)


@operation("case list", READS)
@with_case_terms
def listed(
    library: "Library",
    /,
    *,
    status: Annotated[
        Literal["active", "closed", "archived", "all"],
        Arg("Only cases with this status.", "--status"),
    ] = "active",
) -> RowList[Case]:
    """List the cases, last changed first; * marks the default case."""
    cases = Cases(library)
    used = cases.used
    return RowList(
        [_counted(library, i, is_used=i == used) for i in cases.all(status=status)], of=Case
    )


def _counted(library: "Library", info: "CollectionInfo", *, is_used: bool) -> Case:
    """Count one case; a damaged case must not hide the others."""
    try:
        return Case(info, is_used, library.stats(info))
    except CaseTrackError as error:
        return Case(info, is_used, None, error.message)


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
