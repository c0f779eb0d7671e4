"""Positions of the values of a binary column within Lance's data files."""

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
"""Rows per read."""
_TRIED = 16
"""Number of values after which the search stops if the file contains none of them verbatim."""
_BETWEEN = 64
"""Maximum number of bytes between two consecutive values."""


class DataFile(NamedTuple):
    """An immutable file that contains one column of some rows."""

    path: Path
    rows: int
    number: int  # of its fragment; later ones are newer
    fragment: Any = None


class Located(NamedTuple):
    """Positions of values in a file.

    Attributes
    ----------
    rows
        int64 [n], stable row ids, ascending; rows whose value was not located are left out.
    starts, sizes
        int64 and int32 [n], first byte and number of bytes; the size is -1 for a null value.
    """

    rows: NDArray[np.int64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int32]


def data_files(chunks: Any, column: str, /) -> list[DataFile]:
    """Return the local files that contain a column of a dataset, newest (valid for a row) first."""
    if is_address(chunks.uri):
        return []  # remote files cannot be mapped
    (number,) = (f.id() for f in chunks.lance_schema.fields() if f.name() == column)
    home = Path(chunks.uri, "data")
    return [
        DataFile(home / file.path, part.metadata.physical_rows, part.fragment_id, part)
        for part in sorted(chunks.get_fragments(), key=lambda f: -f.fragment_id)
        for file in part.metadata.files
        if number in file.fields
    ]


def locate(file: DataFile, column: str, /) -> Located:
    """Locate every value of a column in its file.

    Makes no assumption on Lance's file layout: a value is located if the file contains its exact
    bytes, and not located if the column is compressed.
    """
    places: list[tuple[int, int, int]] = []
    with (
        file.path.open("rb") as opened,
        mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        end = tried = hits = 0
        for row, value in _values(file, column):
            if value is None:
                places.append((row, 0, -1))
                continue
            start = _start(data, value, end)
            tried += 1
            if start >= 0:
                places.append((row, start, len(value)))
                end, hits = start + len(value), hits + 1
            elif tried >= _TRIED and not hits:
                return _arrays([])
    return _arrays(sorted(places))


def _start(data: mmap.mmap, value: bytes, end: int) -> int:
    """Return the start of a value; mostly a few bytes after the *end* of the previous one."""
    near = data.find(value, end, end + _BETWEEN + len(value))
    return near if near >= 0 else data.find(value)


def _values(file: DataFile, column: str) -> Iterator[tuple[int, bytes | None]]:
    scanner = file.fragment.scanner(columns=[column], with_row_id=True, batch_size=_ROWS)
    for batch in scanner.to_batches():
        yield from zip(batch["_rowid"].to_pylist(), batch[column].to_pylist(), strict=True)


def _arrays(places: list[tuple[int, int, int]]) -> Located:
    rows, starts, sizes = zip(*places, strict=True) if places else ((), (), ())
    return Located(
        np.array(rows, dtype=np.int64),
        np.array(starts, dtype=np.int64),
        np.array(sizes, dtype=np.int32),
    )
