"""``casetrack redactions`` and ``casetrack redact``: find covered words, redact words."""

from pathlib import Path
from typing import Any

from casetrack.api.operation import OF_EDITIONS
from casetrack.editions.legal import production, redaction
from casetrack.editions.legal.discovery.fields import read_lines
from casetrack.faces.cli.asking import answer, own, taken, takes
from casetrack.faces.cli.output import counted, line
from casetrack.faces.cli.state import EXIT_FAILED, State

_REDACT, _REDACTIONS = OF_EDITIONS[redaction.redact], OF_EDITIONS[redaction.redactions]
_STAMP = OF_EDITIONS[production.stamp]


@takes(_REDACTIONS)
def redactions(state: State, given: dict[str, Any]) -> int:  # noqa: ARG001 - it needs no data
    """Find words in files that are invisible but can be copied.

    Reports words of a PDF that its rendered pages do not show (covered, invisible, off the
    page), redaction marks that were not applied, and words of earlier versions; in Word files
    dark letters on a dark background, hidden text and tracked deletions. Parts of pictures under
    boxes are reported too. The exit code is 1 if any are found. Text of properties, bookmarks,
    notes, fields, links, scripts, replacement texts and attached files that no page shows is
    listed as not proved, because a viewer may show it.
    """
    from casetrack.faces.cli.progress import Meter

    files, passwords = given["files"], given["passwords"]
    with Meter("Searching hidden text", unit="files") as meter:
        report = redaction.redactions(files, passwords=passwords, progress=meter.step)
    answer(report, _REDACTIONS, as_json=given["as_json"])
    if given["as_json"]:
        return EXIT_FAILED if any(one.certain for one in report) else 0
    hidden = [one for one in report if one.certain]
    if hidden:
        places = counted(len(hidden), "place")
        line(f"{places} can still be copied. Remove the words from a copy: casetrack redact FILE")
    else:
        line(f"No covered or invisible words on the pages of {counted(len(files), 'file')}.")
        line("Not searched: words that pictures show, attached files that are no text.", indent=2)
    return EXIT_FAILED if hidden else 0


@takes(_REDACT, word_list=own(Path | None, "Names and phrases, one per line.", "--list FILE"))
def redact(state: State, given: dict[str, Any]) -> int:
    """Remove words from a copy of a PDF, and verify with another PDF library that they are gone.

    A page with a redaction or invisible words becomes a picture with its visible words as a
    text layer. Pages with pictures or drawings are read by OCR first, and each page of the copy
    afterwards, which takes some seconds per page. Notes and fields become part of the pages.
    Properties, bookmarks, links and attached files are dropped.
    """
    settings, asked = state.settings, taken(_REDACT, given)
    listed = read_lines(given["word_list"]) if given["word_list"] else []
    path, target, words = (asked.pop(name) for name in ("path", "target", "words"))
    made = redaction.redact(
        path,
        target,
        words=[*words, *listed],
        ocr=settings.ocr,
        models_dir=settings.models_dir,
        **asked,
    )
    answer(made, _REDACT, as_json=given["as_json"])
    return EXIT_FAILED if made.not_read or made.covered else 0


# ``casetrack discovery stamp``: copies of files with a number on each page.


@takes(_STAMP)
def stamp(state: State, given: dict[str, Any]) -> None:  # noqa: ARG001 - it needs no data
    """Stamp a production set: consecutive numbers on all pages of copies, without gaps.

    A stamp covers nothing: if the foot of a page is in use, the page is extended. Pictures
    become PDFs; other files are copied unchanged, with a slip sheet that has their number.
    production.csv lists the numbers of each file. If one file cannot be opened, nothing is
    written.
    """
    from casetrack.faces.cli.progress import Meter

    asked = taken(_STAMP, given)
    first = [asked.pop(name) for name in ("files", "target", "prefix")]
    with Meter("Stamping", unit="files") as meter:
        made = production.stamp(
            *first, progress=lambda done, total: meter.step("files", done, total), **asked
        )
    answer(made, _STAMP, as_json=given["as_json"])
    if not given["as_json"]:
        pages = counted(sum(one.pages for one in made), "page")
        manifest = given["target"] / production.MANIFEST
        line(f"{counted(len(made), 'file')}, {pages}; list of numbers: {manifest}.")
