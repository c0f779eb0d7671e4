"""Files of a MIME message: their names, nested messages, Outlook's ``winmail.dat``."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from casetrack.parse.mail import headers, storage
from casetrack.parse.mail.page import BodyBlock, Mail, MailFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.parse.mail.body import Part

# Extracts the content of an S/MIME signature (RFC 5652); nothing is verified.

_SIGNED = bytes.fromhex("06092a864886f70d010702")
_MAX_DEPTH = 40
_SEQUENCE, _OCTETS, _OCTETS_PARTS, _EXPLICIT = 0x30, 0x04, 0x24, 0xA0


class _NotCms(ValueError):
    """The bytes are not valid CMS."""


def signed_content(data: bytes, /) -> bytes | None:
    """Return the signed content, or ``None`` if *data* is encrypted, damaged or not signed."""
    try:
        at = _enter(data, 0, _SEQUENCE)
        if not data.startswith(_SIGNED, at):
            return None
        at = _enter(data, at + len(_SIGNED), _EXPLICIT)
        at = _enter(data, at, _SEQUENCE)
        for _ in ("version", "digest algorithms"):
            at = _skip(data, at)
        at = _enter(data, at, _SEQUENCE)
        at = _enter(data, _skip(data, at), _EXPLICIT)
        return _octets(data, at, 0)[0]
    except _NotCms:
        return None


def _element(data: bytes, at: int) -> tuple[int, int, int | None]:
    """Return tag, start and end of an element's content; no end if its length is indefinite."""
    if at + 2 > len(data):
        raise _NotCms
    tag, length = data[at], data[at + 1]
    at += 2
    if tag & 31 == 31:
        raise _NotCms
    if length == 0x80:
        return tag, at, None
    if length > 0x80:
        size = length & 0x7F
        if size > 8 or at + size > len(data):
            raise _NotCms
        length = int.from_bytes(data[at : at + size], "big")
        at += size
    return tag, at, min(at + length, len(data))


def _enter(data: bytes, at: int, wanted: int) -> int:
    tag, start, _ = _element(data, at)
    if tag != wanted:
        raise _NotCms
    return start


def _skip(data: bytes, at: int, depth: int = 0) -> int:
    """Return where the next element begins."""
    _, start, end = _element(data, at)
    if end is not None:
        return end
    if depth > _MAX_DEPTH:
        raise _NotCms
    while data[start : start + 2] != b"\x00\x00":
        start = _skip(data, start, depth + 1)
    return start + 2


def _octets(data: bytes, at: int, depth: int) -> tuple[bytes, int]:
    """Return an octet string, possibly in parts, and the start of the next element."""
    tag, start, end = _element(data, at)
    if tag == _OCTETS and end is not None:
        return data[start:end], end
    if tag != _OCTETS_PARTS or depth > _MAX_DEPTH:
        raise _NotCms
    parts = []
    while (start < end) if end is not None else (data[start : start + 2] != b"\x00\x00"):
        part, start = _octets(data, start, depth + 1)
        parts.append(part)
    return b"".join(parts), start if end is not None else start + 2


# Opens ``winmail.dat`` (TNEF, [MS-OXTNEF]), which contains files and body of an Outlook mail.

_MARK = 0x223E9F78
_HEADER = struct.Struct("<BII")
_FILE_START, _FILE_TITLE, _FILE_DATA, _FILE_PROPERTIES = 0x69002, 0x18010, 0x6800F, 0x69005
_MESSAGE_PROPERTIES, _CODE_PAGE, _BODY = 0x69003, 0x69007, 0x2800C
_FIXED = {0x02: 4, 0x03: 4, 0x04: 4, 0x05: 8, 0x06: 8, 0x07: 8, 0x0A: 4, 0x0B: 4, 0x14: 8} | {
    0x40: 8,
    0x48: 16,
}
_MANY = 0x1000
_NAMED = 0x8000
_MAX_VALUES = 100_000


class BadTnef(ValueError):
    """The bytes are not TNEF."""


@dataclass(slots=True)
class Tnef:
    """Content of a ``winmail.dat``."""

    files: list[MailFile] = field(default_factory=list)
    properties: storage.Properties = field(default_factory=storage.Properties)

    def body_blocks(self, mail: Mail, /) -> list[BodyBlock]:
        """Return the paragraphs of the body; problems are added to *mail*."""
        return storage.body_blocks(storage.find_body(self.properties, mail), mail)


@dataclass(slots=True)
class _File:
    title: str = ""
    data: bytes = b""
    properties: storage.Properties = field(default_factory=storage.Properties)

    def build(self, number: int) -> MailFile | None:
        data = self.data or self.properties.data(storage.ATTACH_DATA)
        name = self.properties.line(storage.ATTACH_NAME, storage.ATTACH_SHORT_NAME) or self.title
        return MailFile(name or f"attachment-{number}.bin", data) if data else None


def read_tnef(data: bytes, /) -> Tnef:
    """Read the attributes of a TNEF stream, even truncated; raise ``BadTnef`` for other data."""
    if len(data) < 6 or struct.unpack_from("<I", data)[0] != _MARK:
        raise BadTnef("its signature is missing")
    tnef = Tnef()
    files: list[_File] = []
    for kind, start, end in _attributes(data):
        value = data[start:end]
        if kind == _FILE_START:
            files.append(_File())
        elif kind == _CODE_PAGE and len(value) >= 4:
            tnef.properties.values[storage.CODE_PAGE] = int(struct.unpack_from("<I", value)[0])
            tnef.properties.find_encoding()
        elif kind == _MESSAGE_PROPERTIES:
            tnef.properties.values |= _properties(value)
        elif kind == _BODY:
            tnef.properties.values.setdefault(storage.BODY, value)
        elif files:
            _take(files[-1], kind, value, tnef.properties.encoding)
    made = (file.build(number) for number, file in enumerate(files, start=1))
    tnef.files = [file for file in made if file is not None]
    return tnef


def _take(file: _File, kind: int, value: bytes, encoding: str | None) -> None:
    file.properties.encoding = encoding
    if kind == _FILE_TITLE:
        title = storage.Properties({storage.DISPLAY_NAME: value}, encoding)
        file.title = title.line(storage.DISPLAY_NAME)
    elif kind == _FILE_DATA:
        file.data = value
    elif kind == _FILE_PROPERTIES:
        file.properties.values |= _properties(value)


def _attributes(data: bytes) -> Iterator[tuple[int, int, int]]:
    at = 6
    while at + _HEADER.size <= len(data):
        _, kind, length = _HEADER.unpack_from(data, at)
        start = at + _HEADER.size
        end = min(start + length, len(data))
        yield kind, start, end
        at = end + 2


def _properties(data: bytes) -> dict[int, storage.Value]:
    """Return the readable MAPI properties in an attribute."""
    values: dict[int, storage.Value] = {}
    try:
        _read_properties(data, values)
    except (struct.error, IndexError):
        # The end is damaged; the properties before it count.
        return values
    return values


def _read_properties(data: bytes, values: dict[int, storage.Value]) -> None:
    (count,) = struct.unpack_from("<I", data)
    at = 4
    for _ in range(min(count, _MAX_VALUES)):
        kind, identity = struct.unpack_from("<HH", data, at)
        at += 4
        if identity >= _NAMED:
            at = _after_name(data, at)
        is_many, base = bool(kind & _MANY), kind & ~_MANY
        if base in _FIXED and not is_many:
            raw = data[at : at + 16].ljust(16, b"\x00")
            result = storage.fixed_value(base, raw)
            at += _FIXED[base]
        else:
            result, at = _read_values(data, at, base)
        if result is not None and identity < _NAMED:
            values[identity] = result


def _read_values(data: bytes, at: int, kind: int) -> tuple[storage.Value | None, int]:
    """Return the first of several values, and where the next property begins."""
    (count,) = struct.unpack_from("<I", data, at)
    at += 4
    first: storage.Value | None = None
    for i in range(min(count, _MAX_VALUES)):
        if kind in _FIXED:
            at += _FIXED[kind]
            continue
        (length,) = struct.unpack_from("<I", data, at)
        raw = data[at + 4 : at + 4 + length]
        at += 4 + (length + 3) // 4 * 4
        if i == 0:
            first = _string(kind, raw)
    return first, at


def _string(kind: int, raw: bytes) -> storage.Value:
    if kind == storage.UNICODE:
        return raw.decode("utf-16-le", "replace").rstrip("\x00")
    if kind == storage.OBJECT:
        # An interface id of 16 bytes precedes the object.
        return raw[16:]
    return raw


def _after_name(data: bytes, at: int) -> int:
    (kind,) = struct.unpack_from("<I", data, at + 16)
    (value,) = struct.unpack_from("<I", data, at + 20)
    return at + 24 if kind == 0 else at + 24 + (int(value) + 3) // 4 * 4


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
"""Extensions of files that have only a content type."""


def add_file(part: Part, mail: Mail, pictures_shown: set[str], /) -> None:
    """Add a part to the mail's files, unless it is one of the *pictures_shown* in the body."""
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
            mail.warn(f"winmail.dat, which contains Outlook's files, could not be opened: {error}.")
            mail.files.append(MailFile(name or "winmail.dat", data))
        return
    number = len(mail.files) + 1
    mail.files.append(
        MailFile(name or f"attachment-{number}{SUFFIXES.get(part.type, '.bin')}", data)
    )


def shown_pictures(html: bytes, /) -> set[str]:
    """Return the lower-case content ids and locations of the pictures in an HTML body."""
    return {name.decode("utf-8", "replace").lower() for name in _SHOWN.findall(html)}


def message_name(data: bytes, /) -> str:
    """Return a file name for a nested message: its subject."""
    head, _ = headers.split_head(data, 0, len(data))
    subject = headers.field(head, "subject")
    return f"{subject.replace('/', '_') or 'message'}.eml"


def _open_tnef(data: bytes, mail: Mail) -> None:
    tnef = read_tnef(data)
    mail.files += tnef.files
    if not mail.blocks:
        mail.blocks += tnef.body_blocks(mail)
