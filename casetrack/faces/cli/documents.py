"""``casetrack documents``, ``document`` and ``delete``."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from casetrack.faces.cli.asking import answer, asks, own, show
from casetrack.faces.cli.options import CollectionOption, opt
from casetrack.faces.cli.output import counted, line
from casetrack.faces.cli.progress import keep_up
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from casetrack.base.records import Document


@asks(
    "documents",
    excluded=own(
        bool, "List the files that were deleted with --exclude instead.", "--excluded", False
    ),
)
def documents(rows: Any, given: dict[str, Any]) -> None:
    """List the documents of a collection."""
    if given["excluded"]:
        rows = given["collection"].admin.excluded()
    answer(rows, "documents", as_json=given["as_json"])
    if given["excluded"] and not given["as_json"]:
        line(("To add one again, ingest its path.", "dim"))


@asks("document", structure=own(bool, "Show its headings and their places.", "--structure", False))
def document(row: "Document", given: dict[str, Any]) -> None:
    """Show the details of one document, or its table of contents."""
    read = given["collection"].read
    if given["structure"]:
        answer(read.structure(row), "structure", as_json=given["as_json"])
        return
    answer(row, "document", as_json=given["as_json"])
    alike = () if given["as_json"] else read.same_entry(row)
    if alike:
        names = ", ".join(d.name for d in alike)
        line(f"Docket entry {row.docket_entry} is also {names}; the reference is ambiguous.")


def delete(
    ctx: typer.Context,
    name: Annotated[str, opt("NAME")],
    collection: CollectionOption = None,
    secure: Annotated[bool, opt("--secure")] = False,
    exclude: Annotated[bool, opt("--exclude")] = False,
) -> None:
    """Remove a document from its collection; the file itself is not touched.

    Parameters
    ----------
    name
        Name, path or ID of the document.
    secure
        Remove it and all data deleted earlier from every file now. Removes named snapshots, too.
    exclude
        Syncs skip its file until you ingest it by its path.
    """
    target = ctx.ensure_object(State).collection(collection)
    place = target.admin.brought_back_by(name)
    gone = target.delete_document(name, exclude=exclude)
    line(
        f'Deleted "{gone.name}" ({counted(gone.page_count, "page")}, '
        f'{counted(gone.chunk_count, "chunk")}) from "{target.info.name}".'
    )
    line(f"The file itself is untouched: {gone.path}")
    if exclude:
        line("Syncs skip the file. To add it again: casetrack ingest PATH.")
    elif place is not None:
        line((f"Its source {place} is synced: the next sync adds it again. ", "yellow"))
        line("To prevent that, delete it with --exclude.")
    if secure:
        report = target.admin.upkeep(secure=True, wait=True)
        if report is not None:
            show(report)
    else:
        keep_up(target)
