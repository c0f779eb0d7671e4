"""Ordering of the vectors of large segments by cell, as a background program.

It blocks neither searches nor ingests: it takes only its own lock, reads immutable segments, and
publishes each finished file in one step. If killed, it leaves at most a temporary file, which the
next run removes.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from casetrack.base.files import UNFINISHED
from casetrack.store.index import background
from casetrack.store.index.arrays import save_arrays
from casetrack.store.index.background import lower_priority
from casetrack.store.index.postings import FILE, Cells
from casetrack.store.index.stored_segments import load_segments
from casetrack.store.lock import try_lock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from casetrack.store.index.segment import Segment

_log = logging.getLogger(__name__)
LEAST_ROWS = 16_384
"""Smaller segments are merged soon, and scanned in a millisecond."""
PAYS_FROM = 40_000_000
"""Values in all vectors of a collection: 100,000 of 384, which take 7 ms to scan."""
_SAMPLE = 32
"""Vectors per centroid in the training sample."""
_ROUNDS = 6
_BLOCK = 4096


def without_cells(segments: Sequence[Segment], /) -> list[Segment]:
    """Return the segments that should have cells and have none."""
    return [s for s in segments if s.folder and s.size >= LEAST_ROWS and s.cells.get() is None]


def request(home: Path, segments: Sequence[Segment], values: int, /) -> bool:
    """Start building missing cells in the background, unless the collection is small."""
    if values < PAYS_FROM or not without_cells(segments):
        return False
    return background.start("casetrack.store.index.cells_build", home)


def build_all(home: Path, /) -> int:
    """Build all missing cells of an index; return the number of segments (0 if already running)."""
    if not home.is_dir():
        return 0
    made = 0
    with try_lock(home / ".cells.lock") as locked:
        if not locked:
            return 0
        for segment in without_cells(list(load_segments(home).values())):
            if segment.folder is not None:
                made += build_one(segment, segment.folder)
    return made


def build_one(segment: Segment, folder: Path, /) -> bool:
    """Build one segment's cells; ``False`` if the segment is gone or the disk is full."""
    cells = make_cells(segment)
    try:
        for left in folder.glob(f".{FILE}.*{UNFINISHED}"):
            left.unlink()
        arrays = {name: getattr(cells, name) for name in Cells.__dataclass_fields__}
        save_arrays(folder / FILE, arrays)
    except OSError as error:
        _log.warning("The vectors of %s cannot be ordered by cell: %s", folder, error)
        return False
    return True


def make_cells(segment: Segment, /) -> Cells:
    """Return a segment's vectors by cell, without rows that have no vector."""
    scales = segment.column("scale")
    rows = np.flatnonzero(scales > 0)
    count = max(1, 2 * round(len(rows) ** 0.5))
    centroids = _centroids(segment.dense, scales, rows, count)
    nearest = np.empty(len(rows), dtype=np.int32)
    for start in range(0, len(rows), _BLOCK):
        part = rows[start : start + _BLOCK]
        nearest[start : start + _BLOCK] = _nearest(
            _unpacked(segment.dense, scales, part), centroids
        )
    order = np.argsort(nearest, kind="stable")
    bounds = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(nearest, minlength=count), out=bounds[1:])
    rows = rows[order]
    return Cells(centroids, bounds, rows.astype(np.uint32), segment.dense[rows], scales[rows])


def _centroids(
    codes: NDArray[np.int8], scales: NDArray[np.float32], rows: NDArray[np.intp], count: int
) -> NDArray[np.float32]:
    """Learn unit-length centroids by deterministic k-means on the cosine, from a sample."""
    rng = np.random.default_rng(len(rows))
    chosen = np.sort(rng.permutation(rows)[: _SAMPLE * count])
    sample = _unpacked(codes, scales, chosen)
    centroids = sample[rng.choice(len(sample), min(count, len(sample)), replace=False)]
    for _ in range(_ROUNDS):
        nearest = np.concatenate(
            [
                _nearest(sample[start : start + _BLOCK], centroids)
                for start in range(0, len(sample), _BLOCK)
            ]
        )
        order = np.argsort(nearest, kind="stable")
        codes_used, starts = np.unique(nearest[order], return_index=True)
        # An empty centroid restarts at another vector.
        centroids = sample[rng.choice(len(sample), len(centroids), replace=False)]
        centroids[codes_used] = np.add.reduceat(sample[order], starts, axis=0)
        centroids /= np.maximum(np.linalg.norm(centroids, axis=1, keepdims=True), 1e-12)
    return centroids


def _unpacked(
    codes: NDArray[np.int8], scales: NDArray[np.float32], rows: NDArray[np.intp]
) -> NDArray[np.float32]:
    vectors: NDArray[np.float32] = codes[rows] * scales[rows, None]
    return vectors


def _nearest(vectors: NDArray[np.float32], centroids: NDArray[np.float32]) -> NDArray[np.int32]:
    nearest: NDArray[np.int32] = np.argmax(vectors @ centroids.T, axis=1).astype(np.int32)
    return nearest


def main() -> None:
    """Build the missing cells of the index named on the command line."""
    lower_priority()
    build_all(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
