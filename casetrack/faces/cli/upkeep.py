"""``casetrack upkeep``: free space and remove for good what was deleted."""

import logging
from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.base.errors import CaseTrackError
from casetrack.faces.cli.options import AnyCollectionOption, JsonOption
from casetrack.faces.cli.output import byte_text, counted, line, write_json
from casetrack.faces.cli.state import EXIT_INTERRUPTED, State

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.base.records.upkeep import UpkeepReport

logger = logging.getLogger("casetrack.cli")


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

    state = ctx.ensure_object(State)
    reports = list["UpkeepReport"]()
    with stoppable() as stop:
        for target in _targets(state, collection):
            if not stop.is_set():
                report = target.admin.upkeep(
                    secure=secure, if_needed=if_needed, wait=True, cancel=stop
                )
                reports += [report] if report is not None else []
    if as_json:
        write_json([r.as_dict() for r in reports])
    else:
        for report in reports:
            show(report)
        if not reports:
            line("There is nothing to remove." if if_needed else "There are no collections.")
    return EXIT_INTERRUPTED if any(r.cancelled for r in reports) else 0


def keep_up(target: "Collection", /) -> None:
    """See to the upkeep of a collection that a command has changed, where one is due.

    Who works with commands alone has no server that does it at quiet times. What goes wrong is
    for the next time: the command itself has done what it was asked for.
    """
    try:
        target.admin.upkeep(if_needed=True)
    except CaseTrackError as error:
        logger.info("No upkeep of %s: %s", target.folder.name, error.message)


def show(report: "UpkeepReport", /) -> None:
    """Say what an upkeep did."""
    freed, left = byte_text(report.freed_bytes), byte_text(report.bytes_after)
    line(
        (report.collection, "bold cyan"),
        f": freed {freed}; {left} on disk ({report.seconds:.1f} s)",
    )
    done = list(report.removed)
    if report.deleted_rows > 0:
        done.insert(0, f"{counted(report.deleted_rows, 'deleted row')} from the data files")
    versions = report.versions_before - report.versions_after
    if versions > 0:
        done.append(counted(versions, "earlier state"))
    for what in done:
        line(f"Removed {what}.", indent=2)
    if report.fragments_after < report.fragments_before:
        line(
            f"Merged {counted(report.fragments_before, 'data file')} into "
            f"{report.fragments_after:,}.",
            indent=2,
        )
    for note in report.notes:
        line(("Note: ", "yellow"), note, indent=2)
    if report.cancelled:
        line("Stopped; what was done stays done. Run it again to go on.", indent=2)
    elif report.secure and not report.notes:
        line("Nothing that was deleted is left in any file of the collection.", indent=2)


def _targets(state: State, name: str | None) -> "list[Collection]":
    if name is not None:
        return [state.collection(name)]
    return [state.library.get(i.id) for i in state.library.collections(status="all")]
