"""Columns of mapped Arrow tables, read in place."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    import numpy as np
    from numpy.typing import NDArray


def as_numpy(array: Any, /) -> np.ndarray:
    """Return a column as a NumPy array, without a copy where its type allows."""
    values: np.ndarray = one_chunk(array).to_numpy(zero_copy_only=False)
    return values


def one_chunk(column: pa.ChunkedArray | pa.Array, /) -> pa.Array:
    """Return a column as one array; a mapped one is not copied, which ``combine_chunks`` does."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def reader(column: pa.ChunkedArray | pa.Array, /) -> Callable[[NDArray[np.intp]], list[Any]]:
    """Return what reads a column at some places, as Python values; null is ``None``.

    Of some ten places numbers and texts are read where they lie: a few microseconds, through Arrow
    fifteen.
    """
    array = one_chunk(column)
    if array.null_count == len(array):
        return lambda places: [None] * len(places)
    if not array.null_count and array.type == pa.timestamp("us", "UTC"):
        return _moments(array)
    if not array.null_count and pa.types.is_primitive(array.type) and not _is_moment(array):
        values = as_numpy(array)
        return lambda places: values[places].tolist()
    if not array.null_count and pa.types.is_string(array.type):
        strings = Strings.of(array)
        return lambda places: [strings[place] for place in places.tolist()]
    return lambda places: array.take(pa.array(places)).to_pylist()


def _moments(array: pa.Array) -> Callable[[NDArray[np.intp]], list[Any]]:
    first: datetime = array[0].as_py()
    since = as_numpy(array.cast(pa.int64()))
    start = int(since[0])
    return lambda places: [
        first + timedelta(microseconds=n - start) for n in since[places].tolist()
    ]


def _is_moment(array: pa.Array) -> bool:
    """Say whether values are of time, which NumPy has other objects for than Python."""
    return bool(pa.types.is_temporal(array.type))


@dataclass(frozen=True, slots=True)
class Strings:
    """A column of strings whose bytes are read where they lie: no Arrow object for each look.

    A look costs 0.2 microseconds, through Arrow 1.
    """

    _bytes: memoryview
    _offsets: memoryview
    _count: int

    @classmethod
    def of(cls, column: pa.ChunkedArray | pa.Array, /) -> Strings:
        """Wrap a column of type ``string`` without nulls."""
        array = one_chunk(column)
        _, offsets, data = array.buffers()
        if not len(array) or offsets is None:
            return cls(memoryview(b""), memoryview(b""), 0)
        starts = memoryview(offsets).cast("B").cast("i")[array.offset :]
        text = memoryview(data).cast("B") if data is not None else memoryview(b"")
        return cls(text, starts, len(array))

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: int) -> str:
        return str(self._bytes[self._offsets[place] : self._offsets[place + 1]], "utf-8")

    def find(self, text: str, /) -> int:
        """Return the place of *text* in an ascending column, or -1."""
        wanted = text.encode("utf-8", "surrogatepass")
        low = self._first(wanted)
        data, offsets = self._bytes, self._offsets
        here = low < self._count and data[offsets[low] : offsets[low + 1]] == wanted
        return low if here else -1

    def starting(self, beginning: str, /) -> Iterator[str]:
        """Yield the texts of an ascending column that begin with *beginning*."""
        for place in range(self._first(beginning.encode("utf-8", "surrogatepass")), self._count):
            text = self[place]
            if not text.startswith(beginning):
                return
            yield text

    def _first(self, wanted: bytes) -> int:
        """Return the place of the first text that is not before *wanted*."""
        # UTF-8 sorts by code point, as strings do.
        low, high = 0, self._count
        data, offsets = self._bytes, self._offsets
        while low < high:
            middle = (low + high) // 2
            if bytes(data[offsets[middle] : offsets[middle + 1]]) < wanted:
                low = middle + 1
            else:
                high = middle
        return low
