"""``casetrack chronology`` and ``citator``: what happened when, and who cites what."""

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.base.errors import UsageError
from casetrack.editions.legal.cli.authorities import ForceOption, OutputOption, Writers, answered
from casetrack.faces.cli.marks import edit, one_of
from casetrack.faces.cli.options import CollectionOption, FromDayOption, JsonOption, ToDayOption
from casetrack.faces.cli.output import entry, line, one_line, write_json
from casetrack.faces.cli.quotes import show_place, show_rest, spread
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.editions.legal.records.authorities import Chronology, CitingPlace


def chronology(
    ctx: typer.Context,
    collection: CollectionOption = None,
    start: FromDayOption = None,
    end: ToDayOption = None,
    limit: Annotated[
        int,
        typer.Option(
            "--limit",
            "-k",
            metavar="N",
            min=1,
            help="How many at most that you have not picked; the weightiest stay.",
        ),
    ] = 100,
    picked: Annotated[bool, typer.Option("--picked", help="Only what you have picked.")] = False,
    take: Annotated[
        str | None, typer.Option("--take", metavar="EVENT", help="Pick the event of this id.")
    ] = None,
    words: Annotated[
        str, typer.Option("--words", metavar="TEXT", help="With --take: say it in your own words.")
    ] = "",
    untake: Annotated[
        str | None,
        typer.Option("--untake", metavar="EVENT", help="Pick it no more; it may still be shown."),
    ] = None,
    leave_out: Annotated[
        str | None,
        typer.Option("--leave-out", metavar="EVENT", help="Leave the event of this id out."),
    ] = None,
    output: OutputOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make the chronology of a case: date, event, who, and the source with its pin cite.

    It is the timeline with your picks: what you take stands in it whatever else does, in your own
    words if you like; what you leave out does not; your own events come from `casetrack timeline
    --add`. With -o it is written as .docx, .html, .md or .json.
    """
    case = ctx.ensure_object(State).collection(collection)
    edits = {"take-event": take, "untake-event": untake, "hide-event": leave_out}
    wanted = one_of(edits)
    if words and take is None:
        raise UsageError(
            "Of which event are these the words?", hint="Name it: --take 2024-03-12@1f3a9c2d"
        )
    if wanted is not None:
        given = {"event": edits[wanted]} | ({"words": words} if take is not None else {})
        edit(case, wanted, given, as_json=as_json)
        return
    from casetrack.editions.legal.chronology import chronology as made
    from casetrack.editions.legal.paper.chronology import WRITERS
    from casetrack.editions.legal.paper.target import target_path

    writers: Writers[Chronology] = {**WRITERS, ".html": partial(_page, case)}
    target = target_path(output, (*writers, ".json"), force=force) if output is not None else None
    found = made(case, start=start, end=end, limit=limit, only_picked=picked)
    answered(found, _show, target, writers, as_json=as_json)


def _page(case: "Collection", found: "Chronology") -> str:
    from casetrack.editions.legal.chronology import chronology_page

    return case.workspace.ask(lambda state: chronology_page(state, found))


def _show(found: "Chronology") -> None:
    line((found.case, "bold cyan"))
    for note in found.notes:
        line((note, "dim"))
    if not found.entries:
        line("No events here. Leave out --from, --to and --picked to see all.")
    for event in found.entries:
        label = f"{event.value:<10}  "
        line()
        own = [("  (picked)", "green")] if event.picked else []
        entry((label, "bold"), one_line(event.event), *own)
        if event.who:
            line((one_line("; ".join(event.who)), ""), indent=len(label))
        line((event.citation, "cyan"), indent=len(label))
        line((f"event {event.event_id}", "dim"), indent=len(label))


# ``casetrack citator``: who in the file cites an authority, and what they say of it.


def citator(
    ctx: typer.Context,
    authority: Annotated[
        str,
        typer.Argument(
            metavar="AUTHORITY",
            help="A case by its name or reporter, a law, a rule, an entry of the docket.",
        ),
    ],
    collection: CollectionOption = None,
    limit: Annotated[
        int, typer.Option("--limit", "-k", metavar="N", min=1, help="How many at most.")
    ] = 30,
    as_json: JsonOption = False,
) -> None:
    """Show who cites an authority: signal, sentence and place; what speaks against it first."""
    from casetrack.editions.legal.citator import citator as look_up

    target = ctx.ensure_object(State).collection(collection)
    found = look_up(target, authority, limit=limit)
    if as_json:
        write_json(found.as_dict())
        return
    line((one_line(found.name), "bold cyan"), f" ({found.kind})")
    line(spread(found.total, found.document_count, "citation"))
    said = {**found.treatments, **found.signals}
    if said:
        line("Said of it: " + ", ".join(f"{name} ({n})" for name, n in said.items()))
    if found.source_document:
        line("In the file: ", (found.source_document, "bold"))
    for number, each in enumerate(found.places, 1):
        line()
        _show_citing(number, each)
    show_rest(len(found.places), found.total, "citations", "ask with a higher --limit.")
    line()
    for note in found.notes:
        line((note, "dim"))


def _show_citing(number: int, place: "CitingPlace") -> None:
    marks = [said for said in (place.treatment, place.signal) if said]
    line(
        f"{number}. ",
        (place.citation, "bold cyan"),
        (f"  {', '.join(marks)}" if marks else "", "bold red" if place.weight else "bold"),
        (f"  at {place.pin}" if place.pin else "", "dim"),
    )
    line(f'"{place.sentence}"', indent=3)
    if place.note:
        line((place.note, "yellow"), indent=3)
    show_place(place.quote.provenance, indent=3)
