"""``casetrack discovery``: load productions, write privilege logs."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.api.operation import OF_EDITIONS, called
from casetrack.base.errors import UsageError
from casetrack.editions.legal.cli.papers import FORCE, content_of
from casetrack.editions.legal.discovery.fields import read_counsel
from casetrack.editions.legal.discovery.load import load_production
from casetrack.editions.legal.discovery.privilege import privilege_log
from casetrack.editions.legal.text import notes_of
from casetrack.faces.cli.asking import answer, own, taken, takes, write
from casetrack.faces.cli.options import CreateOption
from casetrack.faces.cli.output import counted, line
from casetrack.faces.cli.state import State

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
    from casetrack.editions.legal.paper.target import target_path, write_paper

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
