"""Folders of collections: making one, taking one away, and sweeping what was cut short.

Both happen by one rename, so that a collection is there whole or not at all.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
import shutil
import time
from typing import TYPE_CHECKING

from casetrack.errors import NotWritable
from casetrack.store.files import private_folder, storage_errors, write_atomic
from casetrack.store.info import is_shell, write_info
from casetrack.store.lock import try_lock, write_lock

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from casetrack.records import CollectionInfo

UNCHOSEN_PROFILE = ".profile-unchosen"
"""File in a collection's folder as long as nobody has chosen its profile."""
BUILDING = ".new-"
"""What the name of a folder that is being made begins with; the collection's id follows."""
_STOPPED_SECONDS = 60.0
_LOCK_SECONDS = 10.0
_DELETE_SECONDS = 30.0
_repairs = logging.getLogger("casetrack.repairs")


def make_folder(home: Path, info: CollectionInfo, files: Mapping[str, bytes], /) -> None:
    """Make the folder of a new, empty collection; the caller holds the lock on names.

    Parameters
    ----------
    home
        Folder of all collections.
    info
        Its facts.
    files
        What it holds from the start beside them: content by path within the folder.

    Raises
    ------
    DiskFull, NotWritable, StorageError
        It cannot be written; nothing was made.
    """
    from casetrack.store import datasets, heads

    sweep_home(home)
    with building(home, info.id) as folder:
        datasets.create(folder, info.dimension, profile=info.profile)
        opened = (datasets.open_dataset(folder, n) for n in (datasets.DOCUMENTS, datasets.CHUNKS))
        heads.note(folder, *opened)
        for path, content in files.items():
            write_atomic(folder / path, content)
        write_info(folder, info)
        with storage_errors(home):
            folder.rename(home / info.id)


@contextlib.contextmanager
def building(home: Path, collection_id: str, /) -> Iterator[Path]:
    """Make a folder for a collection that is not there yet; to be renamed when it is whole.

    It is removed after an error, and by whoever comes next after a crash: a lock beside it tells
    whether its process lives.

    Raises
    ------
    DiskFull, NotWritable, StorageError
        It cannot be made.
    """
    folder = home / f"{BUILDING}{collection_id}"
    lock = _making_lock(home, collection_id)
    with storage_errors(home):
        private_folder(home)
        # Says why the lock cannot be made, where it cannot.
        lock.touch()
    with try_lock(lock, timeout=_LOCK_SECONDS) as held:
        if not held:
            raise NotWritable(lock)
        try:
            with storage_errors(home):
                private_folder(folder, new=True)
            yield folder
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        finally:
            with contextlib.suppress(OSError):  # the next who comes removes it
                lock.unlink(missing_ok=True)


def settle_building(folder: Path, /) -> None:
    """Remove the lock of a collection's making, which is over; the caller holds its write lock.

    Who made it may have been killed after the rename, and nobody need ever make another one.
    """
    with contextlib.suppress(OSError):  # Windows: its maker is just about to do so
        _making_lock(folder.parent, folder.name).unlink(missing_ok=True)


def _making_lock(home: Path, collection_id: str) -> Path:
    return home / f"{BUILDING}{collection_id}.lock"


def take_away(home: Path, info: CollectionInfo, /) -> None:
    """Remove the folder of a collection, once nobody writes to it.

    Raises
    ------
    CollectionBusy
        Somebody writes to it for long.
    CollectionGone
        Somebody else has removed it.
    NotWritable, StorageError
        It cannot be taken away; it is as it was.
    """
    # A name of its own: an earlier folder of this id may still wait there for its removal.
    doomed = home / f".deleted-{info.id}-{secrets.token_hex(4)}"
    with write_lock(home / info.id, timeout=_DELETE_SECONDS), storage_errors(home / info.id):
        # One rename takes it out of sight whole; what follows is only cleaning.
        (home / info.id).rename(doomed)
    shutil.rmtree(doomed, ignore_errors=True)
    if doomed.exists():
        _repairs.warning(
            'The collection "%s" is deleted, but some of its files are still in use; they are '
            "removed with the next collection that is made or deleted: %s",
            info.name,
            doomed,
        )
    sweep_home(home)


def sweep_home(home: Path, /) -> None:
    """Remove folders of collections whose making or deleting was cut short."""
    for folder in home.glob("[!.]*"):
        if is_shell(folder):
            shutil.rmtree(folder, ignore_errors=True)
    swept = sum(_sweep(folder) for folder in home.glob(".deleted-*"))
    for name in {p.name.removesuffix(".lock") for p in home.glob(f"{BUILDING}*")}:
        lock = home / f"{name}.lock"
        with try_lock(lock) as is_dead:
            if is_dead:
                swept += _sweep(home / name)
                with contextlib.suppress(OSError):
                    lock.unlink(missing_ok=True)
    if swept:
        _repairs.warning(
            "Finished what a stopped program left: removed the files of %d %s that had been "
            "deleted, or had never been made whole.",
            swept,
            "collection" if swept == 1 else "collections",
        )


def _sweep(folder: Path) -> bool:
    """Remove a folder; return whether a stopped program had left it."""
    with contextlib.suppress(FileNotFoundError):
        # A young one may be that of a deletion that goes on at this moment.
        is_old = time.time() - folder.stat().st_mtime >= _STOPPED_SECONDS
        shutil.rmtree(folder, ignore_errors=True)
        return is_old and not folder.exists()
    return False


def commit_stamp(folder: Path, /) -> tuple[int, ...]:
    """Return what changes with every commit to a collection; two looks at the disk."""
    times = []
    for name in ("documents.lance", "chunks.lance"):
        try:
            times.append((folder / name / "_versions").stat().st_mtime_ns)
        except OSError:
            times.append(0)
    return tuple(times)
