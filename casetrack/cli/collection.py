"""``casetrack collection``: make, list, describe and delete collections."""

import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from casetrack.cli.options import CollectionOption, JsonOption
from casetrack.cli.output import Field, byte_text, counted, facts, line, table, write_json
from casetrack.cli.reindex import show_notice
from casetrack.cli.state import State
from casetrack.errors import UsageError
from casetrack.records import DEFAULT_PROFILE

if TYPE_CHECKING:
    from casetrack.collection import Collection
    from casetrack.records import CollectionInfo

_FIELDS = (
    Field("Name"),
    Field("Type", extra=True),
    Field("Status", extra=True),
    Field("Documents", "right"),
    Field("Chunks", "right"),
    Field("Updated", whole=True),
    Field("ID", whole=True),
)


def create(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call it.")],
    collection_type: Annotated[
        str,
        typer.Option(
            "--type", metavar="TYPE", help="Kind of collection; a wrong one lists all kinds."
        ),
    ] = "other",
    description: Annotated[
        str | None, typer.Option("--description", metavar="TEXT", help="What it is about.")
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option("--reference", metavar="TEXT", help="Your own reference, such as a number."),
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="A tag; may be repeated.")
    ] = None,
    profile: Annotated[
        str,
        typer.Option(
            "--profile", metavar="PROFILE", help="Its models; a wrong name lists all profiles."
        ),
    ] = DEFAULT_PROFILE,
    as_json: JsonOption = False,
) -> None:
    """Make an empty collection."""
    state = ctx.ensure_object(State)
    show_notice(state, profile)
    collection = state.library.create(
        name,
        collection_type=collection_type,
        description=description,
        reference=reference,
        tags=tuple(tag or ()),
        profile=profile,
    )
    if profile != DEFAULT_PROFILE:
        # The usual models are a matter of the first ingest, which says so.
        missing = state.library.missing_models(profile)
        if missing:
            line((f"Note: {missing}", "yellow"), err=True)
    if as_json:
        write_json(collection.info.as_dict())
        return
    line(f'Created collection "{collection.info.name}" (ID: {collection.info.id}).')
    line(f"Add documents: casetrack ingest PATH -c {quoted(collection.info.name)}")


def list_collections(
    ctx: typer.Context,
    status: Annotated[
        Literal["active", "closed", "archived", "all"],
        typer.Option("--status", help="Only those with this status."),
    ] = "all",
    as_json: JsonOption = False,
) -> None:
    """List the collections, the last changed first."""
    library = ctx.ensure_object(State).library
    collections = [library.get(info.id) for info in library.collections(status=status)]
    for path, reason in library.damaged():
        line(("Damaged: ", "bold red"), f"{path}: {reason}", err=True)
    if as_json:
        write_json([_info_object(c) for c in collections])
        return
    if not collections:
        line(f"No collections in {library.settings.data_dir}.")
        line("Make one: casetrack collection create NAME")
        return
    table(_FIELDS, [_row(c) for c in collections])


def info(
    ctx: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Name or ID of the collection.")
    ] = None,
    collection: CollectionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what a collection is, how much it holds and where it lies."""
    found = ctx.ensure_object(State).collection(name or collection)
    if as_json:
        write_json(_info_object(found))
        return
    about, stats = found.info, found.stats()
    facts(
        [
            ("Name", about.name),
            ("ID", about.id),
            ("Type", about.type),
            ("Status", about.status),
            ("Description", about.description),
            ("Reference", about.reference),
            ("Tags", about.tags),
            ("Documents", f"{stats.document_count:,}"),
            ("Pages", f"{stats.page_count:,}"),
            ("Chunks", f"{stats.chunk_count:,}"),
            ("On disk", byte_text(stats.storage_bytes)),
            ("Folder", str(found.folder)),
            ("Profile", about.profile),
            ("Pipeline", about.pipeline),
            ("Created", about.created_at),
            ("Updated", about.updated_at),
        ]
    )


def delete(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name or ID of the collection.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> int:
    """Delete a collection with everything in it; your original files are not touched."""
    library = ctx.ensure_object(State).library
    doomed = library.get(name)
    if not yes and not _confirmed(doomed):
        line("Nothing was deleted.")
        return 1
    gone = library.delete(doomed.info.id)
    line(f'Deleted collection "{gone.name}" (ID: {gone.id}). Your original files are untouched.')
    return 0


def quoted(name: str, /) -> str:
    """Return *name* as it is typed in a shell."""
    import shlex

    return shlex.quote(name)


def _confirmed(doomed: "Collection") -> bool:
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError(
            f'Deleting the collection "{doomed.info.name}" must be confirmed.',
            hint="Add --yes to confirm it on the command line.",
        )
    stats = doomed.stats()
    held = f"{counted(stats.document_count, 'document')}, {counted(stats.chunk_count, 'chunk')}"
    return typer.confirm(f'Delete "{doomed.info.name}" with {held}?')


def _row(collection: "Collection") -> list[Any]:
    about: CollectionInfo = collection.info
    stats = collection.stats()
    counts = f"{stats.document_count:,}", f"{stats.chunk_count:,}"
    return [about.name, about.type, about.status, *counts, about.updated_at, shown_id(about.id)]


def shown_id(identifier: str, /) -> str:
    """Return an id whole where output is read by programs, its first eight signs for people."""
    from casetrack.cli.output import is_terminal

    return identifier[:8] if is_terminal(sys.stdout) else identifier


def _info_object(collection: "Collection") -> dict[str, Any]:
    stats = collection.stats()
    return collection.info.as_dict() | {
        "document_count": stats.document_count,
        "page_count": stats.page_count,
        "chunk_count": stats.chunk_count,
        "storage_bytes": stats.storage_bytes,
        "folder": str(collection.folder),
    }
