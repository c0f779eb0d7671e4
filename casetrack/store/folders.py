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

from casetrack.store.files import storage_errors
from casetrack.store.info import is_shell, write_info
from casetrack.store.lock import write_lock

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.records import CollectionInfo

_ABANDONED_SECONDS = 3600.0
_STOPPED_SECONDS = 60.0
_DELETE_SECONDS = 30.0
_repairs = logging.getLogger("casetrack.repairs")


def make_folder(home: Path, info: CollectionInfo, /) -> None:
    """Make the folder of a new, empty collection; the caller holds the lock on names.

    Raises
    ------
    DiskFull, NotWritable, StorageError
        It cannot be written; nothing was made.
    """
    from casetrack.store import datasets

    sweep_home(home)
    building = home / f".new-{info.id}"
    with storage_errors(home):
        building.mkdir(parents=True)
    try:
        datasets.create(building, info.dimension, profile=info.profile)
        write_info(building, info)
        with storage_errors(home):
            building.rename(home / info.id)
    except BaseException:
        shutil.rmtree(building, ignore_errors=True)
        raise


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
    now, swept = time.time(), 0
    limits = {".deleted-*": 0.0, ".new-*": _ABANDONED_SECONDS}
    for pattern, limit in limits.items():
        for folder in home.glob(pattern):
            # A young one may be another process at work, which may finish at this moment.
            with contextlib.suppress(FileNotFoundError):
                age = now - folder.stat().st_mtime
                if age >= limit:
                    shutil.rmtree(folder, ignore_errors=True)
                    swept += age >= _STOPPED_SECONDS and not folder.exists()
    if swept:
        _repairs.warning(
            "Finished what a stopped program left: removed the files of %d %s that had been "
            "deleted, or had never been made whole.",
            swept,
            "collection" if swept == 1 else "collections",
        )
