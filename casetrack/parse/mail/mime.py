"""Parts of a MIME message: spans of one buffer, decoded on demand, with limited depth."""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.parse.mail.headers import decode_base64, parameter, split_head
from casetrack.parse.mail.page import MAX_DEPTH

if TYPE_CHECKING:
    from email.message import Message

MAX_PARTS = 5000
_MAX_BOUNDARY = 500
_SPACES_IN_TEXT = 0.05
_UU_BEGIN = re.compile(rb"(?m)^begin [0-7]{3,4} [^\r\n]*\r?\n")


@dataclass(slots=True)
class Part:
    """A part of a message: ``data[start:end]`` is its encoded content."""

    head: Message
    data: bytes
    start: int
    end: int
    children: tuple[Part, ...] = ()

    @property
    def type(self) -> str:
        """Content type in lower case, such as ``text/plain``."""
        return self.head.get_content_type()

    @property
    def is_attachment(self) -> bool:
        """Whether the mail declares the part as a file."""
        return (self.head.get_content_disposition() or "") == "attachment"

    def content(self) -> bytes:
        """Return the content, decoded from its transfer encoding."""
        data = self.data[self.start : self.end]
        encoding = str(self.head.get("content-transfer-encoding", "")).strip(" \"';").lower()
        if encoding == "base64":
            return decode_base64(data) if _is_base64(data) else data
        if encoding == "quoted-printable":
            return binascii.a2b_qp(data)
        if encoding in {"x-uuencode", "uuencode", "x-uue"}:
            return _uudecode(data)
        return data


@dataclass(slots=True)
class Splitter:
    """Splits one message; *is_cut* means that limits on count or depth left parts unsplit."""

    is_cut: bool = False
    _count: int = 0

    def split(self, data: bytes, start: int, end: int, depth: int = 0, /) -> Part:
        """Split ``data[start:end]`` into its parts."""
        head, body = split_head(data, start, end)
        part = Part(head, data, body, end)
        self._count += 1
        if part.head.get_content_maintype() != "multipart":
            return part
        boundary = parameter(head, "boundary", "content-type")
        if depth >= MAX_DEPTH or self._count >= MAX_PARTS:
            self.is_cut = True
            return part
        children = []
        for a, b in _spans(data, body, end, boundary):
            if self._count >= MAX_PARTS:
                self.is_cut = True
                break
            children.append(self.split(data, a, b, depth + 1))
        part.children = tuple(children)
        return part


def _spans(data: bytes, start: int, end: int, boundary: str) -> list[tuple[int, int]]:
    """Return the spans between boundary lines; without a final boundary, the last ends at *end*."""
    if not boundary or len(boundary) > _MAX_BOUNDARY:
        return []
    mark = re.escape(boundary.encode("utf-8", "replace"))
    line = re.compile(rb"(?m)^--" + mark + rb"(--)?[ \t]*\r?$")
    spans: list[tuple[int, int]] = []
    opened: int | None = None
    for match in line.finditer(data, start, end):
        if opened is not None:
            spans.append((opened, _without_newline(data, opened, match.start())))
            opened = None
        if match[1] is None:
            opened = min(match.end() + 1, end)
        elif spans:
            break
    if opened is not None:
        spans.append((opened, end))
    return spans


def _without_newline(data: bytes, start: int, end: int) -> int:
    """Return *end* before the line break that belongs to the boundary."""
    if end > start and data[end - 1 : end] == b"\n":
        end -= 1
    if end > start and data[end - 1 : end] == b"\r":
        end -= 1
    return end


def _is_base64(data: bytes) -> bool:
    """Return whether data is base64, not text with that label: words have spaces between them."""
    lines = data.strip()
    return lines.count(b" ") <= _SPACES_IN_TEXT * len(lines)


def _uudecode(data: bytes) -> bytes:
    begin = _UU_BEGIN.search(data)
    out = bytearray()
    for line in data[begin.end() if begin else 0 :].splitlines():
        if line.strip() == b"end":
            break
        # The first character encodes the length of the line; the rest is padding.
        length = ((line[0] - 32) & 63) if line else 0
        try:
            out += binascii.a2b_uu(line[: 1 + (length + 2) // 3 * 4])
        except binascii.Error:
            continue
    return bytes(out)
