"""``casetrack authorities`` and ``check``, and shared code of commands for papers."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.api.operation import OF_EDITIONS
from casetrack.api.text import head_of
from casetrack.base.errors import Opt, UsageError
from casetrack.base.files import write_atomic
from casetrack.editions.legal import briefs
from casetrack.faces.cli.asking import own, show, takes, write
from casetrack.faces.cli.options import PasswordOption
from casetrack.faces.cli.output import byte_text, counted, line, write_json, write_text
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.api.collection import Collection
    from casetrack.editions.legal.drafts import Draft

Writers = Mapping[str, Callable[[Any], bytes | str]]
"""Writers by suffix of the file."""
OUTPUT = own(Path | None, "Write to this file; its suffix sets the format.", "--output -o FILE")
FORCE = own(bool, "Replace an existing file.", "--force", default=False)
PASSWORD = PasswordOption, None
_CHECK, _TABLE = OF_EDITIONS[briefs.check_brief], OF_EDITIONS[briefs.authorities]


def paper(
    state: "State", named: str, collection: str | None, passwords: "Sequence[str] | None", /
) -> "Draft":
    """Read the paper of a command: a file, or a document of the case."""
    from casetrack.editions.legal.drafts import read_draft

    case: Collection | None = None
    if collection is not None or not Path(named).expanduser().exists():
        try:
            case = state.collection(collection)
        except UsageError:
            # Without a case, the missing thing is the file.
            if collection is not None:
                raise
    return read_draft(
        named, settings=state.settings, collection=case, passwords=tuple(passwords or ())
    )


def content_of(record: Any, target: Path, writers: Writers, /) -> bytes | str:
    """Return the content of a file by its suffix: JSON, or the output of one of *writers*."""
    ending = target.suffix.lower()
    if ending == ".json":
        return json.dumps(record.as_dict(), indent=2, ensure_ascii=False) + "\n"
    return writers[ending](record)


def answered(
    made: Any, tell: Callable[[Any], None], target: Path | None, writers: Writers, *, as_json: bool
) -> None:
    """Write an answer to a file, or as JSON, or print it with *tell*."""
    if target is not None:
        written = write_paper(target, content_of(made, target, writers))
        if as_json:
            write_json({"file": str(written), "bytes": written.stat().st_size})
        else:
            _tell_written(written)
    elif as_json:
        write_json(made.as_dict())
    else:
        tell(made)


def _tell_written(written: Path) -> None:
    size = written.stat().st_size
    line(("Wrote ", "bold"), str(written), (f" ({byte_text(size)})", "dim"))


@takes(_TABLE, output=OUTPUT, force=FORCE, password=PASSWORD)
def authorities(state: State, given: dict[str, Any]) -> None:
    """Create the table of authorities of a brief, with printed page numbers.

    Short forms, Id. and supra count for their authority. The brief's own tables do not count.
    With -o it is written as .docx, .md, .txt or .json. A file needs no case.
    """
    from casetrack.editions.legal.authorities import table_of_authorities
    from casetrack.editions.legal.paper.authorities import WRITERS, as_text

    target, brief = given["output"], given["brief"]
    if target is not None:
        keeps = Path(brief).expanduser()
        target = target_path(target, (*WRITERS, ".json"), force=given["force"], keeps=keeps)
    draft = paper(state, brief, given["collection"], given["password"])
    table = table_of_authorities(draft, passim=given["passim"], compare=given["compare"])
    answered(table, lambda t: write_text(as_text(t)), target, WRITERS, as_json=given["as_json"])


@takes(
    _CHECK,
    every=own(bool, "Also show correct citations and missing sources.", "--all", default=False),
    html=own(Path | None, "Write a page with the draft next to its sources.", "--html FILE"),
    docx=own(
        Path | None,
        "Write a copy of the draft (.docx) with comments; with --all on all findings.",
        "--docx FILE",
    ),
    force=FORCE,
    password=PASSWORD,
)
def check(state: State, given: dict[str, Any]) -> None:
    """Check each citation and quotation of a draft against the case.

    Differences between draft and source are marked: [-left out-], {+added+}. Brackets,
    ellipses, [sic], omitted citations, changed capitals and quotation marks are allowed. Each
    finding states what CaseTrack looked for and where it found it; check it against the source.
    """
    from casetrack.editions.legal.check import check_draft

    every, passwords = given["every"], given["password"]
    case = state.collection(given["collection"])
    read = paper(state, given["brief"], case.info.id, passwords)
    page, copy = (
        target_path(given[name], endings, force=given["force"], keeps=read.path)
        if given[name] is not None
        else None
        for name, endings in (("html", (".html", ".htm")), ("docx", (".docx",)))
    )
    result = replace(check_draft(case, read), show="all" if every else "problems")
    written: list[Path] = []
    unplaced = 0
    if copy is not None:
        from casetrack.editions.legal.paper.comments import commented_copy

        made = commented_copy(read, result, everything=every)
        written.append(write_paper(copy, made.content))
        unplaced = len(made.unplaced)
    if page is not None:
        from casetrack.editions.legal.paper.check_page import check_page

        opens = tuple(passwords or ())
        html_page = case.workspace.ask(lambda s: check_page(s, read, result, passwords=opens))
        written.append(write_paper(page, html_page))
    if given["as_json"]:
        files = {"files": [str(path) for path in written]} if written else {}
        write_json(result.as_dict() | files)
        return
    for path in written:
        _tell_written(path)
    if unplaced:
        count = counted(unplaced, "finding")
        line((f"The first comment lists {count} whose words are not in the file.", "yellow"))
    if written:
        write(head_of(result))
        return
    show(result)
    if len(result.shown) < len(result.findings):
        line()
        line(("All findings: --all", "dim"))


# Target files of papers: atomic writes, no silent replacement.


def target_path(
    path: Path, endings: "Sequence[str]", /, *, force: bool = False, keeps: Path | None = None
) -> Path:
    """Return the absolute path for a new paper.

    *endings* are the allowed suffixes, *force* allows to replace a file, *keeps* is never replaced.
    """
    target = path.expanduser().absolute()
    if target.suffix.lower() not in endings or target.is_dir():
        *others, last = sorted(endings)
        listed = f"{', '.join(others)} or {last}" if others else last
        raise UsageError(
            f"{str(path)!r} has an unsupported suffix.", hint=f"Use a file that ends in {listed}."
        )
    if not target.parent.is_dir():
        raise UsageError(
            f"The folder {target.parent} does not exist.", hint="Create it, or use another folder."
        )
    if keeps is not None and target.exists() and keeps.exists() and target.samefile(keeps):
        raise UsageError(
            f"{target} is the draft itself, which is never changed.",
            hint="Name another file for the copy.",
        )
    if target.exists() and not force:
        raise UsageError(
            f"{target} already exists.",
            hint=f"Use another name, or replace the file with {Opt('force')}.",
        )
    return target


def write_paper(target: Path, content: bytes | str, /) -> Path:
    """Write a paper atomically and return its path."""
    write_atomic(target, content.encode() if isinstance(content, str) else content)
    return target
