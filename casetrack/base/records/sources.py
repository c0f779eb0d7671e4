"""A source of a collection's documents, and how far it is in step."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from casetrack.base.records.shape import Record


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
