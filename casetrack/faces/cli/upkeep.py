"""``casetrack upkeep`` and ``index-status``: whether all is well, and what helps."""

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.api.text import head_of, lines_of
from casetrack.faces.cli.asking import write
from casetrack.faces.cli.options import AnyCollectionOption, CollectionOption, JsonOption
from casetrack.faces.cli.output import line, write_json
from casetrack.faces.cli.state import EXIT_INTERRUPTED, State

if TYPE_CHECKING:
    from casetrack.base.records.health import Action, IndexStatus


def upkeep(
    ctx: typer.Context,
    collection: AnyCollectionOption = None,
    secure: Annotated[
        bool,
        typer.Option(
            "--secure",
            help="Keep nothing back: nothing that was deleted stays in any file. Removes named "
            "snapshots, too.",
        ),
    ] = False,
    if_needed: Annotated[
        bool,
        typer.Option("--if-needed", help="Only collections in which there is something to remove."),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Free space, and remove for good what was deleted or replaced.

    Nothing that you can search changes. What was deleted stays in files for 15 minutes, for
    programs that are reading it at this moment; the first upkeep after that takes it out. With
    --secure it is taken out now, together with all snapshots, which would still hold it. Without
    -c every collection is kept, also those that are closed or archived.
    """
    from casetrack.faces.cli.progress import stoppable

    library = ctx.ensure_object(State).library
    with stoppable() as stop:
        reports = library.upkeep(
            collection=collection, secure=secure, if_needed=if_needed, wait=True, cancel=stop
        )
    if as_json:
        write_json([r.as_dict() for r in reports])
    else:
        for report in reports:
            write(lines_of(report))
        if not reports:
            line("There is nothing to remove." if if_needed else "There are no collections.")
    return EXIT_INTERRUPTED if any(r.cancelled for r in reports) else 0


# ``casetrack index-status``: what of a collection is out of date, and what puts it right.

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
    for each in chosen[:_MOST_LISTED]:
        write(lines_of(each))
        if each.problems and each.action != status.action:
            step = remedy(each.action, status.collection, each.name)
            line((f"Next: {step}", "dim"), indent=2)
    if len(chosen) > _MOST_LISTED:
        line(f"... {len(chosen) - _MOST_LISTED:,} more (--json lists all)")
    if chosen:
        line()
    write(head_of(status))
    if not all(d.ok for d in status.documents):
        line((f"Next: {remedy(status.action, status.collection)}", "bold"))
