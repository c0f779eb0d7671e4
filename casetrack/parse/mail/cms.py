"""Finds the content that an S/MIME signature wraps (RFC 5652); nothing is verified."""

from __future__ import annotations

_SIGNED = bytes.fromhex("06092a864886f70d010702")
_MAX_DEPTH = 40
_SEQUENCE, _OCTETS, _OCTETS_PARTS, _EXPLICIT = 0x30, 0x04, 0x24, 0xA0


class _NotCms(ValueError):
    """The bytes are no CMS, or damaged."""


def signed_content(data: bytes, /) -> bytes | None:
    """Return what is signed, or ``None`` where *data* is encrypted, damaged or something else."""
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
    """Return tag, start and end of an element's content; no end where its length is open."""
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
    """Return an octet string, perhaps in parts, and where the next element begins."""
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
