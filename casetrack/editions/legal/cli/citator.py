"""``casetrack citator``: who in the file cites an authority, and what they say of it."""

from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.faces.cli.entities import LimitOption
from casetrack.faces.cli.options import CollectionOption, JsonOption
from casetrack.faces.cli.output import line, one_line, write_json
from casetrack.faces.cli.quotes import show_place, show_rest, spread
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from casetrack.editions.legal.records.citator import CitingPlace


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
    limit: LimitOption = 30,
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
        _show(number, each)
    show_rest(len(found.places), found.total, "citations", "ask with a higher --limit.")
    line()
    for note in found.notes:
        line((note, "dim"))


def _show(number: int, place: "CitingPlace") -> None:
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
