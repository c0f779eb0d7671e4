"""``casetrack authorities``: the table of authorities of a brief."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.editions.legal.cli.papers import ForceOption, OutputOption, answered, paper
from casetrack.faces.cli.options import CollectionOption, JsonOption, PasswordOption
from casetrack.faces.cli.output import line, one_line
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from casetrack.editions.legal.records.authorities import TableOfAuthorities


def authorities(
    ctx: typer.Context,
    brief: Annotated[
        str, typer.Argument(metavar="BRIEF", help="A file, or a document of the case.")
    ],
    collection: CollectionOption = None,
    passim: Annotated[
        int,
        typer.Option(
            "--passim", metavar="N", min=0, help="Passim from so many pages on; 0 for never."
        ),
    ] = 5,
    compare: Annotated[
        bool, typer.Option("--compare", help="Say where the table in the brief itself differs.")
    ] = False,
    output: OutputOption = None,
    force: ForceOption = False,
    password: PasswordOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make the table of authorities of a brief: cases, statutes, rules, with pages as printed.

    Short forms, Id. and supra count for what they stand for; what the brief's own tables list does
    not count. With -o it is written as .docx, .md, .txt or .json. A file needs no case.
    """
    from casetrack.editions.legal.authorities import table_of_authorities
    from casetrack.editions.legal.paper.authorities import WRITERS
    from casetrack.editions.legal.paper.target import target_path

    state = ctx.ensure_object(State)
    path = Path(brief).expanduser()
    target = (
        target_path(output, (*WRITERS, ".json"), force=force, keeps=path)
        if output is not None
        else None
    )
    draft = paper(state, brief, collection, password)
    found = table_of_authorities(draft, passim=passim, compare=compare)
    answered(found, _show, target, WRITERS, as_json=as_json)


def _show(found: "TableOfAuthorities") -> None:
    from casetrack.editions.legal.paper.authorities import remarks

    line((f"Table of authorities: {one_line(found.draft_name)}", "bold cyan"))
    for section, listed in found.sections().items():
        line()
        line((section, "bold"))
        for each in listed:
            line(one_line(each.name), (f"  {each.listed}", "cyan"), indent=2)
    if said := remarks(found):
        line()
    for note in said:
        line((one_line(note), "dim"))
