"""Where the values of a binary column lie in Lance's data files."""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from casetrack.base.objects.address import is_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_ROWS = 512
"""Rows that are read at a time."""
_TRIED = 16
"""Values of which one at least lies in its file as it is, or none is looked for any more."""
_BETWEEN = 64
"""Most bytes between two values that follow one another."""


class DataFile(NamedTuple):
    """A file that holds one column of some rows, and never changes.

    Attributes
    ----------
    path
        The file.
    rows
        How many rows it was written with.
    fragment
        What Lance reads them by.
    """

    path: Path
    rows: int
    fragment: Any


class Located(NamedTuple):
    """Where values lie in a file.

    Attributes
    ----------
    rows
        int64 [n], stable row ids, ascending; rows whose value is not found are left out.
    starts, sizes
        int64 and int32 [n], first byte and number of bytes; the size is -1 where the value is null.
    """

    rows: NDArray[np.int64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int32]


def data_files(chunks: Any, column: str, /) -> list[DataFile]:
    """Return the files of this computer that hold a column of a dataset, the newest first.

    A row that was changed keeps its id, and is in the newest of the files that have it.
    """
    if is_address(chunks.uri):
        return []  # nothing can be mapped that is not here
    (number,) = (f.id() for f in chunks.lance_schema.fields() if f.name() == column)
    home = Path(chunks.uri, "data")
    return [
        DataFile(home / file.path, part.metadata.physical_rows, part)
        for part in sorted(chunks.get_fragments(), key=lambda f: -f.fragment_id)
        for file in part.metadata.files
        if number in file.fields
    ]


def locate(file: DataFile, column: str, /) -> Located:
    """Look for every value of a column in its file.

    Nothing is taken from how Lance arranges its files: a value counts as found where its very bytes
    stand, and where it packs them, none is found.

    Raises
    ------
    OSError, ValueError
        The file cannot be read, or is gone.
    """
    found: list[tuple[int, int, int]] = []
    with (
        file.path.open("rb") as opened,
        mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        end = tried = hits = 0
        for row, value in _values(file, column):
            if value is None:
                found.append((row, 0, -1))
                continue
            start = _start(data, value, end)
            tried += 1
            if start >= 0:
                found.append((row, start, len(value)))
                end, hits = start + len(value), hits + 1
            elif tried >= _TRIED and not hits:
                return _arrays([])
    return _arrays(sorted(found))


def _start(data: mmap.mmap, value: bytes, end: int) -> int:
    """Return where a value begins; mostly a few bytes after the *end* of the one before."""
    near = data.find(value, end, end + _BETWEEN + len(value))
    return near if near >= 0 else data.find(value)


def _values(file: DataFile, column: str) -> Iterator[tuple[int, bytes | None]]:
    scanner = file.fragment.scanner(columns=[column], with_row_id=True, batch_size=_ROWS)
    for batch in scanner.to_batches():
        yield from zip(batch["_rowid"].to_pylist(), batch[column].to_pylist(), strict=True)


def _arrays(found: list[tuple[int, int, int]]) -> Located:
    rows, starts, sizes = zip(*found, strict=True) if found else ((), (), ())
    return Located(
        np.array(rows, dtype=np.int64),
        np.array(starts, dtype=np.int64),
        np.array(sizes, dtype=np.int32),
    )
