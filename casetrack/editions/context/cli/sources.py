"""``ctx sync`` and ``stats``: the sources of the documents."""

import json
import os
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import typer

from casetrack.base.provenance import iso_utc
from casetrack.editions.context.cli.state import ContextState
from casetrack.faces.cli.asking import show
from casetrack.faces.cli.options import JsonOption, described, opt
from casetrack.faces.cli.output import (
    Field,
    byte_text,
    cell_text,
    confirmed,
    counted,
    facts,
    flush,
    line,
    table,
    write_json,
)
from casetrack.faces.cli.progress import Meter, keep_up, long_work, stoppable
from casetrack.faces.cli.state import EXIT_FAILED, EXIT_INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

    from casetrack.base.records.sync import SyncReport
    from casetrack.editions.context.home import ContextHome

# ``ctx sync``: update the collection from its sources.


def source_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the sources that begin with the typed text, for completion in the shell."""
    from casetrack.base.errors import CaseTrackError
    from casetrack.editions.context.config import load_config

    try:
        entries = load_config(ctx.find_root().params.get("config")).sources
    except CaseTrackError:
        return []  # completion cannot show a message; the command itself reports the error
    names = ["all", *dict.fromkeys(e.kind for e in entries), *(e.label for e in entries)]
    return [name for name in names if name.startswith(incomplete)]


@described(
    source=opt("SOURCE", autocompletion=source_names),
    full="--full",
    dry_run="--dry-run",
    since="--since DATE",
    until="--until DATE",
    limit=opt("--limit N", min=1),
    progress="--progress",
)
def sync(
    ctx: typer.Context,
    source: str = "all",
    full: bool = False,
    dry_run: bool = False,
    since: str | None = None,
    until: str | None = None,
    limit: int | None = None,
    progress: Literal["human", "json"] = "human",
    as_json: JsonOption = False,
) -> int:
    """Update the collection from the sources of the config.

    New and changed items are read, renamed or moved ones are followed, and missing ones are
    removed. Nothing is removed if the listing of a source is incomplete, or with --since, --until
    or --limit. If a source fails, the others continue, and the exit code is 1.

    Parameters
    ----------
    source
        all, a kind such as git, or one source such as git:platform.
    full
        Read all items again, also unchanged ones, and split documents of an earlier [chunking]
        again; accept an empty source.
    dry_run
        Only report what would change.
    since
        Only items changed on or after this day.
    until
        Only items changed on or before this day.
    limit
        Only the first N items of each source.
    progress
        Form of the progress: text, or lines of JSON.
    """
    state = ctx.ensure_object(ContextState)
    from casetrack.editions.context.home import moments, source_to_sync

    chosen = state.home.config.select(source)
    start, end = moments(since, until)
    target, notes = state.home.make()
    for note in () if full else notes:
        line((f"Note: {note}", "yellow"), err=True)
    one = partial(
        target.sync_source, full=full, dry_run=dry_run, since=start, until=end, limit=limit
    )
    reports: list[SyncReport] = []
    for entry in chosen:
        meter = Meter(entry.label) if progress == "human" else _Lines(entry.label)
        report = long_work(
            state,
            "sync",
            partial(_one, partial(one, source_to_sync(state.home, entry))),
            title=f"Sync with {entry.label}",
            collection=target.info,
            meter=meter,
        )
        reports.append(report)
        if progress == "json":
            _event("done", entry.label, {"ok": not report.problem, "counts": report.counts})
        if not as_json:
            _show(report)
        if report.cancelled:
            break
    if as_json:
        write_json({"sources": [report.as_dict() for report in reports]})
    if reports[-1].cancelled:
        state.interrupt_reported = True
        line(
            f"Stopped by {state.stopped_by}: finished documents are kept. Run the same command "
            "again to continue.",
            err=True,
        )
        return EXIT_INTERRUPTED
    if not dry_run:
        keep_up(target)
        _note_missing_models(state.home)
    return _exit_code(reports)


@described(source=opt("SOURCE", autocompletion=source_names), every=opt("--every N", min=5))
def watch(ctx: typer.Context, source: str = "all", every: int = 300) -> int:
    """Sync when the files of a folder change, and at intervals, until Ctrl-C.

    Repositories, buckets, scripts and network drives report no changes; they are synced at
    intervals.

    Parameters
    ----------
    source
        all, a kind such as git, or one source such as git:platform.
    every
        Seconds between syncs of sources that report no changes.
    """
    from casetrack.api.watch.changes import DEBOUNCE_SECONDS, OsNotifier
    from casetrack.editions.context.home import source_to_sync

    state = ctx.ensure_object(ContextState)
    home, chosen = state.home, state.home.config.select(source)
    target, _ = home.make()
    own = os.path.realpath(home.config.data_dir)
    changed: dict[str, float] = {}
    due = dict.fromkeys((entry.label for entry in chosen), 0.0)
    problems: dict[str, str] = {}
    notifier = OsNotifier(home.config.data_dir / "watch")

    def hear(name: str, path: str, _is_folder: bool) -> None:
        # The data folder may be in a watched one, and every sync writes to it.
        if not os.path.realpath(path).startswith(own):
            changed[name] = time.monotonic()

    with stoppable() as stop:
        for entry in chosen:
            if root := getattr(source_to_sync(home, entry), "root", None):
                notifier.follow(entry.label, str(root), partial(hear, entry.label), recursive=True)
        line(f"Watching {counted(len(chosen), 'source')}. Ctrl-C stops it.")
        while not stop.wait(1.0):
            for entry in chosen:
                name, now = entry.label, time.monotonic()
                is_settled = now - changed.get(name, now) >= DEBOUNCE_SECONDS
                if not is_settled and now < due[name]:
                    continue
                changed.pop(name, None)
                due[name] = now + every
                report = target.sync_source(source_to_sync(home, entry), cancel=stop)
                if report.changes or report.problem != problems.get(name, ""):
                    _show(report)
                    flush()
                problems[name] = report.problem
        notifier.stop()
    state.interrupt_reported = True
    return EXIT_INTERRUPTED


def _one(sync: "Callable[..., SyncReport]", tell: Any, stop: Any) -> "SyncReport":
    return sync(progress=tell, cancel=stop)


def _exit_code(reports: "Sequence[SyncReport]") -> int:
    failed = [report for report in reports if report.problem]
    if failed:
        names = ", ".join(report.folder for report in failed)
        line(f"{counted(len(failed), 'source')} of {len(reports)} failed: {names}", err=True)
    return EXIT_FAILED if failed else 0


def _show(report: "SyncReport") -> None:
    line((report.folder, "bold cyan"))
    show(report)
    if report.problem:
        line(("Failed: ", "bold red"), report.problem.removeprefix(f"{report.folder}: "))
        line(("Its documents are kept; their results are marked as stale.", "dim"))
    line()


def _note_missing_models(home: "ContextHome") -> None:
    """Print how to create vectors if the config wants them and the models are missing."""
    wanted = home.config.embedding["provider"] != "disabled"
    if wanted and home.library.missing_models(home.collection.info.profile):
        note = (
            "Note: search uses keywords only until `ctx embed pending` has created vectors; "
            "the command downloads the model first."
        )
        line((note, "yellow"), err=True)


class _Lines(Meter):
    """Progress as lines of JSON."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self._source = source

    def __enter__(self) -> "Self":
        """Return this object."""
        return self

    def step(self, what: str, done: int, total: int | None, /) -> None:
        """Write one event."""
        _event("progress", self._source, {"phase": what, "n": done, "total": total})


def _event(kind: str, source: str, facts: dict[str, object]) -> None:
    sys.stderr.write(json.dumps({"event": kind, "connector": source, **facts}) + "\n")
    sys.stderr.flush()


@described(source="SOURCE", yes="--yes -y")
def forget(ctx: typer.Context, source: str, yes: bool = False, as_json: JsonOption = False) -> None:
    """Remove a source from the index: its documents, and the state of its syncs.

    The source itself is not touched. While the config names it, the next sync reads it again.

    Parameters
    ----------
    source
        The source, such as git:platform.
    yes
        Do not ask.
    """
    home = ctx.ensure_object(ContextState).home
    if not yes and not confirmed(f"Removing {source}", lambda: "Remove all its documents?"):
        return
    gone = home.collection.forget_source(source)
    if as_json:
        write_json(gone.as_dict())
        return
    line(f"Removed {source}: {counted(gone.documents, 'document')}.")
    if source in home.config.labels:
        line(f"The config still names it: remove its table, or the next sync reads {source} again.")


_BY_SOURCE = """
SELECT coalesce(d.source, 'filesystem') AS source, count(DISTINCT d.document_id) AS documents,
       count(c.chunk_id) AS chunks, count(c.embedded_at) AS embedded,
       max(d.source_updated_at) AS newest
FROM documents d LEFT JOIN chunks c USING (document_id)
GROUP BY ALL ORDER BY source
"""


def stats(ctx: typer.Context, as_json: JsonOption = False) -> None:
    """Count documents, passages and vectors, in total and by source."""
    home = ctx.ensure_object(ContextState).home
    counted: list[dict[str, Any]] = home.collection.sql(_BY_SOURCE).to_pylist()
    total = {key: sum(row[key] for row in counted) for key in ("documents", "chunks", "embedded")}
    size = home.collection.stats().storage_bytes
    config = home.config
    if as_json:
        for row in counted:
            row["newest"] = row["newest"] and iso_utc(row["newest"])
        raw = {"config": [str(file) for file in config.files], "data": str(config.data_dir)}
        write_json({**raw, **total, "storage_bytes": size, "sources": counted})
        return
    facts(
        [
            ("Config", " over ".join(str(file) for file in config.files)),
            ("Data", f"{config.data_dir} ({byte_text(size)})"),
            ("Documents", f"{total['documents']:,}"),
            ("Passages", f"{total['chunks']:,}, of which {total['embedded']:,} have vectors"),
        ]
    )
    line()
    fields = [Field("Source"), *(Field(n.capitalize(), "right") for n in total)]
    fields += [Field("Newest")]
    newest = (row.pop("newest") for row in counted)
    table(fields, ([*row.values(), cell_text(n)] for row, n in zip(counted, newest, strict=True)))
