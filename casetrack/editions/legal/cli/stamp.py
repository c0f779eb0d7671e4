"""``casetrack discovery stamp``: copies of files with a number on every page."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from casetrack.faces.cli.options import JsonOption, PasswordOption
from casetrack.faces.cli.output import counted, line, write_json


def stamp(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Files, or folders with all they hold, by name."),
    ],
    to: Annotated[Path, typer.Option("--to", metavar="FOLDER", help="A new or empty folder.")],
    prefix: Annotated[
        str, typer.Option("--prefix", metavar="TEXT", help="Stands before the numbers, as ABC.")
    ],
    start: Annotated[
        int, typer.Option("--start", metavar="N", help="The first number.", min=1)
    ] = 1,
    digits: Annotated[
        int, typer.Option("--digits", metavar="N", help="Digits of a number.", min=1, max=12)
    ] = 6,
    legend: Annotated[
        str, typer.Option("--legend", metavar="TEXT", help="Also stamped, such as CONFIDENTIAL.")
    ] = "",
    place: Annotated[
        Literal["bottom-right", "bottom-center", "bottom-left"],
        typer.Option("--place", help="Where a number goes if nothing stands there."),
    ] = "bottom-right",
    password: PasswordOption = None,
    as_json: JsonOption = False,
) -> None:
    """Stamp a production set: a number on every page of copies, one after the other, no gap.

    A stamp covers nothing: where the foot of a page is taken, the page is made longer. Pictures
    become PDFs; other files are copied as they are, with a slip sheet that has their number.
    production.csv lists what has which numbers. Where one file can't be opened nothing is written.
    """
    from casetrack.editions.legal.production import MANIFEST, Numbering, stamp_set
    from casetrack.faces.cli.progress import Meter

    with Meter("Stamping", unit="files") as meter:
        made = stamp_set(
            list(_all(files)),
            to,
            Numbering(prefix, start, digits),
            legend=legend,
            place=place,
            passwords=password or (),
            progress=lambda done, total: meter.step("files", done, total),
        )
    if as_json:
        write_json([one.as_dict() for one in made])
        return
    for one in made:
        name = Path(one.original).name
        line(f"{one.first} to {one.last}  {name}" if one.pages > 1 else f"{one.first}  {name}")
    pages = counted(sum(one.pages for one in made), "page")
    line(f"{counted(len(made), 'file')}, {pages}; the list is {to / MANIFEST}.")


def _all(named: list[Path]) -> list[Path]:
    found: list[Path] = []
    for path in named:
        found += sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    return found
