"""Token matrices, read directly from the data files.

A full search reads fifty of them from the whole collection. Lance takes 3.5 ms for that, mostly for
handing the work to its threads and back. But a matrix has some kilobytes, which Lance writes
uncompressed, and its data files never change: the positions are located once, take 20 bytes per
chunk instead of a copy of 6,000, and then fifty are read in half a millisecond.

A process in the background runs this module to write ``views/matrices/*.bin``, one per data file
of a large collection. Those of a small one are located when it is opened by Lance
(:mod:`casetrack.store.state_view`). Other matrices are read through Lance.
"""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from casetrack.base.dataclass import dataclass
from casetrack.base.errors import CaseTrackError, CollectionDamaged, See
from casetrack.store.data_files import DataFile, Located, data_files, locate
from casetrack.store.datasets import CHUNKS, Snapshot, open_dataset
from casetrack.store.index import background
from casetrack.store.index.arrays import is_whole, map_arrays, save_arrays
from casetrack.store.index.background import lower_priority
from casetrack.store.lock import try_lock

if TYPE_CHECKING:
    from collections.abc import Sequence
    from io import FileIO

    from numpy.typing import NDArray

COLUMN = "tokens"
LEAST_ROWS = 1024
"""Minimum number of chunks with unknown positions for which locating them is worth its cost."""
_LOOK_SECONDS = 5.0


def home_of(folder: Path, /) -> Path:
    """Return the folder of the positions within a collection."""
    return folder / "views" / "matrices"


def kept_at(home: Path, file: DataFile, /) -> Path:
    """Return the path of the positions for a data file."""
    return home / f"{file.path.stem}.bin"


class Matrices:
    """The token matrices of a snapshot; safe for use from several threads."""

    def __init__(self, folder: Path, snapshot: Snapshot, /) -> None:
        self._folder, self._snapshot = folder, snapshot
        self._open: list[_Opened] = []
        self._missing = [*snapshot.token_files]
        self._looked = float("-inf")
        self._lock = threading.Lock()

    def take(self, row_ids: Sequence[int], /) -> list[bytes | None]:
        """Return the matrices of rows by stable row id; ``None`` if a row has none."""
        wanted = np.asarray(row_ids, dtype=np.int64)
        by_row: dict[int, bytes | None] = {}
        for opened in self._opened():
            left = np.array([n for n in range(len(wanted)) if n not in by_row], dtype=np.intp)
            if not len(left):
                break
            places = opened.places(wanted[left])
            known = places >= 0
            # A file that was merged and cleaned away is no longer useful.
            with contextlib.suppress(OSError):
                by_row |= zip(left[known].tolist(), opened.read(places[known]), strict=True)
        rest = [n for n in range(len(wanted)) if n not in by_row]
        if rest:
            table = self._snapshot.take([int(wanted[n]) for n in rest], [COLUMN])
            if table.num_rows != len(rest):
                raise CollectionDamaged(
                    f"{len(rest) - table.num_rows} passages of this collection are missing in its "
                    "data.",
                    hint=f"Run {See('doctor', repair=True)}: it reads their files again.",
                )
            by_row |= zip(rest, table[COLUMN].to_pylist(), strict=True)
        return [by_row[n] for n in range(len(wanted))]

    def _opened(self) -> list[_Opened]:
        """Return the files with known positions, newest first."""
        with self._lock:
            if self._missing and time.monotonic() - self._looked > _LOOK_SECONDS:
                self._looked = time.monotonic()
                home = home_of(self._folder)
                for file in list(self._missing):
                    with contextlib.suppress(OSError, ValueError, TypeError):
                        located = Located(**map_arrays(kept_at(home, file)))
                        self._open.append(_Opened(file, located))
                        self._missing.remove(file)
                self._open.sort(key=lambda o: -o.file.number)
                if sum(file.rows for file in self._missing) >= LEAST_ROWS:
                    background.start("casetrack.store.index.matrices", self._folder)
            return self._open


@dataclass(frozen=True, slots=True)
class _Opened:
    """A data file with the positions of its matrices."""

    file: DataFile
    located: Located

    def places(self, rows: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return the index of each row among those of this file, or -1."""
        held = self.located.rows
        if not len(held):
            return np.full(len(rows), -1, dtype=np.intp)
        near = np.minimum(np.searchsorted(held, rows), len(held) - 1)
        places: NDArray[np.intp] = np.where(held[near] == rows, near, -1)
        return places

    def read(self, places: NDArray[np.intp]) -> list[bytes | None]:
        """Return the matrices at *places*."""
        starts, sizes = self.located.starts[places].tolist(), self.located.sizes[places].tolist()
        with self.file.path.open("rb", buffering=0) as opened:
            return [_read(opened, start, size) for start, size in zip(starts, sizes, strict=True)]


def _read(opened: FileIO, start: int, size: int) -> bytes | None:
    if size < 0:
        return None
    opened.seek(start)
    value = opened.read(size)
    if len(value) != size:
        raise OSError(f"{opened.name} is truncated")
    return value


# Locating token matrices: ``python -m casetrack.store.index.matrices``.

_log = logging.getLogger(__name__)


def build_all(folder: Path, /) -> int:
    """Locate the matrices in new data files, and drop removed files; return the number of files."""
    home, made = home_of(folder), 0
    try:
        files = data_files(open_dataset(folder, CHUNKS), COLUMN)
        home.mkdir(parents=True, exist_ok=True)
        with try_lock(home / ".lock") as locked:
            if not locked:
                return 0
            for file in files:
                if not is_whole(kept_at(home, file)):
                    save_arrays(kept_at(home, file), locate(file, COLUMN)._asdict())
                    made += 1
            for gone in set(home.glob("*.bin")) - {kept_at(home, file) for file in files}:
                with contextlib.suppress(OSError):
                    gone.unlink()
    except (OSError, ValueError, CaseTrackError) as error:
        # The file was merged meanwhile, or the disk is full: Lance reads its matrices.
        _log.warning(
            "The positions of the token matrices of %s cannot be stored: %s", folder, error
        )
    return made


def locate_few(folder: Path, snapshot: Snapshot, /) -> None:
    """Locate the matrices of a small collection now; larger ones are located in the background."""
    missing = [f for f in snapshot.token_files if not kept_at(home_of(folder), f).exists()]
    if missing and sum(file.rows for file in missing) < LEAST_ROWS:
        build_all(folder)


def main() -> None:
    """Locate the matrices of the collection whose folder is named on the command line."""
    lower_priority()
    build_all(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
