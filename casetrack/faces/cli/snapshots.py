"""``casetrack snapshots``: earlier states of a collection."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.base.errors import UsageError
from casetrack.faces.cli.collection import quoted
from casetrack.faces.cli.options import CollectionOption, JsonOption
from casetrack.faces.cli.output import Field, clean, counted, line, record_table, write_json
from casetrack.faces.cli.state import EXIT_FAILED, EXIT_INTERRUPTED, State

if TYPE_CHECKING:
    from casetrack.base.records.snapshots import RestoreReport, SnapshotInfo

_LISTED = 20
_FIELDS = (
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
    ] = _LISTED,
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

    record_table(SnapshotInfo, _FIELDS, found)


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
        _show(report)
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


def _show(report: "RestoreReport") -> None:
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
