"""Reports of maintenance: audit log, snapshots, reindex, freed space, export and import."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from casetrack.base.dataclass import dataclass
from casetrack.base.records.cards import Card
from casetrack.base.records.reports import IngestReport
from casetrack.base.records.shape import NO_COLUMN, Record, Seconds


@dataclass(frozen=True, slots=True)
class AuditEntry(Record):
    """One change in the audit log, or one search if searches are recorded."""

    number: int  # position in the log, from 1
    at: datetime
    # user, program: user by the system, and self-reported program.
    user: str
    program: str
    action: str  # such as `documents added` or `collection sealed`
    collection_id: str | None
    collection: str | None  # its present name; `None` if it is gone or hidden
    count: int  # number of documents or marks
    # documents, names: ids of the documents, and their present names; empty for a deleted one.
    documents: Annotated[tuple[str, ...], NO_COLUMN]
    names: Annotated[tuple[str, ...], NO_COLUMN]
    detail: str  # further information: target of an export, name of a snapshot, a question
    # previous, digest: digests of the previous entry, and of this one including it: SHA-256 in hex.
    previous: str
    digest: str


@dataclass(frozen=True, slots=True)
class AuditCheck(Record):
    """Verification of the audit log."""

    entries: int  # number of entries
    # Of the last entry; stored elsewhere, it later proves that no earlier entry changed.
    digest: str
    problems: tuple[str, ...] = ()  # descriptions of problems

    @property
    def ok(self) -> bool:
        """Whether there are no problems."""
        return not self.problems


@dataclass(frozen=True, slots=True, repr=False)
class SnapshotInfo(Card):
    """One earlier state of a collection."""

    SHOWN = ("name", "number", "created_at", "documents", "pages")

    name: str | None  # the user's name; `None` for a temporary state, which every change creates
    number: int  # version of the ledger, which also identifies the state
    created_at: datetime  # creation of a named snapshot, or commit of the change
    # documents, pages, chunks: counts at that time.
    documents: int
    pages: int
    chunks: int
    # profile, dimension: models and length of the vectors; `None` if these are gone.
    profile: str | None
    dimension: int | None
    restorable: bool  # whether the collection can return to it now
    reason: str = ""  # why it cannot, or empty
    current: bool = False  # whether it is the present state


@dataclass(frozen=True, slots=True, repr=False)
class RestoreReport(Card):
    """Result of a return to an earlier state."""

    collection: str
    snapshot: str  # requested name or number
    undo: str | None  # snapshot of the state before; `None` without a change
    unchanged: int  # number of unchanged documents
    # restored, removed: names of the restored documents, and of the documents that the state lacks.
    restored: tuple[str, ...]
    removed: tuple[str, ...]
    lost_copies: tuple[str, ...]  # restored documents whose copied original is gone
    seconds: Seconds
    cancelled: bool = False  # whether it was stopped; the same command continues


@dataclass(frozen=True, slots=True)
class ReindexReport(Record):
    """Result of a reindex."""

    collection: str
    # profile, previous_profile: models of its vectors now and before.
    profile: str
    previous_profile: str
    dimension: int
    # documents, chunks: number of rebuilt ones.
    documents: int
    chunks: int
    other_documents: int  # documents that were up to date, or not reached when it was stopped
    embedded: int  # texts processed by models in this run; fewer than *chunks* after a stopped run
    seconds: Seconds
    files: IngestReport | None = None  # result of reading the source files again, if requested
    missing_files: tuple[str, ...] = ()  # missing source files, whose stored text was kept
    cancelled: bool = False
    document: str | None = None  # name of the reindexed document; `None` for a whole collection
    notes: tuple[str, ...] = ()

    @property
    def did_nothing(self) -> bool:
        """Whether everything was up to date: no file was read and nothing was rebuilt."""
        read = self.files.count("ingested", "partial", "failed") if self.files else 0
        return not (self.documents or read or self.missing_files or self.cancelled)


@dataclass(frozen=True, slots=True, repr=False)
class UpkeepReport(Card):
    """Result of the maintenance of one collection."""

    JSON = ("...", "freed_bytes")

    collection: str
    secure: bool  # whether all deleted content had to be removed at once
    # bytes_before, bytes_after: all files in the collection's folder.
    bytes_before: int
    bytes_after: int
    # fragments_before, fragments_after: data files of documents and passages.
    fragments_before: int
    fragments_after: int
    # versions_before, versions_after: states of both datasets that are kept for readers, including
    # the newest.
    versions_before: int
    versions_after: int
    deleted_rows: int  # deleted rows that were removed from the data files
    seconds: Seconds
    removed: tuple[str, ...] = ()  # descriptions of other removed items
    notes: tuple[str, ...] = ()  # items that could not be removed yet, with reason and next step
    cancelled: bool = False  # whether it was stopped; the next run does the rest

    @property
    def freed_bytes(self) -> int:
        """Bytes freed in the collection's folder, at least 0."""
        return max(0, self.bytes_before - self.bytes_after)


@dataclass(frozen=True, slots=True, repr=False)
class ExportReport(Card):
    """A collection written to a file."""

    collection: str
    path: str
    bytes: int
    unpacked_bytes: int  # size of its content
    documents: int
    pages: int
    chunks: int
    originals: int  # number of copied source files in it
    seconds: Seconds
    notes: tuple[str, ...] = ()  # descriptions of omitted content


@dataclass(frozen=True, slots=True, repr=False)
class ImportReport(Card):
    """A collection created from a file."""

    # collection, collection_id: name and new id.
    collection: str
    collection_id: str
    path: str
    original_name: str  # its name at the export
    documents: int
    pages: int
    chunks: int
    originals: int
    seconds: Seconds
    notes: tuple[str, ...] = ()  # notes before its use


@dataclass(frozen=True, slots=True)
class SealedCollection(Record):
    """The visible facts of a sealed collection, which is one encrypted file.

    *name* is ``None`` if it is hidden.
    """

    id: str
    name: str | None
    edition: str
    sealed_at: datetime
    bytes: int
    path: str

    @property
    def label(self) -> str:
        """Its name, or the start of its id."""
        return self.name or self.id[:8]


@dataclass(frozen=True, slots=True, repr=False)
class SealReport(Card):
    """Result of sealing a collection."""

    collection: str
    collection_id: str
    path: str
    # bytes, plain_bytes: size of the encrypted file at *path*, and of the replaced files.
    bytes: int
    plain_bytes: int
    files: int  # number of the replaced files
    seconds: Seconds
    notes: tuple[str, ...] = ()  # remaining steps, and content that is still readable


@dataclass(frozen=True, slots=True, repr=False)
class UnsealReport(Card):
    """Result of unsealing a collection; *status* is that before sealing."""

    collection: str
    collection_id: str
    original_name: str
    status: str
    bytes: int
    seconds: Seconds
