"""Writes a message that lies inside an Outlook file as a mail of its own (EML)."""

from __future__ import annotations

from email.header import Header
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.policy import compat32
from email.utils import format_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from email.message import Message

    from casetrack.parse.mail.mapi import Body
    from casetrack.parse.mail.model import Mail


def as_eml(mail: Mail, body: Body, /) -> bytes:
    """Return a mail as a file that the EML reader shows the same way."""
    text = _text_part(mail, body)
    message: Message = text
    if mail.files:
        message = MIMEMultipart("mixed")
        message.attach(text)
        for file in mail.files:
            part = MIMEApplication(file.data)
            part.add_header("Content-Disposition", "attachment", filename=("utf-8", "", file.name))
            message.attach(part)
    for name, value in (
        ("From", mail.sender),
        ("To", mail.to),
        ("Cc", mail.cc),
        ("Bcc", mail.bcc),
        ("Date", format_datetime(mail.date) if mail.date else mail.date_text),
        ("Subject", mail.subject),
        ("Message-ID", mail.message_id),
        ("In-Reply-To", mail.in_reply_to),
        ("References", mail.references),
    ):
        if value:
            message[name] = _header(value)
    return message.as_bytes(policy=compat32.clone(mangle_from_=False))


def _text_part(mail: Mail, body: Body) -> Message:
    if not body.plain.strip() and body.html.strip() and not mail.extra:
        if isinstance(body.html, str):
            return MIMEText(body.html.encode("utf-8", "replace").decode(), "html", "utf-8")
        part = MIMEApplication(body.html)
        part.replace_header("Content-Type", "text/html")
        if body.charset:
            part.set_param("charset", body.charset)
        return part
    lines = [f"{name}: {value}" for name, value in mail.extra]
    paragraphs = ["\n".join(lines)] if lines else []
    paragraphs += ["\n".join(block.lines) for block in mail.blocks]
    text = "\n\n".join(paragraphs)
    return MIMEText(text.encode("utf-8", "replace").decode(), "plain", "utf-8")


def _header(value: str) -> str:
    """Return a header's value without line breaks, encoded where it is not ASCII."""
    line = " ".join("".join(char if char.isprintable() else " " for char in value).split())
    if line.isascii():
        return line
    return Header(line.encode("utf-8", "replace").decode(), "utf-8").encode()
