"""The mails that belong with a mail: its thread, in the order in which they were sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.graph.identity.mails import FORMATS as MAIL_FORMATS
from casetrack.graph.opened import graph_of

if TYPE_CHECKING:
    from datetime import datetime

    from casetrack.base.records import Document
    from casetrack.graph.relations.messages import Post
    from casetrack.store.workspace import State


@dataclass(frozen=True, slots=True)
class ThreadMail:
    """A mail of a thread.

    Attributes
    ----------
    document, page
        Where it stands: a page of a mailbox, or a document of its own.
    subject, writer
        As it shows them; empty where it has none.
    sent
        When; ``None`` where that is not known.
    """

    document: Document
    page: int
    subject: str
    writer: str
    sent: datetime | None


def thread_of(state: State, document: Document, page: int, /) -> tuple[ThreadMail, ...]:
    """Return the thread of a mail, the mail itself among them; none where it stands alone.

    Of copies of a mail only one is there: the one that is asked for, if it is among them.

    Parameters
    ----------
    page
        Of a mailbox, the page of the mail; a mail of its own has one.
    """
    if document.format not in MAIL_FORMATS:
        return ()
    threads, documents = state.once(_threads), graph_of(state).documents
    place = (document.document_id, page)
    posts = threads.get(place) or threads.get((document.document_id, 1), ())
    found = []
    for post in posts:
        copies = (post.message, *post.copies)
        own = (m for m in copies if (documents[m.document].document_id, m.page) == place)
        message = next(own, post.message)
        found.append(
            ThreadMail(
                documents[message.document],
                message.page,
                message.shown,
                message.head.get("from", ""),
                message.sent,
            )
        )
    return tuple(found) if len(found) > 1 else ()


def _threads(state: State) -> dict[tuple[str, int], tuple[Post, ...]]:
    """Return the thread of each mail by its document and page, copies among them."""
    documents = graph_of(state).documents
    found: dict[tuple[str, int], tuple[Post, ...]] = {}
    for posts in graph_of(state).mails.conversations():
        for post in posts:
            for message in (post.message, *post.copies):
                found[documents[message.document].document_id, message.page] = posts
    return found
