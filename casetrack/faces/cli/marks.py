"""``casetrack tag``, ``star`` and ``marks``: what the user says of documents and passages."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from casetrack.base.errors import UsageError
from casetrack.faces.cli.options import CollectionOption, JsonOption
from casetrack.faces.cli.output import line, local_time, one_line, write_json
from casetrack.faces.cli.quotes import show_place, snippet
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.base.records.marks import Mark, PlacedMark

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
_CHOSEN = Literal[
    "tag", "star", "merge", "split", "kind", "rename", "hide", "event", "hide_event", "take_event"
]
_OF_EVENTS = frozenset(("event", "hide_event", "take_event"))


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
    found = ctx.ensure_object(State).collection(collection)
    if remove:
        placed = found.marks.untag(target, *(tags or ()), page=page)
    else:
        placed = found.marks.tag(target, *(tags or ()), page=page, note=note)
    _say("Took off" if remove else "Tagged", placed, as_json=as_json)


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
    found = ctx.ensure_object(State).collection(collection)
    if remove:
        placed: Iterable[PlacedMark] = found.marks.unstar(target, page=page)
    else:
        placed = [found.marks.star(target, page=page, note=note)]
    _say("Took off" if remove else "Starred", placed, as_json=as_json)


def marks(
    ctx: typer.Context,
    collection: CollectionOption = None,
    kind: Annotated[_CHOSEN | None, typer.Option("--kind", help="Only of this kind.")] = None,
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
    target = ctx.ensure_object(State).collection(collection)
    if undo is not None:
        _say("Took back", [target.marks.undo(undo)], as_json=as_json)
        return
    found = target.marks.all(kind, undone=undone)
    if as_json:
        write_json([m.as_dict() for m in found])
        return
    if not found:
        line(f'Nothing is marked in "{target.info.name}".')
        line("Mark something: casetrack star DOCUMENT, casetrack tag DOCUMENT TAG")
    for number, placed in enumerate(found):
        if number:
            line()
        show_mark(placed)


def _say(done: str, placed: "Iterable[PlacedMark]", *, as_json: bool) -> None:
    if as_json:
        write_json([m.as_dict() for m in placed])
        return
    for each in placed:
        line(f"{done}: ", *_head(each.mark), (f"  {each.mark_id}", "dim"))


def said(placed: "PlacedMark", what: str, /, *, as_json: bool) -> None:
    """Tell what an edit says from now on, and how it is taken back."""
    if as_json:
        write_json(placed.as_dict())
        return
    if placed.state == "undone":
        line("Taken back: ", *_head(placed.mark))
        return
    line(what)
    line((f"Take it back with: casetrack marks --undo {placed.mark_id}", "dim"))


def show_mark(placed: "PlacedMark", /) -> None:
    """Write a mark, where it stands, and whether it counts."""
    mark = placed.mark
    line(*_head(mark))
    if mark.note and mark.kind not in _OF_EVENTS:
        line(one_line(mark.note), indent=2)
    if placed.quote is not None:
        line((placed.quote.citation, "cyan"), indent=2)
        if mark.kind not in _OF_EVENTS:
            line(*snippet(placed.quote), indent=2)
        show_place(placed.quote.provenance, indent=2)
    if placed.state != "in force":
        line((_STATES[placed.state], "yellow"), indent=2)
    line((f"{mark.mark_id}, {local_time(mark.made_at)}", "dim"), indent=2)


_STATES = {
    "undone": "Taken back.",
    "idle": "Counts for nothing now: whom it speaks of is not in the collection.",
    "document gone": "The document is not in the collection any more.",
    "passage gone": "The document does not hold this passage any more.",
}
_HEADS = {
    "tag": "Tag",
    "star": "Star",
    "event": "Event",
    "hide_event": "Hidden event",
    "take_event": "Chronology",
}


def _head(mark: "Mark") -> list[tuple[str, str]]:
    """Return the kind of a mark, what it says, and of what."""
    if mark.kind not in _HEADS:
        return [
            (one_line(mark.entity_name or ""), "bold cyan"),
            (f": {one_line(mark.sentence())}", ""),
        ]
    parts = [(_HEADS[mark.kind], "bold")]
    if mark.value:
        parts.append((f" {one_line(mark.value)}", "bold cyan"))
    if mark.kind in _OF_EVENTS:
        return [*parts, (f"  {one_line(mark.note)}", "")]
    where = one_line(mark.document_name or "")
    if mark.page is not None:
        where += f", p. {mark.page}" if mark.char_start is None else f", passage on p. {mark.page}"
    return [*parts, (f"  {where}", "")]


def one_of_edits(wanted: "Iterable[object]", /) -> None:
    """Refuse several edits at once.

    Raises
    ------
    UsageError
        More than one was asked for.
    """
    if sum(bool(w) for w in wanted) > 1:
        raise UsageError(
            "One thing is changed at a time.", hint="Run the command once for each change."
        )
