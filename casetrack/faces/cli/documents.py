"""``casetrack documents``, ``document`` and ``delete``: what is in a collection."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from casetrack.faces.cli.asking import answer, asks, show
from casetrack.faces.cli.options import CollectionOption, opt
from casetrack.faces.cli.output import counted, line
from casetrack.faces.cli.progress import keep_up
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from casetrack.base.records import Document


@asks(
    "documents",
    excluded=(
        Annotated[bool, opt("Instead, the files that were deleted with --exclude.", "--excluded")],
        False,
    ),
)
def documents(found: Any, given: dict[str, Any]) -> None:
    """List the documents of a collection."""
    if given["excluded"]:
        found = given["collection"].admin.excluded()
    answer(found, "documents", as_json=given["as_json"])
    if given["excluded"] and not given["as_json"]:
        line(("To have one back, ingest it by its path.", "dim"))


@asks(
    "document",
    structure=(
        Annotated[bool, opt("Show its headings and where they stand.", "--structure")],
        False,
    ),
)
def document(found: "Document", given: dict[str, Any]) -> None:
    """Show everything known about one document, or its table of contents."""
    read = given["collection"].read
    if given["structure"]:
        answer(read.structure(found), "structure", as_json=given["as_json"])
        return
    answer(found, "document", as_json=given["as_json"])
    alike = () if given["as_json"] else read.same_entry(found)
    if alike:
        names = ", ".join(d.name for d in alike)
        line(f"Docket entry {found.docket_entry} is also {names}: nothing tells which is meant.")


def delete(
    ctx: typer.Context,
    name: Annotated[str, opt("Name, path or ID of the document.", "NAME")],
    collection: CollectionOption = None,
    secure: Annotated[
        bool,
        opt(
            "Take it out of every file at once, and all that was deleted earlier. Removes "
            "named snapshots, too.",
            "--secure",
        ),
    ] = False,
    exclude: Annotated[
        bool,
        opt("No sync takes its file in again, until you ingest that by its name.", "--exclude"),
    ] = False,
) -> None:
    """Remove a document from its collection; the file itself is not touched."""
    target = ctx.ensure_object(State).collection(collection)
    place = target.admin.brought_back_by(name)
    gone = target.delete_document(name, exclude=exclude)
    line(
        f'Deleted "{gone.name}" ({counted(gone.page_count, "page")}, '
        f'{counted(gone.chunk_count, "chunk")}) from "{target.info.name}".'
    )
    line(f"The file itself is untouched: {gone.path}")
    if exclude:
        line("No sync takes it in again. To have it back: casetrack ingest and its path.")
    elif place is not None:
        line((f"It lies in {place}, which is synced: the next sync takes it in again. ", "yellow"))
        line("To keep it out for good, delete it with --exclude.")
    if secure:
        report = target.admin.upkeep(secure=True, wait=True)
        if report is not None:
            show(report)
    else:
        keep_up(target)
