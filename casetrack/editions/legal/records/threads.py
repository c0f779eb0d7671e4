"""Threads of mails: who answered whom, what is missing, and why it is said so."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from casetrack.base.records.shape import NO_COLUMN, Record, Share

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
