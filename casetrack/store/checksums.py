"""Checksums of stored rows, computed when a row is written and compared when it is read.

No layer between disk and reader detects a flipped bit in a text, an offset or a vector. So every
row of ``chunks`` and ``documents`` has one checksum per *family*, the columns that are read
together (``family`` in the table's declaration): a citation is checked without reading a vector. A
checksum depends on the values only:

* Each value gives 64 bits: a number its own bits, a text or a list the XXH3 of its bytes, whatever
  the version of Arrow or the encoding of the column.
* A family is the sum, modulo 2**64, of these bits, each mixed with the name of its column. A null
  adds nothing, so a column that a later version adds keeps the checksums of older rows valid.

Rows of earlier versions have no checksums and count as intact.
"""

from __future__ import annotations

import functools
import itertools
import struct
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from casetrack.base import schema
from casetrack.base.errors import PassagesDamaged

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

COLUMN = "checksum"
"""Column with the checksums of a row, in the order of :func:`families`."""
_NULL = 0x9E37_79B9_7F4A_7C15
"""Bits of a null within a list."""
_ALL = (1 << 64) - 1
_ROUNDS = ((30, 0xBF58_476D_1CE4_E5B9), (27, 0x94D0_49BB_1331_11EB))
_EPOCH, _MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
_CODES = {"int32": "i", "int64": "q", "halffloat": "e", "float": "f", "double": "d"}
_ALIKE_BYTES = 64
"""Mean length up to which texts are likely to repeat."""
_FEW = 64


@functools.cache
def families(table: str, /) -> dict[str, tuple[str, ...]]:
    """Return the families of a table and their columns, in declared order."""
    members: dict[str, list[str]] = {name: [] for name in schema.table(table).families}
    for column in schema.table(table).columns:
        if column.name != COLUMN:
            members[column.family].append(column.name)
    return {name: tuple(columns) for name, columns in members.items()}


def columns_of(table: str, /, *names: str) -> tuple[str, ...]:
    """Return the columns of the families *names*, and the checksum column."""
    known = families(table)
    return (*(column for name in names for column in known[name]), COLUMN)


def with_families(columns: Sequence[str], table: str, /) -> list[str]:
    """Return *columns* and all others of their families, so that each can be checked."""
    touched = [n for n, family in families(table).items() if not set(columns).isdisjoint(family)]
    return list(dict.fromkeys([*columns, *columns_of(table, *touched)]))


def stamped(rows: pa.Table, table: str, /) -> pa.Table:
    """Return *rows* with new checksums; missing columns count as null."""
    import numpy as np
    import pyarrow as pa

    known = families(table)
    numbers = np.empty((rows.num_rows, len(known)), dtype=np.uint64)
    for place, columns in enumerate(known.values()):
        numbers[:, place] = _sums(rows, columns)
    ends = np.arange(rows.num_rows + 1, dtype=np.int32) * len(known)
    made = pa.ListArray.from_arrays(pa.array(ends), pa.array(numbers.reshape(-1).view(np.int64)))
    field = schema.table(table).column(COLUMN).field()
    made = made.cast(field.type)
    at = rows.schema.get_field_index(COLUMN)
    return rows.append_column(field, made) if at < 0 else rows.set_column(at, field, made)


def damaged(rows: pa.Table, table: str, /, *, lacking: Collection[str] = ()) -> NDArray[np.bool_]:
    """Return a mask of the rows that do not match their checksums, bool [n].

    Compares the families whose columns are all in *rows*, except those *lacking* in the stored
    table. Rows without checksums count as intact.
    """
    import numpy as np

    wrong: NDArray[np.bool_] = np.zeros(rows.num_rows, dtype=np.bool_)
    stored = _stored(rows)
    if stored is None:
        return wrong
    starts, lengths, numbers = stored
    have = {*rows.column_names, *lacking}
    for place, columns in enumerate(families(table).values()):
        if have.issuperset(columns):
            known = lengths > place
            # Rows without checksums are compared with any number, and then masked out.
            at = np.where(known, starts + place, 0)
            wrong |= known & (numbers[at] != _sums(rows, columns))
    return wrong


def require_intact(
    rows: pa.Table, table: str, name: str, /, *, lacking: Collection[str] = ()
) -> None:
    """Check that no row is :func:`damaged`; column *name* has the document names for the error."""
    wrong = damaged(rows, table, lacking=lacking)
    if wrong.any():
        names = rows[name].to_pylist()
        raise PassagesDamaged([names[place] for place in wrong.nonzero()[0]])


def blanked(rows: pa.Table, table: str, /, *, lacking: Collection[str] = ()) -> pa.Table:
    """Return *rows* with text and nullable columns emptied in the :func:`damaged` ones."""
    import pyarrow as pa
    import pyarrow.compute as pc

    wrong = damaged(rows, table, lacking=lacking)
    if not wrong.any():
        return rows
    at, declared = pa.array(wrong), schema.table(table)
    for place, field in enumerate(rows.schema):
        if field.name == "text":
            nothing = pa.scalar("", field.type)
        elif field.name in declared.names and declared.column(field.name).nullable:
            nothing = pa.scalar(None, field.type)
        else:
            continue
        rows = rows.set_column(place, field, pc.if_else(at, nothing, rows[field.name]))
    return rows


def is_damaged(row: Mapping[str, Any], table: str, /, *names: str) -> bool:
    """Return whether one row differs from its checksums in *names*; without names, in any family.

    The comparison of :func:`damaged` for values already read, *row* by column: 20 microseconds per
    search result instead of a millisecond through Arrow.
    """
    numbers = row[COLUMN] or ()
    for place, (family, readers) in enumerate(_readers(table).items()):
        if place < len(numbers) and (not names or family in names):
            total = 0
            for column, tag, read in readers:
                value = row[column]
                if value is not None:
                    total += _mixed_one(read(value) ^ tag)
            if (total ^ numbers[place]) & _ALL:
                return True
    return False


def _stored(
    rows: pa.Table,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]] | None:
    """Return the start and the number of the checksums of each row, and all checksums."""
    import numpy as np
    import pyarrow.compute as pc

    if COLUMN not in rows.column_names or rows[COLUMN].null_count == rows.num_rows:
        return None
    column = _one(rows[COLUMN])
    lengths = pc.list_value_length(column).fill_null(0).to_numpy(zero_copy_only=False)
    lengths = lengths.astype(np.int64)
    values = column.flatten().fill_null(0).to_numpy(zero_copy_only=False)
    if not len(values):
        return None
    return np.cumsum(lengths) - lengths, lengths, values.view(np.uint64)


def _sums(rows: pa.Table, columns: Sequence[str]) -> NDArray[np.uint64]:
    """Return the checksum of one family of each row."""
    import numpy as np

    total = np.zeros(rows.num_rows, dtype=np.uint64)
    for name in columns:
        if name not in rows.column_names or rows[name].null_count == rows.num_rows:
            continue
        column = _one(rows[name])
        mixed = _mixed(_bits(column) ^ np.uint64(_tag(name)))
        total += np.where(_valid(column), mixed, np.uint64(0)) if column.null_count else mixed
    return total


def _mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix each bit into all others: the finalizer of MurmurHash3, variant 13."""
    import numpy as np

    for shift, factor in _ROUNDS:
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return bits ^ (bits >> np.uint64(31))


@functools.cache
def _tag(name: str) -> int:
    return _hash(name.encode())


def _hash(data: Any) -> int:
    """Return the 64-bit XXH3 of bytes."""
    # Imported with the first row: `casetrack --help` needs none.
    import xxhash

    return int(xxhash.xxh3_64_intdigest(data))


def _one(column: pa.ChunkedArray) -> pa.Array:
    import pyarrow as pa

    array = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return pa.concat_arrays(array.chunks) if isinstance(array, pa.ChunkedArray) else array


def _valid(array: pa.Array) -> NDArray[np.bool_]:
    mask: NDArray[np.bool_] = array.is_valid().to_numpy(zero_copy_only=False)
    return mask


# --- bits of arrays --------------------------------------------------------------------------


def _bits(array: pa.Array) -> NDArray[np.uint64]:
    """Return 64 bits of each value; equal values have equal bits, however they are stored."""
    import numpy as np
    import pyarrow as pa

    kind = array.type
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        bits = _of_texts(array)
    elif pa.types.is_fixed_size_list(kind) or pa.types.is_list(kind):
        bits = _of_lists(array)
    elif pa.types.is_struct(kind):
        matrix = _matrix(array)
        ends = np.arange(len(array) + 1) * matrix.shape[1] * 8
        bits = _of_slices(matrix.tobytes(), ends)
    else:
        values = _plain(array)
        bits = values.view(f"u{values.itemsize}").astype(np.uint64)
    if array.null_count:
        bits = np.where(_valid(array), bits, np.uint64(_NULL))
    return bits


def _plain(array: pa.Array) -> NDArray[Any]:
    """Return numbers, times and booleans as in memory, null as 0."""
    import numpy as np
    import pyarrow as pa

    if pa.types.is_temporal(array.type):
        array = array.cast(pa.int64())
    if array.null_count:
        array = array.fill_null(False if pa.types.is_boolean(array.type) else 0)
    values: NDArray[Any] = array.to_numpy(zero_copy_only=False)
    return values.view(np.uint8) if values.dtype == np.bool_ else values


def _of_texts(array: pa.Array) -> NDArray[np.uint64]:
    """Return the bits of texts and bytes; null has the bits of the empty value."""
    import numpy as np
    import pyarrow as pa

    _, offsets, data = array.buffers()
    starts = np.frombuffer(offsets, dtype=np.int32, count=array.offset + len(array) + 1)
    starts = starts[array.offset :]
    size = int(starts[-1] - starts[0])
    if len(array) > _FEW and size <= _ALIKE_BYTES * len(array):
        # Names, paths and terms repeat in many rows.
        coded = array.fill_null("") if pa.types.is_string(array.type) else array.fill_null(b"")
        coded = coded.dictionary_encode()
        if 2 * len(coded.dictionary) <= len(array):
            places: NDArray[np.int32] = coded.indices.to_numpy()
            return _of_texts(coded.dictionary)[places]
    ends = starts.astype(np.int64)
    return _of_slices(data if data is not None else b"", ends)


def _of_lists(array: pa.Array) -> NDArray[np.uint64]:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_fixed_size_list(array.type):
        width = array.type.list_size
        values = array.values.slice(array.offset * width, len(array) * width)
        ends = np.arange(len(array) + 1, dtype=np.int64) * width
    else:
        values = array.flatten()
        lengths = pc.list_value_length(array).fill_null(0).to_numpy(zero_copy_only=False)
        ends = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    if pa.types.is_struct(values.type):
        flat = _matrix(values)
        width = flat.shape[1] * flat.itemsize
        flat = flat.reshape(-1)
    else:
        flat = _plain(values) if pa.types.is_primitive(values.type) else _bits(values)
        width = flat.itemsize
    bits = _of_slices(flat.tobytes(), ends * width)
    if pa.types.is_primitive(values.type) and values.null_count:
        # A row must not depend on other rows: only a list with a null encodes its positions.
        known = _valid(values)
        nulls = np.concatenate([[0], np.cumsum(~known)])[ends]
        marked = _mixed(bits ^ _of_slices(known.tobytes(), ends))
        bits = np.where(np.diff(nulls) > 0, marked, bits)
    return bits


def _matrix(array: pa.StructArray) -> NDArray[np.uint64]:
    """Return the bits of the fields of structs, uint64 (rows, fields)."""
    import numpy as np

    return np.ascontiguousarray(np.column_stack([_bits(field) for field in array.flatten()]))


def _of_slices(data: Any, ends: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the bits of the byte ranges of a buffer, each between two consecutive ends."""
    import numpy as np
    import xxhash

    data, places = memoryview(data).cast("B"), ends.tolist()
    take = xxhash.xxh3_64_intdigest
    hashes = [take(data[a:b]) for a, b in itertools.pairwise(places)]
    return np.array(hashes, dtype=np.uint64)


# --- bits of single values -------------------------------------------------------------------


@functools.cache
def _readers(table: str) -> dict[str, tuple[tuple[str, int, Callable[[Any], int]], ...]]:
    """Return the functions for the bits of each column, by family."""
    declared = schema.table(table)
    return {
        family: tuple((name, _tag(name), _reader(declared.column(name).type)) for name in columns)
        for family, columns in families(table).items()
    }


def _reader(kind: pa.DataType) -> Callable[[Any], int]:
    """Return the function for the bits of one value of a type; see :func:`_bits`."""
    import pyarrow as pa

    if pa.types.is_string(kind):
        return lambda value: _hash(value.encode())
    if pa.types.is_binary(kind):
        return _hash
    if pa.types.is_struct(kind):
        fields = [(kind.field(n).name, _or_null(kind.field(n).type)) for n in range(len(kind))]
        return lambda value: _hash(b"".join(_word(read(value[name])) for name, read in fields))
    if pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind):
        return _list_reader(kind.value_type)
    if pa.types.is_temporal(kind):
        return lambda value: (value - _EPOCH) // _MICROSECOND & _ALL
    packed = _packed(kind)
    return lambda value: int.from_bytes(packed([value]), "little")


def _list_reader(kind: pa.DataType) -> Callable[[Any], int]:
    import pyarrow as pa

    if pa.types.is_struct(kind):
        fields = [(kind.field(n).name, _or_null(kind.field(n).type)) for n in range(len(kind))]
        return lambda value: _hash(
            b"".join(_word(read(one[name])) for one in value for name, read in fields)
        )
    read = _or_null(kind)
    if not pa.types.is_primitive(kind):
        return lambda value: _hash(b"".join(_word(read(one)) for one in value))
    packed = _packed(kind)

    def numbers(value: Sequence[Any]) -> int:
        if None not in value:
            return _hash(packed(value))
        filled = packed([0 if one is None else one for one in value])
        return _mixed_one(_hash(filled) ^ _hash(bytes(one is not None for one in value)))

    return numbers


def _packed(kind: pa.DataType) -> Callable[[Sequence[Any]], bytes]:
    """Return the function that packs values as in memory."""
    import pyarrow as pa

    if pa.types.is_boolean(kind):
        return bytes
    code = _CODES[str(kind)]
    return lambda values: struct.pack(f"<{len(values)}{code}", *values)


def _or_null(kind: pa.DataType) -> Callable[[Any], int]:
    read = _reader(kind)
    return lambda value: _NULL if value is None else read(value)


def _word(bits: int) -> bytes:
    return bits.to_bytes(8, "little")


def _mixed_one(bits: int) -> int:
    for shift, factor in _ROUNDS:
        bits = (bits ^ (bits >> shift)) * factor & _ALL
    return bits ^ (bits >> 31)
