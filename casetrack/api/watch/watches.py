"""Watched folders with their collections by name, as operations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from casetrack.api.operation import DELETES, READS, SWITCHES, Arg, operation
from casetrack.api.watch.statuses import Statuses
from casetrack.api.watch.watch_list import WatchList
from casetrack.base.errors import CaseTrackError, CollectionNotFound
from casetrack.base.records import Rows
from casetrack.base.records.sync import SCHEDULES, Watch, WatchedFolder

if TYPE_CHECKING:
    from casetrack.api.library import Library

_Folder = Annotated[
    str, Arg("The watched folder, or the watch's ID.", "FOLDER", "folder_path", "Path or watch ID")
]
_Only = Annotated[
    str | None, Arg("Only this collection, by its name or ID.", "--collection -c NAME")
]
_WHEN = (
    f"One of: {', '.join(SCHEDULES)}. All but manual react to changes at once; those with a time "
    "also compare the whole folder then."
)
_DailyTime = Annotated[str | None, Arg("Local time for daily.", "--daily-time HH:MM", note="HH:MM")]
_REMOVING = Arg(
    "Remove documents when their files are deleted (default: keep the setting, or the documents).",
    "--remove-deleted/--keep-deleted",
    "auto_remove_deleted",
)
_NEW_REMOVING = replace(_REMOVING, mcp_type=bool, mcp_default=False)
_SCHEDULE = Arg(
    f"One of: {', '.join(SCHEDULES)}.", "WHEN", note="manual: only by sync_folder", words=SCHEDULES
)
_Extensions = Annotated[
    list[str] | None,
    Arg("Only files of this type, such as pdf; may be repeated.", "--ext EXT", "file_extensions"),
]


class Watches:
    """The watched folders of a data folder."""

    def __init__(self, library: Library, /) -> None:
        self._library = library
        self._statuses = Statuses(library.settings.data_dir)
        self.kept = WatchList(library.settings.data_dir)

    @operation("watch list", READS)
    def all(self, *, collection: _Only = None) -> Rows[WatchedFolder]:
        """Return the watched folders with their last sync and the time of the next."""
        watches = self.kept.watches(self._id(collection))
        return Rows((self.of(watch) for watch in watches), of=WatchedFolder)

    @operation("watch show", READS)
    def show(self, folder: _Folder, /, *, collection: _Only = None) -> WatchedFolder:
        """Return all facts about one watched folder."""
        return self.of(self._find(folder, collection))

    @operation("watch add", DELETES, tool="watch_folder", confirmed=False)
    def add(
        self,
        folder: Annotated[str, Arg(cli="FOLDER", mcp="folder_path", note="Absolute", path=True)],
        /,
        *,
        collection: Annotated[str, Arg(cli="--collection -c NAME")],
        schedule: Annotated[
            str | None,
            replace(
                _SCHEDULE, help=_WHEN, cli="--schedule WHEN", mcp_type=str, mcp_default="on_change"
            ),
        ] = None,
        daily_time: _DailyTime = None,
        remove_deleted: Annotated[bool | None, _NEW_REMOVING] = None,
        extensions: _Extensions = None,
        include: Annotated[
            list[str] | None, Arg(cli="--include GLOB", note="gitignore patterns")
        ] = None,
        exclude: Annotated[
            list[str] | None, Arg(cli="--exclude GLOB", note="gitignore patterns")
        ] = None,
        recursive: Annotated[bool | None, Arg(cli="--recursive/--no-recursive", mcp="-")] = None,
    ) -> WatchedFolder:
        """Keep a collection in sync with a folder; watching continues after a restart.

        Adding a folder again changes the given options and keeps the others.

        Parameters
        ----------
        folder
            The folder to watch.
        collection
            Name or ID of the collection.
        include
            Only files that match.
        exclude
            No files that match.
        recursive
            Include subfolders.
        """
        made, new = self.kept.add(
            self._library.get(collection).info.id,
            folder,
            schedule=schedule,
            daily_time=daily_time,
            recursive=recursive,
            file_extensions=extensions,
            include=include,
            exclude=exclude,
            auto_remove_deleted=remove_deleted,
        )
        return self.of(made, new=new)

    @operation("watch remove", SWITCHES, tool="unwatch_folder")
    def remove(self, folder: _Folder, /, *, collection: _Only = None) -> WatchedFolder:
        """Stop watching a folder; files and documents stay."""
        watch = self.show(folder, collection=collection)
        self.kept.remove({watch.watch.id})
        return watch

    @operation("watch schedule", DELETES, tool="set_sync_schedule", confirmed=False)
    def schedule(
        self,
        folder: _Folder,
        schedule: Annotated[str, _SCHEDULE],
        /,
        *,
        collection: _Only = None,
        daily_time: _DailyTime = None,
        remove_deleted: Annotated[bool | None, _REMOVING] = None,
    ) -> WatchedFolder:
        """Change when a watched folder is synced."""
        changes = {"schedule": schedule, "daily_time": daily_time}
        return self._change(folder, collection, auto_remove_deleted=remove_deleted, **changes)

    @operation("watch pause", SWITCHES)
    def pause(self, folder: _Folder, /, *, collection: _Only = None) -> WatchedFolder:
        """Pause a watched folder until it is resumed."""
        return self._change(folder, collection, enabled=False)

    @operation("watch resume", SWITCHES)
    def resume(self, folder: _Folder, /, *, collection: _Only = None) -> WatchedFolder:
        """Watch a paused folder again; changes made meanwhile are found first."""
        return self._change(folder, collection, enabled=True)

    def of(self, watch: Watch, /, *, new: bool = False) -> WatchedFolder:
        """Return a watch with the name of its collection and its status."""
        return WatchedFolder(watch, self._name(watch), self._statuses.of(watch), new)

    def _change(self, folder: str, collection: str | None, **options: Any) -> WatchedFolder:
        return self.of(self.kept.change(self._find(folder, collection).id, **options))

    def _find(self, folder: str, collection: str | None) -> Watch:
        return self.kept.find(folder, collection_id=self._id(collection))

    def _id(self, collection: str | None) -> str | None:
        return None if collection is None else self._library.get(collection).info.id

    def _name(self, watch: Watch) -> str:
        try:
            return self._library.get(watch.collection_id).name
        except CollectionNotFound:
            return "(deleted)"
        except CaseTrackError:
            return watch.collection_id  # the work on it needs its whole state
