"""``casetrack tag``, ``star`` and ``marks``: what the user says of documents and passages."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from casetrack.api.collection.marks import ShownKind
from casetrack.api.operation import called
from casetrack.base.errors import UsageError
from casetrack.faces.cli.asking import answer, operations
from casetrack.faces.cli.options import CollectionOption, JsonOption
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from casetrack.api.collection import Collection

TargetArgument = Annotated[
    str,
    typer.Argument(
        metavar="DOCUMENT|ID", help="A document (name, path or ID), or the ID of a chunk."
    ),
]
PageOption = Annotated[
    int | None, typer.Option("--page", metavar="N", min=1, help="Only this page of the document.")
]
NoteOption = Annotated[
    str, typer.Option("--note", metavar="TEXT", help="What is to be said of it.")
]


def tag(
    ctx: typer.Context,
    target: TargetArgument,
    tags: Annotated[
        list[str] | None, typer.Argument(metavar="TAG", help="One or more words of your own.")
    ] = None,
    collection: CollectionOption = None,
    page: PageOption = None,
    note: NoteOption = "",
    remove: Annotated[
        bool, typer.Option("--remove", help="Take them off; without TAG, all that are there.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Put tags of your own on a document, a page of it, or a passage.

    List them with `casetrack marks`, and the documents that have one with `casetrack documents
    --tag TAG`.
    """
    given = {"target": target, "tags": tags, "page": page} | ({} if remove else {"note": note})
    found = ctx.ensure_object(State).collection(collection)
    edit(found, "untag" if remove else "tag", given, as_json=as_json)


def star(
    ctx: typer.Context,
    target: TargetArgument,
    collection: CollectionOption = None,
    page: PageOption = None,
    note: NoteOption = "",
    remove: Annotated[bool, typer.Option("--remove", help="Take the star off.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Star a document, a page of it, or a passage; the report shows them.

    List them with `casetrack marks --kind star`.
    """
    given = {"target": target, "page": page} | ({} if remove else {"note": note})
    found = ctx.ensure_object(State).collection(collection)
    edit(found, "unstar" if remove else "star", given, as_json=as_json)


def marks(
    ctx: typer.Context,
    collection: CollectionOption = None,
    kind: Annotated[ShownKind | None, typer.Option("--kind", help="Only of this kind.")] = None,
    undone: Annotated[
        bool, typer.Option("--undone", help="Show also what you have taken back.")
    ] = False,
    undo: Annotated[
        str | None, typer.Option("--undo", metavar="ID", help="Take this one back.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List all that you have said: tags, stars, who is who, own and hidden events.

    Whatever is rebuilt, exported or taken in anew, it stays.
    """
    found = ctx.ensure_object(State).collection(collection)
    if undo is not None:
        edit(found, "undo", {"mark_id": undo}, as_json=as_json)
    else:
        edit(found, "marks", {"kind": kind, "undone": undone}, as_json=as_json)


def edit(target: "Collection", name: str, given: dict[str, Any], /, *, as_json: bool) -> None:
    """Do an operation on marks, and write what it returns."""
    answer(called(operations()[name].method, target, given), name, as_json=as_json)


def one_of(edits: Mapping[str, object], /) -> str | None:
    """Return the name of the operation that was asked for, of several by their options.

    Raises
    ------
    UsageError
        More than one was asked for.
    """
    wanted = [name for name, value in edits.items() if value]
    if len(wanted) > 1:
        raise UsageError(
            "One thing is changed at a time.", hint="Run the command once for each change."
        )
    return wanted[0] if wanted else None
