"""Header fields of mails: splitting, encoded words (RFC 2047), parameters (RFC 2231), dates."""

from __future__ import annotations

import binascii
import codecs
import datetime as dt
import re
from dataclasses import dataclass
from email.message import Message

from casetrack.base.addresses import correspondents, ordered_name
from casetrack.base.words import WordLists
from casetrack.parse.dates import mail_date
from casetrack.parse.encoding import NotText, decode

# Text of mails: decoded by the declared charset if the bytes agree with it, otherwise detected.

_LISTS = WordLists(__file__)

_WIDER = _LISTS.pairs("wider")
_ALIASES = _LISTS.pairs("aliases")
_ANY_BYTES = ("iso8859-", "cp125", "koi8", "mac", "latin_1", "cp437", "cp850", "cp852", "cp866")
_NOT_TEXT = frozenset({"base64", "bz2", "hex", "quopri", "rot13", "uu", "zlib", "idna", "punycode"})
_C1 = range(0x80, 0xA0)


@dataclass(frozen=True, slots=True)
class Text:
    """Decoded text, and a warning if the declared charset is wrong."""

    text: str
    warning: str | None = None


def to_utf8(data: bytes, /) -> bytes:
    """Convert a mail saved as UTF-16 to UTF-8; strip other bytes of leading mark and blanks."""
    for codec, mark, zeros in (
        ("utf-16-le", codecs.BOM_UTF16_LE, slice(1, 8, 2)),
        ("utf-16-be", codecs.BOM_UTF16_BE, slice(0, 8, 2)),
    ):
        is_wide = len(data) >= 8 and not any(data[zeros]) and all(data[:8].replace(b"\x00", b""))
        if data.startswith(mark) or (is_wide and data[:8].count(0) == 4):
            text = data.removeprefix(mark).decode(codec, "replace")
            return text.lstrip().encode("utf-8", "replace")
    return data.removeprefix(codecs.BOM_UTF8).lstrip()


def known_codec(name: str | None, /) -> str | None:
    """Return the codec of a charset's name, or ``None``."""
    if not name:
        return None
    name = name.strip(" \"'").lower()
    try:
        codec = codecs.lookup(_ALIASES.get(name, name)).name
    except (LookupError, ValueError, UnicodeError):
        return None
    return None if codec in _NOT_TEXT or "escape" in codec or codec == "undefined" else codec


def decode_text(data: bytes, declared: str | None = None, /) -> Text:
    """Decode text of a mail by the *declared* charset, unless its bytes contradict it."""
    codec = known_codec(declared)
    if data.isascii() and (codec is None or not _is_stateful(codec)):
        return Text(data.decode("ascii"))
    utf8 = _strict(data, "utf-8")
    if utf8 is not None and codec and codec.startswith(("utf-16", "utf-32")) and 0 not in data:
        # Every UTF-16 or UTF-32 text contains zeros; the file was converted as a whole.
        return Text(utf8)
    if codec and not (utf8 is not None and codec.startswith(_ANY_BYTES)):
        text = _strict(data, codec)
        if text is not None and not (codec == "iso8859-1" and _has_c1(text)):
            return Text(text)
        if codec in _WIDER:
            text = _strict(data, _WIDER[codec])
            if text is not None:
                return Text(text)
    if utf8 is not None:
        note = f"A text declared as {declared} is UTF-8 and was read as UTF-8." if codec else None
        return Text(utf8, note if codec != "ascii" else None)
    return _detected(data, declared, codec)


def _is_stateful(codec: str) -> bool:
    """Return whether ASCII bytes may have other meanings in the charset."""
    return codec.startswith(
        ("iso2022", "utf-7", "utf_7", "hz", "utf-16", "utf-32", "cp037", "cp500")
    )


def _has_c1(text: str) -> bool:
    return any(ord(char) in _C1 for char in text)


def _strict(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except (UnicodeError, ValueError):
        return None


def _detected(data: bytes, declared: str | None, codec: str | None) -> Text:
    if codec:
        lost = data.decode(codec, "replace")
        if lost.count("\ufffd") * 20 < sum(1 for char in lost if char > "\x7f"):
            return Text(lost, f"Some bytes of a text are not valid {declared}; shown as \ufffd.")
    try:
        decoded = decode(data)
    except NotText:
        return Text(data.decode("cp1252", "replace"), "A text contains binary data.")
    named = f"declared as {declared} " if declared else ""
    return Text(decoded.text, f"A text {named}was read as {decoded.encoding}, which is a guess.")


_FIELD_LINE = re.compile(rb"(?:[!-9;-~]{1,200}[ \t]*:|[ \t]|>?From )[^\n]*(?:\n|\Z)")
_NAME = re.compile(rb"([!-9;-~]{1,200})[ \t]*:")
_WORD = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?((?:[^?]|\?(?!=)){0,3000})\?=")
_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")
_MAX_FIELDS = 2000
_MAX_VALUE = 256 * 1024
_MAX_PARAMETERS = 16 * 1024
KEPT = (
    *("thread-topic", "sender", "reply-to", "list-id", "importance", "sensitivity"),
    *("x-from", "x-to", "x-cc", "x-bcc", "x-folder", "x-origin", "x-filename"),
)
"""Header fields kept as facts of a mail in addition to those on its page."""
_WITH_PARAMETERS = ("content-type", "content-disposition")


def split_head(data: bytes, start: int, end: int, /) -> tuple[Message, int]:
    """Return the header fields of ``data[start:end]`` and the position of the body."""
    at = start
    lines: list[bytes] = []
    while at < end and data[at : at + 1] not in b"\r\n":
        line = _FIELD_LINE.match(data, at, end)
        if line is None:
            break
        lines.append(line[0])
        at = line.end()
    return _message(lines), _after_empty_line(data, at, end)


def _after_empty_line(data: bytes, at: int, end: int) -> int:
    for mark in (b"\r\n", b"\n", b"\r"):
        if data.startswith(mark, at, end):
            return at + len(mark)
    return at


def _message(lines: list[bytes]) -> Message:
    message = Message()
    name, value = "", bytearray()
    count = 0
    for line in [*lines, b":"]:
        if line[:1] in b" \t":
            value += b" " + line.strip()
            continue
        if name:
            count += 1
            _add(message, name, bytes(value))
        match = _NAME.match(line)
        name = match[1].decode("ascii") if match and count < _MAX_FIELDS else ""
        value = bytearray(line[match.end() :].strip() if match else b"")
    return message


def _add(message: Message, name: str, value: bytes) -> None:
    if name.lower() in _WITH_PARAMETERS and (len(value) > _MAX_PARAMETERS or name in message):
        return
    message[name] = decode_text(value[:_MAX_VALUE]).text


def field(message: Message, name: str, /) -> str:
    """Return a header field for display: decoded, on one line; empty without one."""
    return " ".join(decode_words(str(message.get(name, ""))).split())


def fields(message: Message, name: str, /) -> str:
    """Return all fields of a name, joined by commas, since some mails repeat ``To``."""
    values = (" ".join(decode_words(str(value)).split()) for value in message.get_all(name, ()))
    return ", ".join(value.strip(" ,") for value in values if value.strip(" ,"))


def people(message: Message, name: str, /) -> str:
    """Return a field of addresses, with the display names of the mailbox (``X-To``) if they fit."""
    own, shown = fields(message, name), field(message, f"x-{name}")
    known, names = correspondents(own), correspondents(shown)
    if not known:
        return ", ".join(each.person for each in names)
    if len(known) != len(names) or all(each.name for each in known):
        return own
    named = (
        (k.address, k.person if k.name else ordered_name(n.name, k.address))
        for k, n in zip(known, names, strict=True)
    )
    return ", ".join(f"{n} <{address}>" if n and address else n or address for address, n in named)


def received(message: Message, /) -> list[dt.datetime | None]:
    """Return the times at which servers recorded a mail, from its ``Received`` fields."""
    return [mail_date(str(v).rpartition(";")[2]) for v in message.get_all("received", ())]


def kept(message: Message, /) -> tuple[tuple[str, str], ...]:
    """Return the fields of :data:`KEPT` in a mail, with fact names such as ``reply_to``."""
    values = ((name.replace("-", "_"), field(message, name)) for name in KEPT)
    return tuple((name, value) for name, value in values if value)


def decode_words(text: str, /) -> str:
    """Decode encoded words; the bytes of adjacent words are joined first."""
    if "=?" not in text:
        return text
    parts: list[str] = []
    pending, charset = bytearray(), ""
    at = 0

    def flush() -> None:
        if pending:
            parts.append(decode_text(bytes(pending), charset).text)
            pending.clear()

    for word in _WORD.finditer(text):
        between = text[at : word.start()]
        named = word[1].partition("*")[0].lower()
        if between.strip() or not at:
            flush()
            parts.append(between)
        if named != charset:
            flush()
        charset = named
        pending += _word_bytes(word[2], word[3])
        at = word.end()
    flush()
    parts.append(text[at:])
    return "".join(parts)


def _word_bytes(method: str, text: str) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    if method in "bB":
        return decode_base64(data)
    return binascii.a2b_qp(data.replace(b" ", b"_"), header=True)


def decode_base64(data: bytes, /) -> bytes:
    """Decode damaged base64: skip other characters and an incomplete end."""
    pieces = []
    for piece in data.split(b"="):
        clean = _BASE64.sub(b"", piece)
        if len(clean) % 4 == 1:
            clean = clean[:-1]
        if clean:
            pieces.append(binascii.a2b_base64(clean + b"=" * (-len(clean) % 4)))
    return b"".join(pieces)


def parameter(message: Message, name: str, header: str, /) -> str:
    """Return a decoded parameter of a header field; empty if missing or damaged."""
    from email.utils import collapse_rfc2231_value

    try:
        value = message.get_param(name, None, header)
    except (ValueError, TypeError, LookupError, AttributeError):
        # The standard library fails on some damaged parameters; the part is read without them.
        return ""
    if value is None:
        return ""
    text = value if isinstance(value, str) else collapse_rfc2231_value(value)
    return " ".join(decode_words(text).split())


def file_name(message: Message, /) -> str:
    """Return the name of a part's file; empty without one."""
    return parameter(message, "filename", "content-disposition") or parameter(
        message, "name", "content-type"
    )
