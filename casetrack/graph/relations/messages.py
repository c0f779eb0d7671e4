"""A message as described by its headers, or by the head on its page."""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from casetrack.base.addresses import addresses
from casetrack.graph.entities.text import fold
from casetrack.graph.identity.mails import base_subject

if TYPE_CHECKING:
    from collections.abc import Mapping

    from casetrack.base.records import Document

_MESSAGE_ID = re.compile(r"<?([^<>\s]+@[^<>\s]+)>?")
_TOKEN = 3
_ROOT, _CHILD = 22, 5
"""Bytes of a conversation index, and bytes that every answer adds ([MS-OXOMSG] 2.2.1.3)."""


@dataclass(frozen=True, slots=True)
class Message:
    """One mail."""

    # Position of its document, and its page in it.
    document: int
    page: int
    # Subject in lower case without reply prefixes; and as written.
    subject: str
    shown: str
    sent: datetime | None  # To the minute, in UTC; as written if the time zone is unknown
    # Addresses of sender and recipients.
    writer: frozenset[str]
    writer_words: frozenset[str]  # Words of the sender's name
    readers: frozenset[str]
    # Its message ids, those that it answers, and earlier ones, the oldest first.
    ids: frozenset[str]
    answers: tuple[str, ...]
    references: tuple[str, ...]
    index: bytes  # Outlook's conversation index; empty without one
    digest: str  # Equal for messages with the same sender, subject, minute and words; may be empty
    # ``from``, ``to``, ``cc`` and ``bcc`` as shown.
    head: Mapping[str, str] = field(default_factory=dict)

    @property
    def conversation(self) -> bytes:
        """The part of its index that all mails of a conversation share; empty without one."""
        return self.index[:_ROOT]

    @property
    def open_readers(self) -> frozenset[str]:
        """Addresses of the visible recipients, without blind copies."""
        return addresses(f"{self.head.get('to', '')}; {self.head.get('cc', '')}")

    def indexes_above(self) -> list[bytes]:
        """Return the indexes of the mails before it in the conversation, the nearest first."""
        return [self.index[:size] for size in range(len(self.index) - _CHILD, _ROOT - 1, -_CHILD)]


@dataclass(frozen=True, slots=True)
class Link:
    """A mail that answers or forwards another one."""

    # Positions of documents.
    source: int
    target: int
    type: str  # ``response_to`` or ``forward_of``
    confidence: float
    basis: tuple[str, ...]  # The evidence: message id, references, quoted head, subject
    # The quoted head as a row of the segments' table, or ``None``.
    place: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Post:
    """A mail of a thread."""

    # The copy that counts, and the others.
    message: Message
    copies: tuple[Message, ...] = ()
    # Position in the thread of the answered mail; ``None`` for a first mail, and if the answered
    # mail is not in the collection.
    parent: int | None = None
    link: Link | None = None  # The evidence for *parent*
    # Ids of earlier mails that it names and that are not in the collection, the nearest first.
    absent: tuple[str, ...] = ()


def message_of(document: Document, row: Mapping[str, Any], /) -> Message:
    """Return a message from its document and its row of the segments' table of identities."""
    facts = dict(document.properties)
    known = {n.partition(":")[0]: n.partition(":")[2] for n in row["numbers"]} | facts
    head = {n: known.get(n, "") for n in ("from", "to", "cc", "bcc")}
    sent = row["dates"][0] if row["dates"] else ""
    writer = head["from"]
    readers = "; ".join(head[n] for n in ("to", "cc", "bcc"))
    shown = facts.get("subject") or document.title or (row["title"][0] if row["title"] else "")
    return Message(
        row["document"],
        row["page"],
        base_subject(shown),
        shown,
        datetime.fromisoformat(sent) if sent else None,
        addresses(writer),
        words_of(writer),
        addresses(readers),
        frozenset(_MESSAGE_ID.findall(known.get("message_id", ""))),
        tuple(_MESSAGE_ID.findall(known.get("in_reply_to", ""))),
        tuple(_MESSAGE_ID.findall(known.get("references", ""))),
        _index(known.get("thread_index", "")),
        row["digest"],
        {name: value for name, value in head.items() if value},
    )


def words_of(text: str, /) -> frozenset[str]:
    """Return the words of a name, or of the local part of an address."""
    named = re.sub(r"@[\w.-]+", " ", fold(text))
    return frozenset(
        w
        for w in re.findall(r"[^\W\d_]+", named)
        if len(w) >= _TOKEN and w not in {"mailto", "behalf"}
    )


def _index(text: str) -> bytes:
    """Return the bytes of a ``Thread-Index``; empty if they are malformed."""
    try:
        index = binascii.a2b_base64(text)
    except binascii.Error:
        return b""
    return index if len(index) >= _ROOT and (len(index) - _ROOT) % _CHILD == 0 else b""
