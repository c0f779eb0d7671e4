"""A private folder for what is in the making or being read; nothing of it is left in the end.

An export is put together beside its file; copies of attachments lie in their collection's folder;
what a machine of a cluster works on lies among its temporary files.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base.files import private_folder, storage_errors
from casetrack.store.lock import try_lock

if TYPE_CHECKING:
    from collections.abc import Iterator

_EXPORT = ".casetrack-export-"
_SPOOL = ".spool-"
_LOCK = ".lock"


def spool_folder(folder: Path, /) -> contextlib.AbstractContextManager[Path]:
    """Make a folder for copies of attachments within a collection's; see :func:`scratch_folder`."""
    return scratch_folder(folder, prefix=_SPOOL)


def working_folder() -> contextlib.AbstractContextManager[Path]:
    """Make a folder among the temporary ones of this machine; see :func:`scratch_folder`.

    A process of a cluster is ended from outside as a rule: what it leaves, the next one removes.
    """
    own = os.getuid() if hasattr(os, "getuid") else ""  # Windows has such folders for each user
    return scratch_folder(Path(tempfile.gettempdir()), prefix=f"casetrack-work-{own}-")


def sweep_spools(folder: Path, /) -> None:
    """Remove the copies of attachments that killed programs left in a collection's folder."""
    for old in folder.glob(f"{_SPOOL}*"):
        _sweep(old)


@contextlib.contextmanager
def scratch_folder(parent: Path, /, *, prefix: str = _EXPORT) -> Iterator[Path]:
    """Make a folder in *parent* for the time of the block; nobody else may look into it.

    What killed programs left of theirs is removed first. A folder is at work as long as its lock
    file is locked. That file is made first and removed last, so that what has none is empty.

    Raises
    ------
    DiskFull, NotWritable, StorageError
        It cannot be made.
    """
    for old in parent.glob(f"{prefix}*"):
        _sweep(old)
    with contextlib.ExitStack() as stack:
        is_mine = False
        while not is_mine:
            folder = parent / f"{prefix}{secrets.token_hex(6)}"
            with storage_errors(folder):
                private_folder(folder, new=True)
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
    # What cannot be removed now, the next one in the same place removes.
    with contextlib.suppress(OSError):
        (folder / _LOCK).unlink(missing_ok=True)
        folder.rmdir()
