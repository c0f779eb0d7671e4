"""Reads EML: one mail, one page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.base.errors import ParseFailed
from casetrack.parse.base import DEFAULT_OPTIONS, FileHead, Reading, ReadOptions
from casetrack.parse.mail.body import read_message
from casetrack.parse.mail.charsets import narrow
from casetrack.parse.mail.page import hand_over, head_lines, mail_info, mail_page

if TYPE_CHECKING:
    from pathlib import Path

_START = re.compile(rb"(?:>?From [^\n]{1,300}\n)?[!-9;-~]{1,200}[ \t]*:")
_APPLE_LENGTH = re.compile(rb"\s{0,16}(\d{1,12})\s*\n")


class EmlReader:
    """Single mails as programs save them (RFC 5322, MIME); also those of Apple Mail."""

    name = "EML"
    extensions: tuple[str, ...] = (".eml", ".emlx")

    def accepts(self, file: FileHead, /) -> bool:
        """Accept what begins with a header field."""
        head = file.head
        if file.extension == ".emlx":
            length = _APPLE_LENGTH.match(head)
            head = head[length.end() :] if length else head
        return file.mark is None and _START.match(narrow(head)) is not None

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Read the mail; see :class:`casetrack.parse.base.Reader`."""
        data = path.read_bytes()
        if path.suffix.lower() == ".emlx":
            data = _without_frame(data)
        mail = read_message(narrow(data))
        if not (mail.blocks or mail.files or head_lines(mail) or mail.missing):
            raise ParseFailed(path, self.name, "it has neither header fields nor a body")
        reading = Reading(mail_info(mail, "eml"), iter([mail_page(mail, 1)]))
        hand_over(mail, reading, options)
        return reading


def _without_frame(data: bytes) -> bytes:
    """Return the mail in a file of Apple Mail: its length stands before it, a list after it."""
    length = _APPLE_LENGTH.match(data)
    if length is None:
        return data
    return data[length.end() : length.end() + int(length[1])]
