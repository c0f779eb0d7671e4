"""``casetrack redactions`` and ``casetrack redact``: covered words found, and words taken out."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from casetrack.base.errors import UsageError
from casetrack.faces.cli.options import JsonOption, PasswordOption
from casetrack.faces.cli.output import counted, line, write_json
from casetrack.faces.cli.state import EXIT_FAILED, State

if TYPE_CHECKING:
    from casetrack.editions.legal.paper.blackout import Area

_AREA = re.compile(r"(\d+)" + r"[:,]\s*(-?\d+(?:\.\d+)?)" * 4)
_COVER_WORDS = {
    "box": "under a box",
    "picture": "under a picture",
    "annotation": "under a note that any viewer can move",
    "invisible": "not shown on the page",
    "mark": "marked for redaction, which was never carried out",
    "earlier version": "gone from the page, and still in an earlier version within the file",
    "shading": "dark letters on a dark ground",
    "hidden": "set as hidden text",
    "deleted": "a tracked deletion that was not accepted",
}


def redactions(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="PDFs and Word files (.docx).")
    ],
    password: PasswordOption = None,
    as_json: JsonOption = False,
) -> int:
    """Find words in files that a reader does not see and can copy.

    Reports words of a PDF that its rendered pages do not show (covered, invisible, off the page),
    marks for a redaction that was not carried out, and words of earlier versions; in Word files
    dark letters on a dark ground, hidden text and tracked deletions. The exit code is 1 where
    something was found. Words inside pictures, properties, bookmarks, notes, links, hidden fields,
    replacement texts and attached files are not searched.
    """
    from casetrack.editions.legal.redaction import hidden_text
    from casetrack.faces.cli.progress import Meter

    found = []
    with Meter("Looking under boxes", unit="files") as meter:
        for done, file in enumerate(files):
            meter.step(file.name, done, len(files))
            found += hidden_text(file, passwords=password or ())
    if as_json:
        write_json([one.as_dict() for one in found])
        return EXIT_FAILED if found else 0
    for one in found:
        name = Path(one.file).name
        line((f"{name}, {one.place}: ", "bold"), f"“{one.text.strip()}”")
        line((_COVER_WORDS[one.cover], "dim"), indent=2)
    if found:
        places = counted(len(found), "place")
        line(f"{places} can still be copied. Take the words out of a copy: casetrack redact FILE")
    else:
        line(f"No covered or invisible words on the pages of {counted(len(files), 'file')}.")
        line(
            "Not searched: words inside pictures, properties, bookmarks, notes, links, hidden "
            "fields, replacement texts (ActualText), attached files.",
            indent=2,
        )
    return EXIT_FAILED if found else 0


def redact(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A PDF; it is only read.")],
    to: Annotated[Path, typer.Option("--to", metavar="PATH", help="The copy, or a folder for it.")],
    words: Annotated[
        list[str] | None,
        typer.Option("--words", "-w", metavar="TEXT", help="A name or phrase; may be repeated."),
    ] = None,
    word_list: Annotated[
        Path | None, typer.Option("--list", metavar="FILE", help="Names and phrases, one a line.")
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="ssn, ein, email, phone, card, iban or account; may be repeated.",
        ),
    ] = None,
    area: Annotated[
        list[str] | None,
        typer.Option(
            "--area",
            metavar="PAGE:X0,Y0,X1,Y1",
            help="A rectangle in points (1/72 inch) from the top left; may be repeated.",
        ),
    ] = None,
    label: Annotated[
        str, typer.Option("--label", metavar="TEXT", help="Stands in white on the black areas.")
    ] = "",
    match_case: Annotated[
        bool, typer.Option("--match-case", help="Capital and small letters differ.")
    ] = False,
    inside_words: Annotated[
        bool, typer.Option("--inside-words", help="A part of a longer word counts.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the copy if there is one.")
    ] = False,
    password: PasswordOption = None,
    as_json: JsonOption = False,
) -> int:
    """Take words out of a copy of a PDF, and check with another PDF library that they are gone.

    A page that has a black area or invisible words becomes a picture with its visible words laid
    under. Pages with pictures or drawings are read by text recognition first, and each page of the
    copy afterwards, which takes some seconds a page. Notes and fields become part of the
    pages; properties, bookmarks, links and attached files are not taken over.
    """
    from casetrack.editions.legal.redaction import redact as take_out

    settings = ctx.ensure_object(State).settings
    made = take_out(
        file,
        to,
        words=[*(words or ()), *_listed(word_list)],
        kinds=kind or (),
        areas=[_area(text) for text in area or ()],
        match_case=match_case,
        inside_words=inside_words,
        label=label,
        replace=force,
        ocr=settings.ocr,
        models_dir=settings.models_dir,
        passwords=password or (),
    )
    if as_json:
        write_json(made.as_dict())
        return EXIT_FAILED if made.not_read or made.covered else 0
    line(("Wrote ", "bold"), made.copy)
    if made.places:
        pages = counted(len(made.pages), "page")
        line(f"{counted(made.places, 'black area')} on {pages}: {_reasons(made.by_reason)}")
    for said in made.proof:
        line(f"checked: {said}", indent=2)
    for said in made.unproved:
        line((f"not checked: {said}", "yellow"), indent=2)
    for said in made.left_out:
        line(f"Left out, since the page does not show it: {said}", indent=2)
    if made.recognised:
        line(
            f"Read by text recognition, so look at them yourself: {_numbers(made.recognised)}",
            indent=2,
        )
    if made.not_read:
        line(
            (
                f"Pictures and drawings not read by text recognition: {_numbers(made.not_read)}",
                "red",
            ),
            indent=2,
        )
    for said in made.covered:
        line((f"Not shown on the page, and can be copied: {said}", "red"), indent=2)
    return EXIT_FAILED if made.not_read or made.covered else 0


def _listed(path: Path | None) -> list[str]:
    if path is None:
        return []
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{path} can't be read as a list of words: {error}.",
            hint="Save it as plain text (UTF-8), one name or phrase a line.",
        ) from error
    return [said.strip() for said in text.splitlines() if said.strip()]


def _area(text: str) -> "Area":
    from casetrack.base.provenance import Box
    from casetrack.editions.legal.paper.blackout import Area

    match = _AREA.fullmatch(text.strip())
    corners = [float(value) for value in match.groups()[1:]] if match else []
    if match is None or corners[0] >= corners[2] or corners[1] >= corners[3]:
        raise UsageError(
            f"“{text}” is no area.",
            hint="Write the page and two corners in points, such as 3:72,100,300,120.",
        )
    return Area(int(match[1]), Box(*corners), "", "area")


def _reasons(by_reason: dict[str, int]) -> str:
    return ", ".join(f"{why} {count}" for why, count in by_reason.items())


def _numbers(pages: tuple[int, ...]) -> str:
    return f"page{'s' * (len(pages) > 1)} {', '.join(map(str, pages))}"


# ``casetrack discovery stamp``: copies of files with a number on every page.


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
