"""``casetrack case``: make, list, choose, describe and delete cases."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import typer

from casetrack.api.operation import Arg
from casetrack.api.text import lines_of, numbered
from casetrack.api.text.collections import described as text_of
from casetrack.base.errors import CaseTrackError
from casetrack.faces.cli.asking import write
from casetrack.faces.cli.collection import counted_info, delete_found, quoted
from casetrack.faces.cli.options import JsonOption, described, option
from casetrack.faces.cli.output import line, write_json
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.base.records import CollectionInfo, CollectionStats
    from casetrack.editions.legal.cases import Cases

R = TypeVar("R")


def in_words_of_cases(command: Callable[..., R], /) -> Callable[..., R]:
    """Let a command tell its errors in words of cases."""

    @functools.wraps(command)
    def told(*args: Any, **given: Any) -> R:
        try:
            return command(*args, **given)
        except CaseTrackError as error:
            from casetrack.base.editions import LEGAL, edition

            error.message, error.hint = edition(LEGAL).on_command_line(error)
            raise

    return told


_CASE = option(Arg("Name or ID of the case.", "CASE"))


@described(
    name=option(Arg("Such as 'Smith v. Jones'.", "NAME")),
    number=option(Arg("Docket or case number.", "--number TEXT")),
    case_type=option(Arg("Kind of case; a wrong one lists all kinds.", "--type TYPE")),
)
@in_words_of_cases
def create(
    ctx: typer.Context,
    name: str,
    number: str | None = None,
    case_type: str = "other",
    as_json: JsonOption = False,
) -> None:
    """Make an empty case, and use it from now on."""
    cases = _cases(ctx)
    made = cases.create(name, case_type=case_type, case_number=number).info
    cases.use(made.id)
    if as_json:
        write_json(_object(made, None, used=made))
        return
    line(f'Created case "{made.name}" (ID: {made.id}). Commands use it from now on.')
    line("Add documents: casetrack ingest PATH")


@described(status=option(Arg("Only those with this status.", "--status")))
@in_words_of_cases
def list_cases(
    ctx: typer.Context,
    status: Literal["active", "closed", "archived", "all"] = "active",
    as_json: JsonOption = False,
) -> None:
    """List the cases, the last changed first; * marks the one that commands use."""
    from casetrack.editions.legal.cases import case_entry

    cases, library = _cases(ctx), ctx.ensure_object(State).library
    found, used = [counted_info(library, info) for info in cases.all(status=status)], cases.used
    if as_json:
        write_json([_object(info, stats, used=used) for info, stats in found])
        return
    for about, stats in found:
        mark = "* " if used is not None and used.id == about.id else "- "
        write(numbered(0, lines_of(case_entry(about, stats)), mark))
    if found:
        return
    if cases.all():
        line(f"No case is {status}.")
        return
    line(f"No cases in {library.settings.data_dir}.")
    line("Make one: casetrack case create NAME")


@described(name=_CASE, none=option(Arg("Use no case any more.", "--none")))
@in_words_of_cases
def use(
    ctx: typer.Context, name: str | None = None, none: bool = False, as_json: JsonOption = False
) -> None:
    """Choose the case that commands work on where no -c names another; without CASE, say which."""
    cases = _cases(ctx)
    used = cases.use(name) if name is not None or none else cases.used
    if as_json:
        write_json(None if used is None else _object(used, None, used=used))
    elif used is None:
        line("No case is in use: commands ask for -c NAME.")
    else:
        line(f'Commands use the case "{used.name}" (ID: {used.id}).')


@described(name=option(Arg("Name or ID; without it, the case in use.", "CASE")))
@in_words_of_cases
def info(ctx: typer.Context, name: str | None = None, as_json: JsonOption = False) -> None:
    """Show what a case is, how much it holds and where it lies."""
    cases, state = _cases(ctx), ctx.ensure_object(State)
    found: Collection = cases.get(name) if name is not None else state.collection(None)
    about, stats = found.info, found.stats()
    if as_json:
        documents = [document.as_dict() for document in found.documents()]
        write_json(_object(about, stats, used=cases.used) | {"documents": documents})
        return
    write(text_of(about, stats, {"Folder": str(found.folder)}))
    line(f"Its documents: casetrack documents -c {quoted(about.name)}")


@described(name=_CASE, yes=option(Arg("Do not ask.", "--yes -y")))
@in_words_of_cases
def delete(ctx: typer.Context, name: str, yes: bool = False) -> int:
    """Delete a case with everything in it; your original files are not touched."""
    library = ctx.ensure_object(State).library
    return delete_found(library, _cases(ctx).find(name), "case", yes=yes)


def _cases(ctx: typer.Context) -> "Cases":
    from casetrack.editions.legal.cases import Cases

    return Cases(ctx.ensure_object(State).library)


def _object(
    about: "CollectionInfo", stats: "CollectionStats | None", *, used: "CollectionInfo | None"
) -> dict[str, Any]:
    """Return facts and counts; counts are null where they were not taken."""
    from casetrack.editions.legal.cases import CASE

    names = ("document_count", "page_count", "chunk_count", "storage_bytes")
    return {
        **CASE.of(about),
        "is_used": used is not None and used.id == about.id,
        **{name: getattr(stats, name, None) for name in names},
    }
