"""A message as its headers, or the head on its page, tell it."""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from casetrack.graph.entities.text import fold
from casetrack.graph.identity.mails import base_subject

if TYPE_CHECKING:
    from collections.abc import Mapping

    from casetrack.base.records import Document

_MESSAGE_ID = re.compile(r"<?([^<>\s]+@[^<>\s]+)>?")
_ADDRESS = re.compile(r"[\w.+'&=-]+@[\w.-]+\w")
_TOKEN = 3
_ROOT, _CHILD = 22, 5
"""Bytes of a conversation's index, and of what every answer adds ([MS-OXOMSG] 2.2.1.3)."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message: a mail, or a page of a mailbox.

    Attributes
    ----------
    document, page
        Position of its document, and its page there.
    subject, shown
        Subject without what mail programs put before it, in small letters; and as it is.
    sent
        To the minute, in UTC; as it is written where its zone is not known.
    writer, readers
        Addresses of who wrote it, and of whom it went to.
    writer_words
        Words of the writer's name.
    ids, answers, references
        Its own message ids, those it answers, and those before it, the oldest first.
    index
        Outlook's index of its place in the conversation; empty where it has none.
    digest
        What messages of the same sender, subject, minute and words have in common; may be empty.
    head
        ``from``, ``to``, ``cc`` and ``bcc`` as it shows them, where it has them.
    """

    document: int
    page: int
    subject: str
    shown: str
    sent: datetime | None
    writer: frozenset[str]
    writer_words: frozenset[str]
    readers: frozenset[str]
    ids: frozenset[str]
    answers: tuple[str, ...]
    references: tuple[str, ...]
    index: bytes
    digest: str
    head: Mapping[str, str] = field(default_factory=dict)

    @property
    def conversation(self) -> bytes:
        """The part of its index that all mails of a conversation share; empty without one."""
        return self.index[:_ROOT]

    @property
    def open_readers(self) -> frozenset[str]:
        """Addresses of whom it went to for all to see; its blind copies are left out."""
        return _addresses(f"{self.head.get('to', '')} {self.head.get('cc', '')}")

    def indexes_above(self) -> list[bytes]:
        """Return the indexes of the mails that it follows by its own index, the nearest first."""
        return [self.index[:size] for size in range(len(self.index) - _CHILD, _ROOT - 1, -_CHILD)]


@dataclass(frozen=True, slots=True)
class Link:
    """A mail that answers or forwards another one.

    Attributes
    ----------
    source, target
        Positions of documents.
    type
        ``response_to`` or ``forward_of``.
    confidence
        How sure it is.
    basis
        What says so: message id, references, quoted head, subject.
    place
        The head that is quoted, as a row of the segments' table; ``None`` where none is.
    """

    source: int
    target: int
    type: str
    confidence: float
    basis: tuple[str, ...]
    place: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Post:
    """A mail of a thread.

    Attributes
    ----------
    message
        The one of its copies that counts.
    copies
        The others.
    parent
        Position in the thread of what it answers or forwards; ``None`` for a beginning, and where
        that is not here.
    link
        What says so.
    absent
        Ids of the mails before it that it names and that are not here, the nearest first.
    """

    message: Message
    copies: tuple[Message, ...] = ()
    parent: int | None = None
    link: Link | None = None
    absent: tuple[str, ...] = ()


def message_of(document: Document, row: Mapping[str, Any], /) -> Message:
    """Return a message of a document, as its row of the segments' table of identities tells it."""
    facts = dict(document.properties) if document.format != "mbox" else {}
    # Of a message in a mailbox the page tells what else the file tells.
    known = {n.partition(":")[0]: n.partition(":")[2] for n in row["numbers"]} | facts
    head = {n: known.get(n, "") for n in ("from", "to", "cc", "bcc")}
    sent = row["dates"][0] if row["dates"] else ""
    writer = head["from"]
    readers = " ".join(head[n] for n in ("to", "cc", "bcc"))
    shown = (
        facts.get("subject")
        or (document.title or "" if document.format != "mbox" else "")
        or (row["title"][0] if row["title"] else "")
    )
    return Message(
        row["document"],
        row["page"],
        base_subject(shown),
        shown,
        datetime.fromisoformat(sent) if sent else None,
        _addresses(writer),
        words_of(writer),
        _addresses(readers),
        frozenset(_MESSAGE_ID.findall(known.get("message_id", ""))),
        tuple(_MESSAGE_ID.findall(known.get("in_reply_to", ""))),
        tuple(_MESSAGE_ID.findall(known.get("references", ""))),
        _index(known.get("thread_index", "")),
        row["digest"],
        {name: value for name, value in head.items() if value},
    )


def words_of(text: str, /) -> frozenset[str]:
    """Return the words of a name or of the part of an address that names a person."""
    named = re.sub(r"@[\w.-]+", " ", fold(text))
    return frozenset(
        w
        for w in re.findall(r"[^\W\d_]+", named)
        if len(w) >= _TOKEN and w not in {"mailto", "behalf"}
    )


def _addresses(text: str) -> frozenset[str]:
    return frozenset(address.casefold() for address in _ADDRESS.findall(text))


def _index(text: str) -> bytes:
    """Return the bytes of a ``Thread-Index``; empty where they are not what one consists of."""
    try:
        index = binascii.a2b_base64(text)
    except binascii.Error:
        return b""
    return index if len(index) >= _ROOT and (len(index) - _ROOT) % _CHILD == 0 else b""
