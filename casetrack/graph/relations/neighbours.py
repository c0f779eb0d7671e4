"""The nearest neighbours of each chunk by meaning; incremental updates equal a full build."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from casetrack.store.index.arrays import map_arrays, save_arrays

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from casetrack.graph.passages import Vectors

    _Products = NDArray[np.float32] | NDArray[np.float64]

# The nearest rows of each row by cosine, with exact results. Rows are integers, and every partial
# sum of a float32 matrix product is an integer below 2^24, which float32 represents exactly (IEEE
# 754). A cosine is then one square root and one division of exact integers: it depends only on the
# two rows, not on order, blocks or threads of the multiplication.

_EXACT = 1 << 24
EXACT_WIDTH = 1040
"""Number of products of int8 codes, each at most 127 * 127, whose sum stays below 2^24."""
_BLOCK = 2048
_CROWDED = 64
_SLACK = 1e-5
"""Relative tolerance of the float32 mask; rows that pass it are compared exactly."""
_NEVER = 1e12
"""Norm of a row without a vector: no cosine with it passes the mask."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows to compare."""

    codes: NDArray[np.int8] | NDArray[np.int16]  # Integers [n, dimension]
    squares: NDArray[np.float64]  # float64 [n], squared norms; 0 if a row has no vector
    # float64 [n], their roots; very large if a row has no vector, so that it has no neighbours.
    norms: NDArray[np.float64]
    # int32 [n], position of a row that is never compared with this one, or -1.
    before: NDArray[np.int32]

    @classmethod
    def of(
        cls,
        codes: NDArray[np.int8] | NDArray[np.int16],
        before: NDArray[np.int32] | None = None,
        /,
        *,
        present: NDArray[np.bool_] | None = None,
    ) -> Rows:
        """Prepare rows; rows that are not *present*, or all zero, have no neighbours."""
        squares = np.empty(len(codes))
        for start in range(0, len(codes), _BLOCK):
            part = codes[start : start + _BLOCK].astype(np.float64)
            squares[start : start + _BLOCK] = np.einsum("ij,ij->i", part, part)
        if present is not None:
            squares[~present] = 0.0
        if before is None:
            before = np.full(len(codes), -1, np.int32)
        norms = np.where(squares > 0, np.sqrt(squares), _NEVER)
        return cls(codes, squares, norms, before)

    def __len__(self) -> int:
        return len(self.codes)


class Nearest:
    """The best columns of each row so far; ties go to the first column.

    ``near`` is int32 [n, k], best first; the number of rows if there is none. ``cosines`` is
    float64 [n, k]; -1 if there is none.
    """

    def __init__(self, rows: Rows, /, *, k: int, floor: float) -> None:
        self.near = np.full((len(rows), k), len(rows), np.int32)
        self.cosines = np.full((len(rows), k), -1.0)
        self._rows = rows
        self._floor = floor
        self._largest = float(rows.squares.max(initial=0.0))
        # Reused memory: new pages cost as much as the multiplication.
        self._scratch = np.empty(_BLOCK * _BLOCK, np.float32)
        self._sides = np.empty((2, _BLOCK, rows.codes.shape[1]), np.float32)

    def compare(self, rows: NDArray[np.int64], columns: NDArray[np.int64], /) -> None:
        """Compare *rows* with *columns* (not compared before), using about 60 MB at most."""
        # Rows of one block have about the same norm, so one threshold per row suffices.
        rows, columns = self._by_norm(rows), self._by_norm(columns)
        for left in range(0, len(columns), _BLOCK):
            right_rows = columns[left : left + _BLOCK]
            right = self._floats(1, right_rows).T
            for top in range(0, len(rows), _BLOCK):
                left_rows = rows[top : top + _BLOCK]
                self._take(left_rows, right_rows, self._products(left_rows, right))

    def compare_all(self, rows: NDArray[np.int64], /) -> None:
        """Compare *rows* (with vectors, not compared before) with each other: half the work."""
        rows = self._by_norm(rows)
        for left in range(0, len(rows), _BLOCK):
            right_rows = rows[left : left + _BLOCK]
            right = self._floats(1, right_rows).T
            for top in range(0, left + 1, _BLOCK):
                left_rows = rows[top : top + _BLOCK]
                products = self._products(left_rows, right)
                self._take(left_rows, right_rows, products)
                if top < left:
                    self._take(right_rows, left_rows, products.T)

    def _by_norm(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return rows[np.argsort(self._rows.norms[rows], kind="stable")]

    def _floats(self, side: int, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        floats: NDArray[np.float32] = self._sides[side, : len(rows)]
        floats[:] = self._rows.codes[rows]
        return floats

    def _products(self, left_rows: NDArray[np.int64], right: NDArray[np.float32]) -> _Products:
        left = self._floats(0, left_rows)
        if self._largest < _EXACT:
            out = self._scratch[: len(left) * right.shape[1]].reshape(len(left), -1)
            return np.matmul(left, right, out=out)
        total = np.zeros((len(left), right.shape[1]))
        for at in range(0, len(right), EXACT_WIDTH):
            total += left[:, at : at + EXACT_WIDTH] @ right[at : at + EXACT_WIDTH]
        return total

    def _take(self, rows: NDArray[np.int64], cols: NDArray[np.int64], products: _Products) -> None:
        row, column = _true(self._threshold_mask(rows, cols, products))
        if not len(row):
            return
        squares, before = self._rows.squares, self._rows.before
        r, c = rows[row], cols[column]
        cosine = products[row, column].astype(np.float64) / np.sqrt(squares[r] * squares[c])
        last, last_cosine = self.near[r, -1], self.cosines[r, -1]
        better = (cosine > last_cosine) | ((cosine == last_cosine) & (c < last))
        allowed = (r != c) & (before[r] != c) & (before[c] != r)
        kept = np.flatnonzero(better & allowed & (cosine >= self._floor))
        if len(kept):
            self._merge(r[kept], c[kept], cosine[kept])

    def _threshold_mask(
        self, left_rows: NDArray[np.int64], right_rows: NDArray[np.int64], products: _Products
    ) -> NDArray[np.bool_]:
        """Mark all products that may be good enough, and few others."""
        norms = self._rows.norms
        wanted = np.maximum(self.cosines[left_rows, -1], self._floor) * norms[left_rows]
        wanted *= norms[right_rows].min() * (1 - _SLACK)
        mask: NDArray[np.bool_] = products >= wanted.astype(np.float32)[:, None]
        # A row itself and its two adjacent chunks may be among the best.
        best = self.near.shape[1] + 3
        if best < len(right_rows) and np.count_nonzero(mask) > _CROWDED * len(left_rows):
            # Nearly all are similar: only the best of this block are compared.
            cosines = products / norms[right_rows].astype(np.float32)
            cut = np.partition(cosines, -best, axis=1)[:, -best]
            mask &= cosines >= (cut - np.abs(cut) * np.float32(_SLACK))[:, None]
        return mask

    def _merge(
        self, row: NDArray[np.int64], column: NDArray[np.int64], cosine: NDArray[np.float64]
    ) -> None:
        k = self.near.shape[1]
        order = np.lexsort((column, -cosine, row))
        row, column, cosine = row[order], column[order], cosine[order]
        touched, first, inverse = np.unique(row, return_index=True, return_inverse=True)
        place = np.arange(len(row)) - first[inverse]
        top = place < k
        near = np.full((len(touched), 2 * k), len(self.near), np.int32)
        cosines = np.full((len(touched), 2 * k), -1.0)
        near[:, :k], cosines[:, :k] = self.near[touched], self.cosines[touched]
        near[inverse[top], k + place[top]] = column[top]
        cosines[inverse[top], k + place[top]] = cosine[top]
        order = np.lexsort((near, -cosines), axis=-1)[:, :k]
        self.near[touched] = np.take_along_axis(near, order, axis=1)
        self.cosines[touched] = np.take_along_axis(cosines, order, axis=1)


def _true(mask: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows and columns of the true values, in the memory order of the mask."""
    if mask.flags.c_contiguous:
        row, column = np.divmod(np.flatnonzero(mask), mask.shape[1])
    else:
        column, row = np.divmod(np.flatnonzero(mask.T), mask.shape[0])
    return row, column


FLOOR = 0.8
NEAREST = 10
MAX_CHUNKS = 150_000
"""Above this number of chunks nothing is stored: use :func:`nearest` for single chunks."""
_SCAN = 16_384


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """The nearest chunks of every chunk by cosine, without the two adjacent ones, which overlap."""

    ids: tuple[str, ...]  # Ids of all chunks, ordered by document and position
    before: NDArray[np.int32]  # int32 [n], position of the previous chunk in the document, or -1
    keys: NDArray[np.uint64]  # uint64 [n], a digest of each vector, to detect changes
    # int32 [n, 10], positions of the neighbours, the nearest first; -1 if there is none.
    near: NDArray[np.int32]
    cosines: NDArray[np.float64]  # float64 [n, 10], at least 0.8; 0 if there is none


NOTHING = Neighbours(
    (),
    np.empty(0, np.int32),
    np.empty(0, np.uint64),
    np.empty((0, NEAREST), np.int32),
    np.empty((0, NEAREST)),
)


def build(vectors: Vectors, /) -> Neighbours:
    """Compare all chunks (seconds for 50,000, quadratic); empty above ``MAX_CHUNKS``."""
    if len(vectors.ids) > MAX_CHUNKS:
        return NOTHING
    ids, rows, keys = _prepare(vectors)
    best = Nearest(rows, k=NEAREST, floor=FLOOR)
    best.compare_all(np.flatnonzero(rows.squares > 0))
    return _finish(ids, rows, keys, best)


def update(old: Neighbours, vectors: Vectors, /) -> Neighbours:
    """Return exactly ``build(vectors)``, computed from the neighbours of an earlier state.

    Only chunks that are new, have another vector or other adjacent chunks are compared with all,
    and those with ten neighbours of which one was removed.
    """
    if not old.ids or len(vectors.ids) > MAX_CHUNKS:
        return build(vectors)
    ids, rows, keys = _prepare(vectors)
    best = Nearest(rows, k=NEAREST, floor=FLOOR)
    place = {chunk_id: i for i, chunk_id in enumerate(ids)}
    moved = np.array([place.get(chunk_id, -1) for chunk_id in old.ids], np.int64)
    kept = np.flatnonzero(moved >= 0)
    if (np.diff(moved[kept]) < 0).any():
        return build(vectors)  # documents were renamed, which changes the order of equal neighbours
    # Chunks with an unchanged vector.
    stays = np.zeros(len(ids), bool)
    stays[moved[kept]] = old.keys[kept] == keys[moved[kept]]
    again = ~stays
    again |= _with_new_adjacent(old, rows, moved)
    _copy_valid(old, best, moved, stays, again)
    present = rows.squares > 0
    best.compare(np.flatnonzero(present & ~again), np.flatnonzero(present & ~stays))
    best.compare(np.flatnonzero(present & again), np.flatnonzero(present))
    return _finish(ids, rows, keys, best)


def nearest(
    vectors: Vectors,
    chunk_id: str,
    /,
    *,
    k: int = NEAREST,
    floor: float = FLOOR,
    exclude_document: bool = False,
) -> list[tuple[str, float]]:
    """Return the chunks nearest to one chunk with their cosines, by comparison with all.

    Adjacent chunks are left out, as in :class:`Neighbours`; ties go to the earlier chunk.
    *exclude_document* leaves out the whole document. ``ValueError`` if *vectors* have no such
    chunk.
    """
    at = vectors.ids.index(chunk_id)
    if not vectors.scales[at] or not vectors.codes[at].any():
        return []
    # Integers below 2^24 are exact in float32, longer vectors need float64.
    exact = np.float32 if vectors.codes.shape[1] <= EXACT_WIDTH else np.float64
    asked = vectors.codes[at].astype(exact)
    square = float(asked @ asked)
    cosines = np.empty(len(vectors.ids))
    for start in range(0, len(cosines), _SCAN):
        part = vectors.codes[start : start + _SCAN].astype(exact)
        squares = np.square(part).sum(axis=1).astype(np.float64)
        products = (part @ asked).astype(np.float64)
        cosines[start : start + len(part)] = products / np.sqrt(np.maximum(square * squares, 1.0))
    cosines[vectors.scales == 0] = -1.0
    same = vectors.documents == vectors.documents[at]
    left_out = same & (np.abs(np.arange(len(cosines)) - at) <= 1)
    cosines[same if exclude_document else left_out] = -1.0
    kept = np.flatnonzero(cosines >= max(floor, 0.0))
    ranked = sorted(kept.tolist(), key=lambda i: (-cosines[i], i))
    return [(vectors.ids[i], float(cosines[i])) for i in ranked[:k]]


def save(path: Path, neighbours: Neighbours, /) -> None:
    """Write the neighbours to a file atomically."""
    joined = "\n".join(neighbours.ids).encode()
    arrays: dict[str, np.ndarray] = {
        "rule": _rule(),
        "ids": np.frombuffer(joined, np.uint8),
        "before": neighbours.before,
        "keys": neighbours.keys,
        "near": neighbours.near,
        "cosines": neighbours.cosines,
    }
    save_arrays(path, arrays)


def load(path: Path, /) -> Neighbours:
    """Read the file of :func:`save`; ``ValueError`` if it is damaged or has another format.

    The arrays are copied, because Windows does not replace a mapped file.
    """
    arrays = {name: array.copy() for name, array in map_arrays(path).items()}
    if not np.array_equal(arrays.pop("rule", np.empty(0)), _rule()):
        raise ValueError(f"{path} was made by another rule")
    joined = arrays.pop("ids").tobytes().decode()
    ids = tuple(joined.split("\n")) if joined else ()
    return Neighbours(ids, **arrays)


def _rule() -> NDArray[np.float64]:
    return np.array([2, FLOOR, NEAREST], np.float64)


def _prepare(vectors: Vectors) -> tuple[tuple[str, ...], Rows, NDArray[np.uint64]]:
    """Return ids, rows and digests of chunks, ordered by document and position."""
    before = np.full(len(vectors.ids), -1, np.int32)
    if len(before):
        within = np.flatnonzero(vectors.documents[1:] == vectors.documents[:-1])
        before[within + 1] = within
    codes = np.ascontiguousarray(vectors.codes)
    present = vectors.scales > 0
    digests = (hashlib.blake2b(row.data, digest_size=8).digest() for row in codes)
    keys = np.array([int.from_bytes(each, "little") for each in digests], np.uint64)
    keys[~present] = 0
    return vectors.ids, Rows.of(codes, before, present=present), keys


def _with_new_adjacent(old: Neighbours, rows: Rows, moved: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which chunks have other adjacent chunks than before."""
    changed_rows = np.zeros(len(rows), bool)
    was = np.full(len(rows), -1, np.int64)
    kept = np.flatnonzero(moved >= 0)
    previous = old.before[kept]
    was[moved[kept]] = np.where(previous >= 0, moved[previous], -1)
    changed = np.flatnonzero(was != rows.before)
    changed_rows[changed] = True
    for other in (was[changed], rows.before[changed]):
        changed_rows[other[other >= 0]] = True
    return changed_rows


def _copy_valid(
    old: Neighbours,
    best: Nearest,
    moved: NDArray[np.int64],
    stays: NDArray[np.bool_],
    again: NDArray[np.bool_],
) -> None:
    """Copy lists that are still valid; mark full lists that lost a neighbour in *again*."""
    kept_old = np.flatnonzero(moved >= 0)
    kept_old = kept_old[~again[moved[kept_old]]]
    target = moved[kept_old]
    near = old.near[kept_old]
    is_there = near >= 0
    at = np.where(is_there, moved[near], -1)
    holds = (at >= 0) & stays[at]
    lost = is_there.all(axis=1) & ~holds.all(axis=1)
    again[target[lost]] = True
    near = np.where(holds, at, len(stays)).astype(np.int32)
    cosines = np.where(holds, old.cosines[kept_old], -1.0)
    order = np.lexsort((near, -cosines), axis=-1)
    kept = ~lost
    best.near[target[kept]] = np.take_along_axis(near, order, axis=1)[kept]
    best.cosines[target[kept]] = np.take_along_axis(cosines, order, axis=1)[kept]


def _finish(
    ids: tuple[str, ...], rows: Rows, keys: NDArray[np.uint64], best: Nearest
) -> Neighbours:
    none = best.cosines < 0
    near = np.where(none, -1, best.near).astype(np.int32)
    return Neighbours(ids, rows.before, keys, near, np.where(none, 0.0, best.cosines))
