"""Separate the body of a MIME message from its files."""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from casetrack.parse.dates import mail_date
from casetrack.parse.links import MISLEADING, LinkTargets
from casetrack.parse.mail import headers
from casetrack.parse.mail.files import add_file, shown_pictures, signed_content
from casetrack.parse.mail.headers import decode_base64, decode_text, parameter, split_head
from casetrack.parse.mail.page import MAX_DEPTH, BodyBlock, Mail
from casetrack.parse.mail.quotes import html_body, link_blocks, text_blocks

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


_WORDS = re.compile(r"\w+")
_ENOUGH = 0.5
"""Plain text with at least this share of the words of its HTML form carries the content."""
_SIGNATURES = frozenset(
    {
        "application/pkcs7-signature",
        "application/x-pkcs7-signature",
        "application/pgp-signature",
        "application/pgp-keys",
    }
)
_SMIME = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
_REPORTS = frozenset(
    {
        "message/delivery-status",
        "message/disposition-notification",
        "message/feedback-report",
        "text/rfc822-headers",
    }
)
_MAX_WRAPS = 5
_PGP = "-----BEGIN PGP MESSAGE-----"


@dataclass(slots=True)
class _BodyParts:
    blocks: list[BodyBlock] = field(default_factory=list)
    files: list[Part] = field(default_factory=list)
    pictures_shown: set[str] = field(default_factory=set)
    wraps: int = 0
    targets: LinkTargets = field(default_factory=lambda: LinkTargets(remaining=0))


def read_message(data: bytes, /) -> Mail:
    """Read a message of RFC 5322 and MIME, even if damaged."""
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    splitter = Splitter()
    whole = splitter.split(data, 0, len(data))
    mail = mail_head(whole)
    if splitter.is_cut:
        mail.add_missing(
            "The mail has too many parts, or they are nested too deeply; some were not read."
        )
    parts = _BodyParts()
    _walk(whole, mail, parts)
    mail.blocks += parts.blocks
    mail.blocks += link_blocks(parts.blocks, mail, parts.targets)
    for part in parts.files:
        add_file(part, mail, parts.pictures_shown)
    return mail


def mail_head(part: Part, /) -> Mail:
    """Return a mail with the values of its header fields."""
    head = part.head
    date = headers.field(head, "date")
    mail = Mail(
        subject=headers.field(head, "subject"),
        sender=headers.people(head, "from") or headers.fields(head, "sender"),
        to=headers.people(head, "to"),
        cc=headers.people(head, "cc"),
        bcc=headers.people(head, "bcc"),
        date=mail_date(date),
        date_text=date,
        message_id=headers.field(head, "message-id"),
        in_reply_to=headers.field(head, "in-reply-to"),
        references=headers.field(head, "references"),
        thread_index="".join(headers.field(head, "thread-index").split()),
        kept=headers.kept(head),
    )
    mail.check_date(headers.received(head))
    return mail


def _walk(part: Part, mail: Mail, parts: _BodyParts) -> None:
    """Sort a part into body and files; depth is bounded by the splitter."""
    kind = part.type
    if part.children:
        if kind == "multipart/encrypted":
            mail.add_missing("The mail is encrypted; its content was not read.")
        elif kind == "multipart/alternative":
            _alternative(part, mail, parts)
        else:
            for child in part.children:
                _walk(child, mail, parts)
    elif kind in _SIGNATURES:
        return
    elif kind in _SMIME:
        _smime(part, mail, parts)
    elif _is_body(part):
        parts.blocks += _blocks(part, mail, parts)
    elif kind in {"message/partial", "message/external-body"}:
        mail.add_missing("A part of the mail is stored outside of the file.")
    else:
        parts.files.append(part)


def _smime(part: Part, mail: Mail, parts: _BodyParts) -> None:
    """Read the content of an S/MIME signature; report encrypted content as missing."""
    inner = signed_content(part.content())
    if inner is None or parts.wraps >= _MAX_WRAPS:
        mail.add_missing("The mail is encrypted (S/MIME); its content was not read.")
        return
    parts.wraps += 1
    _walk(Splitter().split(inner, 0, len(inner)), mail, parts)


def _is_body(part: Part) -> bool:
    if part.is_attachment:
        return False
    kind = part.type
    if kind in _REPORTS or kind.startswith("multipart/"):
        return True
    return kind.startswith("text/") and kind != "text/calendar" and not headers.file_name(part.head)


def _alternative(part: Part, mail: Mail, parts: _BodyParts) -> None:
    """Choose one form of the same content: plain text, unless it lacks much of it."""
    plain = [child for child in part.children if child.type == "text/plain" and _is_body(child)]
    others = [child for child in part.children if child not in plain]
    other = _BodyParts(wraps=parts.wraps, targets=parts.targets)
    for child in others:
        if child.type != "text/calendar" or not (plain or other.blocks):
            _walk(child, mail, other)
    blocks = [block for child in plain for block in _blocks(child, mail, parts)]
    words = _words(blocks)
    if len(words) >= _ENOUGH * len(_words(other.blocks)):
        known_words = set(words)
        parts.blocks += blocks
        parts.blocks += [b for b in other.blocks if _is_hidden(b) or _is_new(b, known_words)]
    else:
        parts.blocks += other.blocks
    parts.files += other.files
    parts.pictures_shown |= other.pictures_shown


def _words(blocks: list[BodyBlock]) -> list[str]:
    shown = (block for block in blocks if not _is_hidden(block))
    return [w for block in shown for line in block.lines for w in _WORDS.findall(line.casefold())]


def _is_new(block: BodyBlock, known_words: set[str]) -> bool:
    """Return whether at least half of a block's words are not in the plain text."""
    own = _words([block])
    return bool(own) and 2 * sum(word in known_words for word in own) <= len(own)


def _is_hidden(block: BodyBlock) -> bool:
    """Return whether a block is hidden HTML, or a link that shows the address of another host."""
    return block.lines[0].startswith(("\ufdd2", MISLEADING))


_PAGE = re.compile(rb"\s*(?:<!doctype html|<html)\b", re.IGNORECASE)


def _blocks(part: Part, mail: Mail, parts: _BodyParts) -> list[BodyBlock]:
    data = part.content()
    charset = headers.parameter(part.head, "charset", "content-type") or None
    # Some programs send an HTML page as plain text; show the page, not its tags.
    if part.type in {"text/html", "application/xhtml+xml"} or _PAGE.match(data):
        parts.pictures_shown |= shown_pictures(data)
        return html_body(data, charset, mail, parts.targets)
    decoded = decode_text(data, charset)
    mail.warn(decoded.warning)
    if _PGP in decoded.text:
        mail.add_missing("A text of the mail is encrypted (PGP); it was not read.")
    flow = headers.parameter(part.head, "format", "content-type").lower() == "flowed"
    joins = headers.parameter(part.head, "delsp", "content-type").lower() == "yes"
    return text_blocks(decoded.text, is_flowed=flow, joins_words=joins)
