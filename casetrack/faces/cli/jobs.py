"""``casetrack jobs``: the long work of all programs on this data folder."""

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from casetrack.faces.cli.options import AnyCollectionOption, JsonOption
from casetrack.faces.cli.output import Field, counted, facts, line, record_table, write_json
from casetrack.faces.cli.state import EXIT_FAILED, EXIT_INTERRUPTED, State

if TYPE_CHECKING:
    from casetrack.base.jobs import JobStore
    from casetrack.base.records.jobs import Job

SHOWN_JOBS = 20
_LOOK_SECONDS = 0.5
_STYLES = {"failed": "bold red", "interrupted": "yellow", "cancelled": "yellow", "done": "green"}

JobArgument = Annotated[
    str, typer.Argument(metavar="JOB", help="ID of the job; its beginning is enough.")
]


def list_jobs(
    ctx: typer.Context,
    everything: Annotated[
        bool, typer.Option("--all", help="List all that are known, not only the newest.")
    ] = False,
    collection: AnyCollectionOption = None,
    as_json: JsonOption = False,
) -> None:
    """List long work: what waits and runs now, in any program, and what has ended lately.

    Records are kept for 30 days, of the newest 200 jobs.
    """
    state = ctx.ensure_object(State)
    wanted = state.library.get(collection).info.id if collection is not None else None
    found = state.library.jobs.list(collection_id=wanted)
    shown = found if everything else found[: max(SHOWN_JOBS, sum(job.active for job in found))]
    if as_json:
        write_json([job.as_dict() for job in shown])
        return
    if not found:
        line("There are no jobs.")
        return
    from casetrack.base.records.jobs import Job

    record_table(Job, _FIELDS, shown)
    if len(shown) < len(found):
        line((f"{len(found) - len(shown):,} older ones: casetrack jobs list --all", "dim"))


def show(
    ctx: typer.Context,
    job_id: JobArgument,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Wait until it ends, with a bar.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Show how far a job is, how long it will take, and what came of it.

    Ctrl-C while following ends the following, not the job. Exit code 1 says that it failed or was
    interrupted.
    """
    state = ctx.ensure_object(State)
    jobs = state.library.jobs
    try:
        job = _followed(jobs, jobs.get(job_id)) if follow else jobs.get(job_id)
    except KeyboardInterrupt:
        state.interrupt_told = True
        line("Not followed any more; the job goes on.", err=True)
        return EXIT_INTERRUPTED
    if as_json:
        write_json(job.as_dict())
    else:
        _show(job)
    return EXIT_FAILED if job.state in {"failed", "interrupted"} else 0


def cancel(ctx: typer.Context, job_id: JobArgument, as_json: JsonOption = False) -> None:
    """Ask a job to end, whichever program does it; what is finished is kept.

    It ends after the document or step at hand.
    """
    job = ctx.ensure_object(State).library.jobs.request_cancel(job_id)
    if as_json:
        write_json(job.as_dict())
    elif job.active:
        line(f"Asked {job.id} to end ({job.title}). It ends after the step at hand.")
        line((f"See how it ends: casetrack jobs show {job.id} --follow", "dim"))
    else:
        line(f"{job.id} has ended already: {job.state}.")


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


def _show(job: "Job") -> None:
    line((job.title, "bold"))
    facts(
        [
            ("Job", job.id),
            ("State", job.state),
            ("Collection", job.collection),
            ("Progress", progress_text(job)),
            ("Time left", about(job.remaining_seconds)),
            ("Asked for", job.created_at),
            ("Began", job.started_at),
            ("Ended", job.ended_at),
        ]
    )
    if job.error is not None:
        line((job.error.get("message", ""), _STYLES.get(job.state, "")))
        if job.error.get("hint"):
            line(job.error["hint"], indent=2)
    for text in _result_lines(job.result or {}):
        line(text)


def _result_lines(result: dict[str, Any]) -> list[str]:
    """Return the numbers of a report; the lists in it are for JSON."""
    lines = []
    counts = result.get("counts")
    if isinstance(counts, dict):
        lines.append(", ".join(f"{n:,} {name}" for name, n in counts.items() if n))
    named = [(n, result.get(f"{n}s")) for n in ("file", "document", "page", "chunk")]
    sizes = [counted(value, name) for name, value in named if type(value) is int and value]
    seconds = result.get("seconds")
    took = f" in {seconds:.1f} s" if isinstance(seconds, (int, float)) else ""
    if sizes or took:
        lines.append((", ".join(sizes) or "Done") + took)
    return [text for text in lines if text]


def progress_text(job: "Job", /) -> str:
    """Return how far a job is, on one line."""
    if not job.active:
        return ""
    if job.waiting or not job.total:
        return job.what
    left = about(job.remaining_seconds)
    how_far = f"{job.done:,} of {job.total:,}" + (f", {left} left" if left else "")
    return f"{job.what}: {how_far}" if job.what else how_far


_FIELDS = (
    Field("Job", whole=True, of="id"),
    Field("State", whole=True, of="state"),
    Field("Title", of="title"),
    Field("Collection", extra=True, of="collection"),
    Field("Progress", of=progress_text),
    Field("Started", whole=True, extra=True, of="created_at"),
)


def about(seconds: float | None, /) -> str:
    """Return an estimated time: ``about 40 s``, ``about 5 min``, ``about 2.5 h``."""
    if seconds is None:
        return ""
    if seconds < 90:
        return f"about {seconds:.0f} s"
    if seconds < 5400:
        return f"about {seconds / 60:.0f} min"
    return f"about {seconds / 3600:.1f} h"
