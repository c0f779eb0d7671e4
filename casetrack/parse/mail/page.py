"""Page of a mail: header fields, one per line, then the body; and the facts of the mail."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from casetrack.parse.base import DocumentInfo, Page, ParagraphKind, Reading, ReadOptions
from casetrack.parse.embedded import attach
from casetrack.parse.page_builder import PageBuilder, SourceLine, clean_title

# The common form of all mail formats: headers, body blocks, files.

MAX_DEPTH = 25
"""Maximum nesting of parts, or of messages inside messages."""


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

    *date_text* is the original text of *date*; *thread_index* is Outlook's position in a
    conversation ([MS-OXOMSG] 2.2.1.3), in base64; *kept* are facts that are not shown; *extra* are
    further header lines, such as time and place of an appointment.
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
        """Add a warning once."""
        if text and text not in self.warnings:
            self.warnings.append(text)

    def check_date(self, received: Iterable[datetime | None], /) -> None:
        """Replace an implausible date by the first *received* time of a server; add a warning."""
        known = [moment for moment in received if moment is not None]
        if not self.date_text or any(
            self.date and abs(self.date - moment) < _LONGEST_WAY for moment in known
        ):
            return
        if known:
            self.warn(
                f'The mail is dated "{self.date_text}", but servers received it on '
                f"{min(known):%Y-%m-%d}; that date is used."
            )
            self.extra.append((STATED_DATE, self.date_text))
            self.date, self.date_text = min(known), ""
        elif self.date is None:
            self.warn(f'The mail has no usable date: "{self.date_text}".')

    def add_missing(self, text: str, /) -> None:
        """Add a sentence on unreadable content once."""
        if text not in self.missing:
            self.missing.append(text)


_LONGEST_WAY = timedelta(days=31)
"""Longer than a server keeps trying to deliver a mail."""
STATED_DATE = "Stated date"
"""Label of the line with an implausible date that a mail states."""
_KIB = 1024
_MAX_PROPERTY = 4000
_FILES = 60


def mail_page(mail: Mail, /) -> Page:
    """Return the page of a mail."""
    builder = PageBuilder(1)
    builder.paragraph([SourceLine(f"{name}: {value}") for name, value in head_lines(mail)])
    for block in mail.blocks:
        builder.paragraph(
            map(SourceLine, block.lines), kind=block.kind, level=block.level, header=block.header
        )
    return builder.build()


def head_lines(mail: Mail, /) -> list[tuple[str, str]]:
    """Return the nonempty header lines."""
    files = ", ".join(f"{file.name} ({file_size(len(file.data))})" for file in mail.files)
    lines = [
        ("From", mail.sender),
        ("To", mail.to),
        ("Cc", mail.cc),
        ("Bcc", mail.bcc),
        ("Date", shown_date(mail)),
        ("Subject", mail.subject),
        *mail.extra,
        ("Attachments", files),
    ]
    return [(name, value) for name, value in lines if value]


def shown_date(mail: Mail, /) -> str:
    """Return the date in ISO 8601 and its original text."""
    if mail.date is None:
        return mail.date_text
    iso = mail.date.isoformat(timespec="seconds")
    return f"{iso} ({mail.date_text})" if mail.date_text else iso


def file_size(size: int, /) -> str:
    """Format a size for display."""
    if size < _KIB:
        return f"{size} bytes"
    if size < _KIB * _KIB:
        return f"{size / _KIB:.0f} KB"
    return f"{size / _KIB / _KIB:.1f} MB"


def mail_info(mail: Mail, format_name: str, /) -> DocumentInfo:
    """Return the facts of a mail."""
    values = (
        ("from", mail.sender),
        ("to", mail.to),
        ("cc", mail.cc),
        ("bcc", mail.bcc),
        ("date", mail.date.isoformat(timespec="seconds") if mail.date else mail.date_text),
        ("subject", mail.subject),
        ("message_id", mail.message_id),
        ("in_reply_to", mail.in_reply_to),
        ("references", mail.references[-_MAX_PROPERTY:]),
        ("thread_index", mail.thread_index),
        ("attachments", "; ".join(file.name for file in mail.files)),
        (
            "attached_files",
            " ".join(hashlib.sha256(file.data).hexdigest() for file in mail.files[:_FILES]),
        ),
        *mail.kept,
    )
    shown = ((name, clean_title(value, limit=_MAX_PROPERTY)) for name, value in values)
    return DocumentInfo(
        format_name,
        1,
        title=clean_title(mail.subject),
        author=clean_title(mail.sender),
        created_at=mail.date,
        properties=tuple((name, value) for name, value in shown if value),
    )


def transfer(mail: Mail, reading: Reading, options: ReadOptions, /) -> None:
    """Copy a mail's files out, and add its warnings to *reading*."""
    reading.warnings.extend(mail.warnings)
    reading.missing.extend(mail.missing)
    for file in mail.files:
        attach(reading, options, file.name, file.data)
