"""``casetrack jobs show``, ``audit export`` and ``snapshots restore``."""

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from casetrack.api.operation import Work
from casetrack.faces.cli.asking import answer, operations, own, taken, takes, worked
from casetrack.faces.cli.options import JsonOption, opt
from casetrack.faces.cli.output import confirmed, line
from casetrack.faces.cli.state import EXIT_FAILED, EXIT_INTERRUPTED, State

if TYPE_CHECKING:
    from casetrack.base.jobs import JobStore
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
