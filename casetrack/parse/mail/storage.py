"""The OLE container of an Outlook message ([MS-OXMSG]): storages and their MAPI properties."""

from __future__ import annotations

import datetime as dt
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from casetrack.base.errors import ParseFailed, ParseLimit
from casetrack.base.years import recorded
from casetrack.parse.links import LinkTargets
from casetrack.parse.mail.headers import decode_text
from casetrack.parse.mail.page import BodyBlock, Mail
from casetrack.parse.mail.quotes import html_body, link_blocks, mark_quotes, text_blocks
from casetrack.parse.rtf.flow import Block
from casetrack.parse.rtf.parser import RtfParser
from casetrack.parse.rtf.reader import encapsulated_html, holds_html
from casetrack.parse.rtf.scanner import codec, locale_codec

# MAPI properties ([MS-OXPROPS]): ids, types, values; shared by MSG files and ``winmail.dat``.

# Unpacks the compressed RTF of Outlook's messages ([MS-OXRTFCP]).

_HEADER = struct.Struct("<IIII")
_PACKED, _PLAIN = 0x75465A4C, 0x414C454D
_SIZE, _MASK = 4096, 4095
_PRESET = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}"
    b"{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArial"
    b"Times New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par "
    b"\\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)


class BadCompression(ValueError):
    """The bytes are not compressed RTF."""


def decompress_rtf(data: bytes, /) -> bytes:
    """Return the RTF in *data*, of damaged data the readable part; may raise ``BadCompression``."""
    if len(data) < _HEADER.size:
        raise BadCompression("it is too short")
    _, raw_size, kind, _ = _HEADER.unpack_from(data)
    if kind == _PLAIN:
        return data[_HEADER.size : _HEADER.size + raw_size]
    if kind != _PACKED:
        raise BadCompression("its signature is unknown")
    return _unpack(data, raw_size)


def _unpack(data: bytes, raw_size: int) -> bytes:
    window = bytearray(_PRESET.ljust(_SIZE, b" "))
    write = len(_PRESET)
    out = bytearray()
    at, end = _HEADER.size, len(data)
    while at < end:
        control = data[at]
        at += 1
        for bit in range(8):
            if not control >> bit & 1:
                if at >= end:
                    return bytes(out[:raw_size])
                byte = data[at]
                at += 1
                out.append(byte)
                window[write] = byte
                write = (write + 1) & _MASK
                continue
            if at + 1 >= end:
                return bytes(out[:raw_size])
            reference = data[at] << 8 | data[at + 1]
            at += 2
            read, length = reference >> 4, (reference & 15) + 2
            if read == write:
                return bytes(out[:raw_size])
            for i in range(length):
                byte = window[(read + i) & _MASK]
                out.append(byte)
                window[write] = byte
                write = (write + 1) & _MASK
    return bytes(out[:raw_size])


STRING8, UNICODE, BINARY, OBJECT = 0x001E, 0x001F, 0x0102, 0x000D
_INT16, _INT32, _BOOL, _FLOAT, _TIME, _INT64 = 0x02, 0x03, 0x0B, 0x05, 0x40, 0x14

MESSAGE_CLASS, SUBJECT, SUBMIT_TIME, HEADERS = 0x001A, 0x0037, 0x0039, 0x007D
SENT_NAME, SENT_ADDRESS, SENT_SMTP = 0x0042, 0x0065, 0x5D02
SENDER_NAME, SENDER_ADDRESS, SENDER_SMTP = 0x0C1A, 0x0C1F, 0x5D01
RECIPIENT_TYPE, DISPLAY_BCC, DISPLAY_CC, DISPLAY_TO = 0x0C15, 0x0E02, 0x0E03, 0x0E04
DELIVERY_TIME, NORMALIZED_SUBJECT, SUBJECT_PREFIX = 0x0E06, 0x0E1D, 0x003D
BODY, COMPRESSED_RTF, HTML = 0x1000, 0x1009, 0x1013
MESSAGE_ID, REFERENCES, IN_REPLY_TO = 0x1035, 0x1039, 0x1042
DISPLAY_NAME, ADDRESS_TYPE, ADDRESS, SMTP_ADDRESS = 0x3001, 0x3002, 0x3003, 0x39FE
CREATED, MODIFIED = 0x3007, 0x3008
ATTACH_DATA, ATTACH_SHORT_NAME, ATTACH_METHOD, ATTACH_NAME = 0x3701, 0x3704, 0x3705, 0x3707
ATTACH_MIME, ATTACH_CONTENT_ID, ATTACH_PLACE = 0x370E, 0x3712, 0x3713
CONVERSATION_TOPIC, CONVERSATION_INDEX = 0x0070, 0x0071
LOCALE, CODE_PAGE, INTERNET_CODE_PAGE = 0x3FF1, 0x3FFD, 0x3FDE

_EPOCH = dt.datetime(1601, 1, 1, tzinfo=dt.UTC)
_NO_TIME = 0x0CB34557A3DD4000
"""Outlook's value for "never": the first of January 4501."""

Value = int | float | bytes | str | dt.datetime


@dataclass(slots=True)
class Properties:
    """Properties by id; 8-bit strings stay bytes until *encoding* is known."""

    values: dict[int, Value] = field(default_factory=dict)
    encoding: str | None = None

    def text(self, *ids: int) -> str:
        """Return the first of these properties with text; empty without one."""
        for identity in ids:
            value = self.values.get(identity)
            if isinstance(value, bytes):
                value = decode_text(value.rstrip(b"\x00"), self.encoding).text
            if isinstance(value, str) and value.strip("\x00 \r\n\t"):
                return value.rstrip("\x00")
        return ""

    def line(self, *ids: int) -> str:
        """Return :meth:`text` on one line."""
        return " ".join(self.text(*ids).split())

    def number(self, identity: int, /) -> int | None:
        """Return a number, or ``None``."""
        value = self.values.get(identity)
        return int(value) if isinstance(value, int | float) else None

    def time(self, *ids: int) -> dt.datetime | None:
        """Return the first of these dates that is set."""
        for identity in ids:
            value = self.values.get(identity)
            if isinstance(value, dt.datetime):
                return value
        return None

    def data(self, identity: int, /) -> bytes:
        """Return bytes; empty without any."""
        value = self.values.get(identity)
        if isinstance(value, str):
            return value.encode("utf-8", "replace")
        return value if isinstance(value, bytes) else b""

    def find_encoding(self) -> None:
        """Set the codec of 8-bit strings by the message's code page, its locale, or its HTML."""
        locale = self.number(LOCALE)
        codecs = (
            _narrow(self.number(CODE_PAGE)),
            locale_codec(locale) if locale else None,
            _narrow(self.number(INTERNET_CODE_PAGE)),
        )
        self.encoding = next((name for name in codecs if name), None)


def _narrow(page: int | None) -> str | None:
    """Return the codec of a code page whose strings may end at a zero byte."""
    name = codec(page) if page else None
    return None if name is None or name.startswith("utf-16") else name


def fixed_value(kind: int, raw: bytes, /) -> Value | None:
    """Return the value of a property of fixed length, ``None`` for an unused type."""
    if kind == _INT32:
        return int(struct.unpack_from("<i", raw)[0])
    if kind == _INT16:
        return int(struct.unpack_from("<h", raw)[0])
    if kind == _BOOL:
        return int(raw[0] != 0)
    if kind == _INT64:
        return int(struct.unpack_from("<q", raw)[0])
    if kind == _FLOAT:
        return float(struct.unpack_from("<d", raw)[0])
    if kind == _TIME:
        return _time(int(struct.unpack_from("<Q", raw)[0]))
    return None


def _time(ticks: int) -> dt.datetime | None:
    """Return a time given in tenths of microseconds since 1601."""
    if not 0 < ticks < _NO_TIME:
        return None
    try:
        return recorded(_EPOCH + dt.timedelta(microseconds=ticks // 10))
    except OverflowError:
        return None


@dataclass(frozen=True, slots=True)
class Body:
    """The available forms of a message's body."""

    plain: str = ""
    html: str | bytes = ""
    charset: str | None = None
    blocks: tuple[BodyBlock, ...] = ()


def find_body(properties: Properties, mail: Mail, /) -> Body:
    """Return a message's body: plain text, HTML, or the content of compressed RTF."""
    charset = _narrow(properties.number(INTERNET_CODE_PAGE))
    html = properties.values.get(HTML, b"")
    html = html.strip("\x00") if isinstance(html, str) else properties.data(HTML).strip(b"\x00")
    blocks: list[BodyBlock] = []
    packed = properties.data(COMPRESSED_RTF)
    if packed and not html.strip():
        html, blocks = _rtf_body(packed, mail)
    return Body(properties.text(BODY), html, charset, tuple(blocks))


def body_blocks(body: Body, mail: Mail, /) -> list[BodyBlock]:
    """Return the paragraphs of a body: of plain text, else of HTML, else of RTF."""
    if body.plain.strip():
        return text_blocks(body.plain)
    if body.html.strip():
        targets = LinkTargets(remaining=0)
        blocks = html_body(body.html, body.charset, mail, targets)
        return blocks + link_blocks(blocks, mail, targets)
    return list(body.blocks)


def _rtf_body(packed: bytes, mail: Mail) -> tuple[str, list[BodyBlock]]:
    """Return the HTML that compressed RTF encapsulates, or its paragraphs."""
    try:
        rtf = decompress_rtf(packed)
    except BadCompression as error:
        mail.add_missing(f"The RTF body could not be decompressed: {error}.")
        return "", []
    if holds_html(rtf):
        return encapsulated_html(rtf), []
    items = RtfParser(rtf).parse().items
    blocks = [BodyBlock(tuple(b.lines), b.kind, b.level) for b in items if isinstance(b, Block)]
    return "", mark_quotes(blocks)


KIND = "MSG"
_PROPERTIES = "__properties_version1.0"
_STREAM = "__substg1.0_"
_NAMES = "__nameid_version1.0"
_ENTRY_STREAM = f"{_STREAM}00030102"
_NAMED = 0x8000
_MIB = 1024 * 1024
TOP_HEADER, MESSAGE_HEADER, OTHER_HEADER = 32, 24, 8
"""Bytes before the properties of a file's main message, of a nested one, of other storages."""

Folder = tuple[str, ...]
"""Names of storages from the outermost one."""


class Container:
    """An open message file; *damaged* lists unreadable streams, *unpacked_mb* limits its size."""

    def __init__(self, path: Path, unpacked_mb: int, /) -> None:
        import olefile  # type: ignore[import-untyped]

        self._path = path
        self._left = unpacked_mb * _MIB
        self.damaged: set[Folder] = set()
        self._children: dict[Folder, dict[str, str]] = {}
        try:
            self._ole: Any = olefile.OleFileIO(str(path))
            entries = self._ole.listdir(streams=True, storages=True)
        except MemoryError:
            raise
        except Exception as error:
            raise ParseFailed(path, KIND, _reason(error)) from error
        for entry in entries:
            self._inside(tuple(entry[:-1]))[entry[-1].lower()] = entry[-1]

    def __enter__(self) -> Container:
        return self

    def __exit__(self, *_: object) -> None:
        self._ole.close()

    def names(self, folder: Folder, prefix: str = "", /) -> list[str]:
        """Return the names in a storage that begin with *prefix*, sorted."""
        inside = self._inside(folder)
        return sorted(inside[name] for name in inside if name.startswith(prefix.lower()))

    def _inside(self, folder: Folder) -> dict[str, str]:
        """Return the names in a storage, compared without case ([MS-CFB] 2.6.4)."""
        return self._children.setdefault(tuple(name.lower() for name in folder), {})

    def stream(self, folder: Folder, name: str, /) -> bytes:
        """Return a stream, empty if missing or damaged; raise ``ParseLimit`` over the limit."""
        if name.lower() not in self._inside(folder):
            return b""
        try:
            data: bytes = self._ole.openstream([*folder, name]).read()
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 - damage makes olefile raise anything
            self.damaged.add((*folder, name))
            return b""
        self._left -= len(data)
        if self._left < 0:
            raise ParseLimit(self._path, "its streams exceed unpacked_mb")
        return data

    def properties(self, folder: Folder, header: int, /) -> Properties:
        """Return the properties of a storage; *header* is the number of bytes before them."""
        result = Properties()
        fixed = self.stream(folder, _PROPERTIES)
        for at in range(header, len(fixed) - 15, 16):
            kind, identity = struct.unpack_from("<HH", fixed, at)
            value = fixed_value(kind, fixed[at + 8 : at + 16])
            if value is not None:
                result.values[identity] = value
        for name in self.names(folder, _STREAM):
            tag = _tag(name)
            if tag is None:
                continue
            identity, kind = tag
            data = self.stream(folder, name)
            result.values[identity] = (
                data.decode("utf-16-le", "replace") if kind == UNICODE else data
            )
        result.find_encoding()
        return result

    def named(self) -> dict[int, int]:
        """Return the ids of named properties by their number."""
        return named_ids(self.stream((_NAMES,), _ENTRY_STREAM))


def named_ids(entries: bytes, /) -> dict[int, int]:
    """Return the ids of named properties by their number, from the table that maps them."""
    ids: dict[int, int] = {}
    for at in range(0, len(entries) - 7, 8):
        name, flags, index = struct.unpack_from("<IHH", entries, at)
        if not flags & 1:
            ids.setdefault(name, _NAMED + index)
    return ids


def _tag(name: str) -> tuple[int, int] | None:
    """Return id and type from a stream's name, ``None`` for an unused type."""
    text = name[len(_STREAM) :]
    if len(text) != 8:
        return None
    try:
        identity, kind = int(text[:4], 16), int(text[4:], 16)
    except ValueError:
        return None
    known = (STRING8, UNICODE, BINARY)
    return (identity, kind) if kind in known else None


def _reason(error: Exception) -> str:
    words = " ".join(str(error).split())[:200]
    return f"its container is damaged ({words or type(error).__name__})"
