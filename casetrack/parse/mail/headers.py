"""Header fields of mails: splitting, encoded words (RFC 2047), parameters (RFC 2231), dates."""

from __future__ import annotations

import binascii
import re
from email.message import Message

from casetrack.parse.mail.charsets import decode_text

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
"""Header fields that are kept as facts of a mail, beside those that its page shows: of its
conversation, of who is behind an address, and of the mailbox that it was exported from."""
_WITH_PARAMETERS = ("content-type", "content-disposition")


def split_head(data: bytes, start: int, end: int, /) -> tuple[Message, int]:
    """Read header fields.

    Parameters
    ----------
    data
        Whole mail.
    start, end
        Where the part lies.

    Returns
    -------
    Message, int
        The fields, and where the body starts: after an empty line, or at the first line that is no
        header field.
    """
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
        found = _NAME.match(line)
        name = found[1].decode("ascii") if found and count < _MAX_FIELDS else ""
        value = bytearray(line[found.end() :].strip() if found else b"")
    return message


def _add(message: Message, name: str, value: bytes) -> None:
    if name.lower() in _WITH_PARAMETERS and (len(value) > _MAX_PARAMETERS or name in message):
        return
    message[name] = decode_text(value[:_MAX_VALUE]).text


def field(message: Message, name: str, /) -> str:
    """Return a header field for people: decoded, on one line; empty where there is none."""
    return " ".join(decode_words(str(message.get(name, ""))).split())


def fields(message: Message, name: str, /) -> str:
    """Return all fields of a name, joined by commas: some mails repeat ``To``."""
    values = (" ".join(decode_words(str(value)).split()) for value in message.get_all(name, ()))
    return ", ".join(value.strip(" ,") for value in values if value.strip(" ,"))


def kept(message: Message, /) -> tuple[tuple[str, str], ...]:
    """Return those fields of :data:`KEPT` that a mail has, named as facts are: ``reply_to``."""
    found = ((name.replace("-", "_"), field(message, name)) for name in KEPT)
    return tuple((name, value) for name, value in found if value)


def decode_words(text: str, /) -> str:
    """Decode encoded words; bytes of adjacent words are joined before they are decoded."""
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
    """Decode base64 that may be broken: other characters are passed over, the end may be cut."""
    pieces = []
    for piece in data.split(b"="):
        clean = _BASE64.sub(b"", piece)
        if len(clean) % 4 == 1:
            clean = clean[:-1]
        if clean:
            pieces.append(binascii.a2b_base64(clean + b"=" * (-len(clean) % 4)))
    return b"".join(pieces)


def parameter(message: Message, name: str, header: str, /) -> str:
    """Return a parameter of a header field, decoded; empty where there is none or it is broken."""
    from email.utils import collapse_rfc2231_value

    try:
        value = message.get_param(name, None, header)
    except (ValueError, TypeError, LookupError, AttributeError):
        # The standard library trips over some broken parameters; the part is read without them.
        return ""
    if value is None:
        return ""
    text = value if isinstance(value, str) else collapse_rfc2231_value(value)
    return " ".join(decode_words(text).split())


def file_name(message: Message, /) -> str:
    """Return the name of the file in a part; empty where it has none."""
    return parameter(message, "filename", "content-disposition") or parameter(
        message, "name", "content-type"
    )
