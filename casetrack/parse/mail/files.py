"""Files of a MIME message: their names, messages inside messages, Outlook's ``winmail.dat``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.parse.mail import headers
from casetrack.parse.mail.model import MailFile
from casetrack.parse.mail.tnef import BadTnef, read_tnef

if TYPE_CHECKING:
    from casetrack.parse.mail.mime import Part
    from casetrack.parse.mail.model import Mail

_SHOWN = re.compile(
    rb"(?:\bcid:|\bsrc\s{0,9}=\s{0,9}[\"']?(?!cid:))([^\"'\s>)]{1,500})", re.IGNORECASE
)
_TNEF = frozenset({"application/ms-tnef", "application/vnd.ms-tnef"})
_MESSAGES = frozenset({"message/rfc822", "message/global"})
_OFFICE = "application/vnd.openxmlformats-officedocument."
SUFFIXES = {
    "application/pdf": ".pdf",
    "application/msword": ".doc",
    "application/vnd.ms-excel": ".xls",
    "application/vnd.ms-powerpoint": ".ppt",
    f"{_OFFICE}wordprocessingml.document": ".docx",
    f"{_OFFICE}spreadsheetml.sheet": ".xlsx",
    f"{_OFFICE}presentationml.presentation": ".pptx",
    "application/rtf": ".rtf",
    "text/rtf": ".rtf",
    "text/plain": ".txt",
    "text/html": ".html",
    "text/csv": ".csv",
    "text/calendar": ".ics",
    "application/json": ".json",
    "application/zip": ".zip",
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "image/tiff": ".tif",
    "image/gif": ".gif",
}
"""Endings for files that have only a content type."""


def add_file(part: Part, mail: Mail, pictures_shown: set[str], /) -> None:
    """Put a part that is no body into the mail's files.

    Parameters
    ----------
    part, mail
        What is put where.
    pictures_shown
        Content ids and places, lower case, of pictures that the body shows; these are no files.
    """
    named = (headers.field(part.head, name) for name in ("content-id", "content-location"))
    is_shown = any(name.strip("<> ").lower() in pictures_shown for name in named)
    if is_shown and part.type.startswith("image/"):
        return
    data = part.content()
    if not data.strip():
        return
    if part.type in _MESSAGES:
        mail.files.append(MailFile(message_name(data), data.lstrip(b"\r\n")))
        return
    name = headers.file_name(part.head)
    if part.type in _TNEF or name.lower() == "winmail.dat":
        try:
            _open_tnef(data, mail)
        except BadTnef as error:
            mail.warn(f"winmail.dat, which holds Outlook's files, could not be opened: {error}.")
            mail.files.append(MailFile(name or "winmail.dat", data))
        return
    number = len(mail.files) + 1
    mail.files.append(
        MailFile(name or f"attachment-{number}{SUFFIXES.get(part.type, '.bin')}", data)
    )


def shown_pictures(html: bytes, /) -> set[str]:
    """Return the content ids and places, in lower case, of the pictures that an HTML body shows."""
    return {name.decode("utf-8", "replace").lower() for name in _SHOWN.findall(html)}


def message_name(data: bytes, /) -> str:
    """Return a file name for a message inside a message: its subject."""
    head, _ = headers.split_head(data, 0, len(data))
    subject = headers.field(head, "subject")
    return f"{subject.replace('/', '_') or 'message'}.eml"


def _open_tnef(data: bytes, mail: Mail) -> None:
    found = read_tnef(data)
    mail.files += found.files
    if not mail.blocks:
        mail.blocks += found.body_blocks(mail)
