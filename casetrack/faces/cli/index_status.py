"""``casetrack index-status``: what of a collection is out of date, and what puts it right."""

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.base.records import untaken_text
from casetrack.base.records.index_status import PROBLEMS
from casetrack.faces.cli.options import CollectionOption, JsonOption
from casetrack.faces.cli.output import Field, counted, line, table, write_json
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from casetrack.base.records.index_status import Action, DocumentIndex, IndexStatus

_MOST_LISTED = 200


def index_status(
    ctx: typer.Context,
    document: Annotated[
        str | None,
        typer.Argument(
            metavar="DOCUMENT", help="Only this document: its name or ID.", show_default=False
        ),
    ] = None,
    collection: CollectionOption = None,
    problems: Annotated[
        bool, typer.Option("--problems", help="List only documents that need something.")
    ] = False,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify", help="Compare also large files of which only the time has changed."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Show what of a collection's index is out of date, and what puts it right.

    For every document: whether each of its chunks has what the models make of it, whether that
    was made by the present models and version, and whether its file is still as it was read.
    Exit code 0 says that nothing is to be done.
    """
    state = ctx.ensure_object(State)
    target = state.collection(collection)
    status = target.admin.index_status(document, verify=verify)
    if as_json:
        raw = status.as_dict()
        if problems:
            raw["documents"] = [d for d in raw["documents"] if d["problems"]]
        write_json(raw | {"remedy": remedy(status.action, status.collection)})
        return 0 if status.ok else 1
    _show(status, only_problems=problems)
    return 0 if status.ok else 1


def remedy(action: "Action", collection: str, document: str | None = None, /) -> str:
    """Return the command, or the deed, that puts something right; empty where nothing is to do."""
    name = shlex.quote(collection)
    one = f" {shlex.quote(document)}" if document else ""
    words: dict[Action, str] = {
        "none": "",
        "pull_models": f"casetrack models pull, then casetrack reindex{one} -c {name}",
        "reindex": f"casetrack reindex{one}{' --no-reparse' if one else ''} -c {name}",
        "reparse": f"casetrack reindex{one}{'' if one else ' --reparse'} -c {name}",
        "verify": f"casetrack index-status{one}{'' if one else ' --verify'} -c {name}",
        "settings": "see what is missing: a limit or OCR in config.toml, or a password; then "
        "ingest the file again",
        "file": "put the file back; until then what is stored can be searched as before",
    }
    return words[action]


def _show(status: "IndexStatus", *, only_problems: bool) -> None:
    chosen = [d for d in status.documents if d.problems or not only_problems]
    if chosen:
        fields = [Field("Document"), Field("Chunks", "right", whole=True)]
        fields += [Field(n.capitalize(), "right", whole=True, extra=True) for n in status.outputs]
        fields += [Field("State")]
        table(fields, (_row(d, status) for d in chosen[:_MOST_LISTED]))
        if len(chosen) > _MOST_LISTED:
            line(f"... {len(chosen) - _MOST_LISTED:,} more (--json lists all)")
        line()
    for file in status.untaken[:_MOST_LISTED]:
        line((f"{file.status:<9}", "red" if file.failed else "yellow"), file.message or file.path)
        line((file.hint, "dim"), indent=9)
    if len(status.untaken) > _MOST_LISTED:
        line(f"... {len(status.untaken) - _MOST_LISTED:,} more (--json lists all)")
    total, count = status.chunks, len(status.documents)
    shares = ", ".join(f"{n} {_share(c, total)}" for n, c in status.coverage.items())
    line(f"{counted(count, 'document')}, {counted(total, 'chunk')}; profile {status.profile}")
    if total:
        line(f"Of the chunks have: {shares}")
    if status.untaken:
        line((untaken_text(status.untaken), "bold"))
    elif status.ok:
        line(("All is up to date.", "bold"))
    if all(d.ok for d in status.documents):
        return
    for problem, number in status.problems.items():
        line(f"{counted(number, 'document')}: {PROBLEMS[problem]}")
    line((f"Next: {remedy(status.action, status.collection)}", "bold"))


def _row(document: "DocumentIndex", status: "IndexStatus") -> list[str]:
    shares = [_share(document.coverage[n], document.chunks) for n in status.outputs]
    state = document.reason or "ok"
    if document.problems and document.action != status.action:
        state += f". Next: {remedy(document.action, status.collection, document.name)}"
    return [document.name, f"{document.chunks:,}", *shares, state]


def _share(part: int, whole: int) -> str:
    # Rounded down, so that only what is complete reads as 100 %.
    return f"{100 * part // whole} %" if whole else "-"
