"""Arrays and table columns in memory-mapped files with a checksum."""

from __future__ import annotations

import json
import threading
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import xxhash

from casetrack.base.dataclass import dataclass
from casetrack.base.files import replacement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from typing import TypeAlias

    from numpy.typing import NDArray

    Reader: TypeAlias = Callable[[NDArray[np.intp]], list[Any]]

# Sealed files of views end with a digest of content and location. Views can be rebuilt, so a file
# whose digest differs (a flipped bit, zeroed blocks, a truncated or misplaced file) counts as
# absent instead of being read. Layout: the content, the XXH3 digest (64 bits, big-endian) of
# location and content, and ``CTSEAL1\n``. The location is the name of the file and of its folder.
# Each process that maps a file reads it once completely, at some gigabytes per second, and again
# after a change.

_MAGIC = b"CTSEAL1\n"
_LENGTH = 8 + len(_MAGIC)
_BLOCK = 1 << 20
_MOST_REMEMBERED = 65_536
_whole: dict[Path, tuple[int, int, int]] = {}
"""Files that this process has verified, with their time of change, size and inode."""
_lock = threading.Lock()


def seal(path: Path, /, *, at: Path | None = None) -> None:
    """Seal a finished file.

    *at* is its final path if it is written elsewhere. A folder under construction (``.x.tmp``)
    counts as its final one (``x``).
    """
    digest = _digest(path, path.stat().st_size, at or path)
    with path.open("ab") as file:
        file.write(digest + _MAGIC)


def content(path: Path, /) -> pa.Buffer:
    """Verify a sealed file, and map its content into memory, read-only."""
    facts = path.stat()
    stamp = (facts.st_mtime_ns, facts.st_size, facts.st_ino)
    length = facts.st_size - _LENGTH
    if _whole.get(path) != stamp:
        _require_whole(path, length)
        with _lock:
            if len(_whole) >= _MOST_REMEMBERED:
                _whole.clear()
            _whole[path] = stamp
    with pa.memory_map(str(path)) as source:
        return source.read_buffer(length)


def is_whole(path: Path, /) -> bool:
    """Return whether a sealed file is readable and intact."""
    try:
        content(path)
    except (OSError, ValueError):
        return False
    return True


def write_table(
    table: pa.Table, path: Path, /, *, at: Path | None = None, compression: str | None = None
) -> None:
    """Write a table to a sealed file, mappable unless compressed; see :func:`seal` for *at*."""
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with (
        pa.OSFile(str(path), "wb") as sink,
        pa.ipc.new_file(sink, table.schema, options=options) as writer,
    ):
        writer.write_table(table)
    seal(path, at=at)


def read_table(path: Path, /) -> pa.Table:
    """Map a table that :func:`write_table` wrote; a compressed one is unpacked in memory."""
    return open_table(path).read_all()


def open_table(path: Path, /) -> pa.ipc.RecordBatchFileReader:
    """Map the file of a table; its columns are read later."""
    return pa.ipc.open_file(pa.BufferReader(content(path)))


def _require_whole(path: Path, length: int) -> None:
    with path.open("rb") as file:
        file.seek(max(0, length))
        end = file.read()
    if length < 0 or end[8:] != _MAGIC:
        raise ValueError(f"{path} has no seal: it is truncated, or of another version")
    if end[:8] != _digest(path, length, path):
        raise ValueError(f"{path} is damaged: its digest does not match")


def _digest(path: Path, length: int, at: Path) -> bytes:
    """Return the digest of the first *length* bytes of a file whose final path is *at*."""
    made = xxhash.xxh3_64(f"{_settled(at.parent.name)}/{at.name}\n".encode())
    # Read, not mapped: mapped pages that are used only once would count as memory of this process.
    block = memoryview(bytearray(min(_BLOCK, max(1, length))))
    with path.open("rb", buffering=0) as file:
        left = length
        while left > 0:
            got = file.readinto(block[:left]) or 0
            if not got:
                raise ValueError(f"{path} is truncated")
            made.update(block[:got])
            left -= got
    return made.digest()


def _settled(name: str) -> str:
    """Return the final name of a folder."""
    return name[1:].removesuffix(".tmp") if name.startswith(".") else name


_MAGIC_OF_ARRAYS = b"CTARRAY2"
_ALIGNMENT = 64


def save_arrays(path: Path, arrays: Mapping[str, np.ndarray], /) -> None:
    """Write *arrays*, by name, to *path* in one step: readers see the old file or the new one."""
    facts, position = {}, 0
    for name, array in arrays.items():
        facts[name] = {"type": array.dtype.str, "shape": array.shape, "at": position}
        position += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    header = json.dumps(facts).encode()
    with replacement(path) as temporary:
        with temporary.open("wb") as file:
            file.write(_MAGIC_OF_ARRAYS + len(header).to_bytes(8, "little") + header)
            file.write(bytes(-file.tell() % _ALIGNMENT))
            for array in arrays.values():
                file.write(np.ascontiguousarray(array).data)
                file.write(bytes(-file.tell() % _ALIGNMENT))
        seal(temporary, at=path)


def map_arrays(path: Path, /) -> dict[str, np.ndarray]:
    """Map the arrays of a file into memory, read-only."""
    whole = np.frombuffer(content(path), dtype=np.uint8)
    start = len(_MAGIC_OF_ARRAYS) + 8
    if bytes(whole[: len(_MAGIC_OF_ARRAYS)]) != _MAGIC_OF_ARRAYS:
        raise ValueError(f"{path} is not a file of arrays")
    length = int.from_bytes(bytes(whole[len(_MAGIC_OF_ARRAYS) : start]), "little")
    facts = json.loads(bytes(whole[start : start + length]))
    start += length
    data = whole[start + -start % _ALIGNMENT :]
    arrays = {}
    for name, fact in facts.items():
        kind, shape = np.dtype(fact["type"]), tuple(fact["shape"])
        size = kind.itemsize * int(np.prod(shape, dtype=np.int64))
        arrays[name] = data[fact["at"] : fact["at"] + size].view(kind).reshape(shape)
    return arrays


# Columns of memory-mapped Arrow tables.


def as_numpy(array: Any, /) -> np.ndarray:
    """Return a column as a NumPy array, without a copy where its type allows."""
    column = one_chunk(array)
    if not column.null_count and (
        pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    ):
        return np.from_dlpack(column)  # ``to_numpy`` would import pandas if it is installed
    values: np.ndarray = column.to_numpy(zero_copy_only=False)
    return values


def with_column(table: pa.Table, name: str, values: Any, /) -> pa.Table:
    """Return a table with other values in a column, converted to its type."""
    place = table.schema.get_field_index(name)
    field = table.schema.field(place)
    is_arrow = isinstance(values, pa.Array | pa.ChunkedArray)
    column = values.cast(field.type) if is_arrow else pa.array(values, field.type)
    return table.set_column(place, field, column)


def one_chunk(column: pa.ChunkedArray | pa.Array, /) -> pa.Array:
    """Return a column as one array; unlike ``combine_chunks``, a mapped one is not copied."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def reader(column: pa.ChunkedArray | pa.Array, /) -> Reader:
    """Return a function that reads values of a column in place, ten in a few microseconds."""
    array = one_chunk(column)
    if array.null_count == len(array):
        return lambda places: [None] * len(places)
    read = _values(array)
    if not array.null_count:
        return read
    bits = np.unpackbits(np.frombuffer(array.buffers()[0], np.uint8), bitorder="little")
    known = bits[array.offset :].view(np.bool_)
    return lambda places: [
        value if is_known else None
        for value, is_known in zip(read(places), known[places].tolist(), strict=True)
    ]


def _values(array: pa.Array) -> Reader:
    """Return a reader of the values of a column; for a null it returns any value."""
    kind = array.type
    if pa.types.is_string(kind):
        strings = Strings.of(array)
        return lambda places: [strings[place] for place in places.tolist()]
    if pa.types.is_struct(kind):
        names, readers = [f.name for f in kind], [*map(reader, array.flatten())]
        return lambda places: [
            dict(zip(names, row, strict=True))
            for row in zip(*(read(places) for read in readers), strict=True)
        ]
    if pa.types.is_list(kind):
        return _lists(np.frombuffer(array.buffers()[1], np.int32)[array.offset :], array.values)
    if kind == pa.timestamp("us", "UTC") and not array.null_count:
        epoch: datetime = pa.scalar(0, kind).as_py()
        since = as_numpy(_without_nulls(array, pa.int64()))
        return lambda places: [epoch + timedelta(microseconds=n) for n in since[places].tolist()]
    if pa.types.is_primitive(kind) and not pa.types.is_temporal(kind):
        values = as_numpy(_without_nulls(array, kind))
        return lambda places: values[places].tolist()
    return lambda places: array.take(pa.array(places)).to_pylist()


def _without_nulls(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return the values of an array without a copy, as another type of this width."""
    return pa.Array.from_buffers(kind, len(array), [None, array.buffers()[1]], 0, array.offset)


def _lists(ends: NDArray[np.int32], values: pa.Array) -> Reader:
    read = reader(values)

    def lists(places: NDArray[np.intp]) -> list[Any]:
        ranges = zip(ends[places].tolist(), ends[places + 1].tolist(), strict=True)
        return [read(np.arange(*each)) for each in ranges]

    return lists


@dataclass(frozen=True, slots=True)
class Strings:
    """A column of strings, read in place: a lookup costs 0.2 microseconds, through Arrow 1."""

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
        """Return the position of *text* in an ascending column, or -1."""
        wanted = text.encode("utf-8", "surrogatepass")
        low = self._first(wanted)
        data, offsets = self._bytes, self._offsets
        is_match = low < self._count and data[offsets[low] : offsets[low + 1]] == wanted
        return low if is_match else -1

    def starting(self, beginning: str, /) -> Iterator[str]:
        """Yield the texts of an ascending column that start with *beginning*."""
        for place in range(self._first(beginning.encode("utf-8", "surrogatepass")), self._count):
            text = self[place]
            if not text.startswith(beginning):
                return
            yield text

    def _first(self, wanted: bytes) -> int:
        """Return the position of the first text that is not less than *wanted*."""
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
