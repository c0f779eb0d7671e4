"""Reads MBOX: each message a page; one message at a time is in memory."""

from __future__ import annotations

import re
from array import array
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.base.errors import ParseFailed
from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, FileHead, Reading, ReadOptions
from casetrack.parse.mail.body import read_message
from casetrack.parse.mail.page import hand_over, mail_page, thread_headers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from casetrack.parse.base import Page
    from casetrack.parse.mail.model import Mail

_FROM = b"From "
_FIELD = re.compile(rb"[!-9;-~]{1,200}[ \t]*:|>?From ")
_DATED = re.compile(rb"From .{0,300}\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b.{0,60}\d\d:\d\d")
_ESCAPED = re.compile(rb"(?m)^>(>*From )")
_LINE_BYTES = 64 * 1024
_MIB = 1024 * 1024


class MboxReader:
    """Mailboxes of one file, in which lines that begin with "From " part the messages."""

    name = "MBOX"
    extensions: tuple[str, ...] = (".mbox", ".mbx")

    def accepts(self, file: FileHead, /) -> bool:
        """Accept what begins with the line that opens a message."""
        return file.head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(_FROM)

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Find the messages; each is read when its page is asked for."""
        starts = _starts(path)
        if not starts:
            raise ParseFailed(path, self.name, "no message begins in it")
        reading = Reading(DocumentInfo("mbox", len(starts)), iter(()))
        pages = _pages(path, starts, reading, options)
        return Reading(reading.info, pages, reading.warnings, reading.missing, reading.attachments)


def _starts(path: Path) -> array[int]:
    """Return where the messages begin.

    A line "From ..." opens one behind an empty line, or wherever it holds a date; the line after
    it is a header field.
    """
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
                mail.miss(f"Only its first {options.limits.unpacked_mb:,} MiB were read.")
            hand_over(mail, reading, options, where=f"Message {number}: ")
            page = mail_page(mail, number, kind="message")
            yield replace(page, mail_headers=thread_headers(mail))


def _message(data: bytes) -> Mail:
    """Read a message without the line that opens it and without the signs before "From "."""
    _, _, data = data.partition(b"\n")
    return read_message(_ESCAPED.sub(rb"\1", data))
