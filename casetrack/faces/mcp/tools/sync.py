"""Tools that bring a collection in step with folders, once or by themselves."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import anyio.to_thread
from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import BeforeValidator, Field

from casetrack.api.operation import DELETES, READS, SWITCHES
from casetrack.api.text import line, lines_of
from casetrack.api.text.work import synced
from casetrack.base.records.sync import SYNC_KINDS, SyncChange, SyncReport, WatchedFolder
from casetrack.faces.mcp import results
from casetrack.faces.mcp.asking import plain
from casetrack.faces.mcp.jobs import WaitSeconds, run_as_job
from casetrack.faces.mcp.live_jobs import Task
from casetrack.faces.mcp.results import (
    after_page,
    answer,
    few,
    first,
    more_from,
    page_of,
    room_beside,
)
from casetrack.faces.mcp.session import SessionTools, in_thread, locate
from casetrack.faces.mcp.specs import CollectionName, Offset, tool
from casetrack.faces.mcp.steps import See, here, told
from casetrack.faces.mcp.texts import cut
from casetrack.faces.mcp.tools.collections import lower
from casetrack.faces.mcp.tools.ingest import (
    DefaultType,
    ExcludePatterns,
    Extensions,
    FolderPath,
    IncludePatterns,
    existing,
)

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.api.watch.watches import Watches

LISTED_CHANGES = 200
_MESSAGE_CHARS = 500
_WARNINGS = 5
_ORDER = ("failed", "removed", "missing", "moved", "changed", "new", "skipped")


class SyncTools(SessionTools):
    """The tool of this module, for one session."""

    @tool(
        "Sync folder",
        DELETES,
        description="Bring the collection up to date with a folder: takes in new and changed "
        "files, follows moved ones, can remove documents of missing ones. "
        "Returns counts and changes, problems first.",
        of=("sync",),
    )
    async def sync_folder(
        self,
        ctx: Context,
        folder_path: FolderPath,
        remove_deleted: Annotated[
            bool, Field(description="Remove documents of missing files")
        ] = False,
        document_type: DefaultType = None,
        dry_run: Annotated[bool, Field(description="Only say what would change")] = False,
        include: IncludePatterns = None,
        exclude: ExcludePatterns = None,
        file_extensions: Extensions = None,
        wait_seconds: WaitSeconds = None,
        collection: CollectionName = None,
    ) -> CallToolResult:
        """Sync the collection with a folder."""
        found: Collection = await locate(self._session, collection)
        path = await in_thread(lambda: existing(folder_path, "folder_path", folder=True))

        def work(hear: Callable[..., None], stop: threading.Event) -> "SyncReport":
            return found.sync(
                path,
                remove_deleted=remove_deleted,
                dry_run=dry_run,
                include=include or (),
                exclude=exclude or (),
                extensions=file_extensions or None,
                document_type=document_type,
                progress=hear,
                cancel=stop,
            )

        async def finish(report: "SyncReport") -> CallToolResult:
            return _answer(report)

        task = Task(
            "sync",
            f"Sync with {path}",
            found.info,
            work,
            finish,
            amount=lambda report: report.seen,
            kept=lambda report: f"{report.count('new', 'changed', 'moved')} finished documents",
        )
        return await run_as_job(self._session, ctx, task, wait_seconds)


def _answer(report: "SyncReport") -> CallToolResult:
    facts = replace(report, changes=()).as_dict() | {
        "counts": {kind: report.count(kind) for kind in SYNC_KINDS},
        "notes": few(report.notes),
    }
    del facts["changes"]
    # Whatever needs attention comes first, so that it is in the part that is listed.
    ordered = sorted(report.changes, key=lambda change: _ORDER.index(change.kind))
    bounded = [_bounded(change) for change in ordered[:LISTED_CHANGES]]
    room = room_beside(facts, whole=results.ROOM)
    shown = first(bounded, SyncChange.as_dict, room=room)
    omitted = len(ordered) - len(shown)
    more = " ".join(filter(None, _next_steps(report, omitted))) or None
    lines = [line(f"{report.folder} and {report.collection}:")]
    text = told(plain([*lines, *synced(report, bounded[: len(shown)])]))
    facts |= {"changes": shown, "changes_omitted": omitted, "more": more}
    return answer("\n".join(filter(None, (text, more))), facts)


def _next_steps(report: "SyncReport", omitted: int) -> Iterator[str]:
    """Yield how to see what is not listed, and what else can be done."""
    if omitted:
        yield f"{omitted:,} more changes: sync_folder on one subfolder names its own."
        yield here(f"{See('documents')} names what is ingested.")
        yield here(f"{See('index-status')} names documents whose files are gone.")
    if report.count("missing"):
        yield "To remove what is missing, ask the user, then use remove_deleted: true."
    if report.cancelled:
        yield "What was finished is kept; call sync_folder again to go on."


def _bounded(change: "SyncChange") -> "SyncChange":
    """Return a change without the ends of very long messages."""
    return replace(
        change,
        message=cut(change.message, _MESSAGE_CHARS),
        hint=cut(told(change.hint), _MESSAGE_CHARS),
        warnings=tuple(few(change.warnings, most=_WARNINGS)),
    )


# Tools for folders that are kept in sync by themselves.

LISTED_WATCHES = 100

T = TypeVar("T")

# The order of records.watches.SCHEDULES is not the requirement's; a test compares the names.
ScheduleName = Annotated[
    Literal["on_change", "hourly", "daily", "every_6h", "every_12h", "manual"],
    BeforeValidator(lower),
    Field(description="manual: only by sync_folder"),
]
DailyTime = Annotated[str | None, Field(description="HH:MM")]
FolderOrId = Annotated[str, Field(description="Path or watch ID")]
_PATTERNS, _PATTERN_CHARS = 20, 200
_NOTE_CHARS = 1_000


class WatchTools(SessionTools):
    """The tools of this module, for one session."""

    @tool(
        "Watch folder",
        DELETES,
        description="Keep the collection in sync with a folder by itself; again, to change "
        "options. Returns the watch.",
        of=("watch add",),
    )
    async def watch_folder(
        self,
        folder_path: FolderPath,
        schedule: ScheduleName = "on_change",
        auto_remove_deleted: Annotated[
            bool, Field(description="Remove documents of deleted files")
        ] = False,
        file_extensions: Extensions = None,
        daily_time: DailyTime = None,
        include: IncludePatterns = None,
        exclude: ExcludePatterns = None,
        collection: CollectionName = None,
    ) -> CallToolResult:
        """Watch a folder."""
        found: Collection = await locate(self._session, collection)
        path = await in_thread(lambda: existing(folder_path, "folder_path", folder=True))

        def work() -> tuple[str, dict[str, Any]]:
            watched = self._watches.add(
                str(path),
                collection=found.info.id,
                schedule=schedule,
                daily_time=daily_time,
                extensions=file_extensions or [],
                include=include or [],
                exclude=exclude or [],
                remove_deleted=auto_remove_deleted,
            )
            entry = self._entry(watched)
            return self._started(watched), {"watch": entry, "new": watched.new}

        return answer(*await _to_the_end(work))

    @tool(
        "Unwatch folder",
        SWITCHES,
        description="Stop watching a folder; its documents stay. Returns the watch.",
    )
    async def unwatch_folder(
        self, folder_path: FolderOrId, collection: CollectionName = None
    ) -> CallToolResult:
        """Stop watching a folder."""

        def work() -> tuple[str, dict[str, Any]]:
            watched = self._watches.remove(folder_path, collection=collection)
            text = f"It is not watched any more; its documents stay.\n{self._text(watched)}"
            return text, {"watch": self._entry(watched)}

        return answer(*await _to_the_end(work))

    @tool(
        "Watches",
        READS,
        description="Returns all watched folders: schedule, last sync, status, problems and "
        "what to do.",
        of=("watch",),
    )
    async def list_watches(
        self,
        collection_filter: Annotated[str | None, Field(description="Only this collection")] = None,
        offset: Offset = 0,
    ) -> CallToolResult:
        """List the watched folders."""

        def work() -> tuple[str, dict[str, Any]]:
            watches = self._watches.all(collection=collection_filter)
            entries = page_of(watches, self._entry, offset=offset, limit=LISTED_WATCHES)[0]
            after = after_page(offset, len(entries), len(watches))
            more = more_from(after, 0, "")
            shown = map(self._text, watches[offset : offset + len(entries)])
            text = "\n\n".join([*shown, *([more] if more else [])])
            return text or here(f"No folder is watched. Use {See('watch add')} to watch one."), {
                "watches": entries,
                "omitted": max(0, len(watches) - offset - len(entries)),
                "next_offset": after,
                "more": more,
            }

        return answer(*await in_thread(work))

    @tool(
        "Sync schedule",
        DELETES,
        description="Change when a watched folder is compared. Returns the watch.",
    )
    async def set_sync_schedule(
        self,
        folder_path: FolderOrId,
        schedule: ScheduleName,
        auto_remove_deleted: Annotated[bool | None, Field(description="Default: as it was")] = None,
        daily_time: DailyTime = None,
        collection: CollectionName = None,
    ) -> CallToolResult:
        """Change the schedule of a watched folder."""

        def work() -> tuple[str, dict[str, Any]]:
            watched = self._watches.schedule(
                folder_path,
                schedule,
                collection=collection,
                daily_time=daily_time,
                remove_deleted=auto_remove_deleted,
            )
            return self._text(watched), {"watch": self._entry(watched), "new": False}

        return answer(*await _to_the_end(work))

    # --- blocking parts -------------------------------------------------------------------

    @property
    def _watches(self) -> "Watches":
        from casetrack.api.watch.watches import Watches

        return Watches(self._session.library)

    def _here(self, watched: WatchedFolder) -> WatchedFolder:
        """Return it as this server sees it, which may be about to watch."""
        if watched.status.health == "unwatched" and self._session.watching:
            return replace(watched, status=replace(watched.status, health="starting"))
        return watched

    def _text(self, watched: WatchedFolder) -> str:
        return told(plain(lines_of(self._here(watched))))

    def _entry(self, watched: WatchedFolder) -> dict[str, Any]:
        raw = self._here(watched).as_dict()
        for patterns in ("include", "exclude", "file_extensions"):
            if raw[patterns]:
                raw[patterns] = few(raw[patterns], most=_PATTERNS, chars=_PATTERN_CHARS)
        for words in ("last_error", "next_step", "note"):
            raw["status"][words] = cut(told(raw["status"][words]), _NOTE_CHARS)
        return raw

    def _started(self, watched: WatchedFolder) -> str:
        lines = [self._text(watched)]
        if watched.watch.schedule == "manual":
            lines.append("It is compared only when sync_folder is called.")
        elif self._here(watched).status.health != "unwatched":
            lines.append(
                "A first comparison of the whole folder begins in the background within seconds; "
                "list_watches tells how it goes."
                if watched.new
                else "The new options hold within seconds."
            )
        return "\n".join(lines)


async def _to_the_end(work: Callable[[], T]) -> T:
    """Run blocking *work* that changes the list of watches in a thread, and wait for it to end."""
    return await anyio.to_thread.run_sync(partial(work))
