"""``casetrack authorities`` and ``check``: papers made of a draft, and what such commands share."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

import casetrack.editions.legal.text  # noqa: F401 - functions by the classes of records
from casetrack.api.operation import Arg
from casetrack.api.text import head_of, lines_of
from casetrack.base.errors import UsageError
from casetrack.faces.cli.asking import own, write
from casetrack.faces.cli.options import (
    CollectionOption,
    JsonOption,
    PasswordOption,
    described,
    option,
)
from casetrack.faces.cli.output import byte_text, counted, line, write_json, write_text
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.api.collection import Collection
    from casetrack.editions.legal.drafts import Draft

Writers = Mapping[str, Callable[[Any], bytes | str]]
"""Functions that make a file, by its ending."""
OUTPUT, _FORCE, _BRIEF = (
    Arg("Write it to this file; its ending says as what.", "--output -o FILE"),
    Arg("Replace the file if it is there already.", "--force"),
    Arg("A file, or a document of the case.", "BRIEF"),
)
FORCE = own(bool, _FORCE.help, _FORCE.cli, default=False)


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


def content_of(found: Any, target: Path, writers: Writers, /) -> bytes | str:
    """Return the content of a file by its ending: JSON, or what one of *writers* makes."""
    ending = target.suffix.lower()
    if ending == ".json":
        return json.dumps(found.as_dict(), indent=2, ensure_ascii=False) + "\n"
    return writers[ending](found)


def answered(
    found: Any, tell: Callable[[Any], None], target: Path | None, writers: Writers, *, as_json: bool
) -> None:
    """Write an answer to a file and report that, or else write it as JSON or as *tell* does."""
    if target is not None:
        from casetrack.editions.legal.paper.target import write_paper

        written = write_paper(target, content_of(found, target, writers))
        if as_json:
            write_json({"file": str(written), "bytes": written.stat().st_size})
        else:
            _tell_written(written)
    elif as_json:
        write_json(found.as_dict())
    else:
        tell(found)


def _tell_written(written: Path) -> None:
    size = written.stat().st_size
    line(("Wrote ", "bold"), str(written), (f" ({byte_text(size)})", "dim"))


@described(
    brief=option(_BRIEF),
    passim=option(Arg("Passim from so many pages on; 0 for never.", "--passim N", ge=0)),
    compare=option(Arg("Say where the table in the brief itself differs.", "--compare")),
    output=option(OUTPUT),
    force=option(_FORCE),
)
def authorities(
    ctx: typer.Context,
    brief: str,
    collection: CollectionOption = None,
    passim: int = 5,
    compare: bool = False,
    output: Path | None = None,
    force: bool = False,
    password: PasswordOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make the table of authorities of a brief: cases, statutes, rules, with pages as printed.

    Short forms, Id. and supra count for what they stand for; what the brief's own tables list does
    not count. With -o it is written as .docx, .md, .txt or .json. A file needs no case.
    """
    from casetrack.editions.legal.authorities import table_of_authorities
    from casetrack.editions.legal.paper.authorities import WRITERS, as_text
    from casetrack.editions.legal.paper.target import target_path

    target, path = None, Path(brief).expanduser()
    if output is not None:
        target = target_path(output, (*WRITERS, ".json"), force=force, keeps=path)
    draft = paper(ctx.ensure_object(State), brief, collection, password)
    found = table_of_authorities(draft, passim=passim, compare=compare)
    answered(found, lambda table: write_text(as_text(table)), target, WRITERS, as_json=as_json)


@described(
    draft=option(_BRIEF),
    every=option(Arg("Show what is right and what is not in the case, too.", "--all")),
    html=option(Arg("Write a page: the draft beside its sources, marked.", "--html FILE")),
    docx=option(
        Arg(
            "Write a copy of the draft, a .docx, with comments; with --all also on what is right.",
            "--docx FILE",
        )
    ),
    force=option(_FORCE),
)
def check(
    ctx: typer.Context,
    draft: str,
    collection: CollectionOption = None,
    every: bool = False,
    html: Path | None = None,
    docx: Path | None = None,
    force: bool = False,
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
    unplaced = 0
    if copy is not None:
        from casetrack.editions.legal.paper.comments import commented_copy

        made = commented_copy(read, found, everything=every)
        written.append(write_paper(copy, made.content))
        unplaced = len(made.unplaced)
    if page is not None:
        from casetrack.editions.legal.paper.check_page import check_page

        given = tuple(password or ())
        html_page = case.workspace.ask(lambda s: check_page(s, read, found, passwords=given))
        written.append(write_paper(page, html_page))
    if as_json:
        files = {"files": [str(path) for path in written]} if written else {}
        write_json(found.as_dict() | files)
        return
    for path in written:
        _tell_written(path)
    if unplaced:
        count = counted(unplaced, "finding")
        line((f"{count} stand in the first comment: the words are not in the file.", "yellow"))
    write(head_of(found))
    shown = () if written else found.worst_first if every else found.problems
    for finding in shown:
        line()
        write(lines_of(finding))
    if not written and len(shown) < len(found.findings):
        line()
        line(("All findings: --all", "dim"))
