"""Read mails (EML), each as one page, and find the messages of a mailbox (MBOX)."""

from __future__ import annotations

import re
from array import array
from functools import partial
from io import BytesIO
from itertools import pairwise
from typing import TYPE_CHECKING

from casetrack.base.errors import ParseFailed
from casetrack.parse.base import DEFAULT_OPTIONS, FileHead, Reading, ReadOptions
from casetrack.parse.dates import mail_date
from casetrack.parse.mail.body import read_message
from casetrack.parse.mail.files import message_name
from casetrack.parse.mail.headers import field, split_head, to_utf8
from casetrack.parse.mail.page import head_lines, mail_info, mail_page, transfer

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterator
    from pathlib import Path

# Reads EML: one mail, one page.

_START = re.compile(rb"(?:>?From [^\n]{1,300}\n)?[!-9;-~]{1,200}[ \t]*:")
_APPLE_LENGTH = re.compile(rb"\s{0,16}(\d{1,12})\s*\n")


class EmlReader:
    """Single mails (RFC 5322, MIME), also those of Apple Mail."""

    name = "EML"
    extensions: tuple[str, ...] = (".eml", ".emlx")

    def accepts(self, file: FileHead, /) -> bool:
        """Accept files that begin with a header field."""
        head = file.head
        if file.extension == ".emlx":
            length = _APPLE_LENGTH.match(head)
            head = head[length.end() :] if length else head
        return file.mark is None and _START.match(to_utf8(head)) is not None

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Read the mail; see :class:`casetrack.parse.base.Reader`."""
        data = path.read_bytes()
        if path.suffix.lower() == ".emlx":
            data = _without_frame(data)
        mail = read_message(to_utf8(data))
        if not (mail.blocks or mail.files or head_lines(mail) or mail.missing):
            raise ParseFailed(path, self.name, "it has neither header fields nor a body")
        reading = Reading(mail_info(mail, "eml"), iter([mail_page(mail)]))
        transfer(mail, reading, options)
        return reading


def _without_frame(data: bytes) -> bytes:
    """Return the mail of an Apple Mail file, between its length and a property list."""
    length = _APPLE_LENGTH.match(data)
    if length is None:
        return data
    return data[length.end() : length.end() + int(length[1])]


_FROM = b"From "
_FIELD = re.compile(rb"[!-9;-~]{1,200}[ \t]*:|>?From ")
_DATED = re.compile(rb"From .{0,300}\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b.{0,60}\d\d:\d\d")
_ESCAPED = re.compile(rb"(?m)^>(>*From )")
_LINE_BYTES = _HEAD_BYTES = 64 * 1024


def is_mailbox(head: bytes, /) -> bool:
    """Return whether a file begins with the separator line of a message."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(_FROM)


def mailbox_messages(
    path: Path, /
) -> Iterator[tuple[str, dt.datetime | None, Callable[[], BytesIO]]]:
    """Yield name, date and content of each message of a mailbox; ``ValueError`` without any."""
    starts = _starts(path)
    if not starts:
        raise ValueError("it contains no message")
    size = path.stat().st_size

    def read(start: int, most: int) -> BytesIO:
        with path.open("rb") as file:
            file.seek(start)
            # Without the separator line and the escapes before "From ".
            _, _, data = file.read(most).partition(b"\n")
        return BytesIO(_ESCAPED.sub(rb"\1", data))

    for start, end in pairwise((*starts, size)):
        data = read(start, min(end - start, _HEAD_BYTES)).getvalue()
        head, _ = split_head(data, 0, len(data))
        yield message_name(data), mail_date(field(head, "date")), partial(read, start, end - start)


def _starts(path: Path) -> array[int]:
    """Return the offsets of separator lines: after an empty line or dated, before a field."""
    starts = array("Q")
    at = 0
    candidate: int | None = None
    is_after_empty = is_line_start = True
    with path.open("rb") as file:
        while line := file.readline(_LINE_BYTES):
            if candidate is not None:
                if _FIELD.match(line):
                    starts.append(candidate)
                candidate = None
            if is_line_start and line.startswith(_FROM) and (is_after_empty or _DATED.match(line)):
                candidate = at
            is_after_empty = is_line_start and not line.strip(b"\r\n")
            is_line_start = line.endswith(b"\n")
            at += len(line)
    if candidate is not None and not starts:
        starts.append(candidate)
    return starts
