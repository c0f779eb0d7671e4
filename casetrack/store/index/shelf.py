"""The texts of a segment's chunks: packed in small blocks, mapped into memory, read by row.

A result needs some thirty texts from all over a collection. In the data files each of them is some
hundred kilobytes of reading and unpacking away; here it is a block of :data:`ROWS` chunks, which
mostly holds the neighbours of a result as well. It takes about as much disk as the texts take in
the data files.
"""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from casetrack.store.index.arrays import map_arrays, save_arrays
from casetrack.store.index.columns import one_chunk

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

ROWS = 8
"""Texts in a block: more of them take less disk and more time."""
_LEVEL = 9


@dataclass(frozen=True, slots=True)
class Shelf:
    """Texts by row.

    Attributes
    ----------
    packed
        uint8, the blocks one after the other.
    blocks
        int64 [blocks + 1], where each block begins in *packed*.
    ends
        uint32 [rows], where each text ends in its block once that is unpacked, in bytes.
    """

    packed: NDArray[np.uint8] = field(repr=False)
    blocks: NDArray[np.int64] = field(repr=False)
    ends: NDArray[np.uint32] = field(repr=False)

    @classmethod
    def of(cls, texts: pa.ChunkedArray | pa.Array, /) -> Shelf:
        """Pack a column of strings; null is the empty text."""
        encoded = [text.encode("utf-8") for text in one_chunk(texts).fill_null("").to_pylist()]
        ends = np.empty(len(encoded), dtype=np.uint32)
        blocks, packed = [0], list[bytes]()
        for start in range(0, len(encoded), ROWS):
            block = encoded[start : start + ROWS]
            ends[start : start + ROWS] = np.cumsum([len(text) for text in block])
            packed.append(_codec().compress(b"".join(block), asbytes=True))
            blocks.append(blocks[-1] + len(packed[-1]))
        joined = np.frombuffer(b"".join(packed), dtype=np.uint8)
        return cls(joined, np.array(blocks, dtype=np.int64), ends)

    def __len__(self) -> int:
        return len(self.ends)

    def take(self, rows: Iterable[int], /) -> dict[int, str]:
        """Return the texts of *rows*."""
        found = dict[int, str]()
        unpacked = dict[int, memoryview]()
        for row in rows:
            number, place = divmod(row, ROWS)
            if number not in unpacked:
                unpacked[number] = self._unpack(number)
            start = int(self.ends[row - 1]) if place else 0
            found[row] = str(unpacked[number][start : int(self.ends[row])], "utf-8")
        return found

    def _unpack(self, number: int) -> memoryview:
        start, end = self.blocks[number : number + 2].tolist()
        last = min(len(self.ends), (number + 1) * ROWS) - 1
        size = int(self.ends[last])
        return memoryview(_codec().decompress(pa.py_buffer(self.packed[start:end]), size))

    def save(self, path: Path, /) -> None:
        """Write it to the new file *path*.

        Raises
        ------
        OSError
            It cannot be written.
        """
        arrays: dict[str, np.ndarray] = {
            "packed": self.packed,
            "blocks": self.blocks,
            "ends": self.ends,
        }
        save_arrays(path, arrays)

    @classmethod
    def load(cls, path: Path, /) -> Shelf:
        """Map a saved one into memory.

        Raises
        ------
        OSError, ValueError
            It is missing or damaged.
        """
        arrays = map_arrays(path)
        return cls(arrays["packed"], arrays["blocks"], arrays["ends"])


@functools.cache
def _codec() -> pa.Codec:
    # It unpacks six times as fast as zstd, and takes a third more disk.
    return pa.Codec("lz4_raw", compression_level=_LEVEL)


def text_keys(texts: pa.ChunkedArray | pa.Array, /) -> NDArray[np.uint64]:
    """Return 64 bits of each text: the same for texts that differ in white space and case alone."""
    keys = [
        hashlib.blake2b("".join(text.casefold().split()).encode("utf-8"), digest_size=8).digest()
        for text in one_chunk(texts).fill_null("").to_pylist()
    ]
    return np.frombuffer(b"".join(keys), dtype="<u8").astype(np.uint64)
