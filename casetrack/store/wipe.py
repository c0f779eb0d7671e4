"""Secure removal of files, as far as a program can do it.

Each file is overwritten in place before it is deleted. That is enough for magnetic disks and file
systems that write in place. SSDs, copy-on-write file systems (Btrfs, ZFS, APFS), their snapshots,
backups and synchronised folders keep old data that no program can remove.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

GONE = ".deleted"
"""New name of ``collection.json``, removed last, if Windows cannot move the folder."""
_ZEROS = bytes(1 << 20)


def wipe(folder: Path, /, tell: Callable[[int], None] = lambda _: None) -> bool:
    """Overwrite and remove all files of a folder, and the folder; return whether nothing is left.

    Writes zeros and keeps the length of each file until the end, so that a program that has mapped
    one reads zeros instead of crashing. A file with hard links elsewhere only loses this name.
    Files in use on Windows stay for the next call. *tell* gets the number of bytes overwritten each
    time.
    """
    for base, folders, names in os.walk(folder, topdown=False):
        for name in names:
            if name == GONE and base == str(folder):
                continue
            with contextlib.suppress(OSError):
                _wipe_file(Path(base, name), tell)
        for name in folders:
            path = Path(base, name)
            with contextlib.suppress(OSError):
                path.unlink() if path.is_symlink() else path.rmdir()
    if not (folder / GONE).exists():
        shutil.rmtree(folder, ignore_errors=True)
        return not folder.exists()
    with contextlib.suppress(OSError):
        if [path.name for path in folder.iterdir()] == [GONE]:
            _wipe_file(folder / GONE, tell)
            folder.rmdir()
    return not folder.exists()


def _wipe_file(path: Path, tell: Callable[[int], None]) -> None:
    status = path.lstat()
    if stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and status.st_size:
        with contextlib.suppress(PermissionError):
            path.chmod(0o600)
        with path.open("r+b", buffering=0) as file:
            left = status.st_size
            while left > 0:
                left -= file.write(_ZEROS[: min(left, len(_ZEROS))])
            os.fsync(file.fileno())
        tell(status.st_size)
    path.unlink()
