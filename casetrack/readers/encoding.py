"""Bytes to text: byte order mark, UTF-8, UTF-16 without a mark, else a guess that is named.

The only importer of ``charset_normalizer``.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Bell, escape and the like stand in terminal logs; the rest has no place in a text file.
_TEXT_CONTROLS = frozenset(b"\t\n\r\f\v\b\x07\x1b\x1a")
_BINARY_BYTES = bytes(b for b in range(32) if b not in _TEXT_CONTROLS)
_MAX_BINARY_SHARE = 0.002
_GUESS_SAMPLE = 256 * 1024


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text, the encoding it was read with, and a sentence where that was a guess or a loss."""

    text: str
    encoding: str
    warning: str | None = None


class NotText(ValueError):
    """The bytes are not text in any encoding."""


def looks_like_text(head: bytes, /) -> bool:
    """Tell from the first bytes of a file whether it holds text."""
    if head.startswith(tuple(mark for mark, _ in _MARKS)):
        return True
    if _wide_encoding(head):
        return True
    binary = len(head) - len(head.translate(None, _BINARY_BYTES))
    return binary <= len(head) * _MAX_BINARY_SHARE


def decode(data: bytes, /) -> Decoded:
    """Decode a whole file.

    Raises
    ------
    NotText
        The bytes are binary.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _forgiving(data, encoding)
    wide = _wide_encoding(data[:4096])
    if wide:
        return _forgiving(data, wide, note=f"The file has no byte order mark; read as {wide}.")
    if not looks_like_text(data[:_GUESS_SAMPLE]):
        raise NotText("it holds binary data, not text")
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        return _damaged_utf8(data) or _guess(data)


def _forgiving(data: bytes, encoding: str, *, note: str | None = None) -> Decoded:
    try:
        return Decoded(data.decode(encoding), encoding, note)
    except UnicodeDecodeError:
        text = data.decode(encoding, errors="replace")
        lost = text.count("\ufffd")
        return Decoded(text, encoding, f"{lost} places are not valid {encoding}; shown as \ufffd.")


def _wide_encoding(head: bytes) -> str | None:
    """Tell UTF-16 without a mark: Latin text has a zero in every other byte, and in no other."""
    if len(head) < 4:
        return None
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    if odd > 0.4 * half and even < 0.05 * half:
        return "utf-16-le"
    if even > 0.4 * half and odd < 0.05 * half:
        return "utf-16-be"
    return None


def _damaged_utf8(data: bytes) -> Decoded | None:
    """Take UTF-8 with single bad bytes as UTF-8: good multi-byte letters outnumber bad places."""
    text = data.decode("utf-8", errors="replace")
    lost = text.count("\ufffd")
    good = sum(1 for char in text if char > "\x7f") - lost
    if good < 4 * lost:
        return None
    return Decoded(text, "utf-8", f"{lost} places are not valid UTF-8; shown as \ufffd.")


def _guess(data: bytes) -> Decoded:
    from charset_normalizer import from_bytes

    best = from_bytes(data[:_GUESS_SAMPLE]).best()
    encoding = "cp1252" if best is None or best.encoding == "ascii" else best.encoding
    return Decoded(
        data.decode(encoding, errors="replace"),
        encoding,
        f"The file is not UTF-8; its encoding was taken to be {encoding}.",
    )
