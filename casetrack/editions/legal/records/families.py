"""Records of families, duplicates and mail threads."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from casetrack.base.records.shape import NO_COLUMN, Record, Share


@dataclass(frozen=True, slots=True)
class FamilyMember(Record):
    """A document of a family."""

    document_id: str
    document: str
    path: str
    depth: int  # Number of ancestors in the family
    parent_id: str | None  # ``None``: the first document
    control_number: str  # From the load file; may be empty


@dataclass(frozen=True, slots=True)
class Family(Record):
    """A document with its attachments."""

    COLUMNS = (
        *("document_id", "document", "known_from", "bates_begin", "bates_end", "custodian"),
        "document_count",
    )
    SHOWN = COLUMNS

    document_id: str  # The first document
    document: str
    known_from: str  # Source of the family: ``load file``, ``mail`` or ``file``
    bates_begin: str | None  # From the load file
    bates_end: str | None
    custodian: str | None
    document_count: int
    # Attached files that are not in the family: copies of other documents, unreadable files.
    absent: tuple[str, ...]
    members: Annotated[tuple[FamilyMember, ...], NO_COLUMN]  # In order, each after its parent


@dataclass(frozen=True, slots=True)
class Families(Record):
    """The families of a collection."""

    collection: str
    family_count: int  # Families of two or more documents
    document_count: int
    single_count: int  # Documents without relations
    families: tuple[Family, ...]


DuplicateKind = Literal["content", "message", "near"]


@dataclass(frozen=True, slots=True)
class Duplicate(Record):
    """A document of a group of duplicates."""

    document_id: str
    document: str
    path: str
    control_number: str
    custodian: str | None
    similarity: Share  # Share of five-word runs in common with the first of its group; 1: identical


@dataclass(frozen=True, slots=True)
class DuplicateGroup(Record):
    """Identical or similar documents."""

    COLUMNS = ("group", "kind", "document_count", "custodians")
    SHOWN = COLUMNS

    group: int
    # ``content``: equal bytes or hash; ``message``: mails with equal sender, recipients, subject,
    # minute, words and attachments; ``near``: similar texts.
    kind: DuplicateKind
    document_count: int
    custodians: tuple[str, ...]
    documents: Annotated[tuple[Duplicate, ...], NO_COLUMN]  # Earliest first


@dataclass(frozen=True, slots=True)
class Duplicates(Record):
    """The duplicates of a collection."""

    collection: str
    document_count: int
    exact_count: int  # Documents after the first of ``content`` and ``message`` groups
    near_count: int | None  # The same for ``near``; ``None``: not requested
    groups: tuple[DuplicateGroup, ...]  # Exact ones first
    notes: tuple[str, ...] = ()


# Mail threads: replies, missing mails, and the evidence.

MailRelation = Literal["response_to", "forward_of"]


@dataclass(frozen=True, slots=True)
class ThreadMail(Record):
    """A mail of a thread; one of several copies."""

    SHOWN = ("sent_at", "sender", "subject", "document", "basis")

    document_id: str  # The mail
    document: str
    path: str
    page: int  # 1
    depth: int  # Number of earlier mails in its line of replies
    sent_at: datetime | None  # UTC; as written if the zone is unknown
    sender: str
    to: str
    cc: str
    bcc: str
    subject: str
    relation: MailRelation | None  # Relation to the mail in *follows*
    follows: str | None  # ``document_id`` of the earlier mail; ``None``: none or missing
    follows_page: int | None
    # Evidence: ``message id``, ``references``, ``thread index``, ``quoted head``, or ``subject``,
    # ``correspondents``, ``time``.
    basis: tuple[str, ...]
    confidence: Annotated[float | None, Share]
    copies: tuple[str, ...]  # Paths of other copies
    citation: str


@dataclass(frozen=True, slots=True)
class MailThread(Record):
    """Mails of one conversation, the earliest first."""

    COLUMNS = ("thread", "subject", "mail_count", "copy_count", "first_sent_at", "last_sent_at")
    SHOWN = COLUMNS

    thread: int  # Number in this list, from 1
    subject: str  # Subject of the first mail
    first_sent_at: datetime | None
    last_sent_at: datetime | None
    mail_count: int
    copy_count: int
    people: tuple[str, ...]  # Senders, in order of their first mail
    missing: tuple[str, ...]  # Message ids of referenced mails that are not in the collection
    mails: Annotated[tuple[ThreadMail, ...], NO_COLUMN]


@dataclass(frozen=True, slots=True)
class MailThreads(Record):
    """The threads of a collection."""

    collection: str
    thread_count: int  # Threads of two or more mails
    mail_count: int  # Without copies
    copy_count: int
    single_count: int  # Mails without a thread
    threads: tuple[MailThread, ...]  # By date of the first mail
    notes: tuple[str, ...] = ()
