"""Read mails: EML as one page; MBOX with a page per message, one message in memory."""

from __future__ import annotations

import re
from array import array
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.base.errors import ParseFailed
from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, FileHead, Reading, ReadOptions
from casetrack.parse.mail.body import read_message
from casetrack.parse.mail.headers import to_utf8
from casetrack.parse.mail.page import head_lines, mail_info, mail_page, thread_headers, transfer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from casetrack.parse.base import Page
    from casetrack.parse.mail.page import Mail

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
        reading = Reading(mail_info(mail, "eml"), iter([mail_page(mail, 1)]))
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
_LINE_BYTES = 64 * 1024
_MIB = 1024 * 1024


class MboxReader:
    """Mailboxes of one file, with messages separated by lines that begin with "From "."""

    name = "MBOX"
    extensions: tuple[str, ...] = (".mbox", ".mbx")

    def accepts(self, file: FileHead, /) -> bool:
        """Accept files that begin with the separator line of a message."""
        return file.head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(_FROM)

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Find the messages; each is read when its page is requested."""
        starts = _starts(path)
        if not starts:
            raise ParseFailed(path, self.name, "it contains no message")
        reading = Reading(DocumentInfo("mbox", len(starts)), iter(()))
        pages = _pages(path, starts, reading, options)
        return Reading(reading.info, pages, reading.warnings, reading.missing, reading.attachments)


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


def _pages(
    path: Path, starts: array[int], reading: Reading, options: ReadOptions
) -> Iterator[Page]:
    most = options.limits.unpacked_mb * _MIB
    with path.open("rb") as file:
        for number, start in enumerate(starts, start=1):
            end = starts[number] if number < len(starts) else None
            file.seek(start)
            data = file.read(most if end is None else min(end - start, most))
            mail = _message(data)
            if len(data) == most:
                mail.add_missing(f"Only its first {options.limits.unpacked_mb:,} MiB were read.")
            transfer(mail, reading, options, where=f"Message {number}: ")
            page = mail_page(mail, number, kind="message")
            yield replace(page, mail_headers=thread_headers(mail))


def _message(data: bytes) -> Mail:
    """Read a message without its separator line and the escapes before "From "."""
    _, _, data = data.partition(b"\n")
    return read_message(_ESCAPED.sub(rb"\1", data))
