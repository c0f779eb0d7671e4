"""``casetrack collection``: make, list, describe and delete collections."""

import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from casetrack.base.errors import CaseTrackError, CollectionSealed, UsageError
from casetrack.base.records import AUTO_PROFILE, DEFAULT_PROFILE
from casetrack.faces.cli.options import CollectionOption, JsonOption
from casetrack.faces.cli.output import (
    Field,
    byte_text,
    clean,
    counted,
    facts,
    line,
    table,
    write_json,
)
from casetrack.faces.cli.state import State, show_notice

if TYPE_CHECKING:
    from casetrack.api.library import Library
    from casetrack.base.records import CollectionInfo, CollectionStats, StatusChange

_WORTH_SAYING = 1_000_000
"""Fewer bytes than this that could be freed are nobody's concern."""
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
            "--profile",
            metavar="PROFILE",
            help="Its models; a wrong name lists all profiles. auto: by the language of the first "
            "files.",
        ),
    ] = AUTO_PROFILE,
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            metavar="ADDRESS",
            help="Keep it in object storage: s3://BUCKET/FOLDER, gs://… or az://…",
        ),
    ] = None,
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
        at=at,
    )
    if profile not in {AUTO_PROFILE, DEFAULT_PROFILE}:
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
        Literal["active", "closed", "archived", "sealed", "all"] | None,
        typer.Option(
            "--status", help="Only those with this status; without it, all but archived ones."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the collections, the last changed first."""
    library = ctx.ensure_object(State).library
    everything, damaged = library.listed()
    sealed = library.sealed() if status in {None, "sealed", "all"} else []
    infos = [i for i in everything if _is_listed(i, status)]
    for path, reason in damaged:
        line(("Damaged: ", "bold red"), f"{path}: {reason}", err=True)
    counted_infos = [counted_info(library, info) for info in infos]
    if as_json:
        listed = [_object(library, *item) for item in counted_infos]
        write_json(listed + [s.as_dict() | {"status": "sealed"} for s in sealed])
        return
    hidden = sum(i.status == "archived" for i in everything) if status is None else 0
    if infos:
        table(_FIELDS, [_row(*item) for item in counted_infos])
    elif status is not None and (everything or sealed) and not sealed:
        line(f"No collection is {status}.")
    elif not hidden and not sealed:
        line(f"No collections in {library.settings.data_dir}.")
        line("Make one: casetrack collection create NAME")
    if hidden:
        line((f"{hidden} archived; --status all", "dim"))
    for one in sealed:
        line(
            f'Sealed: "{one.called}" ({byte_text(one.bytes)}, {one.sealed_at:%Y-%m-%d}); open it: '
            f"casetrack collection unseal {quoted(one.called)}"
        )


def info(
    ctx: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Name or ID of the collection.")
    ] = None,
    collection: CollectionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what a collection is, how much it holds and where it lies."""
    state = ctx.ensure_object(State)
    found = state.collection(name or collection)
    if as_json:
        write_json(_object(state.library, found.info, found.stats()))
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
            ("On disk", _disk(stats.storage_bytes, found.admin.freeable_bytes())),
            ("Lies at", state.library.place(about)),
            ("Folder", str(found.folder)),
            ("Profile", about.profile),
            ("Pipeline", about.pipeline),
            ("Created", about.created_at),
            ("Updated", about.updated_at),
        ]
    )


def attach(
    ctx: typer.Context,
    address: Annotated[
        str, typer.Argument(metavar="ADDRESS", help="s3://BUCKET/FOLDER, gs://… or az://…")
    ],
    as_json: JsonOption = False,
) -> None:
    """Use a collection that lies in object storage, here by its name like any other."""
    library = ctx.ensure_object(State).library
    found = library.attach(address)
    if as_json:
        write_json(_object(library, found.info, found.stats()))
        return
    about, stats = found.info, found.stats()
    line(f'Attached "{about.name}" (ID: {about.id}): {counted(stats.document_count, "document")}.')
    line(f"Ask it: casetrack search QUESTION -c {quoted(about.name)}")


def detach(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name or ID of the collection.")],
) -> None:
    """Forget a collection that lies in object storage; there it stays as it is."""
    library = ctx.ensure_object(State).library
    where = library.place(library.find(name))
    gone = library.detach(name)
    line(f'Detached "{gone.name}" (ID: {gone.id}). It stays at {where}.')


def delete(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name or ID of the collection.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> int:
    """Delete a collection with everything in it; your original files are not touched."""
    library = ctx.ensure_object(State).library
    try:
        doomed = library.find(name)
    except CollectionSealed as error:
        return _delete_sealed(library, name, error, yes)
    return delete_found(library, doomed, "collection", yes=yes)


def delete_found(library: "Library", doomed: "CollectionInfo", noun: str, /, *, yes: bool) -> int:
    """Delete a collection, if the user confirms it; *noun* is what it is called.

    Raises
    ------
    UsageError
        See :func:`confirmed`.
    """
    from casetrack.api.watch.watch_list import delete_collection

    if not yes and not confirmed(library, doomed, noun):
        line("Nothing was deleted.")
        return 1
    gone, watched = delete_collection(library, doomed.id)
    if watched:
        line(f"No longer watched: {', '.join(watched)}")
    line(f'Deleted {noun} "{gone.name}" (ID: {gone.id}). Your original files are untouched.')
    return 0


def _delete_sealed(library: "Library", name: str, error: CollectionSealed, yes: bool) -> int:
    called = error.facts["name"]
    if not yes:
        if sys.stdin is None or not sys.stdin.isatty():
            raise UsageError(
                f'Deleting the sealed collection "{called}" must be confirmed.',
                hint="Add --yes to confirm it on the command line.",
            )
        if not typer.confirm(clean(f'Delete "{called}", which is sealed, with all that is in it?')):
            line("Nothing was deleted.")
            return 1
    gone = library.delete_sealed(name)
    if gone is not None:
        line(f'Deleted the sealed collection "{gone.called}" (ID: {gone.id}).')
    return 0


def quoted(name: str, /) -> str:
    """Return *name* as it is typed in a shell."""
    import shlex

    return shlex.quote(name)


def confirmed(library: "Library", doomed: "CollectionInfo", noun: str, /) -> bool:
    """Ask whether a collection is to be deleted; *noun* is what it is called.

    Raises
    ------
    UsageError
        Nobody is there to answer.
    """
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError(
            f'Deleting the {noun} "{doomed.name}" must be confirmed.',
            hint="Add --yes to confirm it on the command line.",
        )
    _, stats = counted_info(library, doomed)
    held = "all that is in it"
    if stats is not None:
        documents, chunks = stats.document_count, stats.chunk_count
        held = f"{counted(documents, 'document')}, {counted(chunks, 'chunk')}"
    return typer.confirm(clean(f'Delete "{doomed.name}" with {held}?'))


def _is_listed(info: "CollectionInfo", status: str | None) -> bool:
    if status is None:
        return info.status != "archived"
    return status in {"all", info.status}


def counted_info(
    library: "Library", info: "CollectionInfo", /
) -> "tuple[CollectionInfo, CollectionStats | None]":
    """Count one collection; one that cannot be opened is told of, and must not hide the others."""
    try:
        return info, library.stats(info)
    except CaseTrackError as error:
        line(("Problem: ", "bold red"), f"{info.name}: {error.message}", err=True)
        line(f"  {error.hint}", err=True)
        return info, None


def _row(about: "CollectionInfo", stats: "CollectionStats | None") -> list[Any]:
    counts = ("?", "?")
    if stats is not None:
        counts = f"{stats.document_count:,}", f"{stats.chunk_count:,}"
    return [about.name, about.type, about.status, *counts, about.updated_at, shown_id(about.id)]


def shown_id(identifier: str, /) -> str:
    """Return an id whole where output is read by programs, its first eight signs for people."""
    from casetrack.faces.cli.output import is_terminal

    return identifier[:8] if is_terminal(sys.stdout) else identifier


def _object(
    library: "Library", info: "CollectionInfo", stats: "CollectionStats | None"
) -> dict[str, Any]:
    """Return facts and counts; counts are null where the collection cannot be opened."""
    names = ("document_count", "page_count", "chunk_count", "storage_bytes")
    return {
        **info.as_dict(),
        **{name: getattr(stats, name, None) for name in names},
        "folder": str(library.settings.collections_dir / info.id),
        "place": library.place(info),
    }


def _disk(size: int, freeable: int) -> str:
    text = byte_text(size)
    if freeable < _WORTH_SAYING:
        return text
    return f"{text}; about {byte_text(freeable)} of it can be freed with `casetrack upkeep`"


# ``casetrack collection rename|describe|tag|close|reopen|archive``: names, notes and status.

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
