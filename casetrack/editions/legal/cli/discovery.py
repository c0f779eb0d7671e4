"""``casetrack discovery``: load productions, write privilege logs."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.api.operation import OF_EDITIONS, called
from casetrack.base.errors import UsageError
from casetrack.editions.legal import production, redaction
from casetrack.editions.legal.cli.papers import FORCE, content_of, target_path, write_paper
from casetrack.editions.legal.discovery.fields import read_counsel, read_lines
from casetrack.editions.legal.discovery.load import load_production
from casetrack.editions.legal.discovery.privilege import privilege_log
from casetrack.editions.legal.text import notes_of
from casetrack.faces.cli.asking import answer, own, taken, takes, write
from casetrack.faces.cli.options import CreateOption
from casetrack.faces.cli.output import counted, line
from casetrack.faces.cli.state import EXIT_FAILED, State

if TYPE_CHECKING:
    from casetrack.api.collection import Collection

_LOAD, _LOG = OF_EDITIONS[load_production], OF_EDITIONS[privilege_log]


@takes(_LOAD, create=(CreateOption, False))
def load(state: State, given: dict[str, Any]) -> int:
    """Load a production into a case from its load file (Concordance DAT, Opticon OPT).

    Each row becomes a document with its fields, family and Bates numbers. Its text comes from
    the native file, else the text file, else the images. Errors of the load file are reported
    with their line; no row is lost. Exit code 1 means that there are errors.
    """
    from casetrack.faces.cli.progress import Meter, long_work

    file, create = given["load_file"], given["create"] and not given["dry_run"]
    target = _to_fill(state, given["collection"], file, create=create)
    report = long_work(
        state,
        "sync",
        lambda progress, cancel: load_production(
            target,
            file,
            **{k: v for k, v in taken(_LOAD, given).items() if k != "load_file"},
            progress=progress,
            cancel=cancel,
        ),
        title=f"Loading {file.name}",
        collection=target.info,
        meter=Meter("Loading"),
    )
    answer(report, _LOAD, as_json=given["as_json"])
    return int(bool(report.failed or any(t.kind != "gap" for t in report.troubles)))


def _to_fill(state: State, name: str | None, file: Path, *, create: bool) -> "Collection":
    if create and name is None:
        raise UsageError("--create requires the name of the collection.", hint="Add -c NAME.")
    if create:
        return state.library.get_or_create(str(name), [file])
    return state.collection_to_fill(name)


@takes(
    _LOG,
    listed=own(Path | None, "A list of attorneys, one per line.", "--attorneys FILE"),
    to=own(Path | None, "A .docx, .xlsx, .csv, .md or .json file.", "--to FILE"),
    force=FORCE,
)
def privilege(state: State, given: dict[str, Any]) -> None:
    """Write the privilege log of documents with your tag (default: "privileged").

    Dates, authors and recipients come from mail headers and load files, the asserted privilege
    from your tags ("attorney-client", "work product"), its basis from their notes. Unknown
    values stay empty and are reported.
    """
    from casetrack.editions.legal.paper.privilege import WRITERS

    target, goal = state.collection(given["collection"]), given["to"]
    if goal is not None:
        goal = target_path(goal, (*WRITERS, ".json"), force=given["force"])
    named = read_counsel(given["listed"]) if given["listed"] else []
    asked = taken(_LOG, given)
    log = called(privilege_log, target, asked | {"attorneys": [*asked["attorneys"], *named]})
    if goal is not None:
        write_paper(goal, content_of(log, goal, WRITERS))
        if not given["as_json"]:
            entries = counted(len(log.entries), "entry", "entries")
            line(("Wrote ", "bold"), f"{goal} ({entries})")
            write(notes_of(log))
            return
    answer(log, _LOG, as_json=given["as_json"])


# ``casetrack redactions`` and ``casetrack redact``: find covered words, redact words.

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
