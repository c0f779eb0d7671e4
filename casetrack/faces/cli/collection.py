"""``casetrack collection``: make, list, describe and delete collections."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from casetrack.api.operation import called
from casetrack.api.text import lines_of
from casetrack.base.errors import CaseTrackError, CollectionSealed
from casetrack.base.records import AUTO_PROFILE, DEFAULT_PROFILE
from casetrack.faces.cli.asking import answer, operations, taken, takes, write
from casetrack.faces.cli.options import JsonOption, NameArgument, opt
from casetrack.faces.cli.output import byte_text, confirmed, counted, line, write_json
from casetrack.faces.cli.state import State, show_notice

if TYPE_CHECKING:
    from casetrack.api.library import Library
    from casetrack.base.records import CollectionEntry, CollectionInfo, CollectionStats


@takes("collection create")
def create(state: State, given: dict[str, Any]) -> None:
    """Create an empty collection."""
    library, profile = state.library, given["profile"]
    show_notice(state, profile)
    operation = operations()["collection create"]
    info = called(operation.method, library, taken(operation, given)).info
    if profile not in {AUTO_PROFILE, DEFAULT_PROFILE}:
        # The default profile is chosen by the first ingest, which reports it.
        missing = library.missing_models(profile)
        if missing:
            line((f"Note: {missing}", "yellow"), err=True)
    answer(info, "collection create", as_json=given["as_json"])


def list_collections(
    ctx: typer.Context,
    status: Annotated[
        Literal["active", "closed", "archived", "sealed", "all"] | None, opt("--status")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the collections, the last changed first.

    Parameters
    ----------
    status
        Only collections with this status. [default: all but archived ones]
    """
    library = ctx.ensure_object(State).library
    everything, damaged = library.listed()
    sealed = library.sealed() if status in {None, "sealed", "all"} else []
    infos = [i for i in everything if _is_listed(i, status)]
    for path, reason in damaged:
        line(("Damaged: ", "bold red"), f"{path}: {reason}", err=True)
    entries = [library.entry(info) for info in infos]
    for each in entries:
        if each.problem:
            line(("Problem: ", "bold red"), f"{each.name}: {each.problem}", err=True)
    if as_json:
        listed = [_object(library, *item) for item in zip(infos, entries, strict=True)]
        write_json(listed + [s.as_dict() | {"status": "sealed"} for s in sealed])
        return
    hidden = sum(i.status == "archived" for i in everything) if status is None else 0
    for each in entries:
        write(lines_of(each))
    if not infos and status is not None and (everything or sealed) and not sealed:
        line(f"No collection is {status}.")
    elif not infos and not hidden and not sealed:
        line(f"No collections in {library.settings.data_dir}.")
        line("Create one: casetrack collection create NAME")
    if hidden:
        line((f"{hidden} archived; --status all", "dim"))
    for one in sealed:
        line(
            f'Sealed: "{one.label}" ({byte_text(one.bytes)}, {one.sealed_at:%Y-%m-%d}); open it: '
            f"casetrack collection unseal {quoted(one.label)}"
        )


def attach(
    ctx: typer.Context, address: Annotated[str, opt("ADDRESS")], as_json: JsonOption = False
) -> None:
    """Use a collection in object storage under its name, like any other.

    Parameters
    ----------
    address
        s3://BUCKET/FOLDER, gs://… or az://…
    """
    library = ctx.ensure_object(State).library
    collection = library.attach(address)
    if as_json:
        write_json(_object(library, collection.info, library.entry(collection.info)))
        return
    about, stats = collection.info, collection.stats()
    line(f'Attached "{about.name}" (ID: {about.id}): {counted(stats.document_count, "document")}.')
    line(f"Search it: casetrack search QUESTION -c {quoted(about.name)}")


def detach(ctx: typer.Context, name: NameArgument) -> None:
    """Forget a collection in object storage; the collection itself is not changed."""
    library = ctx.ensure_object(State).library
    where = library.place(library.find(name))
    gone = library.detach(name)
    line(f'Detached "{gone.name}" (ID: {gone.id}). It stays at {where}.')


def delete(
    ctx: typer.Context, name: NameArgument, yes: Annotated[bool, opt("--yes -y")] = False
) -> int:
    """Delete a collection with everything in it; your original files are not touched.

    Parameters
    ----------
    yes
        Do not ask for confirmation.
    """
    library = ctx.ensure_object(State).library
    try:
        doomed = library.find(name)
    except CollectionSealed as error:
        return _delete_sealed(library, name, error, yes)
    return delete_found(library, doomed, "collection", yes=yes)


def delete_found(library: "Library", doomed: "CollectionInfo", noun: str, /, *, yes: bool) -> int:
    """Delete a collection if the user confirms it; *noun* is its name in messages."""
    from casetrack.api.watch.watch_list import delete_collection

    def question() -> str:
        _, stats = counted_info(library, doomed)
        much = "all its content"
        if stats is not None:
            sizes = counted(stats.document_count, "document"), counted(stats.chunk_count, "chunk")
            much = ", ".join(sizes)
        return f'Delete "{doomed.name}" with {much}?'

    if not yes and not confirmed(f'Deleting the {noun} "{doomed.name}"', question):
        line("Nothing was deleted.")
        return 1
    gone, watched = delete_collection(library, doomed.id)
    if watched:
        line(f"No longer watched: {', '.join(watched)}")
    line(f'Deleted {noun} "{gone.name}" (ID: {gone.id}). Your original files are untouched.')
    return 0


def _delete_sealed(library: "Library", name: str, error: CollectionSealed, yes: bool) -> int:
    called = error.facts["name"]
    deed = f'Deleting the sealed collection "{called}"'
    if not yes and not confirmed(
        deed, lambda: f'Delete "{called}", which is sealed, with all its content?'
    ):
        line("Nothing was deleted.")
        return 1
    gone = library.delete_sealed(name)
    if gone is not None:
        line(f'Deleted the sealed collection "{gone.label}" (ID: {gone.id}).')
    return 0


def quoted(name: str, /) -> str:
    """Return *name* quoted for a shell."""
    import shlex

    return shlex.quote(name)


def _is_listed(info: "CollectionInfo", status: str | None) -> bool:
    if status is None:
        return info.status != "archived"
    return status in {"all", info.status}


def counted_info(
    library: "Library", info: "CollectionInfo", /
) -> "tuple[CollectionInfo, CollectionStats | None]":
    """Return the counts of a collection; a warning replaces those of an unreadable one."""
    try:
        return info, library.stats(info)
    except CaseTrackError as error:
        line(("Problem: ", "bold red"), f"{info.name}: {error.message}", err=True)
        line(f"  {error.hint}", err=True)
        return info, None


def _object(library: "Library", info: "CollectionInfo", entry: "CollectionEntry") -> dict[str, Any]:
    """Return facts and counts; counts are null if the collection cannot be opened."""
    counts = {"document_count": entry.documents, "page_count": entry.pages}
    counts |= {"chunk_count": entry.chunks, "storage_bytes": entry.storage_bytes}
    folder = str(library.settings.collections_dir / info.id)
    return {**info.as_dict(), **counts, "folder": folder, "place": library.place(info)}
