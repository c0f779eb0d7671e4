"""``casetrack collection rename|describe|tag|close|reopen|archive``: names, notes and status."""

from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.base.errors import UsageError
from casetrack.faces.cli.collection import quoted
from casetrack.faces.cli.options import JsonOption
from casetrack.faces.cli.output import line, write_json
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from casetrack.base.records import StatusChange

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name or ID of the collection.")]


def rename(
    ctx: typer.Context,
    name: Name,
    new_name: Annotated[str, typer.Argument(metavar="NEW_NAME", help="What to call it.")],
    as_json: JsonOption = False,
) -> None:
    """Give a collection another name; its ID and its documents stay as they are."""
    collection = ctx.ensure_object(State).library.get(name)
    before = collection.name
    info = collection.admin.rename(new_name)
    if as_json:
        write_json(info.as_dict())
        return
    line(f'Renamed "{before}" to "{info.name}" (ID: {info.id}).')


def describe(
    ctx: typer.Context,
    name: Name,
    description: Annotated[
        str | None,
        typer.Option("--description", metavar="TEXT", help='What it is about; "" takes it away.'),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(
            "--reference",
            metavar="TEXT",
            help='Your own reference, such as a number; "" takes it away.',
        ),
    ] = None,
    collection_type: Annotated[
        str | None,
        typer.Option(
            "--type", metavar="TYPE", help="Kind of collection; a wrong one lists all kinds."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Change what is said of a collection: description, reference, type."""
    if description is None and reference is None and collection_type is None:
        raise UsageError(
            "Nothing was said that should change.", hint="Add --description, --reference or --type."
        )
    info = (
        ctx.ensure_object(State)
        .library.get(name)
        .admin.describe(
            description=description, reference=reference, collection_type=collection_type
        )
    )
    if as_json:
        write_json(info.as_dict())
        return
    line(f'Changed "{info.name}".')
    line(f"See it all: casetrack collection info {quoted(info.name)}")


def tag(
    ctx: typer.Context,
    name: Name,
    add: Annotated[
        list[str] | None,
        typer.Option("--add", metavar="TAG", help="A tag to add; may be repeated."),
    ] = None,
    remove: Annotated[
        list[str] | None,
        typer.Option("--remove", metavar="TAG", help="A tag to take away; may be repeated."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="TAG", help="Have just these tags; may be repeated."),
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Take all tags away first.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Add and remove a collection's tags; without an option it shows them."""
    if only and clear:
        raise UsageError(
            "--set and --clear cannot go together.", hint="--set takes the place of all tags."
        )
    collection = ctx.ensure_object(State).library.get(name)
    if add or remove or only or clear:
        chosen = only or (() if clear else None)
        info = collection.admin.tag(add=add or (), remove=remove or (), only=chosen)
    else:
        info = collection.info
    if as_json:
        write_json(info.as_dict())
        return
    line(f'Tags of "{info.name}": {", ".join(info.tags) or "none"}')


def close(ctx: typer.Context, name: Name, as_json: JsonOption = False) -> None:
    """Make a collection read-only; it can be searched and exported as before."""
    change = ctx.ensure_object(State).library.get(name).admin.close()
    _tell(change, "It can be searched and exported, and takes no changes.", as_json)


def archive(ctx: typer.Context, name: Name, as_json: JsonOption = False) -> None:
    """Make a collection read-only and leave it out of lists; it can still be searched by name."""
    change = ctx.ensure_object(State).library.get(name).admin.archive()
    _tell(
        change,
        "It takes no changes, and is listed by: casetrack collection list --status all",
        as_json,
    )


def reopen(ctx: typer.Context, name: Name, as_json: JsonOption = False) -> None:
    """Let a closed or archived collection take changes again."""
    change = ctx.ensure_object(State).library.get(name).admin.reopen()
    _tell(change, "It takes changes again.", as_json)


def _tell(change: "StatusChange", consequence: str, as_json: bool) -> None:
    info = change.info
    if as_json:
        write_json(info.as_dict() | {"status_before": change.before, "changed": change.changed})
        return
    if not change.changed:
        line(f'"{info.name}" is {info.status} already; nothing was changed.')
        return
    line(f'"{info.name}" is {info.status} now. {consequence}')
