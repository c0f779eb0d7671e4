"""Tools for folders that are kept in sync by themselves."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import anyio.to_thread
from mcp.types import CallToolResult
from pydantic import BeforeValidator, Field

from casetrack.errors import CaseTrackError, CollectionNotFound
from casetrack.mcp import outputs
from casetrack.mcp.results import answer
from casetrack.mcp.session import Session, in_thread, locate
from casetrack.mcp.specs import DELETES, READS, SWITCHES, CollectionName, tool
from casetrack.mcp.tools.collections import lower
from casetrack.mcp.tools.ingest import existing

if TYPE_CHECKING:
    from casetrack.collection import Collection
    from casetrack.records.watches import Watch, WatchStatus
    from casetrack.watch.book import WatchBook

LISTED_WATCHES = 100

T = TypeVar("T")

# The order of records.watches.SCHEDULES is not the requirement's; a test compares the names.
ScheduleName = Annotated[
    Literal["on_change", "hourly", "daily", "every_6h", "every_12h", "manual"],
    BeforeValidator(lower),
    Field(
        description="'on_change' = as soon as files change (recommended); 'hourly', 'daily', "
        "'every_6h', 'every_12h' = also compared then; 'manual' = only by sync_folder"
    ),
]
DailyTime = Annotated[
    str | None, Field(description="Local time for 'daily', HH:MM (default: 02:00)")
]
FolderOrId = Annotated[str, Field(description="Path of the watched folder, or watch ID")]


class WatchTools:
    """The tools of this module, for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @tool(
        "Watch folder",
        DELETES,
        description="Start watching a folder. When files in it or its subfolders are added, "
        "modified or deleted, the active collection follows by itself: new files are ingested, "
        "modified ones re-ingested, deleted ones optionally removed. The folder is compared once "
        "in the background right away, and after every restart. Watching a folder again changes "
        "its options. Returns the watch; list_watches tells how it goes.",
    )
    async def watch_folder(
        self,
        folder_path: Annotated[
            str,
            Field(description="Absolute path to the folder to watch. All subfolders are included."),
        ],
        schedule: ScheduleName = "on_change",
        auto_remove_deleted: Annotated[
            bool,
            Field(
                description="Remove documents whose source files are deleted (default: false, "
                "they are kept)"
            ),
        ] = False,
        file_extensions: Annotated[
            list[str] | None,
            Field(
                description='Only files with these extensions (e.g., ["pdf", "docx"]). Default: '
                "all supported formats."
            ),
        ] = None,
        daily_time: DailyTime = None,
        include: Annotated[
            list[str] | None, Field(description="Only files that fit these gitignore patterns")
        ] = None,
        exclude: Annotated[
            list[str] | None, Field(description="No files that fit these gitignore patterns")
        ] = None,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.WatchOutput]:
        """Watch a folder."""
        found: Collection = await locate(self._session, collection)
        path = await in_thread(lambda: existing(folder_path, "folder_path", folder=True))

        def work() -> tuple[str, dict[str, Any]]:
            watch, new = self._book().add(
                found.info.id,
                path,
                schedule=schedule,
                daily_time=daily_time,
                file_extensions=file_extensions or [],
                include=include or [],
                exclude=exclude or [],
                auto_remove_deleted=auto_remove_deleted,
            )
            entry = self._entry(watch)
            return self._started(watch, entry, new=new), {"watch": entry, "new": new}

        return answer(*await _to_the_end(work))

    @tool(
        "Unwatch folder",
        SWITCHES,
        description="Stop watching a folder. Documents already ingested from it stay in the "
        "collection; only the automatic sync ends. Returns the watch.",
    )
    async def unwatch_folder(
        self, folder_path: FolderOrId, collection: CollectionName = None
    ) -> Annotated[CallToolResult, outputs.UnwatchedOutput]:
        """Stop watching a folder."""

        def work() -> tuple[str, dict[str, Any]]:
            watch = self._find(folder_path, collection)
            entry = self._entry(watch)
            self._book().remove({watch.id})
            text = f"{watch.folder} is not watched any more. Its documents stay in the collection."
            return text, {"watch": entry}

        return answer(*await _to_the_end(work))

    @tool(
        "List watches",
        READS,
        description="Returns all watched folders across all collections: folder, collection, "
        "schedule, last sync and what it found, current status, and problems with what to do.",
    )
    async def list_watches(
        self,
        collection_filter: Annotated[
            str | None, Field(description="Only watches of this collection (name or ID)")
        ] = None,
    ) -> Annotated[CallToolResult, outputs.WatchesOutput]:
        """List the watched folders."""

        def work() -> tuple[str, dict[str, Any]]:
            watches = self._book().watches(self._collection_id(collection_filter))
            entries = [self._entry(watch) for watch in watches[:LISTED_WATCHES]]
            omitted = len(watches) - len(entries)
            lines = [_line(e, w) for e, w in zip(entries, watches, strict=False)]
            if omitted:
                lines.append(f"... {omitted} more")
            text = "\n\n".join(lines) or "No folder is watched. Use watch_folder to watch one."
            return text, {"watches": entries, "omitted": omitted}

        return answer(*await in_thread(work))

    @tool(
        "Set sync schedule",
        DELETES,
        description="Change the sync schedule of a watched folder: when CaseTrack looks for "
        "changed files, and whether documents of deleted files are removed. Returns the watch.",
    )
    async def set_sync_schedule(
        self,
        folder_path: FolderOrId,
        schedule: ScheduleName,
        auto_remove_deleted: Annotated[
            bool | None,
            Field(description="Remove documents of deleted files (default: as it was)"),
        ] = None,
        daily_time: DailyTime = None,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.WatchOutput]:
        """Change the schedule of a watched folder."""

        def work() -> tuple[str, dict[str, Any]]:
            watch = self._book().change(
                self._find(folder_path, collection).id,
                schedule=schedule,
                daily_time=daily_time,
                auto_remove_deleted=auto_remove_deleted,
            )
            entry = self._entry(watch)
            return _line(entry, watch), {"watch": entry, "new": False}

        return answer(*await _to_the_end(work))

    # --- blocking parts -------------------------------------------------------------------

    def _book(self) -> "WatchBook":
        from casetrack.watch.book import WatchBook

        return WatchBook(self._session.library.settings.data_dir)

    def _collection_id(self, name: str | None) -> str | None:
        return None if name is None else self._session.library.get(name).info.id

    def _find(self, folder: str, collection: str | None) -> "Watch":
        return self._book().find(folder, collection_id=self._collection_id(collection))

    def _status(self, watch: "Watch") -> "WatchStatus":
        from casetrack.watch.statuses import Statuses

        status = Statuses(self._session.library.settings.data_dir).of(watch)
        if status.health == "unwatched" and self._session.watching:
            return replace(status, health="starting")
        return status

    def _entry(self, watch: "Watch") -> dict[str, Any]:
        try:
            name = self._session.library.get(watch.collection_id).name
        except CollectionNotFound:
            name = "(deleted)"
        except CaseTrackError:
            name = watch.collection_id  # it is told by the tools that work on it
        return watch.as_dict() | {"collection": name, "status": self._status(watch).as_dict()}

    def _started(self, watch: "Watch", entry: dict[str, Any], *, new: bool) -> str:
        lines = [_line(entry, watch)]
        if watch.schedule == "manual":
            lines.append("It is compared only when sync_folder is called.")
        elif entry["status"]["health"] != "unwatched":
            lines.append(
                "A first comparison of the whole folder begins in the background within seconds; "
                "list_watches tells how it goes."
                if new
                else "The new options hold within seconds."
            )
        return "\n".join(lines)


async def _to_the_end(work: Callable[[], T]) -> T:
    """Run blocking *work* that changes the book in a thread, and wait for it to end."""
    return await anyio.to_thread.run_sync(partial(work))


def _line(entry: dict[str, Any], watch: "Watch") -> str:
    from casetrack.watch.book import describe
    from casetrack.watch.syncer import counts_text

    status = entry["status"]
    lines = [
        f'{watch.folder} -> "{entry["collection"]}"',
        f"  Schedule: {describe(watch)}; documents of deleted files are "
        + ("removed" if watch.auto_remove_deleted else "kept"),
        f"  Status: {status['health_text']}" + (f" ({status['note']})" if status["note"] else ""),
    ]
    if status["last_sync_at"]:
        lines.append(f"  Last sync: {status['last_sync_at']}, {counts_text(status['counts'])}")
    if status["next_sync_at"]:
        lines.append(f"  Next comparison: {status['next_sync_at']}")
    if status["last_error"]:
        lines.append(f"  Problem: {status['last_error']}\n  What to do: {status['next_step']}")
    return "\n".join([*lines, f"  ID: {watch.id}"])
