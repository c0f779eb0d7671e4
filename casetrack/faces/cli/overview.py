"""``casetrack timeline``: what happened when, and the user's own events on it."""

from pathlib import Path
from typing import Annotated

import typer

from casetrack.base.errors import UsageError
from casetrack.faces.cli.asking import answer
from casetrack.faces.cli.marks import edit, one_of
from casetrack.faces.cli.options import CollectionOption, FromDayOption, JsonOption, ToDayOption
from casetrack.faces.cli.output import line, write_json
from casetrack.faces.cli.state import State


def timeline(
    ctx: typer.Context,
    collection: CollectionOption = None,
    start: FromDayOption = None,
    end: ToDayOption = None,
    limit: Annotated[
        int,
        typer.Option(
            "--limit", "-k", metavar="N", min=1, help="How many at most; the weightiest stay."
        ),
    ] = 50,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            "--output",
            "-o",
            metavar="FILE",
            help="Write it as a drawing with its passages to this .html file.",
        ),
    ] = None,
    add: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--add", metavar="DATE TEXT", help="Put an event of your own on it, with its --source."
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--source", metavar="DOCUMENT|ID", help="With --add: what says so; or a chunk's ID."
        ),
    ] = None,
    page: Annotated[
        int | None,
        typer.Option("--page", metavar="N", min=1, help="With --add: the page of the document."),
    ] = None,
    change: Annotated[
        tuple[str, str, str] | None,
        typer.Option(
            "--change",
            metavar="EVENT DATE TEXT",
            help='Say an event of your own otherwise; "-" leaves its date or text.',
        ),
    ] = None,
    hide: Annotated[
        str | None, typer.Option("--hide", metavar="EVENT", help="Leave the event of this id out.")
    ] = None,
    unhide: Annotated[
        str | None, typer.Option("--unhide", metavar="EVENT", help="Show it again.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the dates that the documents speak of, in order, each with its exact source.

    It is yours to edit: --add puts an event of your own on it, --change says that one otherwise,
    --hide leaves one out.
    """
    target = ctx.ensure_object(State).collection(collection)
    edits = {"add-event": add, "change-event": change, "hide-event": hide, "unhide-event": unhide}
    wanted = one_of(edits)
    if add is None and (source or page):
        raise UsageError("--source and --page say more of --add.", hint="")
    if add is not None and source is None:
        raise UsageError(
            "Which document says so?",
            hint="An event of your own cites a place of the collection: --source Lease.pdf "
            "--page 3, or --source with the id of a chunk.",
        )
    if wanted is not None:
        given: dict[str, object] = {"event": hide or unhide}
        if add is not None:
            given = {"date": add[0], "text": add[1], "source": source, "page": page}
        elif change is not None:
            names = ("event", "date", "text")
            given = {n: v for n, v in zip(names, change, strict=True) if v != "-"}
        edit(target, wanted, given, as_json=as_json)
        return
    if html is not None:
        from casetrack.api.viewer import sheet_path, timeline_page, write_sheet

        sheet_path(html, "timeline")
    found = target.map.timeline(start=start, end=end, limit=limit)
    if html is not None:
        path = write_sheet(html, "timeline", timeline_page(target.workspace.state(), found))
        if as_json:
            write_json({"file": str(path)})
        else:
            line(("Wrote ", "bold"), str(path))
        return
    answer(found, "timeline", as_json=as_json)
