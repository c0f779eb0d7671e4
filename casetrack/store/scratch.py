"""Private temporary folders that are removed after use.

Exports use one next to their file, copies of attachments one in their collection's folder, and
cluster workers one among the temporary files.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from casetrack.base.files import private_folder, storage_errors
from casetrack.store.lock import try_lock

_EXPORT = ".casetrack-export-"
_SPOOL = ".spool-"
_LOCK = ".lock"


def spool_folder(folder: Path, /) -> contextlib.AbstractContextManager[Path]:
    """Create a folder for copies of attachments within a collection; see :func:`scratch_folder`."""
    return scratch_folder(folder, prefix=_SPOOL)


def working_folder() -> contextlib.AbstractContextManager[Path]:
    """Create a folder among this machine's temporary ones; see :func:`scratch_folder`."""
    own = os.getuid() if hasattr(os, "getuid") else ""  # Windows has such folders per user
    return scratch_folder(Path(tempfile.gettempdir()), prefix=f"casetrack-work-{own}-")


def sweep_spools(folder: Path, /) -> None:
    """Remove the copies of attachments that killed programs left in a collection's folder."""
    for old in folder.glob(f"{_SPOOL}*"):
        _sweep(old)


@contextlib.contextmanager
def scratch_folder(parent: Path, /, *, prefix: str = _EXPORT) -> Iterator[Path]:
    """Create a private folder in *parent* for the duration of the block.

    Removes the leftovers of killed programs first. A folder is in use as long as its lock file is
    locked. That file is created first and removed last, so a folder without it is empty.
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
                # Otherwise another program has just removed the empty folder, or the drive has no
                # locks.
                is_mine = is_mine or folder.is_dir()
        try:
            yield folder
        finally:
            _empty(folder)
            stack.close()
            _remove(folder)


def _sweep(folder: Path) -> None:
    """Remove a folder whose program has ended."""
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
    # The next program in the same folder removes the rest.
    with contextlib.suppress(OSError):
        (folder / _LOCK).unlink(missing_ok=True)
        folder.rmdir()
