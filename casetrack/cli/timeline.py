"""``casetrack timeline``: what happened when, by the documents."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.cli.options import CollectionOption, JsonOption
from casetrack.cli.output import counted, entry, line, one_line, write_json
from casetrack.cli.quotes import show_place, spread
from casetrack.cli.state import State

if TYPE_CHECKING:
    from casetrack.records.graph import Event, Timeline


def timeline(
    ctx: typer.Context,
    collection: CollectionOption = None,
    start: Annotated[
        str | None, typer.Option("--from", metavar="DATE", help="From this day on (YYYY-MM-DD).")
    ] = None,
    end: Annotated[
        str | None, typer.Option("--to", metavar="DATE", help="Up to this day (YYYY-MM-DD).")
    ] = None,
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
    as_json: JsonOption = False,
) -> None:
    """Show the dates that the documents speak of, in order, each with its exact source."""
    target = ctx.ensure_object(State).collection(collection)
    if html is not None:
        from casetrack.viewer import sheet_path, timeline_page, write_sheet

        sheet_path(html, "timeline")
    found = target.map.timeline(start=start, end=end, limit=limit)
    if html is not None:
        path = write_sheet(html, "timeline", timeline_page(target.workspace.state(), found))
        if as_json:
            write_json({"file": str(path)})
        else:
            line(("Wrote ", "bold"), str(path))
        return
    if as_json:
        write_json(found.as_dict())
        return
    _show(found)


def _show(found: "Timeline") -> None:
    span = "".join(
        f" {word} {day}" for word, day in (("from", found.start), ("to", found.end)) if day
    )
    line((found.collection, "bold cyan"), f"{span}  ", (counted(found.total, "event"), "dim"))
    if found.left_out:
        line((found.left_out, "dim"))
    if not found.events:
        line("No dates here. Leave out --from and --to to see the whole span.")
    for event in found.events:
        line()
        show_event(event)
    if len(found.events) < found.total:
        line()
        rest = found.total - len(found.events)
        line((f"{rest:,} more: narrow it with --from and --to, or raise --limit.", "dim"))


def show_event(event: "Event", /, *, with_id: bool = True) -> None:
    """Write a date, what is said of it, and where; the chunk's id where *with_id*."""
    label = f"{event.value:<10}  "
    entry((label, "bold"), one_line(event.description))
    line((event.quote.citation, "cyan"), indent=len(label))
    if event.mention_count > 1:
        line((spread(event.mention_count, event.document_count), "dim"), indent=len(label))
    if with_id:
        show_place(event.quote.provenance, indent=len(label))
