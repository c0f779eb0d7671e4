"""``casetrack discovery privilege``: the log of what is withheld."""

from pathlib import Path
from typing import Annotated

import typer

from casetrack.editions.legal.cli.discovery import (
    ChosenOption,
    FamiliesOption,
    ProductionOption,
    TagOption,
    show_notes,
)
from casetrack.editions.legal.cli.papers import content_of
from casetrack.faces.cli.options import CollectionOption, JsonOption
from casetrack.faces.cli.output import Field, counted, line, table, write_json
from casetrack.faces.cli.state import State


def privilege(
    ctx: typer.Context,
    collection: CollectionOption = None,
    document: ChosenOption = None,
    production: ProductionOption = None,
    tag: TagOption = None,
    attorney: Annotated[
        list[str] | None,
        typer.Option(
            "--attorney",
            metavar="WHO",
            help="An attorney: full name, address, or domain of a firm; may be repeated.",
        ),
    ] = None,
    attorneys: Annotated[
        Path | None, typer.Option("--attorneys", metavar="FILE", help="A list of them, one a line.")
    ] = None,
    families: FamiliesOption = True,
    subjects: Annotated[
        bool, typer.Option("--subjects/--no-subjects", help="Whether subjects of mails are told.")
    ] = True,
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="FILE", help="A .docx, .xlsx, .csv, .md or .json file."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a file that is there already.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write the privilege log of what you have tagged (by default "privileged").

    Dates, authors and recipients come from the heads of the mails and from load files; which
    privilege is asserted from your tags ("attorney-client", "work product"), its basis from their
    notes. What nothing tells stays empty, and is said.
    """
    from casetrack.editions.legal.discovery.counsel import read_counsel
    from casetrack.editions.legal.discovery.privilege import privilege_log
    from casetrack.editions.legal.paper.privilege import COLUMNS, WRITERS, cells

    target = ctx.ensure_object(State).collection(collection)
    goal = None
    if to is not None:
        from casetrack.editions.legal.paper.target import target_path

        goal = target_path(to, (*WRITERS, ".json"), force=force)
    listed = [*(attorney or ()), *(read_counsel(attorneys) if attorneys else ())]
    found = privilege_log(
        target,
        documents=document,
        production=production,
        tag=tag,
        attorneys=listed,
        families=families,
        subjects=subjects,
    )
    if goal is not None:
        from casetrack.editions.legal.paper.target import write_paper

        write_paper(goal, content_of(found, goal, WRITERS))
    if as_json:
        write_json(found.as_dict())
        return
    if goal is not None:
        line(("Wrote ", "bold"), f"{goal} ({counted(len(found.entries), 'entry', 'entries')})")
    else:
        table([Field(name) for name in COLUMNS], [cells(entry) for entry in found.entries])
    show_notes(found.notes)
