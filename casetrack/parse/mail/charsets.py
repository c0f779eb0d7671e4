"""Text of mails: the declared charset where the bytes agree with it, else what they show."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from casetrack.base.words import WordLists
from casetrack.parse.encoding import NotText, decode

_LISTS = WordLists(__file__)

_WIDER = _LISTS.pairs("wider")
_ALIASES = _LISTS.pairs("aliases")
_ANY_BYTES = ("iso8859-", "cp125", "koi8", "mac", "latin_1", "cp437", "cp850", "cp852", "cp866")
_NOT_TEXT = frozenset({"base64", "bz2", "hex", "quopri", "rot13", "uu", "zlib", "idna", "punycode"})
_C1 = range(0x80, 0xA0)


@dataclass(frozen=True, slots=True)
class Text:
    """Decoded text, and a sentence where the declared charset was not the right one."""

    text: str
    warning: str | None = None


def narrow(data: bytes, /) -> bytes:
    """Return the bytes of a mail that some program saved as UTF-16 in UTF-8, others as they are.

    Such a file has a mark at its start, or a zero beside each of its first letters, which are those
    of a header field or blanks. A mark of UTF-8 and blanks at the start are left out.
    """
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
    """Return the codec of a charset's name, or ``None`` for an unknown one."""
    if not name:
        return None
    name = name.strip(" \"'").lower()
    try:
        found = codecs.lookup(_ALIASES.get(name, name)).name
    except (LookupError, ValueError, UnicodeError):
        return None
    return None if found in _NOT_TEXT or "escape" in found or found == "undefined" else found


def decode_text(data: bytes, declared: str | None = None, /) -> Text:
    """Decode text of a mail.

    Parameters
    ----------
    data
        Its bytes.
    declared
        Charset that the mail names; the bytes count more where they cannot be in it, or where
        they are UTF-8 although a charset is named in which every byte means something.
    """
    codec = known_codec(declared)
    if data.isascii() and (codec is None or not _is_stateful(codec)):
        return Text(data.decode("ascii"))
    utf8 = _strict(data, "utf-8")
    if utf8 is not None and codec and codec.startswith(("utf-16", "utf-32")) and 0 not in data:
        # No text of any length is without a zero there; the file was saved anew as a whole.
        return Text(utf8)
    if codec and not (utf8 is not None and codec.startswith(_ANY_BYTES)):
        found = _strict(data, codec)
        if found is not None and not (codec == "iso8859-1" and _has_c1(found)):
            return Text(found)
        if codec in _WIDER:
            found = _strict(data, _WIDER[codec])
            if found is not None:
                return Text(found)
    if utf8 is not None:
        note = f"A text declared as {declared} is UTF-8; read as that." if codec else None
        return Text(utf8, note if codec != "ascii" else None)
    return _detected(data, declared, codec)


def _is_stateful(codec: str) -> bool:
    """Tell whether ASCII bytes may mean something else in the charset."""
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
        return Text(data.decode("cp1252", "replace"), "A text holds binary data.")
    named = f"declared as {declared} " if declared else ""
    return Text(decoded.text, f"A text {named}was read as {decoded.encoding}, which is a guess.")
