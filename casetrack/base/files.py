"""Atomic writes of small files, and clear messages for errors of the file system."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import itertools
import json
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from casetrack.base.errors import (
    CaseTrackError,
    DiskFull,
    FileInUse,
    NotWritable,
    Opt,
    See,
    StorageError,
)
from casetrack.base.objects.address import is_address

_FULL = {errno.ENOSPC, errno.EDQUOT}
UNFINISHED = ".tmp"
"""Ending of a file that is still being written; its name begins with a dot."""
_MAKING_SECONDS = 900.0
_OWNER = 0o700
_READ_ONLY = {errno.EROFS, errno.EACCES, errno.EPERM}
IS_WINDOWS = os.name == "nt"
"""Whether an open file can be neither replaced nor removed."""
_IN_USE_SECONDS = 2.0
_AGAIN_SECONDS = 0.02


Stamp = tuple[int, int, int]


def stamp_of(path: Path, /) -> Stamp | None:
    """Return values that change with the file, or ``None`` if it cannot be read."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size, facts.st_ino


def sha256_of(path: Path, /) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextlib.contextmanager
def storage_errors(path: Path | str, /) -> Iterator[None]:
    """Convert errors of the operating system and of Lance to typed errors.

    *path* is a path or an address in object storage. Raises ``DiskFull`` or ``NotWritable`` or
    ``StorageError``: in place of ``OSError`` and of Lance's ``RuntimeError`` and ``ValueError``,
    which contain the system's message only in their text.
    """
    try:
        yield
    except CaseTrackError:
        raise
    except (OSError, RuntimeError, ValueError) as error:
        raise translate(error, path) from error


def translate(error: Exception, path: Path | str, /) -> StorageError:
    """Return the storage error for *error* at *path*."""
    if is_address(path):
        from casetrack.base.objects.service import place_error

        return place_error(error, str(path))
    number = error.errno if isinstance(error, OSError) else None
    text = str(error)
    if number in _FULL or any(os.strerror(n) in text for n in _FULL):
        return DiskFull(path)
    if IS_WINDOWS and isinstance(error, PermissionError) and os.access(path, os.W_OK):
        return FileInUse(path)
    if number in _READ_ONLY or any(os.strerror(n) in text for n in _READ_ONLY):
        return NotWritable(path)
    if number in {errno.ENOTDIR, errno.EEXIST}:
        return StorageError(
            f"Cannot use {path} as a folder: {os.strerror(number)}.",
            hint=f"Choose another folder with CASETRACK_HOME. Or with {Opt(data_dir='FOLDER')}.",
        )
    first_line = text.splitlines()[0] if text else type(error).__name__
    return StorageError(
        f"Storage error in {path}: {first_line}", hint=f"Run {See('doctor')} to check the data."
    )


def private_folder(path: Path, /, *, new: bool = False) -> None:
    """Create a folder and its missing parents, accessible only to the owner despite the umask.

    A collection is as private as its source files. An existing folder keeps its permissions. Raises
    ``OSError``: it cannot be created; with *new* also if it exists.
    """
    missing = list(itertools.takewhile(lambda p: not p.exists(), (path, *path.parents)))
    for folder in reversed(missing[1:]):
        folder.mkdir(mode=_OWNER, exist_ok=True)
    path.mkdir(mode=_OWNER, exist_ok=not new)


def write_atomic(path: Path, data: bytes, /, *, durable: bool = True) -> None:
    """Replace the file's content atomically; only its owner may read it.

    The folder is created. Without *durable*, a power loss may leave the old content or a torn file.
    Raises ``DiskFull`` or ``NotWritable`` or ``StorageError``: the file cannot be written.
    """
    with storage_errors(path):
        private_folder(path.parent)
        with replacement(path, durable=durable) as temporary:
            temporary.write_bytes(data)
        if not durable:
            return
        sync_folder(path.parent)
        remove_unfinished(path.parent, of=f"{path.name}.", below=False)


@contextlib.contextmanager
def replacement(path: Path, /, *, durable: bool = True) -> Iterator[Path]:
    """Yield a private empty file that replaces *path* if the block succeeds.

    With *durable*, the content is on the disk before the replacement. Raises ``OSError``.
    """
    # Threads of one process may write the same file, so its id would not be enough.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}{UNFINISHED}")
    try:
        temporary.touch(mode=0o600)
        yield temporary
        if durable:
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())
        put_in_place(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def put_in_place(temporary: Path, path: Path, /) -> None:
    """Replace *path* by the finished file *temporary* atomically.

    Windows cannot replace a file that another program has open. Virus scanners, the search index
    and OneDrive open files briefly, so the replacement is retried for two seconds; then
    ``OSError``.
    """
    give_up = time.monotonic() + _IN_USE_SECONDS
    while True:
        try:
            temporary.replace(path)
            return
        except PermissionError:
            if not IS_WINDOWS or time.monotonic() > give_up:
                raise
            time.sleep(_AGAIN_SECONDS)


def remove_unfinished(folder: Path, /, *, of: str = "", below: bool = True) -> None:
    """Remove temporary files and folders that a killed process left in *folder*, if it exists.

    Recent ones may still be in use and stay. Failures are ignored: the files only take up space.

    Parameters
    ----------
    of
        Start of the names after the dot.
    below
        Whether to search subfolders.
    """
    before = time.time() - _MAKING_SECONDS
    for base, folders, names in os.walk(folder):
        for name in (*folders, *names):
            if name.startswith(f".{of}") and name.endswith(UNFINISHED):
                path = Path(base, name)
                with contextlib.suppress(OSError):
                    if path.stat().st_mtime < before:
                        shutil.rmtree(path) if path.is_dir() else path.unlink()
        if not below:
            folders.clear()


def write_json(path: Path, value: Any, /) -> None:
    """Write *value* as readable JSON, atomically."""
    try:
        text = json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:  # names of files need not be Unicode; escapes carry them whole
        text = json.dumps(value, indent=2).encode("ascii")
    write_atomic(path, text + b"\n")


def sync_folder(folder: Path, /) -> None:
    """Make a rename or a new file in *folder* durable, except on Windows."""
    if IS_WINDOWS:
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def folder_bytes(folder: Path, /) -> int:
    """Return the bytes of all files below *folder*, hard links once; ignore files that vanish."""
    total = 0
    linked: set[tuple[int, int]] = set()
    for base, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                info = os.stat(os.path.join(base, name))  # noqa: PTH116, PTH118 - hot
                if info.st_nlink > 1:
                    if (info.st_dev, info.st_ino) in linked:
                        continue
                    linked.add((info.st_dev, info.st_ino))
                total += info.st_size
    return total
