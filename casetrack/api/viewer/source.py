"""Finds the file of a document with the ingested content."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from casetrack.base.files import sha256_of
from casetrack.base.records import Document
from casetrack.ingest.staleness import is_inside
from casetrack.parse.render import PICTURE_FORMATS
from casetrack.store.originals import copy_of

# Facts inside a PNG, so that a picture on its own still identifies its source.

CHUNK_FACT = "casetrack-chunk"
"""Name of the fact with the id of the passage in a picture."""
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEAD = len(_SIGNATURE) + 25
"""Bytes of the signature and of the first chunk, IHDR."""


def with_facts(png: bytes, facts: Mapping[str, str], /) -> bytes:
    """Return *png* with names and values as ``iTXt`` chunks."""
    parts = [_chunk(b"iTXt", _text(name, value)) for name, value in facts.items()]
    return png[:_HEAD] + b"".join(parts) + png[_HEAD:]


def facts_of(png: bytes, /) -> dict[str, str]:
    """Return the facts that :func:`with_facts` wrote into a picture; empty for other formats."""
    facts = {}
    for kind, body in _chunks(png):
        if kind != b"iTXt":
            continue
        name, _, value = body.partition(b"\0")
        facts[name.decode("latin-1")] = value[4:].decode("utf-8", "replace")
    return facts


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


_State = Literal["same", "changed", "missing", "unreadable"]


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The file to draw.

    *path* is a file with the content of the document, or ``None``; *note* is the state of the
    document's original file if it changed; *is_copy* is true for the collection's copy; *is_there*
    is true if a file exists at the document's original path.
    """

    path: Path | None
    note: str | None = None
    is_copy: bool = False
    is_there: bool = False

    def draws(self, document: Document, /) -> bool:
        """Return whether the pages of *document* can be drawn from it."""
        return document.format in PICTURE_FORMATS and self.path is not None


def find_source(folder: Path, document: Document, /) -> SourceFile:
    """Return a file with the content that the document (a row of the ledger) was made from.

    The collection's *folder* contains the copies.
    """
    copy = _copy(folder, document)
    kept = copy if copy is not None and _state(copy, document) == "same" else None
    # The path of an attachment is a place inside another file; a fetched file has no local path.
    if is_inside(document):
        what = "file" if document.is_remote else "attachment"
        note = None if kept else f"The collection's copy of this {what} is gone or damaged."
        return SourceFile(kept, note, is_copy=True)
    path = Path(document.path)
    state = _state(path, document)
    if state == "same":
        return SourceFile(path, is_there=True)
    return SourceFile(kept, _NOTES[state], is_copy=kept is not None, is_there=state != "missing")


_NOTES: dict[_State, str] = {
    "changed": "The file has changed since it was ingested.",
    "missing": "The file is no longer where it was ingested from.",
    "unreadable": "The file cannot be opened any more.",
}


def _copy(folder: Path, document: Document) -> Path | None:
    if document.original_copy is None:
        return None
    path = copy_of(folder, document.original_copy)
    return path if path.resolve().is_relative_to(folder.resolve()) else None


def _state(path: Path, document: Document) -> _State:
    """Compare a file with the content that was ingested."""
    try:
        if not path.is_file():
            return "missing"
        if path.stat().st_size != document.file_size:
            return "changed"
        digest = sha256_of(path)
    except (OSError, ValueError):
        return "unreadable"
    return "same" if digest == document.file_hash else "changed"
