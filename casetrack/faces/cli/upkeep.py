"""``casetrack upkeep`` and ``index-status``: whether all is well, and what helps."""

import shlex
from typing import TYPE_CHECKING, Any

from casetrack.api.text import head_of, lines_of
from casetrack.faces.cli.asking import operations, own, taken, takes, write
from casetrack.faces.cli.output import line, write_json
from casetrack.faces.cli.state import EXIT_INTERRUPTED, State

if TYPE_CHECKING:
    from casetrack.base.records.health import Action, IndexStatus


@takes("upkeep")
def upkeep(state: State, given: dict[str, Any]) -> int:
    """Free space, and remove for good what was deleted or replaced.

    Nothing that you can search changes. What was deleted stays in files for 15 minutes, for
    programs that are reading it at this moment; the first upkeep after that takes it out. With
    --secure it is taken out now, together with all snapshots, which would still hold it. Without
    -c every collection is kept, also those that are closed or archived.
    """
    from casetrack.faces.cli.progress import stoppable

    asked = taken(operations()["upkeep"], given)
    with stoppable() as stop:
        reports = state.library.upkeep(**asked, wait=True, cancel=stop)
    if given["as_json"]:
        write_json([r.as_dict() for r in reports])
    else:
        for report in reports:
            write(lines_of(report))
        if not reports:
            none = (
                "There is nothing to remove." if given["if_needed"] else "There are no collections."
            )
            line(none)
    return EXIT_INTERRUPTED if any(r.cancelled for r in reports) else 0


# ``casetrack index-status``: what of a collection is out of date, and what puts it right.

_MOST_LISTED = 200


@takes(
    "index-status",
    problems=own(bool, "List only documents that need something.", "--problems", False),
)
def index_status(state: State, given: dict[str, Any]) -> int:
    """Show what of a collection's index is out of date, and what puts it right.

    For every document: whether each of its chunks has what the models make of it, whether that
    was made by the present models and version, and whether its file is still as it was read.
    Exit code 0 says that nothing is to be done.
    """
    target = state.collection(given["collection"])
    status = target.admin.index_status(given["document"], verify=given["verify"])
    if given["as_json"]:
        raw = status.as_dict()
        if given["problems"]:
            raw["documents"] = [d for d in raw["documents"] if d["problems"]]
        write_json(raw | {"remedy": remedy(status.action, status.collection)})
    else:
        _show(status, only_problems=given["problems"])
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
