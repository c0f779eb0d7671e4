"""``casetrack jobs``, ``audit`` and ``snapshots``: long work, changes, earlier states."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from casetrack.base.errors import CollectionNotFound, CollectionSealed, UsageError
from casetrack.faces.cli.collection import quoted
from casetrack.faces.cli.options import AnyCollectionOption, CollectionOption, JsonOption
from casetrack.faces.cli.output import Field, clean, counted, facts, line, record_table, write_json
from casetrack.faces.cli.state import EXIT_FAILED, EXIT_INTERRUPTED, State

if TYPE_CHECKING:
    from casetrack.api.library import Library
    from casetrack.base.jobs import JobStore
    from casetrack.base.records.jobs import Job
    from casetrack.base.records.snapshots import AuditEntry, RestoreReport, SnapshotInfo

# ``casetrack jobs``: the long work of all programs on this data folder.

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


# ``casetrack audit``: who did what in the data folder, and whether the log of it is whole.

_LISTED = 50


def _what(entry: "AuditEntry") -> str:
    named = [name for name in entry.names if name]
    shown = ", ".join(named[:3]) + (f" and {len(named) - 3} more" if len(named) > 3 else "")
    count = f"{entry.count:,}" if entry.count else ""
    return ": ".join(part for part in (count, shown or entry.detail) if part)


_AUDIT_FIELDS = (
    Field("No.", "right", whole=True, of="number"),
    Field("When", whole=True, of="at"),
    Field("Who", of="user"),
    Field("Program", of="program"),
    Field("Action", of="action"),
    Field("Collection", of=lambda e: e.collection or (e.collection_id or "")[:8]),
    Field("What", of=_what),
)


def list_entries(
    ctx: typer.Context,
    collection: Annotated[
        str | None,
        typer.Option(
            "--collection",
            "-c",
            metavar="NAME",
            help="Only what was done to this collection; of one that is gone, its ID.",
        ),
    ] = None,
    action: Annotated[
        str | None,
        typer.Option("--action", metavar="WORD", help="Only actions with this word: deleted, ..."),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-k", metavar="N", min=1, help="How many to list.")
    ] = _LISTED,
    as_json: JsonOption = False,
) -> None:
    """List what was done in the data folder, the last first.

    Kept are changes: who, when, from which program, what was added, changed, deleted, marked,
    exported, sealed. Names are those of today; of what was deleted only its ID is left. Searches
    are kept too where config.toml says so: [audit] searches = true.
    """
    from casetrack.base.records.snapshots import AuditEntry

    library = ctx.ensure_object(State).library
    wanted = None if collection is None else _id_of(library, collection)
    found = library.audit.entries(collection_id=wanted, action=action, limit=limit)
    if as_json:
        write_json([entry.as_dict() for entry in found])
        return
    record_table(AuditEntry, _AUDIT_FIELDS, found)


def _id_of(library: "Library", name: str) -> str:
    """Return the id of a collection: open, sealed, or gone."""
    try:
        return library.find(name).id
    except CollectionSealed:
        return library.sealed_file(name).name.partition(".")[0]
    except CollectionNotFound:
        known = {e.collection_id for e in library.audit.entries() if e.collection_id}
        fits = [i for i in known if i.startswith(name)]
        if len(fits) == 1:
            return fits[0]
        raise


def verify(
    ctx: typer.Context,
    digest: Annotated[
        str,
        typer.Option(
            "--digest",
            metavar="SHA256",
            help="A digest that you noted earlier: nothing before it may have changed since.",
        ),
    ] = "",
    as_json: JsonOption = False,
) -> int:
    """Check that no entry was changed, left out or put in.

    Prints the digest of the last entry. Whoever may write the data folder could write a whole new
    log; note that digest elsewhere, and --digest finds it out.
    """
    found = ctx.ensure_object(State).library.audit.verify(digest.strip().lower())
    if as_json:
        write_json(found.as_dict() | {"ok": found.ok})
        return 0 if found.ok else EXIT_FAILED
    for problem in found.problems:
        line(("PROBLEM  ", "bold red"), problem)
    if found.ok:
        line(f"{found.entries:,} entries, each follows on the one before it.")
        line(f"Digest of the last one: {found.digest}")
    return 0 if found.ok else EXIT_FAILED


def export(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV file to write; - prints it.")],
) -> None:
    """Write the whole log as CSV, the oldest entry first."""
    log = ctx.ensure_object(State).library.audit
    if str(file) == "-":
        sys.stdout.write(log.as_csv())
        return
    path = file.expanduser().absolute()
    count = log.export(path)
    line(f"Wrote {count:,} entries to {path}.")


# ``casetrack snapshots``: earlier states of a collection.

_SNAPSHOTS_LISTED = 20
_SNAPSHOTS_FIELDS = (
    Field("Name", of="name"),
    Field("Number", "right", whole=True, of=lambda s: str(s.number)),
    Field("Taken", whole=True, of="created_at"),
    Field("Documents", of="documents"),
    Field("Chunks", of="chunks"),
    Field(
        "Can be restored",
        of=lambda s: "as it is now" if s.current else "yes" if s.restorable else s.reason,
    ),
)
_SnapshotArgument = Annotated[
    str, typer.Argument(metavar="SNAPSHOT", help="Its name or its number in the list.")
]


def list_snapshots(
    ctx: typer.Context,
    collection: CollectionOption = None,
    limit: Annotated[
        int,
        typer.Option(
            "--limit", "-k", metavar="N", min=0, help="How many to list besides those with a name."
        ),
    ] = _SNAPSHOTS_LISTED,
    as_json: JsonOption = False,
) -> None:
    """List the states that a collection can go back to, the newest first.

    Those with a name stay until you remove them. The others are what every change leaves behind;
    they are cleaned away after some minutes.
    """
    target = ctx.ensure_object(State).collection(collection)
    found = target.admin.snapshots(limit=limit)
    if as_json:
        write_json([s.as_dict() for s in found])
        return
    from casetrack.base.records.snapshots import SnapshotInfo

    record_table(SnapshotInfo, _SNAPSHOTS_FIELDS, found)


def take(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call it.")],
    collection: CollectionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Keep the present state of a collection under a name.

    It takes room only as the collection changes: what is deleted or replaced later stays on the
    disk until the snapshot is removed.
    """
    target = ctx.ensure_object(State).collection(collection)
    taken = target.admin.take_snapshot(name)
    if as_json:
        write_json(taken.as_dict())
        return
    line(f'Took the snapshot "{taken.name}" of "{target.name}" ({_held(taken)}).')
    line(f"Go back to it: casetrack snapshots restore {quoted(str(taken.name))}")


def restore(
    ctx: typer.Context,
    snapshot: _SnapshotArgument,
    collection: CollectionOption = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Bring the documents of a collection back to an earlier state.

    The state before is kept as a snapshot of its own, so that you can undo it. Your files are not
    touched. Stopped at any moment, every document is whole, and the same command goes on.
    """
    state = ctx.ensure_object(State)
    target = state.collection(collection)
    if not yes and not _confirmed(target.name, snapshot):
        line("Nothing was changed.")
        return EXIT_FAILED
    from casetrack.faces.cli.progress import Meter, long_work

    report = long_work(
        state,
        "restore",
        lambda progress, cancel: target.admin.restore(snapshot, progress=progress, cancel=cancel),
        title=f"Restore of {target.name} to {snapshot}",
        collection=target.info,
        meter=Meter("Restoring", unit="documents"),
    )
    if as_json:
        write_json(report.as_dict())
    else:
        _snapshots_show(report)
    if report.cancelled:
        state.interrupt_told = True
        line("Stopped. Run the same command again to go on.", err=True)
        return EXIT_INTERRUPTED
    return 0


def remove(
    ctx: typer.Context,
    snapshot: _SnapshotArgument,
    collection: CollectionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remove a snapshot; the collection stays as it is."""
    target = ctx.ensure_object(State).collection(collection)
    gone = target.admin.remove_snapshot(snapshot)
    if as_json:
        write_json(gone.as_dict())
        return
    line(f'Removed the snapshot "{gone.name}". What only it held is cleaned away with time.')


def _confirmed(name: str, snapshot: str) -> bool:
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError(
            f'Restoring "{name}" to "{snapshot}" must be confirmed.',
            hint="Add --yes to confirm it on the command line.",
        )
    return typer.confirm(clean(f'Bring "{name}" back to "{snapshot}"?'))


def _snapshots_show(report: "RestoreReport") -> None:
    if report.undo is None:
        line(f'"{report.collection}" is in that state already; there was nothing to do.')
        return
    line(
        f"{counted(len(report.restored), 'document')} brought back, "
        f"{counted(len(report.removed), 'document')} removed, {report.unchanged:,} as before "
        f"in {report.seconds:.1f} s."
    )
    if report.lost_copies:
        shown = ", ".join(report.lost_copies[:5])
        more = len(report.lost_copies) - 5
        line(
            (
                "Note: the collection's own copies of these files are gone, so their pages can "
                f"only be shown from the files themselves: {shown}"
                + (f" and {more} more." if more > 0 else "."),
                "yellow",
            )
        )
    line(f"Undo it: casetrack snapshots restore {quoted(report.undo)}")


def _held(found: "SnapshotInfo") -> str:
    return f"{counted(found.documents, 'document')}, {counted(found.chunks, 'chunk')}"
