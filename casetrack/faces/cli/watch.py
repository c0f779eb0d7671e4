"""``casetrack watch add`` and ``watch run``: folders that are kept in sync by themselves."""

import json
import signal
import threading
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from casetrack.api.watch.watches import Watches
from casetrack.base.errors import CaseTrackError
from casetrack.base.records.sync import SyncReport, Watch, WatchedFolder
from casetrack.faces.cli.asking import answer, asks
from casetrack.faces.cli.output import counted, flush, line, write_json, write_text
from casetrack.faces.cli.state import EXIT_FAILED, EXIT_INTERRUPTED, State

if TYPE_CHECKING:
    from casetrack.api.watch.watched_folder import SyncTask


@asks("watch add")
def add_watch(watched: WatchedFolder, given: dict[str, Any]) -> None:
    """Keep a collection in sync with a folder, from now on and after every restart.

    Programs that serve CaseTrack watch by themselves, and so does `casetrack watch run`. Adding a
    folder again changes only the options that you give.
    """
    if given["as_json"]:
        write_json(watched.as_dict() | {"new": watched.new})
        return
    line(("Now watched:" if watched.new else "Changed it:", "bold"))
    answer(watched, "watch add", as_json=False)
    if watched.status.health == "unwatched":
        line("No program is watching now. Start an AI client with CaseTrack, or run:")
        line("casetrack watch run", indent=2)


# ``casetrack watch run``: watching in the foreground with one line for each sync.

_LISTED = 5


def run_watches(
    ctx: typer.Context,
    once: Annotated[bool, typer.Option("--once")] = False,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> int:
    """Watch all folders in the foreground until Ctrl-C, with one line per sync.

    For computers without an AI client, and for services: SIGTERM ends it with exit code 0. With
    --once, for schedulers: exit code 1 if a folder or a file could not be synced.

    Parameters
    ----------
    once
        Sync every watched folder once, and exit.
    as_json
        Write one JSON object per line instead of text.
    """
    from casetrack.faces.cli.progress import stoppable

    state = ctx.ensure_object(State)
    writer = _EventWriter(state, as_json=as_json)
    with stoppable() as stop:
        asked = threading.Event()  # by SIGTERM, which is no interruption

        def on_terminate(_number: int, _frame: Any) -> None:
            asked.set()
            stop.set()

        before = signal.signal(signal.SIGTERM, on_terminate)
        try:
            failed = _run_once(state, writer, stop) if once else _watch(state, writer, stop)
        finally:
            signal.signal(signal.SIGTERM, before)
    if stop.is_set():
        state.interrupt_reported = True
        writer.write_event("stopped", "Stopped; completed work is kept.")
        if not asked.is_set():
            return EXIT_INTERRUPTED
    return EXIT_FAILED if failed else 0


def _watch(state: State, writer: "_EventWriter", stop: threading.Event) -> bool:
    from casetrack.api.watch.manager import WatchManager

    named = Watches(state.library)
    watches = named.all()
    text = f"Watching {counted(len(watches), 'folder')}. Ctrl-C stops it."
    if not watches:
        text = (
            "No folder is watched yet; `casetrack watch add FOLDER -c NAME` adds one at any time."
        )
    writer.write_event("started", text, watches=len(watches))
    for each in watches:
        folder, status = each.watch.folder, each.status
        if status.owner and status.health != "unwatched":
            writer.write_event(
                "elsewhere",
                f"{folder} is watched by {status.owner}; this program takes over at its end.",
                folder=folder,
            )

    def write_sync(watch: Watch, task: "SyncTask", outcome: SyncReport | Exception) -> None:
        try:
            writer.write_sync(watch, task, outcome)
        except (OSError, CaseTrackError):
            stop.set()  # The reader of the lines has gone.

    manager = WatchManager(
        state.library, named.kept, owner="casetrack watch run", on_sync=write_sync
    )
    manager.start()
    while not stop.wait(1.0):
        pass
    manager.stop()
    return False


def _run_once(state: State, writer: "_EventWriter", stop: threading.Event) -> bool:
    from casetrack.api.watch.manager import compare_all

    failed = False
    count = 0
    for watch, task, outcome in compare_all(state.library, Watches(state.library).kept, stop):
        writer.write_sync(watch, task, outcome)
        count += 1
        failed = failed or isinstance(outcome, Exception) or outcome.count("failed") > 0
    if not count and not stop.is_set():
        writer.write_event("nothing", "There is no watched folder to sync.")
    return failed


class _EventWriter:
    """Writes events as lines of text or of JSON."""

    def __init__(self, state: State, *, as_json: bool) -> None:
        self._state = state
        self._as_json = as_json

    def write_event(self, event: str, text: str, **more: Any) -> None:
        """Write an event."""
        if self._as_json:
            self._write({"event": event, "message": text, **more})
        else:
            line((text, "dim"))
            flush()

    def write_sync(self, watch: Watch, task: "SyncTask", outcome: SyncReport | Exception) -> None:
        """Write the result of a sync."""
        if self._as_json:
            self._write(_sync_event(watch, task, outcome))
            return
        from casetrack.api.watch.statuses import counts_of, counts_text

        name = Watches(self._state.library).of(watch).collection
        head = f"{datetime.now().astimezone():%H:%M:%S}  {watch.folder} -> {name}: "
        if isinstance(outcome, Exception):
            problem = _problem(outcome)
            line(head, (problem["message"], "bold red"))
            if problem["hint"]:
                line(problem["hint"], indent=10)
        else:
            end = ", stopped" if outcome.cancelled else ""
            line(head, f"{counts_text(counts_of(outcome))} ({outcome.seconds:.1f} s{end})")
            failures = [c for c in getattr(outcome, "changes", ()) if c.kind == "failed"]
            for change in failures[:_LISTED]:
                line(f"{change.path}: {change.message}", indent=10)
            if len(failures) > _LISTED:
                line(f"... {len(failures) - _LISTED:,} more", indent=10)
        flush()

    def _write(self, event: dict[str, Any]) -> None:
        stamp = {"time": datetime.now().astimezone().isoformat(timespec="seconds")}
        write_text(json.dumps(stamp | event, default=str) + "\n")
        flush()


def _sync_event(watch: Watch, task: "SyncTask", outcome: SyncReport | Exception) -> dict[str, Any]:
    from casetrack.api.watch.statuses import counts_of

    event: dict[str, Any] = {
        "event": "sync",
        "watch_id": watch.id,
        "folder": watch.folder,
        "collection_id": watch.collection_id,
        "paths": None if task.paths is None else len(task.paths),
    }
    if isinstance(outcome, Exception):
        return event | {"error": _problem(outcome)}
    return event | {
        "counts": counts_of(outcome),
        "seconds": round(outcome.seconds, 3),
        "cancelled": outcome.cancelled,
        "failed": [c.as_dict() for c in getattr(outcome, "changes", ()) if c.kind == "failed"],
    }


def _problem(error: Exception) -> dict[str, str]:
    if isinstance(error, CaseTrackError):
        return error.as_dict()
    return {"code": "unexpected", "message": f"{type(error).__name__}: {error}", "hint": ""}
