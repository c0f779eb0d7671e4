"""Removing files so that what was in them is gone from the disk, as far as a program can do that.

Each file is overwritten where it lies before its name is taken away. On a magnetic disk, and on a
file system that writes in place, nothing of it is left. An SSD writes elsewhere and keeps the old
cells for a while; so do file systems that copy on writing (Btrfs, ZFS, APFS), their snapshots,
backups, and folders that are synchronised: of these no program can take anything back.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

GONE = ".deleted"
"""What ``collection.json`` is called once its collection is deleted or sealed, where that is what
deletes or seals it: Windows moves no folder of which a file is open. It is the last file to go."""
_ZEROS = bytes(1 << 20)


def wipe(folder: Path, /, tell: Callable[[int], None] = lambda _: None) -> bool:
    """Overwrite and remove all files of a folder, and the folder.

    Zeros are written, and files keep their length until the end, so that a program that still has
    one in its memory finds nothing rather than falls. A file that has another name elsewhere (a
    hard link) loses this one only. What is in use, as Windows has it, is left for the next time.

    Parameters
    ----------
    folder
        The folder.
    tell
        Told how many bytes more are overwritten.

    Returns
    -------
    bool
        Whether nothing is left of it.
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
    found = path.lstat()
    if stat.S_ISREG(found.st_mode) and found.st_nlink == 1 and found.st_size:
        with contextlib.suppress(PermissionError):
            path.chmod(0o600)
        with path.open("r+b", buffering=0) as file:
            left = found.st_size
            while left > 0:
                left -= file.write(_ZEROS[: min(left, len(_ZEROS))])
            os.fsync(file.fileno())
        tell(found.st_size)
    path.unlink()
