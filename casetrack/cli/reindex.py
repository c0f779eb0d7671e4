"""``casetrack reindex``: make vectors and search terms anew, also with other models."""

from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.cli.ingest import show_outcome
from casetrack.cli.options import CollectionOption, JsonOption
from casetrack.cli.output import counted, line, write_json
from casetrack.cli.state import EXIT_FAILED, EXIT_INTERRUPTED, State

if TYPE_CHECKING:
    from casetrack.ingest.reindexed import ReindexReport

_MOST_LISTED = 20


def reindex(
    ctx: typer.Context,
    collection: CollectionOption = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            metavar="PROFILE",
            help="Use these models from now on; a wrong name lists all profiles.",
        ),
    ] = None,
    reparse: Annotated[
        bool, typer.Option("--reparse", help="Read the source files again, too.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Make everything anew, not only what is out of date.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Make vectors and search terms anew where they are out of date, or with other models.

    The stored texts are enough for it; your files are only needed with --reparse. You can search
    and ingest all the while. Stopped at any moment, the collection stays as it was or is as it
    should be, and the same command goes on where it stopped.
    """
    state = ctx.ensure_object(State)
    target = state.collection(collection)
    from casetrack.cli.progress import Meter, stoppable

    if profile is not None:
        show_notice(state, profile)
    with stoppable() as stop, Meter("Reindexing", unit="chunks") as meter:
        report = target.reindex(
            profile, reparse=reparse, force=force, progress=meter.step, cancel=stop
        )
    if as_json:
        write_json(report.as_dict())
    else:
        _show(report)
    if report.cancelled:
        state.interrupt_told = True
        line(_stopped_text(report), err=True)
        return EXIT_INTERRUPTED
    failed = report.files.count("failed") if report.files else 0
    if failed:
        line(f"{counted(failed, 'file')} could not be read again.", err=True)
    return EXIT_FAILED if failed else 0


def show_notice(state: State, profile: str, /) -> None:
    """Say on standard error where the texts of a collection with this profile would go."""
    notice = state.library.profile_notice(profile)
    if notice:
        line((notice, "yellow"), err=True)


def _show(report: "ReindexReport") -> None:
    if report.files is not None:
        for outcome in report.files.outcomes:
            if outcome.status in {"failed", "partial"}:
                show_outcome(outcome)
        read = report.files.count("ingested", "partial")
        line(f"{counted(read, 'file')} read again.")
        for note in report.files.notes:
            line((f"Note: {note}", "yellow"))
    if report.missing_files:
        line(
            f"{counted(len(report.missing_files), 'file')} not found any more; what is stored of "
            "them was kept:"
        )
        for path in report.missing_files[:_MOST_LISTED]:
            line(path, indent=2)
        if len(report.missing_files) > _MOST_LISTED:
            line(f"... {len(report.missing_files) - _MOST_LISTED:,} more", indent=2)
    if report.cancelled:
        return
    changed = report.profile != report.previous_profile
    if changed:
        line(
            f'"{report.collection}" uses the profile {report.profile} now '
            f"(before: {report.previous_profile})."
        )
    if not report.documents and not changed and report.files is None:
        line(f'"{report.collection}" is up to date; there was nothing to do.')
        line(("Use --force to make everything anew.", "dim"))
        return
    size = f"{counted(report.documents, 'document')}, {counted(report.chunks, 'chunk')}"
    line((f"{size} made anew in {report.seconds:.1f} s.", "bold"))


def _stopped_text(report: "ReindexReport") -> str:
    kept = f"{counted(report.embedded, 'text')} embedded and kept" if report.embedded else ""
    done = f"{counted(report.documents, 'document')} finished" if report.documents else ""
    what = ", ".join(part for part in (done, kept) if part) or "nothing was changed"
    return (
        f'Stopped by Ctrl-C: {what}. "{report.collection}" is whole and uses the profile '
        f"{report.profile}. Run the same command again to go on."
    )
