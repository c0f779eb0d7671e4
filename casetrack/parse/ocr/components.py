"""Connected parts of a black-and-white picture, by runs of pixels, without a vision library."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Components:
    """The 8-connected parts of a mask, one entry per part in each array.

    Attributes
    ----------
    x0, y0, x1, y1
        Extent; the ends are exclusive.
    area
        Pixels.
    part, row, start, end
        The runs of pixels that make up the parts: which part, row, first and past-last column.
    """

    x0: Ints
    y0: Ints
    x1: Ints
    y1: Ints
    area: Ints
    part: Ints
    row: Ints
    start: Ints
    end: Ints


def find_components(mask: NDArray[np.bool_], /) -> Components:
    """Find the connected parts of *mask*."""
    row, start, end = _runs(mask)
    part = _labels(row, start, end, mask.shape[1])
    count = int(part.max()) + 1 if part.size else 0
    far = np.iinfo(np.int64).max
    x0, y0 = np.full(count, far), np.full(count, far)
    x1, y1 = np.zeros(count, np.int64), np.zeros(count, np.int64)
    np.minimum.at(x0, part, start)
    np.maximum.at(x1, part, end)
    np.minimum.at(y0, part, row)
    np.maximum.at(y1, part, row + 1)
    area = np.bincount(part, weights=end - start, minlength=count).astype(np.int64)
    return Components(x0, y0, x1, y1, area, part, row, start, end)


def _runs(mask: NDArray[np.bool_]) -> tuple[Ints, Ints, Ints]:
    height, width = mask.shape
    padded = np.zeros((height, width + 2), np.int8)
    padded[:, 1:-1] = mask
    steps = np.diff(padded, axis=1)
    row, start = np.nonzero(steps == 1)
    _, end = np.nonzero(steps == -1)
    return row.astype(np.int64), start.astype(np.int64), end.astype(np.int64)


def _labels(row: Ints, start: Ints, end: Ints, width: int) -> Ints:
    """Return the part of each run: it takes the smallest label it reaches by its neighbours."""
    count = row.size
    label = np.arange(count)
    # Runs of one row do not overlap, so both keys ascend and a run's neighbours in the next row
    # are a slice.
    stride = width + 2
    below = (row + 1) * stride
    first = np.searchsorted(row * stride + end, below + start, side="left")
    last = np.searchsorted(row * stride + start, below + end, side="right")
    many = np.maximum(last - first, 0)
    upper = np.repeat(np.arange(count), many)
    offset = np.arange(upper.size) - np.repeat(np.cumsum(many) - many, many)
    lower = np.repeat(first, many) + offset
    while upper.size:
        a, b = label[upper], label[lower]
        apart = a != b
        if not apart.any():
            break
        low, high = np.minimum(a, b)[apart], np.maximum(a, b)[apart]
        np.minimum.at(label, high, low)
        while not np.array_equal(label, jumped := label[label]):
            label = jumped
    return np.unique(label, return_inverse=True)[1].astype(np.int64)
