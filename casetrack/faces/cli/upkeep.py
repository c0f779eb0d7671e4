"""``casetrack upkeep`` and ``index-status``."""

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
    """Free space, and permanently remove deleted and replaced data.

    Search results do not change. Deleted data stays in files for 15 minutes, for programs that are
    reading it; the first upkeep after that removes it. With --secure it is removed now, together
    with all snapshots, which would still contain it. Without -c, the command covers every
    collection, also closed or archived ones.
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
                "There is no data to remove." if given["if_needed"] else "There are no collections."
            )
            line(none)
    return EXIT_INTERRUPTED if any(r.cancelled for r in reports) else 0


# ``casetrack index-status``: outdated parts of a collection, and the commands that update them.

_MOST_LISTED = 200


@takes(
    "index-status", problems=own(bool, "List only documents with problems.", "--problems", False)
)
def index_status(state: State, given: dict[str, Any]) -> int:
    """Show the outdated parts of a collection's index, and how to update them.

    For every document: whether all chunks have the output of the models, whether the current models
    and version produced it, and whether the file has changed since it was read. Exit code 0 means
    that everything is up to date.
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
    """Return the command or the action that solves a problem; empty if there is none."""
    name = shlex.quote(collection)
    one = f" {shlex.quote(document)}" if document else ""
    words: dict[Action, str] = {
        "none": "",
        "pull_models": f"casetrack models pull, then casetrack reindex{one} -c {name}",
        "reindex": f"casetrack reindex{one}{' --no-reparse' if one else ''} -c {name}",
        "reparse": f"casetrack reindex{one}{'' if one else ' --reparse'} -c {name}",
        "verify": f"casetrack index-status{one}{'' if one else ' --verify'} -c {name}",
        "settings": "check limits and OCR in config.toml, or the password; then ingest it again",
        "file": "restore the file; until then its stored text remains searchable",
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
