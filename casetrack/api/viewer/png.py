"""Facts inside a PNG, so that a picture by itself still says what it shows."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CHUNK_FACT = "casetrack-chunk"
"""Names the fact that tells which passage a picture shows."""
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEAD = len(_SIGNATURE) + 25
"""Bytes of the signature and of the first chunk, IHDR."""


def with_facts(png: bytes, facts: Mapping[str, str], /) -> bytes:
    """Return *png* with names and values as ``iTXt`` chunks."""
    parts = [_chunk(b"iTXt", _text(name, value)) for name, value in facts.items()]
    return png[:_HEAD] + b"".join(parts) + png[_HEAD:]


def facts_of(png: bytes, /) -> dict[str, str]:
    """Return what :func:`with_facts` wrote into a picture; empty for what is no PNG."""
    found = {}
    for kind, body in _chunks(png):
        if kind != b"iTXt":
            continue
        name, _, value = body.partition(b"\0")
        found[name.decode("latin-1")] = value[4:].decode("utf-8", "replace")
    return found


def _text(name: str, value: str) -> bytes:
    # Not compressed, no language, no translated name.
    return (
        name.encode("latin-1") + b"\0" + b"\0\0" + b"\0" + b"\0" + value.encode("utf-8", "replace")
    )


def _chunk(kind: bytes, body: bytes) -> bytes:
    check = zlib.crc32(kind + body)
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", check)


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(_SIGNATURE)
    if not png.startswith(_SIGNATURE):
        return
    while at + 8 <= len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        at += 12 + length
