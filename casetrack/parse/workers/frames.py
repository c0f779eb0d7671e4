"""Length-prefixed frames between the pool and its workers: JSON control, Arrow, or a picture."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any, BinaryIO

from casetrack.base import errors

if TYPE_CHECKING:
    from pathlib import Path

JSON, ARROW, PICTURE = b"J", b"A", b"P"
_HEADER = struct.Struct("<cQ")


def write_frame(stream: BinaryIO, kind: bytes, payload: bytes | memoryview, /) -> None:
    """Write one frame and flush it."""
    stream.write(_HEADER.pack(kind, len(payload)))
    stream.write(payload)
    stream.flush()


def write_json(stream: BinaryIO, message: dict[str, Any], /) -> None:
    """Write one control frame; lone surrogates in file names survive as escapes."""
    write_frame(stream, JSON, json.dumps(message).encode("ascii"))


def read_frame(stream: BinaryIO, /) -> tuple[bytes, bytes] | None:
    """Read one frame; ``None`` at the end of the stream, also in the middle of a frame."""
    header = _read_exactly(stream, _HEADER.size)
    if header is None:
        return None
    kind, length = _HEADER.unpack(header)
    payload = _read_exactly(stream, length)
    return None if payload is None else (kind, payload)


def _read_exactly(stream: BinaryIO, length: int) -> bytes | None:
    data = stream.read(length)
    return data if len(data) == length else None


def pack_error(error: errors.CaseTrackError, /) -> dict[str, str]:
    """Turn an error into what :func:`unpack_error` takes."""
    return {"class": type(error).__name__, "message": error.message, "hint": error.hint}


def unpack_error(packed: dict[str, str], path: Path, /) -> errors.CaseTrackError:
    """Rebuild an error with the same class and text."""
    cls = getattr(errors, packed["class"], None)
    if not (isinstance(cls, type) and issubclass(cls, errors.CaseTrackError)):
        return errors.ParseFailed(path, "File", packed["message"])
    error = cls.__new__(cls)
    errors.CaseTrackError.__init__(error, packed["message"], hint=packed["hint"])
    return error
