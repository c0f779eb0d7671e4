"""Families of documents, and documents that are the same or nearly so."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from casetrack.base.records.shape import NO_COLUMN, Record, Share


@dataclass(frozen=True, slots=True)
class FamilyMember(Record):
    """A document of a family.

    Attributes
    ----------
    depth
        How many documents of the family it lies in: 0 for the first.
    parent_id
        What it is attached to; ``None`` for the first.
    control_number
        By its load file; empty where it came without one.
    """

    document_id: str
    document: str
    path: str
    depth: int
    parent_id: str | None
    control_number: str


@dataclass(frozen=True, slots=True)
class Family(Record):
    """A document with all that is attached to it.

    Attributes
    ----------
    document_id, document
        The first of it.
    told_by
        ``load file``, ``mail``, ``mailbox`` or ``file``: what says so.
    bates_begin, bates_end
        The numbers that it covers, by its load file; ``None`` where it has none.
    absent
        Files that a mail of it names as attached, and that are no documents of the family: copies
        of what the collection holds already, and what could not be read.
    members
        Its documents in order, each behind what it is attached to.
    """

    COLUMNS = (
        *("document_id", "document", "told_by", "bates_begin", "bates_end", "custodian"),
        "document_count",
    )
    SHOWN = COLUMNS

    document_id: str
    document: str
    told_by: str
    bates_begin: str | None
    bates_end: str | None
    custodian: str | None
    document_count: int
    absent: tuple[str, ...]
    members: Annotated[tuple[FamilyMember, ...], NO_COLUMN]


@dataclass(frozen=True, slots=True)
class Families(Record):
    """The families of a collection.

    Attributes
    ----------
    family_count, single_count
        Families of two documents and more, and documents that stand alone.
    families
        Those that were asked for.
    """

    collection: str
    family_count: int
    document_count: int
    single_count: int
    families: tuple[Family, ...]


DuplicateKind = Literal["content", "message", "near"]


@dataclass(frozen=True, slots=True)
class Duplicate(Record):
    """A document that has the same, or nearly the same, in it as others.

    Attributes
    ----------
    similarity
        Share of the runs of five words that it has in common with the first of its group, 0 to 1:
        1 where it is the same.
    """

    document_id: str
    document: str
    path: str
    control_number: str
    custodian: str | None
    similarity: Share


@dataclass(frozen=True, slots=True)
class DuplicateGroup(Record):
    """Documents that are the same.

    Attributes
    ----------
    kind
        ``content``: the same bytes, or the same hash by their load file; ``message``: mails of one
        sender, recipients, subject, minute, words and attachments, whatever folder they lay in;
        ``near``: texts that have most of their words in common.
    custodians
        Whose they are, as far as a load file says so.
    documents
        The one that counts first: the earliest.
    """

    COLUMNS = ("group", "kind", "document_count", "custodians")
    SHOWN = COLUMNS

    group: int
    kind: DuplicateKind
    document_count: int
    custodians: tuple[str, ...]
    documents: Annotated[tuple[Duplicate, ...], NO_COLUMN]


@dataclass(frozen=True, slots=True)
class Duplicates(Record):
    """The duplicates of a collection.

    Attributes
    ----------
    exact_count
        Documents beyond the first of their groups of the kinds ``content`` and ``message``.
    near_count
        The same for ``near``; ``None`` where it was not asked for.
    groups
        Exact ones first.
    """

    collection: str
    document_count: int
    exact_count: int
    near_count: int | None
    groups: tuple[DuplicateGroup, ...]
    notes: tuple[str, ...] = ()


# Threads of mails: who answered whom, what is missing, and why it is said so.

MailRelation = Literal["response_to", "forward_of"]


@dataclass(frozen=True, slots=True)
class ThreadMail(Record):
    """A mail of a thread; of several copies the one that counts.

    Attributes
    ----------
    document_id, document, path
        The document that it is, or the mailbox that it stands in.
    page
        Its page there: 1 but in a mailbox, where every message is a page.
    depth
        How many mails it follows, as far as they are here: 0 for the first.
    sent_at
        In UTC; as it is written where its zone is not known; ``None`` where it tells no time.
    sender, to, cc, bcc, subject
        As the mail shows them; empty where it does not say.
    relation, follows
        What it is to the mail before it, and the ``document_id`` of that; ``None`` where it begins
        something, or what it follows is not here.
    follows_page
        The page of that.
    basis
        What says so: ``message id``, ``references``, ``thread index``, ``quoted head``, or
        ``subject``, ``correspondents``, ``time``.
    confidence
        How sure that is; ``None`` where it follows none.
    copies
        Paths of the other copies of it.
    citation
        Its place.
    """

    SHOWN = ("sent_at", "sender", "subject", "document", "basis")

    document_id: str
    document: str
    path: str
    page: int
    depth: int
    sent_at: datetime | None
    sender: str
    to: str
    cc: str
    bcc: str
    subject: str
    relation: MailRelation | None
    follows: str | None
    follows_page: int | None
    basis: tuple[str, ...]
    confidence: Annotated[float | None, Share]
    copies: tuple[str, ...]
    citation: str


@dataclass(frozen=True, slots=True)
class MailThread(Record):
    """Mails of one conversation, the earliest first.

    Attributes
    ----------
    thread
        Number of the thread in this list, from 1.
    subject
        Of its first mail.
    first_sent_at, last_sent_at
        When it began and when its last mail was sent; ``None`` where no mail of it tells.
    mail_count, copy_count
        Number of its mails, and of further copies of these.
    people
        Who wrote in it, as the mails show them, in the order in which they joined.
    missing
        Message ids of mails that it speaks of and that are not here.
    mails
        Its mails.
    """

    COLUMNS = ("thread", "subject", "mail_count", "copy_count", "first_sent_at", "last_sent_at")
    SHOWN = COLUMNS

    thread: int
    subject: str
    first_sent_at: datetime | None
    last_sent_at: datetime | None
    mail_count: int
    copy_count: int
    people: tuple[str, ...]
    missing: tuple[str, ...]
    mails: Annotated[tuple[ThreadMail, ...], NO_COLUMN]


@dataclass(frozen=True, slots=True)
class MailThreads(Record):
    """The threads of a collection.

    Attributes
    ----------
    collection
        Its name.
    thread_count, mail_count, copy_count
        Threads of two mails and more; mails in all, each once; further copies of these.
    single_count
        Mails that stand alone.
    threads
        The threads that were asked for, by the date of their first mail.
    notes
        What a reader must know of them.
    """

    collection: str
    thread_count: int
    mail_count: int
    copy_count: int
    single_count: int
    threads: tuple[MailThread, ...]
    notes: tuple[str, ...] = ()
