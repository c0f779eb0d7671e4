"""What an export wrote and what an import made."""

from __future__ import annotations

from dataclasses import dataclass

from casetrack.records.cards import Card
from casetrack.records.shape import Seconds


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
