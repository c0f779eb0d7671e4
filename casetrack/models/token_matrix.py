"""Compact token matrices for late interaction, stored with every chunk.

MaxSim (Khattab and Zaharia 2020) compares every token of a question with every token of a text. The
unpacked matrix of 2,000 characters has about 600 KB. Here neighbouring tokens are averaged and each
value is rounded to a few levels, for models with a fit after subtracting its mean and a fixed
rotation, which equalises the values. A factor per row normalises the row's product with itself
before rounding, which removes the bias of all products (Gao and Long 2024, RaBitQ).

Format: one byte bits per value, two bytes values per row, the factors as float16, and the levels
row by row, the first value in the lowest bits; little endian.
"""

from __future__ import annotations

import functools
import hashlib
import struct
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from importlib import resources
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from casetrack.base.dataclass import dataclass
from casetrack.base.models.profiles import vectors_of

Floats = NDArray[np.float32]

MAX_BYTES = 10_240
"""Maximum rows; a text with more tokens, such as a table of numbers, is pooled more."""
_HEADER = struct.Struct("<BH")
_FACTOR = np.dtype("<f2")
_BITS = (1, 4)
_TINY = np.float32(1e-6)
_BLOCK = 1024
"""Rows per unpacking step, which fit into the processor's cache."""
_COARSE, _FINE = 127, 254
"""Steps from 0 to a question's largest value, and fractions of a step."""
_FITTED = {"mini": "token_form_mini.npz", "mini-sparse": "token_form_mini.npz"}
"""Fits by profile; both profiles use the token states of one model."""


class TokenModel(Protocol):
    """The properties that determine the form."""

    @property
    def name(self) -> str:
        """The profile's name."""

    @property
    def token_width(self) -> int | None:
        """Length of a token's state; ``None`` without token matrices."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenForm:
    """Storage form and comparison of the token matrices of one model."""

    name: str  # form and fit; matrices with different names are not comparable
    width: int  # length of a token's state
    pool: int  # neighbouring tokens per row, or more for very long texts
    bits: int  # bits of a stored value: 1 (its sign) or 4
    # float32 [width], subtracted before the rotation; `None` without a fit.
    mean: Floats | None = None
    content_only: bool = False  # whether `pack` expects the states of `content_tokens` only

    def pack(self, states: Floats, /) -> bytes:
        """Return the stored form of token states, float [n, width]; equal states give equal bytes.

        Raises ``ValueError``: the array has another shape, or infinite values.
        """
        checked = self._checked(states)
        rows = self._turned(pooled_units(checked, self._pool_of(len(checked))))
        codes = _codes(rows, self.bits)
        joined = _joined(codes, self.bits)
        own = np.einsum("ij,ij->i", _levels(joined, self.bits), rows)
        factors = np.divide(1.0, own, out=np.zeros_like(own), where=own > _TINY)
        header = _HEADER.pack(self.bits, self.width)
        return b"".join((header, factors.astype(_FACTOR).tobytes(), joined.tobytes()))

    def row_spans(self, spans: NDArray[np.int32], count: int, /) -> NDArray[np.int32] | None:
        """Return the spans of a matrix's rows in its text, int32 [count, 2].

        *spans*, int32 [n, 2], are those of the tokens given to :meth:`pack`. ``None`` means that
        *count* does not follow from them: the matrix belongs to another text.
        """
        pool = self._pool_of(len(spans))
        if -(-len(spans) // pool) != count:
            return None
        last = np.minimum(np.arange(count) * pool + pool, len(spans)) - 1
        return np.stack([spans[::pool, 0], spans[last, 1]], axis=1)

    def _pool_of(self, count: int) -> int:
        """Return how many of *count* neighbouring tokens form a row."""
        most = (MAX_BYTES - _HEADER.size) // (self.width * self.bits // 8 + _FACTOR.itemsize)
        return max(self.pool, -(-count // most))

    def score(self, query: Floats, packed: Sequence[bytes | None], /) -> NDArray[np.float32]:
        """Compare a question, float [q, width], with stored matrices by MaxSim.

        Returns float32 [len(packed)]: the mean over the question's tokens of the cosine with the
        nearest row (about the fit's mean, if any); NaN without a matrix, a row or a token. Raises
        ``ValueError``: the question has another shape, or bytes are not a matrix of this form.
        """
        nearest = self.nearest(query, packed)
        empty = np.full(len(packed), np.nan, dtype=np.float32)
        return nearest.mean(axis=1) if nearest.shape[1] else empty

    def nearest(self, query: Floats, packed: Sequence[bytes | None], /) -> Floats:
        """Return the similarity of each question token with the nearest row of each text.

        float32 [len(packed), q], NaN without a matrix or a row. :meth:`score` is the mean of a row
        and has the same parameters and errors.
        """
        asked = self.asked(query)
        scores = np.full((len(packed), len(asked)), np.nan, dtype=np.float32)
        opened = [(n, *self._open(p, n)) for n, p in enumerate(packed) if p is not None]
        filled = [(n, factors, codes) for n, factors, codes in opened if len(factors)]
        if not filled or not len(asked):
            return scores
        numbers, factors, codes = zip(*filled, strict=True)
        starts = np.cumsum([0, *(len(f) for f in factors[:-1])])
        similar = self._products(np.concatenate(codes), asked)
        similar *= np.concatenate(factors).astype(np.float32)[:, None]
        scores[list(numbers)] = np.maximum.reduceat(similar, starts, axis=0)
        return scores

    def asked(self, query: Floats, /) -> Floats:
        """Return the rows of a question, float [q, width], to compare with unpacked rows.

        They are unit vectors, float32 [q, width], centred and rotated as stored rows. Raises
        ``ValueError``: the question has another shape.
        """
        return self._turned(_unit(self._checked(query)))

    def _checked(self, states: Floats) -> Floats:
        if states.ndim != 2 or states.shape[1] != self.width:
            raise ValueError(
                f"token states have shape {states.shape}, expected [n, {self.width}] ({self.name})"
            )
        if not np.isfinite(states).all():
            raise ValueError(f"token states hold values that are not finite ({self.name})")
        return states.astype(np.float32, copy=False)

    def _turned(self, rows: Floats) -> Floats:
        if self.mean is None:
            return rows
        return _rotate(_unit(rows - self.mean))

    def _products(self, codes: NDArray[np.uint8], asked: Floats) -> Floats:
        """Return the products of packed rows, before their factors, with a question's rows.

        Computed in 8-bit integers, four times as fast as float32: levels are such integers, and a
        question's row is the sum of a coarse and a fine row, with 16 bits per value.
        """
        import numkong

        steps = np.maximum(np.abs(asked).max(axis=1, keepdims=True), _TINY) / _COARSE
        coarse = np.rint(asked / steps)
        fine = np.rint((asked / steps - coarse) * _FINE)
        packed = numkong.dots_pack(np.concatenate([coarse, fine]).astype(np.int8), "int8")
        products = np.empty((len(codes), len(asked)), dtype=np.float32)
        for start in range(0, len(codes), _BLOCK):
            part = _levels(codes[start : start + _BLOCK], self.bits)
            both = np.asarray(numkong.dots_packed(part, packed)).astype(np.float32)
            both[:, len(asked) :] /= _FINE
            np.add(
                both[:, : len(asked)],
                both[:, len(asked) :],
                out=products[start : start + len(part)],
            )
        products *= steps[:, 0]
        return products

    def _open(self, matrix: bytes, number: int) -> tuple[NDArray[np.float16], NDArray[np.uint8]]:
        bits, columns, factors, codes = _opened(matrix, f"token matrix {number}")
        if (bits, columns) != (self.bits, self.width):
            raise ValueError(
                f"token matrix {number} is of another form: kind {bits} with {columns} columns, "
                f"expected kind {self.bits} with {self.width} ({self.name})"
            )
        return factors, codes


def unpack(matrix: bytes, /) -> Floats:
    """Return the rows of a packed matrix of any form, float32 [n, width].

    MaxSim uses their products with the rows of :meth:`TokenForm.asked`. For a model with a fit they
    are centred and rotated; a rotation changes no product. Raises ``ValueError``: the bytes are not
    a matrix.
    """
    bits, _, factors, codes = _opened(matrix, "the token matrix")
    rows: Floats = _levels(codes, bits) * factors.astype(np.float32)[:, None]
    return rows


def _opened(matrix: bytes, name: str) -> tuple[int, int, NDArray[np.float16], NDArray[np.uint8]]:
    """Return bits per value, values per row, factors [n], and codes [n, bytes per row]."""
    size = len(matrix) - _HEADER.size
    if size < 0:
        raise ValueError(f"{name} has {len(matrix)} bytes: it is cut off")
    bits, columns = _HEADER.unpack_from(matrix)
    stride = columns * bits // 8
    if bits not in _BITS or not stride:
        raise ValueError(f"{name} is of another form than any: kind {bits}, {columns} columns")
    count, rest = divmod(size, stride + _FACTOR.itemsize)
    if rest:
        raise ValueError(
            f"{name} has {rest} bytes more than its {count} rows need: it is cut off or damaged"
        )
    factors = np.frombuffer(matrix, _FACTOR, count, _HEADER.size)
    codes = np.frombuffer(matrix, np.uint8, offset=_HEADER.size + factors.nbytes)
    return bits, columns, factors, codes.reshape(count, stride)


def content_tokens(
    text: str, spans: NDArray[np.int32], stop_words: AbstractSet[str], /
) -> NDArray[np.bool_]:
    """Return which tokens have meaning: neither punctuation nor whole stop words, bool [n].

    In a table every other token is punctuation; without it, fewer neighbours share a row of the
    same size. *spans*, int32 [n, 2], are code points in *text*. All are true if no token would
    remain.
    """

    def stands_alone(start: int, end: int) -> bool:
        before, after = text[max(0, start - 1) : start], text[end : end + 1]
        return not before.isalnum() and not after.isalnum()

    def carries(start: int, end: int) -> bool:
        word = text[start:end].lower()
        if not word.isalnum() and not any(map(str.isalnum, word)):
            return False
        return word not in stop_words or not stands_alone(start, end)

    kept = np.array([carries(start, end) for start, end in spans.tolist()], dtype=np.bool_)
    return kept if kept.any() else np.ones(len(spans), dtype=np.bool_)


def token_form(encoder: TokenModel, /) -> TokenForm | None:
    """Return the form of a model's token matrices; ``None`` without any.

    A model with a fit has the smaller form; others have 4 bits a value and need an even width.
    Raises ``ValueError``: the fit of this name has another width.
    """
    width = encoder.token_width
    if width is None:
        return None
    if (name := vectors_of(encoder.name)) in _FITTED:
        return _fitted(name, width)
    return TokenForm(f"plain-{width}x4-pool3-v1", width, 3, 4)


@functools.cache
def _fitted(model: str, width: int) -> TokenForm:
    source = resources.files("casetrack.models").joinpath("data", _FITTED[model])
    with source.open("rb") as file, np.load(file, allow_pickle=False) as fit:
        mean = fit["mean"].astype(np.float32)
    if len(mean) != width:
        raise ValueError(f"the fit of {model} is for states of {len(mean)} values, not {width}")
    name = f"{model}-{width}x1-content-pool2-v1"
    return TokenForm(name, width, 2, 1, mean, content_only=True)


def _rotate(rows: Floats) -> Floats:
    """Multiply rows, float32 [n, width], by a fixed orthogonal matrix that mixes all columns.

    Two rounds of sign changes and Hadamard transforms over blocks (Ailon and Chazelle 2009), with a
    permutation in between. A fixed order of sums, unlike BLAS, gives the same bits everywhere.
    """
    width = rows.shape[1]
    block = width & -width
    signs, dealt = _mixing(width)
    columns = _hadamard(rows.T * signs[0], block)[dealt]
    return np.ascontiguousarray(_hadamard(columns * signs[1], block).T) / np.float32(block)


def _hadamard(columns: Floats, block: int) -> Floats:
    """Transform [width, n] within blocks of columns, without the factor ``block ** -0.5``."""
    columns, spare, step = columns.copy(), np.empty_like(columns), 1
    while step < block:
        shape = (len(columns) // (2 * step), 2, step, columns.shape[1])
        pairs, sums = columns.reshape(shape), spare.reshape(shape)
        np.add(pairs[:, 0], pairs[:, 1], out=sums[:, 0])
        np.subtract(pairs[:, 0], pairs[:, 1], out=sums[:, 1])
        columns, spare = spare, columns
        step *= 2
    return columns


@functools.cache
def _mixing(width: int) -> tuple[Floats, NDArray[np.intp]]:
    """Return the signs of both rounds, float32 [2, width, 1], and the permutation between them.

    Independent of any library's random numbers, because stored matrices must stay comparable.
    """
    block = width & -width
    bits = np.frombuffer(hashlib.shake_256(b"casetrack").digest(width // 4), dtype=np.uint8)
    signs = np.unpackbits(bits).astype(np.float32).reshape(2, width, 1) * 2 - 1
    return signs, np.arange(width).reshape(-1, block).T.ravel()


def _levels(codes: NDArray[np.uint8], bits: int) -> NDArray[np.int8]:
    """Return the levels of packed rows, int8 [n, columns]."""
    # Taking one wide item per byte is several times faster than taking a row of values.
    levels: NDArray[np.int8] = np.take(_decoding(bits), codes).view(np.int8)
    return levels


@functools.cache
def _decoding(bits: int) -> NDArray[np.generic]:
    """Return, for every byte, the values of its codes as one item of 8/bits int8."""
    values = np.array([-1, 1]) if bits == 1 else np.arange(2**bits) - 2 ** (bits - 1)
    shifts = np.arange(0, 8, bits)
    codes = (np.arange(256)[:, None] >> shifts) & (2**bits - 1)
    table = np.ascontiguousarray(values[codes].astype(np.int8))
    return table.view(f"<u{8 // bits}").ravel()


def _codes(rows: Floats, bits: int) -> NDArray[np.uint8]:
    """Round every value to the code of a level."""
    if bits == 1:
        return (rows > 0).astype(np.uint8)
    limit = np.float32(2 ** (bits - 1) - 1)
    largest = np.abs(rows).max(axis=1, initial=0.0, keepdims=True)
    levels: Floats = np.rint(rows / np.maximum(largest, _TINY) * limit)
    return (levels + limit + 1).astype(np.uint8)


def _joined(codes: NDArray[np.uint8], bits: int) -> NDArray[np.uint8]:
    """Pack the codes of one byte, the first in the lowest bits."""
    per_byte = 8 // bits
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    parts = codes.reshape(len(codes), codes.shape[1] // per_byte, per_byte) << shifts
    joined: NDArray[np.uint8] = np.bitwise_or.reduce(parts, axis=2)
    return joined


def _unit(rows: Floats) -> Floats:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Floats = rows / np.maximum(norms, _TINY)
    return unit


def pooled_units(states: Floats, pool: int, /) -> Floats:
    """Average every *pool* neighbouring states, float32 [n, width], to a row of unit length."""
    if not len(states):
        return states
    starts = np.arange(0, len(states), pool)
    return _unit(np.add.reduceat(_unit(states), starts, axis=0))
