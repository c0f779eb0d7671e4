"""Earlier states of a collection, and what a return to one of them did."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from casetrack.base.records.cards import Card
from casetrack.base.records.shape import Seconds


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
