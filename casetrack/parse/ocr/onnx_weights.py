"""Weights of an ONNX file on their way to the runtime: those too small to count become nothing.

PP-OCR's detector has a quarter of a million weights below 1e-38, left over from channels that
training switched off. Such numbers leave the processor's fast path: a page takes two to three times
as long to find its lines in, for the same lines. The runtime's own switch for it
(``session.set_denormal_as_zero``) is set for a whole thread, and by its first session only.

Only as much of the format is read as leads to the weights (``onnx.proto``: a model's field 7 is
its graph, whose field 5 are its tensors; of a tensor field 2 is the type, 9 the bytes).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

_GRAPH, _TENSOR, _TYPE, _BYTES = 7, 5, 2, 9
_FLOAT = 1
_VARINT, _FIXED_64, _LENGTH, _FIXED_32 = 0, 1, 2, 5
_LEAST = np.finfo(np.float32).tiny


def without_tiny_weights(model: bytes, /) -> bytes:
    """Return an ONNX model with zeros in place of subnormal weights; all else stays.

    Raises
    ------
    ValueError
        The bytes are no such file.
    """
    data = bytearray(model)
    for start, end in _float_weights(data):
        if (end - start) % 4 == 0:
            weights = np.frombuffer(memoryview(data)[start:end], "<f4")
            weights[np.abs(weights) < _LEAST] = 0.0
    return bytes(data)


def _float_weights(data: bytearray) -> Iterator[tuple[int, int]]:
    """Return where the bytes of each tensor of 32-bit floats lie."""
    for graph, start, end in _fields(data, 0, len(data)):
        if graph != _GRAPH:
            continue
        for tensor, first, last in _fields(data, start, end):
            if tensor != _TENSOR:
                continue
            fields = {number: place for number, *place in _fields(data, first, last)}
            if (
                _BYTES in fields
                and _TYPE in fields
                and _number(data, fields[_TYPE][0])[0] == _FLOAT
            ):
                yield fields[_BYTES][0], fields[_BYTES][1]


def _fields(data: bytearray, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Return number, start and end of each field of a message."""
    while at < end:
        key, at = _number(data, at)
        kind = key & 7
        if kind == _LENGTH:
            length, at = _number(data, at)
        elif kind == _VARINT:
            length = _number(data, at)[1] - at
        elif kind in (_FIXED_64, _FIXED_32):
            length = 8 if kind == _FIXED_64 else 4
        else:
            raise ValueError(f"no ONNX file: a field of unknown kind {kind} at byte {at}")
        if at + length > end:
            raise ValueError(f"no ONNX file: a field at byte {at} is longer than what holds it")
        yield key >> 3, at, at + length
        at += length


def _number(data: bytearray, at: int) -> tuple[int, int]:
    """Read a number of variable length; return it, and where it ends."""
    value = 0
    for shift in range(0, 64, 7):
        if at >= len(data):
            break
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if not byte & 0x80:
            return value, at
    raise ValueError(f"no ONNX file: a number without an end at byte {at}")
