"""Reports of upkeep: the audit log, earlier states, reindexing, freed space, transfers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from casetrack.base.records.cards import Card
from casetrack.base.records.reports import IngestReport
from casetrack.base.records.shape import NO_COLUMN, Record, Seconds

# What the audit log of a data folder says: who changed what, when, from which program.


@dataclass(frozen=True, slots=True)
class AuditEntry(Record):
    """One change, or one search where searches are kept too.

    Attributes
    ----------
    number
        Its place in the log, from 1.
    at
        When.
    user, program
        Who, as the system says, and which program, as that says itself.
    action
        What was done, such as ``documents added`` or ``collection sealed``.
    collection_id
        The collection; ``None`` where it is none.
    collection
        What it is called now; ``None`` where it is gone, or its name is hidden.
    count
        How many documents or marks.
    documents, names
        The ids of the documents, and what they are called now; empty for one that is gone.
    detail
        What else there is to know: where an export went, the name of a snapshot, a question.
    previous, digest
        Of the entry before it, and of this one with that: SHA-256 in hex.
    """

    number: int
    at: datetime
    user: str
    program: str
    action: str
    collection_id: str | None
    collection: str | None
    count: int
    documents: Annotated[tuple[str, ...], NO_COLUMN]
    names: Annotated[tuple[str, ...], NO_COLUMN]
    detail: str
    previous: str
    digest: str


@dataclass(frozen=True, slots=True)
class AuditCheck(Record):
    """Whether the audit log is as it was written.

    Attributes
    ----------
    entries
        How many there are.
    digest
        Of the last one: whoever keeps it elsewhere can tell later that nothing before it changed.
    problems
        What is wrong, in words.
    """

    entries: int
    digest: str
    problems: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


@dataclass(frozen=True, slots=True, repr=False)
class SnapshotInfo(Card):
    """One earlier state of a collection.

    Attributes
    ----------
    name
        What somebody called it; ``None`` for a state that is only kept for a while, as every
        change leaves one behind.
    number
        Version of the ledger; it names the state as well as the name does.
    created_at
        When a named one was taken, or when the change that led to this state was committed.
    documents, pages, chunks
        Counts of what was live.
    profile, dimension
        Whose vectors its chunks hold, and how long these are; ``None`` where they are gone.
    restorable
        Whether the collection can be brought back to it now.
    reason
        Why it cannot, in words; empty where it can.
    current
        Whether it is what the collection holds now.
    """

    SHOWN = ("name", "number", "created_at", "documents", "pages")

    name: str | None
    number: int
    created_at: datetime
    documents: int
    pages: int
    chunks: int
    profile: str | None
    dimension: int | None
    restorable: bool
    reason: str = ""
    current: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class RestoreReport(Card):
    """What a return to an earlier state did.

    Attributes
    ----------
    collection
        Its name.
    snapshot
        Name or number of the state that was asked for.
    undo
        Name of the snapshot of the state before; ``None`` where nothing had to be done.
    unchanged
        Number of documents that were as they had been.
    restored
        Names of the documents that came back, or came back in another version.
    removed
        Names of the documents that were not there then.
    lost_copies
        Names of restored documents whose copy in the collection is gone.
    cancelled
        Whether it was stopped; the same command goes on.
    """

    collection: str
    snapshot: str
    undo: str | None
    unchanged: int
    restored: tuple[str, ...]
    removed: tuple[str, ...]
    lost_copies: tuple[str, ...]
    seconds: Seconds
    cancelled: bool = False


# What a reindex did, for people and programs.


@dataclass(frozen=True, slots=True)
class ReindexReport(Record):
    """What a reindex did.

    Attributes
    ----------
    collection
        Name of the collection.
    profile, previous_profile
        Whose models its vectors are of now, and were before.
    dimension
        Length of its dense vectors.
    documents, chunks
        How many were made anew.
    other_documents
        Those that are as the models would make them now, or were left when it was stopped.
    embedded
        Texts that models have read in this run; less than *chunks* where a stopped run had begun.
    seconds
        How long it took.
    files
        How reading the source files again went, where that was asked for.
    missing_files
        Files that are not there to be read again; what is stored of them was kept.
    cancelled
        Whether it was stopped before the end.
    document
        Name of the document that it was about; ``None`` for a whole collection.
    notes
        What else there is to know, for people.
    """

    collection: str
    profile: str
    previous_profile: str
    dimension: int
    documents: int
    chunks: int
    other_documents: int
    embedded: int
    seconds: Seconds
    files: IngestReport | None = None
    missing_files: tuple[str, ...] = ()
    cancelled: bool = False
    document: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def did_nothing(self) -> bool:
        """Whether everything was up to date: no file was read and nothing was made anew."""
        read = self.files.count("ingested", "partial", "failed") if self.files else 0
        return not (self.documents or read or self.missing_files or self.cancelled)


# What an upkeep did: how much room it freed, and what it removed for good.


@dataclass(frozen=True, slots=True, repr=False)
class UpkeepReport(Card):
    """The end of an upkeep of one collection.

    Attributes
    ----------
    collection
        Its name.
    secure
        Whether everything that was ever deleted was to be removed at once.
    bytes_before, bytes_after
        All files in the collection's folder.
    fragments_before, fragments_after
        Data files of documents and passages.
    versions_before, versions_after
        Earlier states that are kept for readers, and the newest one, of both datasets together.
    deleted_rows
        Rows that had been deleted before and were taken out of the data files now.
    seconds
        How long it took.
    removed
        What else was removed, in words.
    notes
        What could not be removed yet, why, and what to do about it.
    cancelled
        Whether it was stopped; the next one does the rest.
    """

    JSON = ("...", "freed_bytes")

    collection: str
    secure: bool
    bytes_before: int
    bytes_after: int
    fragments_before: int
    fragments_after: int
    versions_before: int
    versions_after: int
    deleted_rows: int
    seconds: Seconds
    removed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    cancelled: bool = False

    @property
    def freed_bytes(self) -> int:
        """Bytes that the collection's folder takes less than before; 0 where it takes more."""
        return max(0, self.bytes_before - self.bytes_after)


# What an export wrote and what an import made; collections that are sealed.


@dataclass(frozen=True, slots=True, repr=False)
class ExportReport(Card):
    """A collection written to a file.

    Attributes
    ----------
    path
        The file.
    bytes
        Its size.
    originals
        Number of copied source files in it.
    unpacked_bytes
        Size of what is in it.
    notes
        What could not be taken along, in words.
    """

    collection: str
    path: str
    bytes: int
    unpacked_bytes: int
    documents: int
    pages: int
    chunks: int
    originals: int
    seconds: Seconds
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class ImportReport(Card):
    """A collection made from a file.

    Attributes
    ----------
    collection, collection_id
        The name and the new id of what was made.
    path
        The file it was made from.
    original_name
        The name that it had when it was exported.
    notes
        What to know before it is used, in words.
    """

    collection: str
    collection_id: str
    path: str
    original_name: str
    documents: int
    pages: int
    chunks: int
    originals: int
    seconds: Seconds
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SealedCollection(Record):
    """A collection that is one encrypted file, as far as anyone may see it.

    Attributes
    ----------
    id
        Of the collection.
    name
        Its name; ``None`` where it is hidden.
    edition
        Whose vocabulary it is for.
    sealed_at
        When it was sealed.
    bytes
        Size of the file.
    path
        The file.
    """

    id: str
    name: str | None
    edition: str
    sealed_at: datetime
    bytes: int
    path: str

    @property
    def called(self) -> str:
        """What to call it: its name, or the beginning of its id."""
        return self.name or self.id[:8]


@dataclass(frozen=True, slots=True, repr=False)
class SealReport(Card):
    """A collection that was sealed.

    Attributes
    ----------
    path
        The encrypted file.
    bytes, plain_bytes
        Its size, and that of the files that it took the place of.
    files
        Number of these.
    seconds
        All that it took.
    notes
        What is still to be seen or done, in words.
    """

    collection: str
    collection_id: str
    path: str
    bytes: int
    plain_bytes: int
    files: int
    seconds: Seconds
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class UnsealReport(Card):
    """A collection that was opened again.

    Attributes
    ----------
    collection, original_name
        What it is called now, and what it was called.
    status
        As it was when it was sealed.
    bytes
        Of its files.
    """

    collection: str
    collection_id: str
    original_name: str
    status: str
    bytes: int
    seconds: Seconds
