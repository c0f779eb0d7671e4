"""What an export wrote and what an import made; collections that are sealed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from casetrack.base.records.cards import Card
from casetrack.base.records.shape import Record, Seconds


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
