"""``casetrack entities``, ``entity``, ``together``, ``references`` and ``graph``."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from casetrack.api.collection.map import OneKind, ReferenceKind
from casetrack.api.collection.marks import NamedKind
from casetrack.base.errors import UsageError
from casetrack.faces.cli.asking import answer
from casetrack.faces.cli.marks import edit, one_of
from casetrack.faces.cli.options import CollectionOption, JsonOption
from casetrack.faces.cli.output import line, write_json
from casetrack.faces.cli.state import State

LimitOption = Annotated[
    int, typer.Option("--limit", "-k", metavar="N", min=1, help="How many at most.")
]


def entity(
    ctx: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A person, firm, place, date or amount.")
    ],
    collection: CollectionOption = None,
    kind: Annotated[
        OneKind, typer.Option("--kind", help="Its kind, where a name means several.")
    ] = "any",
    set_kind: Annotated[
        NamedKind | None,
        typer.Option("--set-kind", help="Change its kind: person, organization or location."),
    ] = None,
    limit: LimitOption = 20,
    merge: Annotated[
        str | None,
        typer.Option("--merge", metavar="OTHER", help="Say that OTHER is the same as NAME."),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(
            "--split", metavar="SPELLING", help="Say that this spelling is somebody else."
        ),
    ] = None,
    as_name: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="With --split: who it is.")
    ] = None,
    document: Annotated[
        str | None,
        typer.Option("--in", metavar="DOCUMENT", help="With --split: only in this document."),
    ] = None,
    rename: Annotated[
        str | None, typer.Option("--rename", metavar="NEW", help="Give it another name.")
    ] = None,
    hide: Annotated[bool, typer.Option("--hide", help="Leave it out of all answers.")] = False,
    unhide: Annotated[bool, typer.Option("--unhide", help="Show it again.")] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Take back what you said of it last.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show where somebody or something is mentioned, each place with its exact source.

    The name may be spelled a little differently from the documents. You have the last word on who
    is who: changes with --merge, --split, --set-kind, --rename and --hide stay when documents are
    read again, and are shown as yours.
    """
    target = ctx.ensure_object(State).collection(collection)
    edits = {
        "merge": merge,
        "split": split,
        "set-kind": set_kind,
        "rename": rename,
        "hide": hide,
        "unhide": unhide,
        "undo-edit": undo,
    }
    wanted = one_of(edits)
    if split is None and (as_name or document):
        raise UsageError(
            "--as and --in say more of --split.",
            hint='Such as: casetrack entity "John Smith" --split Smith --in Lease.pdf',
        )
    if wanted is None:
        found = target.map.entity_mentions(name, kind=kind, limit=limit)
        answer(found, "mentions", as_json=as_json)
        return
    if kind != "any" and wanted not in {"unhide", "undo-edit"}:
        name = target.marks.id_of(name, kind=kind)
    given = {"name": name, "other": merge, "spelling": split, "kind": set_kind, "new": rename}
    given |= {"as_name": as_name, "document": document}
    edit(target, wanted, {n: v for n, v in given.items() if v is not None}, as_json=as_json)


# ``casetrack references``: what the documents refer to, and where they do.


def references(
    ctx: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="One of them, to see where it is cited.")
    ] = None,
    collection: CollectionOption = None,
    kind: Annotated[
        ReferenceKind,
        typer.Option("--kind", help="Only these; sections and exhibits are listed on request."),
    ] = "all",
    sort: Annotated[
        Literal["citations", "documents", "name"],
        typer.Option("--sort", help="What to sort by; the most first, names by the alphabet."),
    ] = "citations",
    limit: LimitOption = 30,
    as_json: JsonOption = False,
) -> None:
    """List the laws, standards, cases and documents that are cited, or where one of them is."""
    target = ctx.ensure_object(State).collection(collection)
    if name is not None:
        answer(target.map.reference_citations(name, limit=limit), "citations", as_json=as_json)
        return
    found = target.map.references(type=kind, sort_by=sort, limit=limit)
    answer(found, "references", as_json=as_json)


def graph(
    ctx: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="Whom to put in the middle; else the best connected ones."
        ),
    ] = None,
    collection: CollectionOption = None,
    depth: Annotated[
        int,
        typer.Option(
            "--depth", metavar="N", min=1, max=4, help="How many steps away from the middle."
        ),
    ] = 2,
    limit: Annotated[
        int,
        typer.Option("--limit", "-k", metavar="N", min=1, max=100, help="How many names at most."),
    ] = 20,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE",
            help="Write it as a drawing with its passages to this .html file.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show who and what the documents mention together, each link with its best source."""
    target = ctx.ensure_object(State).collection(collection)
    if html is not None:
        from casetrack.api.viewer import entity_graph_page, sheet_path, write_sheet

        sheet_path(html, "graph")
    found = target.map.graph(name, depth=depth, limit=limit)
    if html is not None:
        path = write_sheet(html, "graph", entity_graph_page(target.workspace.state(), found))
        if as_json:
            write_json({"file": str(path)})
        else:
            line(("Wrote ", "bold"), str(path))
        return
    answer(found, "graph", as_json=as_json)
