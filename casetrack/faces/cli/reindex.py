"""``casetrack reindex``: make vectors and search terms anew, also with other models."""

from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.base.errors import UsageError
from casetrack.faces.cli.asking import answer
from casetrack.faces.cli.options import CollectionOption, JsonOption
from casetrack.faces.cli.output import counted
from casetrack.faces.cli.state import State, show_notice
from casetrack.faces.cli.upkeep import ended

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from casetrack.base.records.snapshots import ReindexReport


def reindex(
    ctx: typer.Context,
    document: Annotated[
        str | None,
        typer.Argument(
            metavar="DOCUMENT", help="Only this document: its name or ID.", show_default=False
        ),
    ] = None,
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
        bool | None,
        typer.Option(
            "--reparse/--no-reparse",
            help="Read the source files again, too, where they have changed or something is out "
            "of date. For a single document this is the default.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Make everything anew, not only what is out of date.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Make vectors and search terms anew where they are out of date, or with other models.

    The stored texts are enough for it; your files are only needed with --reparse. You can search
    and ingest all the while. Stopped at any moment, the collection stays as it was or is as it
    should be, and the same command goes on where it stopped. `casetrack index-status` says what is
    out of date.
    """
    state = ctx.ensure_object(State)
    target = state.collection(collection)
    from casetrack.faces.cli.progress import Meter, long_work

    if document is not None and profile is not None:
        raise UsageError(
            "Other models are for a whole collection, not for one document.",
            hint="Leave out the document, or --profile.",
        )
    if profile is not None:
        show_notice(state, profile)

    def work(progress: "Callable[..., None]", cancel: "threading.Event") -> "ReindexReport":
        if document is None:
            return target.admin.reindex(
                profile, reparse=bool(reparse), force=force, progress=progress, cancel=cancel
            )
        return target.admin.reindex_document(
            document, reparse=reparse is not False, force=force, progress=progress, cancel=cancel
        )

    report = long_work(
        state,
        "reindex",
        work,
        title=f'Reindex of "{document or target.name}"',
        collection=target.info,
        meter=Meter("Reindexing", unit="chunks"),
    )
    answer(report, "reindex", as_json=as_json)
    failed = report.files.count("failed") if report.files else 0
    said = f"{counted(failed, 'file')} could not be read again; what is stored was kept."
    return ended(state, target, report, stopped_text(report, state.stopped_by), said * bool(failed))


def stopped_text(report: "ReindexReport", by: str, /) -> str:
    """Return what is to know of a reindex that was stopped."""
    kept = f"{counted(report.embedded, 'text')} embedded and kept" if report.embedded else ""
    done = f"{counted(report.documents, 'document')} finished" if report.documents else ""
    what = ", ".join(part for part in (done, kept) if part) or "nothing was changed"
    return (
        f'Stopped by {by}: {what}. "{report.collection}" is whole and uses the profile '
        f"{report.profile}. Run the same command again to go on."
    )
