"""Results of a sync, and the state of sources and watched folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, cast, get_args

from casetrack.base.dataclass import dataclass, field, fields
from casetrack.base.errors import See
from casetrack.base.records.reports import FileTable
from casetrack.base.records.shape import HIDDEN, INLINE, FieldFormat, Record, Seconds

# A source of a collection's documents, and how far it is in step.


@dataclass(frozen=True, slots=True)
class SourceInfo(Record):
    """A source of a collection's documents."""

    SHOWN = ("source", "documents", "chunks", "last_success_at", "stale", "problem")

    source: str  # its name in documents: `git:platform`
    kind: str  # `filesystem`, `git`, `s3`, `script`, or `production` for a load file
    # documents, chunks: counts in the collection.
    documents: int
    chunks: int
    last_synced_at: datetime | None = None  # last sync; `None` if unknown
    last_success_at: datetime | None = None  # last sync without failures
    stale: bool = False  # whether the collection may be out of date
    problem: str = ""  # reason and next step, or empty


SyncKind = Literal["new", "changed", "moved", "removed", "missing", "skipped", "failed"]
SYNC_KINDS: tuple[SyncKind, ...] = (
    "new",
    "changed",
    "moved",
    "removed",
    "missing",
    "skipped",
    "failed",
)


@dataclass(frozen=True, slots=True)
class SyncChange(Record):
    """One changed, skipped or failed file."""

    SHOWN = ("kind", "path", "previous_path", "message", "hint")

    # `new` and `changed` files were read; a `moved` one keeps its document and is read only if its
    # extension changed; the file of a `removed` or `missing` document is gone, and the latter was
    # kept; `skipped` and `failed` files were not read.
    kind: SyncKind
    # path, previous_path: present or last path; earlier path of a moved file, else empty.
    path: str
    previous_path: str = ""
    # document_id, document_name: the file's document; for a skipped copy, the document with its
    # content.
    document_id: str | None = None
    document_name: str | None = None
    # code, message, hint: error code, reason and next step.
    code: str = ""
    message: str = ""
    hint: str = ""
    pages: int = 0
    chunks: int = 0
    warnings: tuple[str, ...] = ()  # warnings of its reader


@dataclass(frozen=True, slots=True)
class ExcludedFile(Record):
    """A file that the user excluded from a collection; it may still exist."""

    SHOWN = ("name", "path", "excluded_at")

    path: str  # its path at the deletion; for an item of a source its name there
    name: str
    file_hash: str  # SHA-256 of its content, hexadecimal
    excluded_at: datetime


@dataclass(frozen=True, slots=True, repr=False)
class SyncReport(FileTable[SyncChange], Record):
    """The result of a sync."""

    JSON = (
        *("collection", "folder", "dry_run", "seen", "unchanged", "hashed", "counts"),
        *("seconds", "cancelled", "problem", "notes", "changes"),
    )

    collection: str
    folder: str  # absolute path, or the name of a source, such as `git:platform`
    dry_run: bool  # whether the changes are a preview
    seen: int  # number of files in the folder, without those that rules exclude
    unchanged: int  # number of files with an up-to-date document
    hashed: int  # number of files whose content was compared; the others had the same time and size
    changes: tuple[SyncChange, ...]  # all other files, by kind, then in the order of the folder
    seconds: Seconds
    notes: tuple[str, ...] = ()
    # Whether it was stopped; finished work is kept, and the next sync continues.
    cancelled: bool = False
    # Reason and next step if a source could not be listed completely, or empty. The listed items
    # were added, and nothing was removed.
    problem: str = ""

    _STATE = "kind"
    _PROBLEMS = ("failed", "missing", "skipped")
    _BESIDE = ("previous_path", "pages", "chunks")

    @property
    def counts(self) -> dict[str, int]:
        """Number of changes of each kind."""
        return {kind: self.count(kind) for kind in SYNC_KINDS}

    def count(self, *kinds: SyncKind) -> int:
        """Return the number of changes of the given kinds."""
        counts = Counter(change.kind for change in self.changes)
        return sum(counts[kind] for kind in kinds)

    def of(self, kind: SyncKind, /) -> tuple[SyncChange, ...]:
        """Return the changes of one kind."""
        return tuple(change for change in self.changes if change.kind == kind)

    def _table(self) -> tuple[type[SyncChange], Sequence[SyncChange]]:
        return SyncChange, self.changes

    def _heading(self) -> str:
        counts = [f"{self.count(k):,} {k}" for k in SYNC_KINDS if self.count(k)]
        would = " (nothing was done: this is what would happen)" if self.dry_run else ""
        summary = f"{self.folder}{would}: {', '.join([*counts, f'{self.unchanged:,} unchanged'])}"
        stopped = ["stopped before the end; what was finished is kept"] if self.cancelled else []
        return "; ".join([summary, *stopped, *filter(None, [self.problem]), *self.notes])


# Watched folders: their settings and their state.

Schedule = Literal["on_change", "hourly", "daily", "every_6h", "every_12h", "manual"]
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
    "unwatched": f"nobody watches now: start a client or {See('watch run')}",
}


@dataclass(frozen=True, slots=True)
class Watch(Record):
    """A watched folder in ``watches.json``."""

    id: str
    collection_id: str
    folder: Annotated[str, FieldFormat(name="folder_path")]  # absolute
    recursive: bool
    enabled: bool  # `False` while paused
    created_at: datetime
    schedule: Schedule = "on_change"
    daily_time: str = DEFAULT_DAILY_TIME  # `HH:MM` in local time, for the schedule `daily`
    # Allowed extensions, such as `.pdf`; `None` means all readable formats.
    file_extensions: tuple[str, ...] | None = None
    # include, exclude: patterns of paths below the folder; see `Collection.sync`.
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    auto_remove_deleted: bool = False  # whether deleted files remove their documents

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any], /) -> Watch:
        """Parse the JSON form; ignore unknown keys.

        Raises ``ValueError`` or ``KeyError`` or ``TypeError``: the form is invalid.
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
    """The state of a watched folder; times are UTC."""

    JSON = ("...", "health_text")

    health: Health = "unwatched"
    last_sync_at: datetime | None = None  # end of the last successful sync
    # Start of the last successful comparison of the whole folder.
    last_full_at: datetime | None = None
    # Files of the last successful sync by result.
    counts: Mapping[str, int] = field(default_factory=dict)
    # last_error, next_step: reason of the last failure and next step; empty after a success.
    last_error: str = ""
    next_step: str = ""
    next_sync_at: datetime | None = None  # next comparison of the whole folder
    owner: str = ""  # the watching program, such as `casetrack watch run (process 4711)`
    pending: int = 0  # number of changed paths in the queue; `-1` if there were too many to list
    note: str = ""  # further information, such as why there are fixed times only

    @property
    def health_text(self) -> str:
        """The description of its health."""
        return _WORDS[self.health]

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any], /) -> WatchStatus:
        """Parse the JSON form.

        Raises ``ValueError`` or ``KeyError`` or ``TypeError``: the form is invalid.
        """
        known = {f.name: raw[f.name] for f in fields(cls) if f.name in raw}
        if known.get("health") not in _WORDS:
            raise ValueError(f"unknown health {known.get('health')!r}")
        for name in ("last_sync_at", "last_full_at", "next_sync_at"):
            if known.get(name):
                known[name] = datetime.fromisoformat(known[name])
        return cls(**known)


@dataclass(frozen=True, slots=True)
class WatchedFolder(Record):
    """A watched folder with its collection's name and its state; *new* if it was just added."""

    SHOWN = ("folder_path", "collection")

    watch: Annotated[Watch, INLINE]
    collection: str
    status: Annotated[WatchStatus, FieldFormat(row=False)]
    new: Annotated[bool, HIDDEN] = False
