"""What the audit log of a data folder says: who changed what, when, from which program."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from casetrack.base.records.shape import NO_COLUMN, Record


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
