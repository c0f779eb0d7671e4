"""What a sync found in a folder, and what it did about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Annotated, Any, Literal, cast, get_args

from casetrack.base.errors import See
from casetrack.base.records.reports import FileTable
from casetrack.base.records.shape import HIDDEN, INLINE, FieldFormat, Record, Seconds

# A source of a collection's documents, and how far it is in step.


@dataclass(frozen=True, slots=True)
class SourceInfo(Record):
    """A source that documents of a collection came through.

    Attributes
    ----------
    source
        Its name, as documents carry it: ``git:platform``.
    kind
        ``filesystem``, ``git``, ``s3`` or ``script``; ``production`` for one that came with a load
        file.
    documents, chunks
        What the collection has of it.
    last_synced_at
        When it was last looked at; ``None`` where nobody knows.
    last_success_at
        When everything that it listed was last in step.
    stale
        Whether the collection may be behind it.
    problem
        Why, and what to do; empty where it is in step.
    """

    SHOWN = ("source", "documents", "chunks", "last_success_at", "stale", "problem")

    source: str
    kind: str
    documents: int
    chunks: int
    last_synced_at: datetime | None = None
    last_success_at: datetime | None = None
    stale: bool = False
    problem: str = ""


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
    """One file or document that is not as it was, or could not be taken.

    Attributes
    ----------
    kind
        ``new`` and ``changed`` files were read; a ``moved`` one keeps its document, and is only
        read again where its extension changed; the file of a ``removed`` or ``missing`` document
        is gone, and the latter was kept; ``skipped`` and ``failed`` files were not read.
    path
        Where the file is, or was.
    previous_path
        Where a moved file was; empty otherwise.
    document_id, document_name
        Of the document that the file is; for a copy that was skipped, of the one that has its
        content.
    code, message, hint
        Why, and what to do; for people but for the code.
    pages, chunks
        What was read of it.
    warnings
        Of its reader.
    """

    SHOWN = ("kind", "path", "previous_path", "message", "hint")

    kind: SyncKind
    path: str
    previous_path: str = ""
    document_id: str | None = None
    document_name: str | None = None
    code: str = ""
    message: str = ""
    hint: str = ""
    pages: int = 0
    chunks: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExcludedFile(Record):
    """A file that was taken out of a collection for good, though it may still be there.

    Attributes
    ----------
    path
        Where it lay when its document was deleted; of a source's item its name there.
    name
        Of its document.
    file_hash
        SHA-256 of its content, hexadecimal.
    excluded_at
        When.
    """

    SHOWN = ("name", "path", "excluded_at")

    path: str
    name: str
    file_hash: str
    excluded_at: datetime


@dataclass(frozen=True, slots=True, repr=False)
class SyncReport(FileTable[SyncChange], Record):
    """The end of a sync.

    Attributes
    ----------
    collection
        Its name.
    folder
        Absolute path; of a source its name, such as ``git:platform``.
    dry_run
        Whether nothing was done: the changes are what would happen.
    seen
        Number of files in the folder, without those that were left out by rules.
    unchanged
        Number of files whose document is as they are.
    hashed
        Number of files that were read to compare them; the others had not been touched.
    changes
        Everything else, by kind, then in the order of the folder.
    seconds
        How long it took.
    notes
        What else there is to know.
    cancelled
        Whether it was stopped; what was finished is kept, and the next sync goes on.
    problem
        Why a source could not be listed to its end, and what to do; empty where it could. What was
        listed was taken in, and nothing was removed.
    """

    JSON = (
        *("collection", "folder", "dry_run", "seen", "unchanged", "hashed", "counts"),
        *("seconds", "cancelled", "problem", "notes", "changes"),
    )

    collection: str
    folder: str
    dry_run: bool
    seen: int
    unchanged: int
    hashed: int
    changes: tuple[SyncChange, ...]
    seconds: Seconds
    notes: tuple[str, ...] = ()
    cancelled: bool = False
    problem: str = ""

    _STATE = "kind"
    _PROBLEMS = ("failed", "missing", "skipped")
    _BESIDE = ("previous_path", "pages", "chunks")

    @property
    def counts(self) -> dict[str, int]:
        """Number of changes of each kind."""
        return {kind: self.count(kind) for kind in SYNC_KINDS}

    def count(self, *kinds: SyncKind) -> int:
        """Return how many changes are of one of *kinds*."""
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
        said = f"{self.folder}{would}: {', '.join([*counts, f'{self.unchanged:,} unchanged'])}"
        stopped = ["stopped before the end; what was finished is kept"] if self.cancelled else []
        return "; ".join([said, *stopped, *filter(None, [self.problem]), *self.notes])


# Folders that are kept in sync by themselves: what was asked for, and how it goes.

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
    "unwatched": f"nobody watches now: start a client or {See('watch run')}",
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
    folder: Annotated[str, FieldFormat(name="folder_path")]
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


@dataclass(frozen=True, slots=True)
class WatchedFolder(Record):
    """A watched folder with the name of its collection, and how it is doing.

    Attributes
    ----------
    new
        Whether it was not watched for this collection before.
    """

    SHOWN = ("folder_path", "collection")

    watch: Annotated[Watch, INLINE]
    collection: str
    status: Annotated[WatchStatus, FieldFormat(row=False)]
    new: Annotated[bool, HIDDEN] = False
