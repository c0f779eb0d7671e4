"""The page of a mail: its head, one line a field, then its body; and what is known of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.parse.base import DocumentInfo
from casetrack.parse.embedded import attach
from casetrack.parse.page_builder import PageBuilder, SourceLine, clean_title

if TYPE_CHECKING:
    from casetrack.parse.base import Page, PageKind, Reading, ReadOptions
    from casetrack.parse.mail.model import Mail

_KIB = 1024
_MAX_PROPERTY = 4000


def mail_page(mail: Mail, number: int, /, kind: PageKind = "page") -> Page:
    """Return the page of a mail."""
    builder = PageBuilder(number, kind=kind)
    builder.paragraph([SourceLine(f"{name}: {value}") for name, value in head_lines(mail)])
    for block in mail.blocks:
        builder.paragraph(
            map(SourceLine, block.lines), kind=block.kind, level=block.level, header=block.header
        )
    return builder.build()


def head_lines(mail: Mail, /) -> list[tuple[str, str]]:
    """Return the lines of the head, those with a value."""
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
    """Return the date in ISO 8601, and as the mail writes it."""
    if mail.date is None:
        return mail.date_text
    iso = mail.date.isoformat(timespec="seconds")
    return f"{iso} ({mail.date_text})" if mail.date_text else iso


def file_size(size: int, /) -> str:
    """Write a size for people."""
    if size < _KIB:
        return f"{size} bytes"
    if size < _KIB * _KIB:
        return f"{size / _KIB:.0f} KB"
    return f"{size / _KIB / _KIB:.1f} MB"


def mail_info(mail: Mail, format_name: str, /) -> DocumentInfo:
    """Return what a mail says about itself."""
    values = (
        ("from", mail.sender),
        ("to", mail.to),
        ("cc", mail.cc),
        ("bcc", mail.bcc),
        ("date", mail.date.isoformat(timespec="seconds") if mail.date else mail.date_text),
        ("subject", mail.subject),
        *thread_headers(mail),
        ("attachments", "; ".join(file.name for file in mail.files)),
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


def thread_headers(mail: Mail, /) -> tuple[tuple[str, str], ...]:
    """Return the header fields that place a mail in its thread, those that it has."""
    values = (
        ("message_id", mail.message_id),
        ("in_reply_to", mail.in_reply_to),
        ("references", mail.references[-_MAX_PROPERTY:]),
        ("thread_index", mail.thread_index),
    )
    return tuple((name, value) for name, value in values if value)


def hand_over(mail: Mail, reading: Reading, options: ReadOptions, /, where: str = "") -> None:
    """Copy a mail's files out, and note what is to be said about it.

    Parameters
    ----------
    mail, reading, options
        What is read, into what, and how.
    where
        Put before each sentence, for mailboxes: which message it is about.
    """
    reading.warnings.extend(where + text for text in mail.warnings)
    reading.missing.extend(where + text for text in mail.missing)
    for file in mail.files:
        attach(reading, options, file.name, file.data)
