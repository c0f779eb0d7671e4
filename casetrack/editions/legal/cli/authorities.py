"""``casetrack authorities`` and ``check``: a table of authorities, and a draft checked."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from casetrack.base.errors import UsageError
from casetrack.editions.legal.records.check import in_marks
from casetrack.faces.cli.options import CollectionOption, JsonOption, PasswordOption
from casetrack.faces.cli.output import Part, byte_text, counted, line, one_line, write_json
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.api.collection import Collection
    from casetrack.base.records.shape import Record
    from casetrack.editions.legal.drafts import Draft
    from casetrack.editions.legal.records.authorities import TableOfAuthorities
    from casetrack.editions.legal.records.check import CiteCheck, Finding, Weight

# What commands that write papers have in common.

R = TypeVar("R", bound="Record")
Writers = Mapping[str, Callable[[R], bytes | str]]
"""Functions that make a file, by its ending."""

OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Write it to this file; its ending says as what."
    ),
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Replace the file if it is there already.")
]


def paper(
    state: "State", named: str, collection: str | None, passwords: "Sequence[str] | None", /
) -> "Draft":
    """Read the paper that a command is about: a file, which needs no case, or a document of one.

    Raises
    ------
    CaseTrackError
        See :func:`casetrack.editions.legal.drafts.read_draft`, and for a named case
        :meth:`casetrack.faces.cli.state.State.collection`.
    """
    from casetrack.editions.legal.drafts import read_draft

    case: Collection | None = None
    if collection is not None or not Path(named).expanduser().exists():
        try:
            case = state.collection(collection)
        except UsageError:
            # Without a case to look in, it is the file that was not found.
            if collection is not None:
                raise
    return read_draft(
        named, settings=state.settings, collection=case, passwords=tuple(passwords or ())
    )


def content_of(found: R, target: Path, writers: Writers[R], /) -> bytes | str:
    """Return the content of a file by its ending: JSON, or what one of *writers* makes."""
    ending = target.suffix.lower()
    if ending == ".json":
        return json.dumps(found.as_dict(), indent=2, ensure_ascii=False) + "\n"
    return writers[ending](found)


def answered(
    found: R,
    show: Callable[[R], None],
    /,
    target: Path | None = None,
    writers: Writers[R] | None = None,
    *,
    as_json: bool,
) -> None:
    """Write an answer to a file and report that, or else write it as JSON or as *show* does.

    Raises
    ------
    DiskFull, NotWritable, StorageError
        The file cannot be written.
    """
    if target is not None:
        from casetrack.editions.legal.paper.target import write_paper

        written = write_paper(target, content_of(found, target, writers or {}))
        if as_json:
            write_json({"file": str(written), "bytes": written.stat().st_size})
        else:
            written_said(written)
    elif as_json:
        write_json(found.as_dict())
    else:
        show(found)


def written_said(written: Path, /) -> None:
    """Say where a file was written, and how large it is."""
    size = written.stat().st_size
    line(("Wrote ", "bold"), str(written), (f" ({byte_text(size)})", "dim"))


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


# ``casetrack check``: every citation and quotation of a draft, held against the case.

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
        _show_check(found, every=every)
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


def _show_check(found: "CiteCheck", *, every: bool) -> None:
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
