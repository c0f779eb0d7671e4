"""A folder beside a file that is being made; nothing of it is left, whatever happens."""

from __future__ import annotations

import contextlib
import secrets
import shutil
from typing import TYPE_CHECKING

from casetrack.store.files import storage_errors
from casetrack.store.lock import try_lock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PREFIX = ".casetrack-export-"
_LOCK = ".lock"


@contextlib.contextmanager
def scratch_folder(parent: Path, /) -> Iterator[Path]:
    """Make a folder in *parent* for the time of the block.

    What killed programs left of theirs is removed first. A folder is at work as long as its lock
    file is locked. That file is made first and removed last, so that what has none is empty.

    Raises
    ------
    DiskFull, NotWritable, StorageError
        It cannot be made.
    """
    for old in parent.glob(f"{_PREFIX}*"):
        _sweep(old)
    with contextlib.ExitStack() as stack:
        is_mine = False
        while not is_mine:
            folder = parent / f"{_PREFIX}{secrets.token_hex(6)}"
            with storage_errors(folder):
                folder.mkdir(parents=True)
                is_mine = stack.enter_context(try_lock(folder / _LOCK))
                # Else another program has just removed it, since it was empty; unless this disk
                # knows no locks.
                is_mine = is_mine or folder.is_dir()
        try:
            yield folder
        finally:
            _empty(folder)
            stack.close()
            _remove(folder)


def _sweep(folder: Path) -> None:
    """Remove a folder whose program is dead."""
    if not (folder / _LOCK).is_file():
        with contextlib.suppress(OSError):
            folder.rmdir()
        return
    with try_lock(folder / _LOCK) as is_dead:
        if is_dead:
            _empty(folder)
    if is_dead:
        _remove(folder)


def _empty(folder: Path) -> None:
    for path in folder.iterdir():
        if path.name == _LOCK:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _remove(folder: Path) -> None:
    # What cannot be removed now, the next export into the same place removes.
    with contextlib.suppress(OSError):
        (folder / _LOCK).unlink(missing_ok=True)
        folder.rmdir()
