r"""Files of views that prove what they hold: a digest of content and place at the end.

A view may be thrown away, so nothing is lost by distrust: whatever is read of a file whose seal is
broken (a bit that flipped, a part of zeros, a file that was cut off, or stands where another one
belongs) would be told as if it were stored. Such a file counts as absent, and is made anew.

Layout: the content, the XXH3 digest (64 bits, big-endian) of the place and the content, and
``CTSEAL1\n``. The place is the name of the file in that of its folder. A file is read whole once
by each process that maps it, at some gigabytes a second, and again after it has changed.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pyarrow as pa
import xxhash

if TYPE_CHECKING:
    from pathlib import Path

_MAGIC = b"CTSEAL1\n"
_LENGTH = 8 + len(_MAGIC)
_BLOCK = 1 << 20
_MOST_REMEMBERED = 65_536
_whole: dict[Path, tuple[int, int, int]] = {}
"""Files that this process has found whole, as they were then: time of change, size and inode."""
_lock = threading.Lock()


def seal(path: Path, /, *, at: Path | None = None) -> None:
    """Close a finished file with its seal.

    Parameters
    ----------
    path
        The file.
    at
        Where it will stand, if that is elsewhere. A folder that is still being written (``.x.tmp``)
        is taken for the one that it becomes (``x``).

    Raises
    ------
    OSError
        It cannot be written.
    """
    digest = _digest(path, path.stat().st_size, at or path)
    with path.open("ab") as file:
        file.write(digest + _MAGIC)


def content(path: Path, /) -> pa.Buffer:
    """Map the content of a sealed file into memory, read-only, once it is found whole.

    Raises
    ------
    OSError
        The file cannot be read.
    ValueError
        It is not what was written there.
    """
    facts = path.stat()
    stamp = (facts.st_mtime_ns, facts.st_size, facts.st_ino)
    length = facts.st_size - _LENGTH
    if _whole.get(path) != stamp:
        _require_whole(path, length)
        with _lock:
            if len(_whole) >= _MOST_REMEMBERED:
                _whole.clear()
            _whole[path] = stamp
    with pa.memory_map(str(path)) as source:
        return source.read_buffer(length)


def is_whole(path: Path, /) -> bool:
    """Return whether a sealed file can be read, and is what was written there."""
    try:
        content(path)
    except (OSError, ValueError):
        return False
    return True


def write_table(table: pa.Table, path: Path, /, *, at: Path | None = None) -> None:
    """Write a table into a sealed file that can be mapped; see :func:`seal` for *at*."""
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    seal(path, at=at)


def read_table(path: Path, /) -> pa.Table:
    """Map a table that :func:`write_table` wrote.

    Raises
    ------
    OSError, ValueError
        The file is missing or damaged.
    """
    return pa.ipc.open_file(pa.BufferReader(content(path))).read_all()


def _require_whole(path: Path, length: int) -> None:
    with path.open("rb") as file:
        file.seek(max(0, length))
        end = file.read()
    if length < 0 or end[8:] != _MAGIC:
        raise ValueError(f"{path} has no seal: it is cut off, or of another version")
    if end[:8] != _digest(path, length, path):
        raise ValueError(f"{path} is damaged: its content is not what was written there")


def _digest(path: Path, length: int, at: Path) -> bytes:
    """Return the digest of the first *length* bytes of a file, as one that stands *at* a place."""
    made = xxhash.xxh3_64(f"{_settled(at.parent.name)}/{at.name}\n".encode())
    # Read, not mapped: pages that nobody else looks at would count as memory of this process.
    block = memoryview(bytearray(min(_BLOCK, max(1, length))))
    with path.open("rb", buffering=0) as file:
        left = length
        while left > 0:
            got = file.readinto(block[:left]) or 0
            if not got:
                raise ValueError(f"{path} is cut off")
            made.update(block[:got])
            left -= got
    return made.digest()


def _settled(name: str) -> str:
    """Return what a folder is called once it is whole."""
    return name[1:].removesuffix(".tmp") if name.startswith(".") else name
