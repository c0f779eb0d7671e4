"""Several arrays in one file: written whole or not at all, mapped into memory when read.

Layout: ``CTARRAY2``, the length of the header (uint64, little-endian), the header (JSON: type,
shape and offset of each array), then the arrays on multiples of 64 bytes, and the seal
(:mod:`casetrack.store.index.sealed`).
"""

from __future__ import annotations

import json
import os
import secrets
from typing import TYPE_CHECKING

import numpy as np

from casetrack.base.files import put_in_place
from casetrack.store.index import sealed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_MAGIC = b"CTARRAY2"
_ALIGNMENT = 64
TEMPORARY = ".tmp"
"""Ending of a file that is still being written."""


def save_arrays(path: Path, arrays: Mapping[str, np.ndarray], /) -> None:
    """Write *arrays* to *path* in one step: a reader sees the old file or the new one.

    Parameters
    ----------
    path
        The file; its folder must exist.
    arrays
        By name.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    facts, position = {}, 0
    for name, array in arrays.items():
        facts[name] = {"type": array.dtype.str, "shape": array.shape, "at": position}
        position += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    header = json.dumps(facts).encode()
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}{TEMPORARY}")
    try:
        with temporary.open("wb") as file:
            file.write(_MAGIC + len(header).to_bytes(8, "little") + header)
            file.write(bytes(-file.tell() % _ALIGNMENT))
            for array in arrays.values():
                file.write(np.ascontiguousarray(array).data)
                file.write(bytes(-file.tell() % _ALIGNMENT))
        sealed.seal(temporary, at=path)
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        put_in_place(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def map_arrays(path: Path, /) -> dict[str, np.ndarray]:
    """Map the arrays of a file into memory, read-only.

    Raises
    ------
    OSError
        The file cannot be read.
    ValueError
        It is damaged, or of an earlier version.
    """
    whole = np.frombuffer(sealed.content(path), dtype=np.uint8)
    start = len(_MAGIC) + 8
    if bytes(whole[: len(_MAGIC)]) != _MAGIC:
        raise ValueError(f"{path} is not a file of arrays")
    length = int.from_bytes(bytes(whole[len(_MAGIC) : start]), "little")
    facts = json.loads(bytes(whole[start : start + length]))
    start += length
    data = whole[start + -start % _ALIGNMENT :]
    found = {}
    for name, fact in facts.items():
        kind, shape = np.dtype(fact["type"]), tuple(fact["shape"])
        size = kind.itemsize * int(np.prod(shape, dtype=np.int64))
        found[name] = data[fact["at"] : fact["at"] + size].view(kind).reshape(shape)
    return found


def is_of_earlier_version(path: Path, /) -> bool:
    """Return whether a file of arrays was written before such files were sealed."""
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == b"CTARRAY1"
