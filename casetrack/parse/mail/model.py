"""A mail as every mail format is turned into: headers, body blocks, files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from casetrack.parse.base import ParagraphKind

MAX_DEPTH = 25
"""How deep parts, or messages inside messages, may be nested."""


@dataclass(frozen=True, slots=True)
class BodyBlock:
    """A paragraph of a mail's body."""

    lines: tuple[str, ...]
    kind: ParagraphKind = "body"
    level: int | None = None
    header: str | None = None


@dataclass(frozen=True, slots=True)
class MailFile:
    """A file in a mail."""

    name: str
    data: bytes


@dataclass(slots=True)
class Mail:
    """One message.

    Attributes
    ----------
    sender, to, cc, bcc
        Names and addresses as the mail shows them, decoded.
    date, date_text
        When it was sent, and how the mail writes that.
    thread_index
        Outlook's place of the mail in its conversation ([MS-OXOMSG] 2.2.1.3), in base64.
    kept
        Further header fields that are kept as data, by name, and not shown: see
        :data:`casetrack.parse.mail.headers.KEPT`.
    extra
        Further lines for the head, such as when and where of an appointment.
    blocks
        The body.
    warnings, missing
        See :class:`casetrack.parse.base.Reading`.
    """

    subject: str = ""
    sender: str = ""
    to: str = ""
    cc: str = ""
    bcc: str = ""
    date: datetime | None = None
    date_text: str = ""
    message_id: str = ""
    in_reply_to: str = ""
    references: str = ""
    thread_index: str = ""
    kept: tuple[tuple[str, str], ...] = ()
    extra: list[tuple[str, str]] = field(default_factory=list)
    blocks: list[BodyBlock] = field(default_factory=list)
    files: list[MailFile] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def warn(self, text: str | None, /) -> None:
        """Note a warning once."""
        if text and text not in self.warnings:
            self.warnings.append(text)

    def miss(self, text: str, /) -> None:
        """Note once what could not be read."""
        if text not in self.missing:
            self.missing.append(text)
