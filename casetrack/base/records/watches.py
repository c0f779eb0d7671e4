"""Folders that are kept in sync by themselves: what was asked for, and how it goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Annotated, Any, Literal, cast, get_args

from casetrack.base.records.shape import Record, Told

Schedule = Literal["on_change", "hourly", "every_6h", "every_12h", "daily", "manual"]
SCHEDULES: tuple[Schedule, ...] = get_args(Schedule)
DEFAULT_DAILY_TIME = "02:00"

Health = Literal[
    "starting",
    "watching",
    "scheduled",
    "settling",
    "queued",
    "syncing",
    "manual",
    "paused",
    "resting",
    "error",
    "folder_missing",
    "unwatched",
]
_WORDS: dict[Health, str] = {
    "starting": "about to be watched",
    "watching": "watching",
    "scheduled": "compared at fixed times (the system reports no changes of this folder)",
    "settling": "waiting for files to settle",
    "queued": "waiting until another folder is done",
    "syncing": "syncing",
    "manual": "only when asked",
    "paused": "paused",
    "resting": "resting: its collection is closed or archived",
    "error": "the last attempt failed",
    "folder_missing": "the folder is not there",
    "unwatched": "nobody watches now: start a client or `casetrack watch run`",
}


@dataclass(frozen=True, slots=True)
class Watch(Record):
    """A folder that is kept in sync with a collection, as it stands in ``watches.json``.

    Attributes
    ----------
    folder
        Absolute.
    enabled
        ``False`` while it is paused.
    daily_time
        ``HH:MM`` in local time; counts for the schedule ``daily`` only.
    file_extensions
        Only files with these, such as ``.pdf``; ``None`` takes all that can be read.
    include, exclude
        Patterns of paths below the folder; see ``Collection.sync``.
    auto_remove_deleted
        Whether documents go when their files do.
    """

    id: str
    collection_id: str
    folder: Annotated[str, Told(name="folder_path")]
    recursive: bool
    enabled: bool
    created_at: datetime
    schedule: Schedule = "on_change"
    daily_time: str = DEFAULT_DAILY_TIME
    file_extensions: tuple[str, ...] | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    auto_remove_deleted: bool = False

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any], /) -> Watch:
        """Return the watch of its JSON form; what it does not know is left aside.

        Raises
        ------
        ValueError, KeyError, TypeError
            It is not of this form.
        """
        schedule = raw["schedule"]
        if schedule not in SCHEDULES:
            raise ValueError(f"unknown schedule {schedule!r}")
        extensions = raw.get("file_extensions")
        return cls(
            id=str(raw["id"]),
            collection_id=str(raw["collection_id"]),
            folder=str(raw["folder_path"]),
            recursive=bool(raw.get("recursive", True)),
            enabled=bool(raw.get("enabled", True)),
            created_at=datetime.fromisoformat(raw["created_at"]),
            schedule=cast("Schedule", schedule),
            daily_time=str(raw.get("daily_time", DEFAULT_DAILY_TIME)),
            file_extensions=None if extensions is None else tuple(map(str, extensions)),
            include=tuple(map(str, raw.get("include", ()))),
            exclude=tuple(map(str, raw.get("exclude", ()))),
            auto_remove_deleted=bool(raw.get("auto_remove_deleted", False)),
        )


@dataclass(frozen=True, slots=True)
class WatchStatus(Record):
    """How a watched folder is doing.

    Attributes
    ----------
    last_sync_at
        When the last successful sync ended (UTC).
    last_full_at
        When the last successful comparison of the whole folder began (UTC).
    counts
        Files of the last successful sync by what became of them.
    last_error, next_step
        Why the last attempt failed and what to do; empty once one has succeeded.
    next_sync_at
        When the whole folder is compared next (UTC).
    owner
        The program that watches, such as ``casetrack watch run (process 4711)``.
    pending
        Changed paths that wait; ``-1`` where there were too many to keep them apart.
    note
        What else should be known, such as why the folder is compared at fixed times only.
    """

    JSON = ("...", "health_text")

    health: Health = "unwatched"
    last_sync_at: datetime | None = None
    last_full_at: datetime | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    last_error: str = ""
    next_step: str = ""
    next_sync_at: datetime | None = None
    owner: str = ""
    pending: int = 0
    note: str = ""

    @property
    def health_text(self) -> str:
        """The health in plain words."""
        return _WORDS[self.health]

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any], /) -> WatchStatus:
        """Return the status of its JSON form.

        Raises
        ------
        ValueError, KeyError, TypeError
            It is not of this form.
        """
        known = {f.name: raw[f.name] for f in fields(cls) if f.name in raw}
        if known.get("health") not in _WORDS:
            raise ValueError(f"unknown health {known.get('health')!r}")
        for name in ("last_sync_at", "last_full_at", "next_sync_at"):
            if known.get(name):
                known[name] = datetime.fromisoformat(known[name])
        return cls(**known)
