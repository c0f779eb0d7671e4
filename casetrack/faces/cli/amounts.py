"""``casetrack amounts``: sums of money, percentages and quantities, each with its source."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from casetrack.faces.cli.options import CollectionOption, JsonOption
from casetrack.faces.cli.output import counted, line, one_line, write_json
from casetrack.faces.cli.quotes import show_quote, show_rest
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from casetrack.base.records.graph import Amounts


def amounts(
    ctx: typer.Context,
    collection: CollectionOption = None,
    least: Annotated[
        float | None, typer.Option("--min", metavar="N", help="Only amounts of at least this.")
    ] = None,
    most: Annotated[
        float | None, typer.Option("--max", metavar="N", help="Only amounts of at most this.")
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option("--unit", "-u", metavar="UNIT", help="Only this unit: GBP, $, %, kg."),
    ] = None,
    kind: Annotated[
        Literal["all", "money", "percent", "quantity"],
        typer.Option("--kind", help="Only money, percentages or quantities."),
    ] = "all",
    document: Annotated[
        str | None,
        typer.Option("--document", "-d", metavar="NAME", help="Only those of this document."),
    ] = None,
    sort: Annotated[
        Literal["document", "value", "lowest"],
        typer.Option("--sort", help="In reading order, or by value: the highest or lowest first."),
    ] = "document",
    limit: Annotated[
        int, typer.Option("--limit", "-k", metavar="N", min=1, help="How many at most.")
    ] = 20,
    as_json: JsonOption = False,
) -> None:
    """Find sums of money, percentages and quantities by their size, each with its exact source.

    Units are not converted: by value, those of one unit stand together.
    """
    target = ctx.ensure_object(State).collection(collection)
    found = target.map.amounts(
        kind=kind, unit=unit, least=least, most=most, document=document, sort_by=sort, limit=limit
    )
    if as_json:
        write_json(found.as_dict())
        return
    _show(found)


def _show(found: "Amounts") -> None:
    if found:
        units = ", ".join(map(str, found.units))
        line((counted(found.total, "amount"), "bold"), (f"  {units}", "dim"))
    for note in found.notes:
        line((note, "dim"))
    for number, each in enumerate(found, 1):
        line()
        cell = " | ".join(one_line(part) for part in (each.row_label, each.period) if part)
        line(f"{number}. ", (each.said, "bold"), *([(f"  {cell}", "dim")] if cell else []))
        show_quote(each.quote, indent=4)
    show_rest(
        len(found), found.total, "of them", "raise --limit, or narrow it with --min and --max."
    )
