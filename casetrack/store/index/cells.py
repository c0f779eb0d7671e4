"""Vectors ordered by cell, for approximate search in a large collection (an inverted file, IVF).

Every vector of a segment belongs to the nearest of some centroids. A search looks at the cells
whose centroids are nearest to the query, over all segments together; the vectors of a cell lie side
by side, so a look reads contiguous memory.

How far to look depends on the question: cells are looked at in rounds, until some rounds have
brought nothing new. Measured among 200,000 vectors, best 100, with two such rounds: mixtures of the
vectors of 7,600 real passages need 10 % of all vectors for a recall of 0.995, made-up topics that
overlap 17 % for 0.959; 5 % for every question gave 0.980 and 0.818.

The vector indexes of Lance were measured beside it, see ``docs/benchmarks.md``.

The file ``cells.bin`` of a segment is made in the background by
:mod:`cells_build`, and appears whole. Without it, or with a damaged one, every
vector is looked at.
"""

from __future__ import annotations

import contextlib
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from casetrack.store.index.arrays import map_arrays

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

# Dense vectors as int8: a quarter of the bytes, and faster to scan than float32.
#
# Measured on 7,600 real passages (384 values): the cosine differs by 0.0004 on average and 0.002 at
# most, and 99.6 % of the best 100 are the same. 50,000 of them take 3.2 ms to scan on one core,
# float32 takes 6.7 ms, float16 41 ms.

_LEVELS = 127
_ROWS = 4096
"""Rows that are packed at a time."""
_ROUNDING = 1e-5
"""More than float32 is off in such products."""


def quantize(matrix: NDArray[np.float32], /) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return int8 codes [n, d] and float32 scales [n]: ``scale * codes`` has unit length.

    A row of zeros stays one and has the scale 0.
    """
    codes = np.empty(matrix.shape, dtype=np.int8)
    scales = np.zeros(len(matrix), dtype=np.float32)
    for start in range(0, len(matrix), _ROWS):
        part = slice(start, start + _ROWS)
        peak = np.abs(matrix[part]).max(axis=1, initial=0.0)
        step = np.where(peak > 0, peak / _LEVELS, 1.0).astype(np.float32)
        codes[part] = np.rint(matrix[part] / step[:, None])
        lengths = np.sqrt(np.einsum("ij,ij->i", codes[part], codes[part], dtype=np.float64))
        np.divide(1.0, lengths, out=scales[part], where=lengths > 0, casting="same_kind")
    return codes, scales


@dataclass(frozen=True, slots=True)
class Asked:
    """A question's vector, and the same rounded to int8 to be compared with very many rows.

    A product of int8 with int8 takes a quarter of the time of one with float32. How far it may be
    off is known, so that what it leaves aside cannot be among the best.

    Attributes
    ----------
    vector
        float32 [dimension], unit length.
    codes, step
        int8 [dimension], which times *step* is nearly *vector*.
    error
        The most by which :meth:`roughly` differs from the cosine with any vector.
    """

    vector: NDArray[np.float32]
    codes: NDArray[np.int8]
    step: float
    error: float

    @classmethod
    def of(cls, vector: NDArray[np.float32], /) -> Asked:
        """Round a vector."""
        step = float(np.abs(vector).max(initial=0.0)) / _LEVELS or 1.0
        codes = np.rint(vector / step).astype(np.int8)
        # A product with a vector of unit length is no larger than what is multiplied with it.
        return cls(vector, codes, step, float(np.linalg.norm(vector - codes * step)) + _ROUNDING)

    def roughly(
        self, codes: NDArray[np.int8], scales: NDArray[np.float32], /
    ) -> NDArray[np.float32]:
        """Return the cosine with every row but for :attr:`error`, float32 [n]."""
        import numkong

        if not len(codes):
            return np.empty(0, dtype=np.float32)
        scores = np.asarray(numkong.dot(codes, self.codes)).reshape(-1).astype(np.float32)
        scores *= np.float32(self.step)
        scores *= scales
        return scores

    def cosines(
        self, codes: NDArray[np.int8], scales: NDArray[np.float32], /
    ) -> NDArray[np.float32]:
        """Return the cosine with every row, float32 [n].

        The last digit depends on how many rows there are; what must be the same everywhere is
        :func:`exact`.
        """
        scores: NDArray[np.float32] = codes.astype(np.float32) @ self.vector
        scores *= scales
        return scores


def exact(
    codes: NDArray[np.int8], scales: NDArray[np.float32], query: NDArray[np.float32], /
) -> NDArray[np.float32]:
    """Return the same cosines summed row by row in float64: equal rows have equal scores."""
    products = codes * query.astype(np.float64)
    scores: NDArray[np.float32] = (products.sum(axis=1) * scales).astype(np.float32)
    return scores


_log = logging.getLogger(__name__)
FILE = "cells.bin"
_ROUND = 0.02
"""Share of the vectors that is looked at in one round."""
QUIET = 3
"""After so many rounds without a newcomer among the best, what is left is taken for worse."""
MOST = 0.6
"""Share of the vectors after which no search goes on."""


@dataclass(frozen=True, slots=True)
class Cells:
    """The vectors of a segment by cell.

    Attributes
    ----------
    centroids
        float32 [cells, dimension], unit length.
    bounds
        int64 [cells + 1], first vector of each cell.
    rows
        uint32 [vectors], the row of each in the segment, ascending within a cell.
    codes, scales
        int8 [vectors, dimension] and float32 [vectors], as in the segment but by cell.
    """

    centroids: NDArray[np.float32]
    bounds: NDArray[np.int64]
    rows: NDArray[np.uint32]
    codes: NDArray[np.int8]
    scales: NDArray[np.float32]


class CellFile:
    """The cells of one segment, which may be made while it is in use.

    Parameters
    ----------
    folder
        The segment's; ``None`` where it is in memory only and never has any.
    """

    def __init__(self, folder: Path | None, /) -> None:
        self._path = folder / FILE if folder else None
        self._cells: Cells | None = None
        self._damaged: tuple[int, int] | None = None

    def get(self) -> Cells | None:
        """Return the cells, or ``None`` as long as there are none or the file is damaged."""
        if self._cells is None and self._path is not None:
            with contextlib.suppress(FileNotFoundError):
                facts = self._path.stat()
                stamp = (facts.st_mtime_ns, facts.st_size)
                if stamp != self._damaged:
                    self._load(self._path, stamp)
        return self._cells

    def _load(self, path: Path, stamp: tuple[int, int]) -> None:
        try:
            self._cells = Cells(**map_arrays(path))
        except (OSError, ValueError, TypeError, KeyError) as error:
            self._damaged = stamp
            _log.warning("Approximate search does without a damaged file: %s: %s", path, error)


def probe(
    celled: Mapping[int, Cells], query: Asked, /
) -> Iterator[list[tuple[int, NDArray[np.intp], NDArray[np.float32]]]]:
    """Yield rounds of cells, the nearest first: per segment their rows with rough cosines.

    The caller ends it after :data:`QUIET` rounds that brought nothing new; by itself it ends when
    :data:`MOST` of the vectors have been looked at.

    Parameters
    ----------
    celled
        Cells by segment number.
    query
        What is asked for.
    """
    if not celled:
        return
    near = np.concatenate([cells.centroids @ query.vector for cells in celled.values()])
    sizes = np.concatenate([np.diff(cells.bounds) for cells in celled.values()])
    order = np.argsort(-near, kind="stable")
    passed = np.cumsum(sizes[order])
    total = int(passed[-1])
    place = 0
    while place < len(order) and (not place or passed[place - 1] < MOST * total):
        before = int(passed[place - 1]) if place else 0
        end = min(int(np.searchsorted(passed, before + _ROUND * total)) + 1, len(order))
        chosen = np.zeros(len(near), dtype=bool)
        chosen[order[place:end]] = True
        place, first, found = end, 0, []
        for number, cells in celled.items():
            last = first + len(cells.centroids)
            found.append((number, *_looked(cells, np.flatnonzero(chosen[first:last]), query)))
            first = last
        yield found


def _looked(
    cells: Cells, numbers: NDArray[np.intp], query: Asked
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    bounds = cells.bounds
    spans = [slice(int(bounds[n]), int(bounds[n + 1])) for n in numbers]
    if not spans:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.float32)
    rows = np.concatenate([cells.rows[span] for span in spans]).astype(np.intp)
    return rows, np.concatenate([query.roughly(cells.codes[s], cells.scales[s]) for s in spans])
