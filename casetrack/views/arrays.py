"""Several arrays in one file: written whole or not at all, mapped into memory when read.

Layout: ``CTARRAY1``, the length of the header (uint64, little-endian), the header (JSON: type,
shape, offset and CRC-32 of each array, and the file's size), then the arrays on multiples of 64
bytes.
"""

from __future__ import annotations

import json
import os
import secrets
import zlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

_MAGIC = b"CTARRAY1"
_ALIGNMENT = 64
TEMPORARY = ".tmp"
"""Ending of a file that is still being written."""


def save_arrays(
    path: Path, arrays: Mapping[str, np.ndarray], /, *, unchecked: Collection[str] = ()
) -> None:
    """Write *arrays* to *path* in one step: a reader sees the old file or the new one.

    Parameters
    ----------
    path
        The file; its folder must exist.
    arrays
        By name.
    unchecked
        Names of arrays without a checksum: too large to be read whole when the file is opened.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    facts, position = {}, 0
    for name, array in arrays.items():
        crc = None if name in unchecked else zlib.crc32(np.ascontiguousarray(array).data)
        facts[name] = {"type": array.dtype.str, "shape": array.shape, "at": position, "crc": crc}
        position += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    header = json.dumps({"arrays": facts, "bytes": position}).encode()
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}{TEMPORARY}")
    try:
        with temporary.open("wb") as file:
            file.write(_MAGIC + len(header).to_bytes(8, "little") + header)
            file.write(bytes(-file.tell() % _ALIGNMENT))
            for array in arrays.values():
                file.write(np.ascontiguousarray(array).data)
                file.write(bytes(-file.tell() % _ALIGNMENT))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def map_arrays(path: Path, /) -> dict[str, np.ndarray]:
    """Map the arrays of a file into memory, read-only.

    Raises
    ------
    OSError
        The file cannot be read.
    ValueError
        It is damaged: cut off, or an array with a checksum has other content.
    """
    whole = np.memmap(path, dtype=np.uint8, mode="r")
    start = len(_MAGIC) + 8
    if bytes(whole[: len(_MAGIC)]) != _MAGIC:
        raise ValueError(f"{path} is not a file of arrays")
    length = int.from_bytes(bytes(whole[len(_MAGIC) : start]), "little")
    header = json.loads(bytes(whole[start : start + length]))
    start += length
    data = whole[start + -start % _ALIGNMENT :]
    if len(data) != header["bytes"]:
        raise ValueError(f"{path} is cut off")
    found = {}
    for name, fact in header["arrays"].items():
        kind, shape = np.dtype(fact["type"]), tuple(fact["shape"])
        size = kind.itemsize * int(np.prod(shape, dtype=np.int64))
        part = data[fact["at"] : fact["at"] + size]
        if fact["crc"] is not None and zlib.crc32(part.data) != fact["crc"]:
            raise ValueError(f"{path} is damaged in {name}")
        found[name] = np.asarray(part).view(kind).reshape(shape)
    return found
