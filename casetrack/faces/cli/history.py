"""``casetrack jobs show``, ``audit export`` and ``snapshots restore``."""

import shlex
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from casetrack.api.operation import Work
from casetrack.api.text import head_of, lines_of
from casetrack.faces.cli.asking import answer, operations, own, taken, takes, worked, write
from casetrack.faces.cli.options import JsonOption, opt
from casetrack.faces.cli.output import confirmed, line, write_json
from casetrack.faces.cli.state import EXIT_FAILED, EXIT_INTERRUPTED, State

if TYPE_CHECKING:
    from casetrack.base.jobs import JobStore
    from casetrack.base.records.health import Action, IndexStatus
    from casetrack.base.records.jobs import Job

_LOOK_SECONDS = 0.5


def show_job(
    ctx: typer.Context,
    job_id: Annotated[str, opt("JOB")],
    follow: Annotated[bool, opt("--follow -f")] = False,
    as_json: JsonOption = False,
) -> int:
    """Show the progress of a job, its remaining time and its result.

    Ctrl-C while following ends the following, not the job. Exit code 1 means that the job failed
    or was interrupted.

    Parameters
    ----------
    job_id
        ID of the job, or its first characters.
    follow
        Wait for its end, with a progress bar.
    """
    state = ctx.ensure_object(State)
    jobs = state.library.jobs
    try:
        job = _followed(jobs, jobs.get(job_id)) if follow else jobs.get(job_id)
    except KeyboardInterrupt:
        state.interrupt_reported = True
        line("Stopped following; the job continues.", err=True)
        return EXIT_INTERRUPTED
    answer(job, "jobs show", as_json=as_json)
    return EXIT_FAILED if job.state in {"failed", "interrupted"} else 0


def _followed(jobs: "JobStore", job: "Job") -> "Job":
    """Show a bar until the job has ended."""
    from casetrack.faces.cli.progress import Meter

    unit = "chunks" if job.kind == "reindex" else "files"
    with Meter(job.title, unit=unit) as meter:
        while job.active:
            meter.update(job.done, job.total or None, job.what)
            time.sleep(_LOOK_SECONDS)
            job = jobs.get(job.id)
    return job


def export_log(ctx: typer.Context, file: Annotated[Path, opt("FILE")]) -> None:
    """Write the whole log as CSV, the oldest entry first.

    Parameters
    ----------
    file
        CSV file to write; - prints it.
    """
    log = ctx.ensure_object(State).library.audit
    if str(file) == "-":
        sys.stdout.write(log.as_csv())
        return
    path = file.expanduser().absolute()
    count = log.export(path)
    line(f"Wrote {count:,} entries to {path}.")


_WORK = Work("Restoring", "documents", "restore", "Restore of {subject} to {name_or_number}")


@takes("snapshots restore", yes=own(bool, "Do not ask for confirmation.", "--yes -y", False))
def restore(state: State, given: dict[str, Any]) -> int:
    """Restore the documents of a collection to an earlier state.

    The state before is kept as a new snapshot, so that you can undo it. Your files are not
    touched. It can be stopped at any time: every document stays complete, and the same command
    continues.
    """
    operation = replace(operations()["snapshots restore"], work=_WORK)
    target = state.collection(given["collection"])
    name, snapshot = target.name, given["name_or_number"]
    if not given["yes"] and not confirmed(
        f'Restoring "{name}" to "{snapshot}"', lambda: f'Restore "{name}" to "{snapshot}"?'
    ):
        line("Nothing was changed.")
        return EXIT_FAILED
    report = worked(state, operation, taken(operation, given), target)
    answer(report, operation, as_json=given["as_json"])
    if report.cancelled:
        state.interrupt_reported = True
        line("Stopped. Run the same command again to continue.", err=True)
        return EXIT_INTERRUPTED
    return 0


# ``casetrack upkeep`` and ``index-status``.


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
