"""``casetrack redactions`` and ``casetrack redact``: covered words found, and words taken out."""

from pathlib import Path
from typing import Any, Literal

from casetrack.api.operation import OF_EDITIONS, Arg
from casetrack.api.text import lines_of
from casetrack.base.errors import UsageError
from casetrack.editions.legal import redaction
from casetrack.faces.cli.asking import answer, own, taken, takes, write
from casetrack.faces.cli.options import JsonOption, PasswordOption, described, option
from casetrack.faces.cli.output import counted, line, write_json
from casetrack.faces.cli.state import EXIT_FAILED, State

_REDACT = OF_EDITIONS[redaction.redact]


@described(files=option(Arg("PDFs and Word files (.docx).", "FILE")))
def redactions(
    files: list[Path], password: PasswordOption = None, as_json: JsonOption = False
) -> int:
    """Find words in files that a reader does not see and can copy.

    Reports words of a PDF that its rendered pages do not show (covered, invisible, off the page),
    marks for a redaction that was not carried out, and words of earlier versions; in Word files
    dark letters on a dark ground, hidden text and tracked deletions. The exit code is 1 where
    something was found. Words inside pictures, properties, bookmarks, notes, links, hidden fields,
    replacement texts and attached files are not searched.
    """
    from casetrack.faces.cli.progress import Meter

    found = []
    with Meter("Looking under boxes", unit="files") as meter:
        for done, file in enumerate(files):
            meter.step(file.name, done, len(files))
            found += redaction.hidden_text(file, passwords=password or ())
    if as_json:
        write_json([one.as_dict() for one in found])
        return EXIT_FAILED if found else 0
    for one in found:
        write(lines_of(one))
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


@takes(_REDACT, word_list=own(Path | None, "Names and phrases, one a line.", "--list FILE"))
def redact(state: State, given: dict[str, Any]) -> int:
    """Take words out of a copy of a PDF, and check with another PDF library that they are gone.

    A page that has a black area or invisible words becomes a picture with its visible words laid
    under. Pages with pictures or drawings are read by text recognition first, and each page of the
    copy afterwards, which takes some seconds a page. Notes and fields become part of the
    pages; properties, bookmarks, links and attached files are not taken over.
    """
    settings, asked = state.settings, taken(_REDACT, given)
    path, target, words = (asked.pop(name) for name in ("path", "target", "words"))
    made = redaction.redact(
        path,
        target,
        words=[*words, *_listed(given["word_list"])],
        ocr=settings.ocr,
        models_dir=settings.models_dir,
        **asked,
    )
    answer(made, _REDACT, as_json=given["as_json"])
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


# ``casetrack discovery stamp``: copies of files with a number on every page.


@described(
    files=option(Arg("Files, or folders with all they hold, by name.", "FILE")),
    to=option(Arg("A new or empty folder.", "--to FOLDER")),
    prefix=option(Arg("Stands before the numbers, as ABC.", "--prefix TEXT")),
    start=option(Arg("The first number.", "--start N", ge=1)),
    digits=option(Arg("Digits of a number.", "--digits N", ge=1, le=12)),
    legend=option(Arg("Also stamped, such as CONFIDENTIAL.", "--legend TEXT")),
    place=option(Arg("Where a number goes if nothing stands there.", "--place")),
)
def stamp(
    files: list[Path],
    to: Path,
    prefix: str,
    start: int = 1,
    digits: int = 6,
    legend: str = "",
    place: Literal["bottom-right", "bottom-center", "bottom-left"] = "bottom-right",
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
