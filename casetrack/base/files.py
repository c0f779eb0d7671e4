"""Small files written whole or not at all, and file system errors in plain words."""

from __future__ import annotations

import contextlib
import errno
import itertools
import json
import os
import secrets
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from collections.abc import Iterator

_FULL = {errno.ENOSPC, errno.EDQUOT}
UNFINISHED = ".tmp"
"""Ending of a file that is still being written; its name begins with a dot."""
_MAKING_SECONDS = 900.0
_OWNER = 0o700
_READ_ONLY = {errno.EROFS, errno.EACCES, errno.EPERM}
IS_WINDOWS = os.name == "nt"
"""Whether a file that somebody has open can be neither replaced nor removed."""
_IN_USE_SECONDS = 2.0
_AGAIN_SECONDS = 0.02


Stamp = tuple[int, int, int]


def stamp_of(path: Path, /) -> Stamp | None:
    """Return what changes whenever a file does; ``None`` where there is none to look at."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size, facts.st_ino


@contextlib.contextmanager
def storage_errors(path: Path | str, /) -> Iterator[None]:
    """Turn errors of the operating system and of Lance into errors a person can act on.

    Parameters
    ----------
    path
        What is written; an address where that lies in object storage.

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


def translate(error: Exception, path: Path | str, /) -> StorageError:
    """Return the storage error that says what *error* means for *path*."""
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
    """Make a folder that only its owner may look into, and those above it that are not there.

    What a collection holds is as private as the files that it was made of, whatever the process
    gives to others by its umask. A folder that is there already stays as it is.

    Raises
    ------
    OSError
        It cannot be made; with *new* also where it is there already.
    """
    missing = list(itertools.takewhile(lambda p: not p.exists(), (path, *path.parents)))
    for folder in reversed(missing[1:]):
        folder.mkdir(mode=_OWNER, exist_ok=True)
    path.mkdir(mode=_OWNER, exist_ok=not new)


def write_atomic(path: Path, data: bytes, /, *, durable: bool = True) -> None:
    """Replace the file's content in one step that survives a crash: the old or the new, whole.

    Only its owner may read it.

    Parameters
    ----------
    path, data
        What to write where; the folder is made.
    durable
        Wait until the disk has it. Without that a loss of power may leave the old content, or a
        torn file.

    Raises
    ------
    DiskFull, NotWritable, StorageError
        It cannot be written.
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
    """Yield an empty file of the owner's alone that takes the place of *path* if all goes well.

    Parameters
    ----------
    durable
        Wait until the disk has its content.

    Raises
    ------
    OSError
        It cannot be made, or cannot take that place.
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
    """Replace *path* by the finished file *temporary* in one step.

    Windows replaces no file that another program has open. Readers, scanners for viruses, the index
    of the system and OneDrive have one open for moments, so it is tried again for two seconds.

    Raises
    ------
    OSError
        It cannot be replaced; both are as they were.
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
    """Remove temporary files and folders that a killed process left in *folder*.

    What was changed a short while ago may still be in the making, and stays. What cannot be removed
    takes up space and does no other harm, so it stays as well.

    Parameters
    ----------
    folder
        Where to look; it need not exist.
    of
        How their names go on after the dot.
    below
        Whether to look into the folders below as well.
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
    """Make a rename or a new file in *folder* durable, where the system knows how (not Windows)."""
    if IS_WINDOWS:
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def folder_bytes(folder: Path, /) -> int:
    """Return the bytes of all files below *folder*; files that vanish meanwhile do not count.

    A file that is there under several names (a hard link) counts once.
    """
    total = 0
    linked: set[tuple[int, int]] = set()
    for base, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                found = os.stat(os.path.join(base, name))  # noqa: PTH116, PTH118 - hot
                if found.st_nlink > 1:
                    if (found.st_dev, found.st_ino) in linked:
                        continue
                    linked.add((found.st_dev, found.st_ino))
                total += found.st_size
    return total
