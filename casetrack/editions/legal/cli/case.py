"""``casetrack case``: make, list, choose, describe and delete cases."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import typer

from casetrack.base.errors import CaseTrackError
from casetrack.faces.cli.collection import counted_info, delete_found, quoted, shown_id
from casetrack.faces.cli.options import JsonOption
from casetrack.faces.cli.output import Field, byte_text, facts, line, table, write_json
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


CaseArgument = Annotated[str, typer.Argument(metavar="CASE", help="Name or ID of the case.")]
_FIELDS = (
    Field(""),
    Field("Name"),
    Field("Number", extra=True),
    Field("Type", extra=True),
    Field("Status", extra=True),
    Field("Documents", "right"),
    Field("Chunks", "right"),
    Field("Created", whole=True),
    Field("ID", whole=True),
)


@in_words_of_cases
def create(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Such as 'Smith v. Jones'.")],
    number: Annotated[
        str | None, typer.Option("--number", metavar="TEXT", help="Docket or case number.")
    ] = None,
    case_type: Annotated[
        str,
        typer.Option("--type", metavar="TYPE", help="Kind of case; a wrong one lists all kinds."),
    ] = "other",
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


@in_words_of_cases
def list_cases(
    ctx: typer.Context,
    status: Annotated[
        Literal["active", "closed", "archived", "all"],
        typer.Option("--status", help="Only those with this status."),
    ] = "active",
    as_json: JsonOption = False,
) -> None:
    """List the cases, the last changed first; * marks the one that commands use."""
    cases, library = _cases(ctx), ctx.ensure_object(State).library
    found, used = [counted_info(library, info) for info in cases.all(status=status)], cases.used
    if as_json:
        write_json([_object(info, stats, used=used) for info, stats in found])
        return
    if found:
        table(_FIELDS, [_row(info, stats, used) for info, stats in found])
        return
    if cases.all():
        line(f"No case is {status}.")
        return
    line(f"No cases in {library.settings.data_dir}.")
    line("Make one: casetrack case create NAME")


@in_words_of_cases
def use(
    ctx: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="CASE", help="Name or ID of the case.")
    ] = None,
    none: Annotated[bool, typer.Option("--none", help="Use no case any more.")] = False,
    as_json: JsonOption = False,
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


@in_words_of_cases
def info(
    ctx: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="CASE", help="Name or ID; without it, the case in use.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show what a case is, how much it holds and where it lies."""
    cases, state = _cases(ctx), ctx.ensure_object(State)
    found: Collection = cases.get(name) if name is not None else state.collection(None)
    about, stats = found.info, found.stats()
    if as_json:
        documents = [document.as_dict() for document in found.documents()]
        write_json(_object(about, stats, used=cases.used) | {"documents": documents})
        return
    facts(
        [
            ("Case", about.name),
            ("Number", about.reference),
            ("ID", about.id),
            ("Type", about.type),
            ("Status", about.status),
            ("Documents", f"{stats.document_count:,}"),
            ("Pages", f"{stats.page_count:,}"),
            ("Chunks", f"{stats.chunk_count:,}"),
            ("On disk", byte_text(stats.storage_bytes)),
            ("Folder", str(found.folder)),
            ("Profile", about.profile),
            ("Created", about.created_at),
        ]
    )
    line(f"Its documents: casetrack documents -c {quoted(about.name)}")


@in_words_of_cases
def delete(
    ctx: typer.Context,
    name: CaseArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> int:
    """Delete a case with everything in it; your original files are not touched."""
    library = ctx.ensure_object(State).library
    return delete_found(library, _cases(ctx).find(name), "case", yes=yes)


def _cases(ctx: typer.Context) -> "Cases":
    from casetrack.editions.legal.cases import Cases

    return Cases(ctx.ensure_object(State).library)


def _row(
    about: "CollectionInfo", stats: "CollectionStats | None", used: "CollectionInfo | None"
) -> list[Any]:
    counts = ("?", "?")
    if stats is not None:
        counts = f"{stats.document_count:,}", f"{stats.chunk_count:,}"
    mark = "*" if used is not None and used.id == about.id else ""
    number = about.reference or ""
    return [
        *(mark, about.name, number, about.type, about.status, *counts),
        *(about.created_at, shown_id(about.id)),
    ]


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
