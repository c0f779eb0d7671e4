"""``casetrack docket``: the entries of a court's docket, and the papers that they are."""

from typing import Annotated

import typer

from casetrack.faces.cli.options import CollectionOption, JsonOption
from casetrack.faces.cli.output import line, one_line, write_json
from casetrack.faces.cli.state import State


def docket(
    ctx: typer.Context,
    document: Annotated[
        str, typer.Argument(metavar="DOCUMENT", help="The docket among the documents.")
    ],
    collection: CollectionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the entries of a court's docket, and which documents of the case they are."""
    from casetrack.editions.legal.dockets import read_docket

    found = read_docket(ctx.ensure_object(State).collection(collection), document)
    if as_json:
        write_json(found.as_dict())
        return
    told = found.document
    heads = (told.case_name, told.case_number, told.court, told.judge)
    line((", ".join(filter(None, heads)) or told.name, "bold cyan"))
    for each in found.lines:
        line((f"{each.filed_on or '-':<10}  {each.number or '-':>6}  ", "dim"), one_line(each.text))
        if each.papers:
            line(("; ".join(each.papers), "bold"), indent=20)
        if len(each.papers) > 1:
            line(("Several documents bear this number.", "yellow"), indent=20)
    if not found.lines:
        line("No entries were found in it.")
