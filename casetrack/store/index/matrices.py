"""Token matrices, read where they lie in the data files.

A full search reads fifty of them from all over a collection. Lance takes 3.5 ms for that, most of
it for handing the work to its threads and back. But a matrix has some kilobytes, which Lance writes
as they are, and its data files never change: where each begins is looked up once, takes 20 bytes a
chunk in place of a copy of 6,000, and then fifty are read in half a millisecond.

The files ``views/matrices/*.bin`` are made by :mod:`casetrack.store.index.matrices_build` in the
background, one for each data file, and only for a large collection. What they lack is asked of
Lance.
"""

from __future__ import annotations

import contextlib
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from casetrack.base.errors import CollectionDamaged, See
from casetrack.store.data_files import Located, data_files
from casetrack.store.index import background
from casetrack.store.index.arrays import map_arrays

if TYPE_CHECKING:
    from collections.abc import Sequence
    from io import FileIO
    from pathlib import Path

    from numpy.typing import NDArray

    from casetrack.store.data_files import DataFile
    from casetrack.store.datasets import Snapshot

COLUMN = "tokens"
LEAST_ROWS = 16_384
"""Where fewer chunks have no known place, finding them out would cost more than it saves."""
_LOOK_SECONDS = 5.0


def home_of(folder: Path, /) -> Path:
    """Return where the places are kept in a collection's folder."""
    return folder / "views" / "matrices"


def kept_at(home: Path, file: DataFile, /) -> Path:
    """Return where the places in a data file are kept."""
    return home / f"{file.path.stem}.bin"


class Matrices:
    """The token matrices of a snapshot; may be used from several threads.

    Parameters
    ----------
    folder
        The collection's folder.
    snapshot
        What is live.
    """

    def __init__(self, folder: Path, snapshot: Snapshot, /) -> None:
        self._folder, self._snapshot = folder, snapshot
        self._open: list[_Opened] = []
        self._missing = data_files(snapshot.chunks, COLUMN)
        self._looked = float("-inf")
        self._lock = threading.Lock()

    def take(self, row_ids: Sequence[int], /) -> list[bytes | None]:
        """Return the matrices of rows by stable row id; ``None`` where a row has none.

        Raises
        ------
        CollectionDamaged, CollectionGone
            They cannot be read.
        """
        wanted = np.asarray(row_ids, dtype=np.int64)
        found: dict[int, bytes | None] = {}
        for opened in self._opened():
            left = np.array([n for n in range(len(wanted)) if n not in found], dtype=np.intp)
            if not len(left):
                break
            places = opened.places(wanted[left])
            known = places >= 0
            # A file that was merged with others and cleaned away is of no use any more.
            with contextlib.suppress(OSError):
                found |= zip(left[known].tolist(), opened.read(places[known]), strict=True)
        rest = [n for n in range(len(wanted)) if n not in found]
        if rest:
            table = self._snapshot.take([int(wanted[n]) for n in rest], [COLUMN])
            if table.num_rows != len(rest):
                raise CollectionDamaged(
                    f"{len(rest) - table.num_rows} passages of this collection are gone from its "
                    "data, though its documents name them.",
                    hint=f"Run {See('doctor', repair=True)}: it reads their files again.",
                )
            found |= zip(rest, table[COLUMN].to_pylist(), strict=True)
        return [found[n] for n in range(len(wanted))]

    def _opened(self) -> list[_Opened]:
        """Return the files whose places are known, the newest first."""
        with self._lock:
            if self._missing and time.monotonic() - self._looked > _LOOK_SECONDS:
                self._looked = time.monotonic()
                home = home_of(self._folder)
                for file in list(self._missing):
                    with contextlib.suppress(OSError, ValueError, TypeError):
                        located = Located(**map_arrays(kept_at(home, file)))
                        self._open.append(_Opened(file, located))
                        self._missing.remove(file)
                self._open.sort(key=lambda o: -o.file.fragment.fragment_id)
                if sum(file.rows for file in self._missing) >= LEAST_ROWS:
                    background.start("casetrack.store.index.matrices_build", self._folder)
            return self._open


@dataclass(frozen=True, slots=True)
class _Opened:
    """A data file, and where the matrices lie in it."""

    file: DataFile
    located: Located

    def places(self, rows: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return the place of each row among those of this file, or -1."""
        held = self.located.rows
        if not len(held):
            return np.full(len(rows), -1, dtype=np.intp)
        near = np.minimum(np.searchsorted(held, rows), len(held) - 1)
        places: NDArray[np.intp] = np.where(held[near] == rows, near, -1)
        return places

    def read(self, places: NDArray[np.intp]) -> list[bytes | None]:
        """Return what lies there.

        Raises
        ------
        OSError
            The file is gone, or was cut off.
        """
        starts, sizes = self.located.starts[places].tolist(), self.located.sizes[places].tolist()
        with self.file.path.open("rb", buffering=0) as opened:
            return [_read(opened, start, size) for start, size in zip(starts, sizes, strict=True)]


def _read(opened: FileIO, start: int, size: int) -> bytes | None:
    if size < 0:
        return None
    opened.seek(start)
    value = opened.read(size)
    if len(value) != size:
        raise OSError(f"{opened.name} is cut off")
    return value
