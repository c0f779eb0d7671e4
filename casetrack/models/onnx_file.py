"""A writer of ONNX files: nodes, constants, inputs and outputs as protocol buffers.

It replaces the package ``onnx`` (28 MB); a test compares the bytes. Field numbers:
https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

FLOAT, INT32, INT64 = 1, 6, 7
"""Types of elements."""
_TYPES = {"float32": FLOAT, "uint8": 2, "int8": 3, "int32": INT32, "int64": INT64}
_VARINT, _BYTES, _FIXED32 = 0, 2, 5
"""Wire types of fields."""
_IS_FLOAT, _IS_INT = 1, 2
"""Types of attributes."""


def node(
    kind: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    *,
    name: str,
    domain: str = "",
    fields: Mapping[str, int | float],
) -> bytes:
    """Return a node; *fields* are its attributes."""
    parts = [*(_text(1, text) for text in inputs), *(_text(2, text) for text in outputs)]
    parts += [_text(3, name), _text(4, kind)]
    parts += [_message(5, _attribute(key, value)) for key, value in sorted(fields.items())]
    return b"".join((*parts, _text(7, domain)))


def tensor(value: NDArray[Any], name: str, /) -> bytes:
    """Return a constant of float32, uint8, int8, int32 or int64."""
    array = np.asarray(value, order="C")
    kind = _number(2, _TYPES[array.dtype.name])
    data = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
    sizes = b"".join(_number(1, size) for size in array.shape)
    return b"".join((sizes, kind, _text(8, name), _message(9, data)))


def port(name: str, kind: int, shape: Sequence[str | int], /) -> bytes:
    """Return an input or output: its element type, and its sizes, variable ones by name."""
    sizes = [_number(1, size) if isinstance(size, int) else _text(2, size) for size in shape]
    form = _message(2, b"".join(_message(1, size) for size in sizes))
    return _text(1, name) + _message(2, _message(1, _number(1, kind) + form))


def model(
    nodes: Iterable[bytes],
    constants: Iterable[bytes],
    inputs: Iterable[bytes],
    outputs: Iterable[bytes],
    *,
    name: str,
    opsets: Mapping[str, int],
    format_version: int,
    producer: tuple[str, str],
) -> bytes:
    """Return a complete file.

    *nodes* are in executable order; *opsets* has the operator version per domain, *format_version*
    is that of the file format ("IR"), *producer* has name and version of the writer.
    """
    graph = [
        *(_message(1, part) for part in nodes),
        _text(2, name),
        *(_message(5, part) for part in constants),
        *(_message(11, part) for part in inputs),
        *(_message(12, part) for part in outputs),
    ]
    versions = [_text(1, domain) + _number(2, version) for domain, version in opsets.items()]
    head = (_number(1, format_version), *map(_text, (2, 3), producer))
    length = sum(map(len, graph))
    # Joined once: the constants of a large model are hundreds of megabytes.
    tail = (_message(8, version) for version in versions)
    return b"".join((*head, _tag(7, _BYTES), _varint(length), *graph, *tail))


def _attribute(name: str, value: int | float) -> bytes:
    if isinstance(value, float):
        number = _tag(2, _FIXED32) + struct.pack("<f", value)
        return _text(1, name) + number + _number(20, _IS_FLOAT)
    return _text(1, name) + _number(3, value) + _number(20, _IS_INT)


def _text(field: int, value: str) -> bytes:
    return _message(field, value.encode())


def _message(field: int, data: bytes) -> bytes:
    return b"".join((_tag(field, _BYTES), _varint(len(data)), data))


def _number(field: int, value: int) -> bytes:
    return _tag(field, _VARINT) + _varint(value & 0xFFFF_FFFF_FFFF_FFFF)


def _tag(field: int, kind: int) -> bytes:
    return _varint(field << 3 | kind)


def _varint(value: int) -> bytes:
    """Encode a number in groups of seven bits, the lowest first."""
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
