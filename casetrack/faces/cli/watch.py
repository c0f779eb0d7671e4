"""``casetrack watch``: folders that are kept in sync by themselves."""

import json
import signal
import threading
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from casetrack.base.errors import CaseTrackError, CollectionNotFound
from casetrack.base.records.sync import SCHEDULES, Watch, WatchStatus
from casetrack.faces.cli.ingest import split_extensions
from casetrack.faces.cli.options import (
    AnyCollectionOption,
    CollectionOption,
    ExcludeOption,
    ExtensionsOption,
    IncludeOption,
    JsonOption,
)
from casetrack.faces.cli.output import (
    Field,
    counted,
    facts,
    flush,
    line,
    table,
    write_json,
    write_text,
)
from casetrack.faces.cli.state import EXIT_FAILED, EXIT_INTERRUPTED, State

if TYPE_CHECKING:
    from casetrack.api.watch.statuses import Report
    from casetrack.api.watch.watch_list import WatchList
    from casetrack.api.watch.watched_folder import SyncTask

_FIELDS = (
    Field("Folder"),
    Field("Collection"),
    Field("When"),
    Field("State"),
    Field("Last sync", whole=True),
    Field("Next", whole=True, extra=True),
    Field("ID", whole=True),
)

WatchArgument = Annotated[
    str, typer.Argument(metavar="FOLDER", help="The watched folder, or the watch's ID.")
]
ScheduleOption = Annotated[
    str | None,
    typer.Option(
        "--schedule",
        metavar="WHEN",
        help=f"One of: {', '.join(SCHEDULES)}. All but manual react to changes at once; those with "
        "a time compare the whole folder then, too.",
    ),
]
DailyOption = Annotated[
    str | None,
    typer.Option("--daily-time", metavar="HH:MM", help="Local time for daily (default: 02:00)."),
]
RemoveOption = Annotated[
    bool | None,
    typer.Option(
        "--remove-deleted/--keep-deleted",
        help="Whether documents go when their files are deleted (default: they are kept).",
        show_default=False,
    ),
]


def add_watch(
    ctx: typer.Context,
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="The folder to watch.")],
    collection: CollectionOption = None,
    schedule: ScheduleOption = None,
    daily_time: DailyOption = None,
    remove_deleted: RemoveOption = None,
    ext: ExtensionsOption = None,
    include: IncludeOption = None,
    exclude: ExcludeOption = None,
    recursive: Annotated[
        bool | None,
        typer.Option(
            "--recursive/--no-recursive",
            help="Whether folders below it count (default: they do).",
            show_default=False,
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Keep a collection in sync with a folder, from now on and after every restart.

    Programs that serve CaseTrack watch by themselves, and so does `casetrack watch run`. Adding a
    folder again changes what you name, and leaves the rest as it was.
    """
    state = ctx.ensure_object(State)
    target = state.collection_to_fill(collection).info
    made, new = watch_list_of(state).add(
        target.id,
        folder,
        schedule=schedule,
        daily_time=daily_time,
        recursive=recursive,
        file_extensions=split_extensions(ext) or None if ext else None,
        include=include or None,
        exclude=exclude or None,
        auto_remove_deleted=remove_deleted,
    )
    if as_json:
        write_json(_entry(state, made) | {"new": new})
        return
    what = "Watching" if new else "Changed the watch of"
    line((f'{what} {made.folder} for "{target.name}": {_when(made)}.', "bold"))
    if status_of(state, made).health == "unwatched":
        line("Nobody watches at the moment. A running AI client does it, or start it yourself:")
        line("casetrack watch run", indent=2)


def list_watches(
    ctx: typer.Context, collection: AnyCollectionOption = None, as_json: JsonOption = False
) -> None:
    """List the watched folders, what became of the last sync, and when the next one is."""
    state = ctx.ensure_object(State)
    chosen = None if collection is None else state.library.get(collection).info.id
    watches = watch_list_of(state).watches(chosen)
    if as_json:
        write_json([_entry(state, watch) for watch in watches])
        return
    if not watches:
        line("No folder is watched yet. Watch one: casetrack watch add FOLDER -c NAME")
        return
    statuses = [status_of(state, watch) for watch in watches]
    table(
        _FIELDS,
        [
            [
                watch.folder,
                collection_name(state, watch),
                _when(watch),
                status.health_text,
                status.last_sync_at,
                status.next_sync_at,
                watch.id[:8],
            ]
            for watch, status in zip(watches, statuses, strict=True)
        ],
    )
    for watch, status in zip(watches, statuses, strict=True):
        if status.last_error:
            line()
            line((f"{watch.folder}: {status.last_error}", "yellow"))
            line(status.next_step, indent=2)
        if status.note:
            line((f"{watch.folder}: {status.note}", "yellow"))


def show_watch(
    ctx: typer.Context,
    folder: WatchArgument,
    collection: AnyCollectionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show everything known about one watched folder."""
    state = ctx.ensure_object(State)
    watch = _find(state, folder, collection)
    status = status_of(state, watch)
    if as_json:
        write_json(_entry(state, watch))
        return
    from casetrack.api.watch.statuses import counts_text

    facts(
        [
            ("Folder", watch.folder),
            ("Collection", collection_name(state, watch)),
            ("When", _when(watch)),
            ("State", status.health_text),
            ("Watched by", status.owner),
            ("Waiting", _pending(status.pending)),
            ("Last sync", status.last_sync_at),
            ("It found", counts_text(status.counts) if status.last_sync_at else None),
            ("Next comparison", status.next_sync_at),
            ("Problem", status.last_error),
            ("What to do", status.next_step),
            ("Note", status.note),
            ("Kinds", watch.file_extensions),
            ("Include", watch.include),
            ("Exclude", watch.exclude),
            ("Folders below", "yes" if watch.recursive else "no"),
            ("Deleted files", "removed" if watch.auto_remove_deleted else "kept"),
            ("Watched since", watch.created_at),
            ("ID", watch.id),
        ]
    )


def remove_watch(
    ctx: typer.Context,
    folder: WatchArgument,
    collection: AnyCollectionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Stop watching a folder; files and documents stay."""
    state = ctx.ensure_object(State)
    watch_list = watch_list_of(state)
    watch = _find(state, folder, collection)
    watch_list.remove({watch.id})
    if as_json:
        write_json(watch.as_dict())
        return
    line(f"{watch.folder} is not watched any more. Its documents stay in the collection.")


def schedule_watch(
    ctx: typer.Context,
    folder: WatchArgument,
    schedule: Annotated[
        str, typer.Argument(metavar="WHEN", help=f"One of: {', '.join(SCHEDULES)}.")
    ],
    collection: AnyCollectionOption = None,
    daily_time: DailyOption = None,
    remove_deleted: RemoveOption = None,
    as_json: JsonOption = False,
) -> None:
    """Change when a watched folder is synced."""
    state = ctx.ensure_object(State)
    watch = _find(state, folder, collection)
    changed = watch_list_of(state).change(
        watch.id, schedule=schedule, daily_time=daily_time, auto_remove_deleted=remove_deleted
    )
    _tell_change(state, changed, f"{changed.folder}: {_when(changed)}.", as_json=as_json)


def pause_watch(
    ctx: typer.Context,
    folder: WatchArgument,
    collection: AnyCollectionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Leave a watched folder alone until `casetrack watch resume`."""
    state = ctx.ensure_object(State)
    changed = watch_list_of(state).change(_find(state, folder, collection).id, enabled=False)
    _tell_change(state, changed, f"{changed.folder} is paused.", as_json=as_json)


def resume_watch(
    ctx: typer.Context,
    folder: WatchArgument,
    collection: AnyCollectionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Watch a paused folder again; what changed meanwhile is found first."""
    state = ctx.ensure_object(State)
    changed = watch_list_of(state).change(_find(state, folder, collection).id, enabled=True)
    _tell_change(state, changed, f"{changed.folder}: {_when(changed)}.", as_json=as_json)


def _tell_change(state: State, watch: Watch, text: str, *, as_json: bool) -> None:
    if as_json:
        write_json(_entry(state, watch))
    else:
        line(text)


def watch_list_of(state: State, /) -> "WatchList":
    """Return the watched folders of the data folder."""
    from casetrack.api.watch.watch_list import WatchList

    return WatchList(state.settings.data_dir)


def _find(state: State, folder: str, collection: str | None) -> Watch:
    chosen = None if collection is None else state.library.get(collection).info.id
    return watch_list_of(state).find(folder, collection_id=chosen)


def status_of(state: State, watch: Watch, /) -> WatchStatus:
    """Return how a watched folder is doing now."""
    from casetrack.api.watch.statuses import Statuses

    return Statuses(state.settings.data_dir).of(watch)


def _when(watch: Watch) -> str:
    from casetrack.api.watch.watch_list import describe

    return describe(watch)


def _pending(count: int) -> str | None:
    if count < 0:
        return "so many changes that the whole folder is compared"
    return counted(count, "changed path") if count else None


def collection_name(state: State, watch: Watch, /) -> str:
    """Return the name of the collection that a folder is watched for."""
    try:
        return state.library.get(watch.collection_id).name
    except CollectionNotFound:
        return "(deleted)"
    except CaseTrackError:
        return watch.collection_id[:8]


def _entry(state: State, watch: Watch) -> dict[str, Any]:
    return watch.as_dict() | {
        "collection": collection_name(state, watch),
        "status": status_of(state, watch).as_dict(),
    }


# ``casetrack watch run``: watching in the foreground, told line by line.

_LISTED = 5


def run_watches(
    ctx: typer.Context,
    once: Annotated[
        bool, typer.Option("--once", help="Compare every watched folder once, and end.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write one JSON object a line instead of text.")
    ] = False,
) -> int:
    """Watch all folders in the foreground until Ctrl-C, with one line per sync.

    For computers without an AI client, and for services: SIGTERM ends it with exit code 0. With
    --once, for schedulers: exit code 1 if a folder or a file could not be synced.
    """
    from casetrack.faces.cli.progress import stoppable

    state = ctx.ensure_object(State)
    teller = _Teller(state, as_json=as_json)
    with stoppable() as stop:
        asked = threading.Event()  # by SIGTERM, which is no interruption

        def on_terminate(_number: int, _frame: Any) -> None:
            asked.set()
            stop.set()

        before = signal.signal(signal.SIGTERM, on_terminate)
        try:
            failed = _run_once(state, teller, stop) if once else _watch(state, teller, stop)
        finally:
            signal.signal(signal.SIGTERM, before)
    if stop.is_set():
        state.interrupt_told = True
        teller.say("stopped", "Stopped; what was finished is kept.")
        if not asked.is_set():
            return EXIT_INTERRUPTED
    return EXIT_FAILED if failed else 0


def _watch(state: State, teller: "_Teller", stop: threading.Event) -> bool:
    from casetrack.api.watch.manager import WatchManager

    watch_list = watch_list_of(state)
    watches = watch_list.watches()
    text = f"Watching {counted(len(watches), 'folder')}. Ctrl-C ends it."
    if not watches:
        text = (
            "No folder is watched yet; `casetrack watch add FOLDER -c NAME` adds one at any time."
        )
    teller.say("started", text, watches=len(watches))
    for watch in watches:
        status = status_of(state, watch)
        if status.owner and status.health != "unwatched":
            teller.say(
                "elsewhere",
                f"{watch.folder} is watched by {status.owner}; this program takes over when that "
                "ends.",
                folder=watch.folder,
            )

    def tell(watch: Watch, task: "SyncTask", outcome: "Report | Exception") -> None:
        try:
            teller.tell(watch, task, outcome)
        except (OSError, CaseTrackError):
            stop.set()  # whoever read the lines has gone

    manager = WatchManager(state.library, watch_list, owner="casetrack watch run", on_sync=tell)
    manager.start()
    while not stop.wait(1.0):
        pass
    manager.stop()
    return False


def _run_once(state: State, teller: "_Teller", stop: threading.Event) -> bool:
    from casetrack.api.watch.once import compare_all

    failed = False
    count = 0
    for watch, task, outcome in compare_all(state.library, watch_list_of(state), stop):
        teller.tell(watch, task, outcome)
        count += 1
        failed = failed or isinstance(outcome, Exception) or outcome.count("failed") > 0
    if not count and not stop.is_set():
        teller.say("nothing", "There is no watched folder to compare.")
    return failed


class _Teller:
    """Writes what happens as lines of text or of JSON."""

    def __init__(self, state: State, *, as_json: bool) -> None:
        self._state = state
        self._as_json = as_json

    def say(self, event: str, text: str, **more: Any) -> None:
        """Tell of an event."""
        if self._as_json:
            self._write({"event": event, "message": text, **more})
        else:
            line((text, "dim"))
            flush()

    def tell(self, watch: Watch, task: "SyncTask", outcome: "Report | Exception") -> None:
        """Tell of a sync that ended."""
        if self._as_json:
            self._write(_sync_event(watch, task, outcome))
            return
        from casetrack.api.watch.statuses import counts_of, counts_text

        name = collection_name(self._state, watch)
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


def _sync_event(watch: Watch, task: "SyncTask", outcome: "Report | Exception") -> dict[str, Any]:
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
