"""Small files written whole or not at all, and file system errors in plain words."""

from __future__ import annotations

import contextlib
import errno
import json
import os
from typing import TYPE_CHECKING, Any

from casetrack.errors import CaseTrackError, DiskFull, NotWritable, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FULL = {errno.ENOSPC, errno.EDQUOT}
_READ_ONLY = {errno.EROFS, errno.EACCES, errno.EPERM}


@contextlib.contextmanager
def storage_errors(path: Path, /) -> Iterator[None]:
    """Turn errors of the operating system and of Lance into errors a person can act on.

    Raises
    ------
    DiskFull, NotWritable, StorageError
        In place of ``OSError`` and of Lance's ``RuntimeError`` and ``ValueError``, which carry the
        system's message only in their text.
    """
    try:
        yield
    except CaseTrackError:
        raise
    except (OSError, RuntimeError, ValueError) as error:
        raise translate(error, path) from error


def translate(error: Exception, path: Path, /) -> StorageError:
    """Return the storage error that says what *error* means for *path*."""
    number = error.errno if isinstance(error, OSError) else None
    text = str(error)
    if number in _FULL or any(os.strerror(n) in text for n in _FULL):
        return DiskFull(path)
    if number in _READ_ONLY or any(os.strerror(n) in text for n in _READ_ONLY):
        return NotWritable(path)
    if number in {errno.ENOTDIR, errno.EEXIST}:
        return StorageError(
            f"Cannot use {path} as a folder: {os.strerror(number)}.",
            hint="Choose another folder with --data-dir or CASETRACK_HOME.",
        )
    first_line = text.splitlines()[0] if text else type(error).__name__
    return StorageError(
        f"Storage error in {path}: {first_line}", hint="Run `casetrack doctor` to check the data."
    )


def write_atomic(path: Path, data: bytes, /) -> None:
    """Replace the file's content in one step that survives a crash: the old or the new, whole."""
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        sync_folder(path.parent)


def write_json(path: Path, value: Any, /) -> None:
    """Write *value* as readable JSON, atomically."""
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    write_atomic(path, text.encode("utf-8"))


def sync_folder(folder: Path, /) -> None:
    """Make a rename or a new file in *folder* durable, where the system knows how (not Windows)."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def folder_bytes(folder: Path, /) -> int:
    """Return the bytes of all files below *folder*; files that vanish meanwhile do not count."""
    total = 0
    for base, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                total += os.stat(os.path.join(base, name)).st_size  # noqa: PTH116, PTH118 - hot
    return total
