"""The nearest rows of each row by cosine, exactly: the same bits whatever else is computed with it.

Rows are integers, and every sum that a float32 product of such matrices goes through is an integer
below 2^24, which float32 holds exactly (IEEE 754). A cosine is then one square root and one
division of exact integers: it depends on the two rows alone, and not on the order, the blocks or
the threads of the multiplication.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    _Products = NDArray[np.float32] | NDArray[np.float64]

_EXACT = 1 << 24
EXACT_WIDTH = 1040
"""So many products of int8 codes, each at most 127 * 127, stay below 2^24."""
_BLOCK = 2048
_CROWDED = 64
_SLACK = 1e-5
"""Relative room of the float32 sieve; what passes it is judged exactly."""
_NEVER = 1e12
"""Norm of a row without a vector: no cosine with it passes the sieve."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows to compare.

    Attributes
    ----------
    codes
        Integers [n, dimension].
    squares
        float64 [n], squared norms; 0 where a row has no vector.
    norms
        float64 [n], their roots; very large where a row has no vector, so that it is near to none.
    before
        int32 [n], position of a row that this one is never compared with, or -1.
    """

    codes: NDArray[np.int8] | NDArray[np.int16]
    squares: NDArray[np.float64]
    norms: NDArray[np.float64]
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
        """Prepare rows; those that are not *present*, or all zero, are near to nothing."""
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
    """The best columns that each row has met so far; ties go to the column that stands first.

    Attributes
    ----------
    near
        int32 [n, k], the best first; the number of rows where there is none.
    cosines
        float64 [n, k]; -1 where there is none.
    """

    def __init__(self, rows: Rows, /, *, k: int, floor: float) -> None:
        self.near = np.full((len(rows), k), len(rows), np.int32)
        self.cosines = np.full((len(rows), k), -1.0)
        self._rows = rows
        self._floor = floor
        self._largest = float(rows.squares.max(initial=0.0))
        # The same memory each time: fresh pages cost as much as the multiplication.
        self._scratch = np.empty(_BLOCK * _BLOCK, np.float32)
        self._sides = np.empty((2, _BLOCK, rows.codes.shape[1]), np.float32)

    def meet(self, rows: NDArray[np.int64], columns: NDArray[np.int64], /) -> None:
        """Let *rows* meet *columns* (positions of rows with a vector), met by none of them before.

        At most about 60 MB are in use at a time.
        """
        # Those of one block have about the same norm, so that one number per row sieves it.
        rows, columns = self._by_norm(rows), self._by_norm(columns)
        for left in range(0, len(columns), _BLOCK):
            there = columns[left : left + _BLOCK]
            right = self._floats(1, there).T
            for top in range(0, len(rows), _BLOCK):
                here = rows[top : top + _BLOCK]
                self._take(here, there, self._products(here, right))

    def meet_each_other(self, rows: NDArray[np.int64], /) -> None:
        """Let *rows*, which have vectors and have not met, meet each other: half the work."""
        rows = self._by_norm(rows)
        for left in range(0, len(rows), _BLOCK):
            there = rows[left : left + _BLOCK]
            right = self._floats(1, there).T
            for top in range(0, left + 1, _BLOCK):
                here = rows[top : top + _BLOCK]
                products = self._products(here, right)
                self._take(here, there, products)
                if top < left:
                    self._take(there, here, products.T)

    def _by_norm(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return rows[np.argsort(self._rows.norms[rows], kind="stable")]

    def _floats(self, side: int, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        found: NDArray[np.float32] = self._sides[side, : len(rows)]
        found[:] = self._rows.codes[rows]
        return found

    def _products(self, here: NDArray[np.int64], right: NDArray[np.float32]) -> _Products:
        left = self._floats(0, here)
        if self._largest < _EXACT:
            out = self._scratch[: len(left) * right.shape[1]].reshape(len(left), -1)
            return np.matmul(left, right, out=out)
        total = np.zeros((len(left), right.shape[1]))
        for at in range(0, len(right), EXACT_WIDTH):
            total += left[:, at : at + EXACT_WIDTH] @ right[at : at + EXACT_WIDTH]
        return total

    def _take(self, here: NDArray[np.int64], there: NDArray[np.int64], products: _Products) -> None:
        row, column = _true(self._sieve(here, there, products))
        if not len(row):
            return
        squares, before = self._rows.squares, self._rows.before
        r, c = here[row], there[column]
        cosine = products[row, column].astype(np.float64) / np.sqrt(squares[r] * squares[c])
        last, last_cosine = self.near[r, -1], self.cosines[r, -1]
        better = (cosine > last_cosine) | ((cosine == last_cosine) & (c < last))
        allowed = (r != c) & (before[r] != c) & (before[c] != r)
        kept = np.flatnonzero(better & allowed & (cosine >= self._floor))
        if len(kept):
            self._merge(r[kept], c[kept], cosine[kept])

    def _sieve(
        self, here: NDArray[np.int64], there: NDArray[np.int64], products: _Products
    ) -> NDArray[np.bool_]:
        """Mark all products that may be good enough, and few others."""
        norms = self._rows.norms
        wanted = np.maximum(self.cosines[here, -1], self._floor) * norms[here]
        wanted *= norms[there].min() * (1 - _SLACK)
        mask: NDArray[np.bool_] = products >= wanted.astype(np.float32)[:, None]
        # A row itself and its two neighbours may be among the best.
        best = self.near.shape[1] + 3
        if best < len(there) and np.count_nonzero(mask) > _CROWDED * len(here):
            # Nearly all are alike: only the best of this block need be looked at.
            cosines = products / norms[there].astype(np.float32)
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
    """Return rows and columns of what is true, in the order that the mask lies in memory."""
    if mask.flags.c_contiguous:
        row, column = np.divmod(np.flatnonzero(mask), mask.shape[1])
    else:
        column, row = np.divmod(np.flatnonzero(mask.T), mask.shape[0])
    return row, column
