"""What an upkeep did: how much room it freed, and what it removed for good."""

from __future__ import annotations

from dataclasses import dataclass

from casetrack.base.records.cards import Card
from casetrack.base.records.shape import Seconds


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
