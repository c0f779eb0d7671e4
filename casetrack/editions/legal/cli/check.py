"""``casetrack check``: every citation and quotation of a draft, held against the case."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.editions.legal.cli.papers import ForceOption, paper, written_said
from casetrack.editions.legal.records.check import in_marks
from casetrack.faces.cli.options import CollectionOption, JsonOption, PasswordOption
from casetrack.faces.cli.output import Part, counted, line, one_line, write_json
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from casetrack.editions.legal.records.check import CiteCheck, Finding, Weight

_HEADS: tuple[tuple["Weight", str, str], ...] = (
    ("wrong", "Not found as the draft gives it", "bold"),
    ("look", "To be settled by you", "bold yellow"),
    ("open", "Could not be checked", "bold"),
    ("right", "As the case has it", "bold green"),
)
_STYLES = {"delete": "red", "insert": "green"}
_SHOWN = 300


def check(
    ctx: typer.Context,
    draft: Annotated[
        str, typer.Argument(metavar="BRIEF", help="A file, or a document of the case.")
    ],
    collection: CollectionOption = None,
    every: Annotated[
        bool, typer.Option("--all", help="Show what is right and what is not in the case, too.")
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", metavar="FILE", help="Write a page: the draft beside its sources, marked."
        ),
    ] = None,
    docx: Annotated[
        Path | None,
        typer.Option(
            "--docx",
            metavar="FILE",
            help="Write a copy of the draft, a .docx, with comments; with --all also on what is "
            "right.",
        ),
    ] = None,
    force: ForceOption = False,
    password: PasswordOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check every citation and every quotation of a draft against the case.

    Where the draft and a source differ, the difference is shown: [-left out-], {+added+}. Brackets,
    ellipses, [sic], omitted citations, changed capitals and quotation marks are allowed. Each
    finding states what CaseTrack looked for and where it found it; check it against the source.
    """
    from casetrack.editions.legal.check import check_draft
    from casetrack.editions.legal.paper.target import target_path, write_paper

    state = ctx.ensure_object(State)
    case = state.collection(collection)
    read = paper(state, draft, case.info.id, password)
    page = copy = None
    if html is not None:
        page = target_path(html, (".html", ".htm"), force=force, keeps=read.path)
    if docx is not None:
        copy = target_path(docx, (".docx",), force=force, keeps=read.path)
    found = check_draft(case, read)
    written: list[Path] = []
    notes: list[str] = []
    if copy is not None:
        from casetrack.editions.legal.paper.comments import commented_copy

        made = commented_copy(read, found, everything=every)
        written.append(write_paper(copy, made.content))
        if made.unplaced:
            count = counted(len(made.unplaced), "finding")
            notes.append(f"{count} stand in the first comment: the words are not in the file.")
    if page is not None:
        from casetrack.editions.legal.paper.check_page import check_page

        given = tuple(password or ())
        html_page = case.workspace.ask(lambda s: check_page(s, read, found, passwords=given))
        written.append(write_paper(page, html_page))
    if as_json:
        files = {"files": [str(path) for path in written]} if written else {}
        write_json(found.as_dict() | files)
        return
    if not written:
        _show(found, every=every)
        return
    from casetrack.editions.legal.records.check import TITLES

    for path in written:
        written_said(path)
    for note in notes:
        line((note, "yellow"))
    counts = ", ".join(
        f"{found.counts[verdict]} {title}"
        for verdict, title in TITLES.items()
        if verdict in found.counts
    )
    line(counts or "Nothing was found to check in this draft.")


def _show(found: "CiteCheck", *, every: bool) -> None:
    line(
        (one_line(found.draft_name), "bold cyan"),
        f"  {counted(found.pages, 'page')}, {counted(found.citations, 'citation')}, "
        f"{counted(found.quotations, 'quotation')}, against {found.case}",
    )
    for note in found.notes:
        line((note, "yellow"))
    for weight, head, style in _HEADS:
        some = [f for f in found.findings if f.weight == weight]
        if not some:
            continue
        line()
        line((f"{head}: {len(some)}", style))
        if weight in {"wrong", "look"} or every:
            for finding in some:
                _entry(finding)
        elif weight == "open":
            for name in dict.fromkeys(one_line(f.authority or f.text) for f in some):
                line(_short(name), indent=2)
    if not every and any(f.weight in ("open", "right") for f in found.findings):
        line()
        line(("All findings: --all", "dim"))


def _entry(finding: "Finding") -> None:
    sure = "" if finding.confidence >= 0.6 else f"  {finding.confidence:.0%} sure"
    line(
        (f"{finding.number:>3}  ", "dim"),
        (finding.place.citation, "bold cyan"),
        (f"  {finding.title}", "bold red" if finding.is_sure else "bold"),
        (sure, "yellow"),
    )
    if finding.what == "quotation":
        line(*_compared(finding), indent=5)
    if finding.cited:
        line((one_line(finding.cited), "dim"), indent=5)
    line(one_line(finding.said), indent=5)
    for note in finding.notes:
        line((one_line(note), "dim"), indent=5)


def _compared(finding: "Finding") -> "list[Part]":
    """Return the words of the draft with what is different in them."""
    if finding.verdict != "altered":
        return [f"\u201c{_short(one_line(finding.text))}\u201d"]
    styles = _STYLES if finding.is_sure else dict.fromkeys(_STYLES, "yellow")
    parts: list[Part] = [
        (text, styles[kind]) if kind in styles else text for kind, text in in_marks(finding.edits)
    ]
    return ["\u201c", *parts, "\u201d"]


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} \u2026"
