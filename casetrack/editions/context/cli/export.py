"""``ctx export`` and ``ctx embed``: export to files, and create vectors."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from casetrack.base.errors import UsageError
from casetrack.base.records import AUTO_PROFILE
from casetrack.editions.context.cli.state import ContextState
from casetrack.faces.cli.asking import show, stopped_text
from casetrack.faces.cli.options import JsonOption, described
from casetrack.faces.cli.output import byte_text, counted, line, write_json
from casetrack.faces.cli.progress import Meter, long_work
from casetrack.faces.cli.state import EXIT_INTERRUPTED

if TYPE_CHECKING:
    from casetrack.editions.context.home import ContextHome


@described(output="--output -o PATH", name="--name TEXT")
def export(ctx: typer.Context, output: Path | None = None, name: str | None = None) -> None:
    """Export everything as JSON, or as one page with search in the browser.

    The page contains all data and loads nothing: open it from the disk, send it, or put it on any
    web server. It searches by keywords. Its links open the lines if the source has such links.

    Parameters
    ----------
    output
        A .json file, an .html page, or a folder for both. [default: JSON to standard output]
    name
        Title of the page. [default: name of this folder]
    """
    home = ctx.ensure_object(ContextState).home
    from casetrack.editions.context import export as exporting

    if output is None:
        write_json(exporting.as_json(home.collection))
        return
    title = name or home.config.base.name or "Search"
    written = exporting.write(home.collection, output, name=title)
    held = f"{counted(written.documents, 'document')}, {counted(written.chunks, 'passage')}"
    for file in written.files:
        line(("Wrote ", "bold"), str(file), (f" ({held}; {byte_text(file.stat().st_size)})", "dim"))


# ``ctx embed``: create missing vectors, or rebuild all.


@described(dry_run="--dry-run")
def pending(ctx: typer.Context, dry_run: bool = False, as_json: JsonOption = False) -> int:
    """Create vectors that are missing or belong to another model.

    A missing local model is downloaded first.

    Parameters
    ----------
    dry_run
        Only report how many are missing.
    """
    state = ctx.ensure_object(ContextState)
    if not dry_run:
        return _make(state, force=False, as_json=as_json)
    _profile(state.home)
    status = state.home.collection.admin.index_status()
    missing = status.chunks - status.coverage["dense"]
    if as_json:
        write_json({"chunks": status.chunks, "pending": missing})
    else:
        line(f"{counted(status.chunks, 'passage')}, {missing:,} without vectors.")
    return 0


def rebuild(ctx: typer.Context, as_json: JsonOption = False) -> int:
    """Rebuild all vectors with the model of the config."""
    return _make(ctx.ensure_object(ContextState), force=True, as_json=as_json)


def _make(state: ContextState, *, force: bool, as_json: bool) -> int:
    home = state.home
    profile = _profile(home)
    _ = home.collection  # raises an error if no source was synced
    target, _notes = home.make()
    wanted = target.info.profile if profile == AUTO_PROFILE else profile
    notice = home.library.profile_notice(wanted)
    if notice:
        line((notice, "yellow"), err=True)
    _fetch(home, wanted)
    report = long_work(
        state,
        "reindex",
        lambda progress, cancel: target.admin.reindex(
            wanted, force=force, progress=progress, cancel=cancel
        ),
        title="Vectors for the sources",
        collection=target.info,
        meter=Meter("Embedding", unit="chunks"),
    )
    if as_json:
        write_json(report.as_dict())
    elif report.did_nothing and report.profile == report.previous_profile:
        line("All passages have vectors; nothing to do.")
    else:
        show(report)
    if report.cancelled:
        state.interrupt_reported = True
        line(stopped_text(report, state.stopped_by), err=True)
        return EXIT_INTERRUPTED
    return 0


def _profile(home: "ContextHome") -> str:
    from casetrack.editions.context.home import profile_of

    profile = profile_of(home.config)
    if profile is None:
        raise UsageError(
            f"Vectors are disabled: {home.config.files[0]} sets provider of [embedding] to "
            "disabled.",
            hint='Set provider = "local" for a model on this computer, then try again.',
        )
    return profile


def _fetch(home: "ContextHome", profile: str) -> None:
    """Download the missing models of a profile."""
    if home.library.missing_models(profile) is None:
        return
    from casetrack.base.models.profiles import find_profile
    from casetrack.models.pull import pull

    with Meter("Fetching", unit="bytes") as meter:
        for spec in find_profile(profile).models:
            report = pull(spec, home.library.settings.models_dir, progress=meter.step)
            line(report.summary(), err=True)
