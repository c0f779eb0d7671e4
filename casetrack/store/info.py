"""A collection's own facts: the file ``collection.json`` that makes a folder a collection."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING

from casetrack.errors import CollectionDamaged, CollectionReadOnly
from casetrack.records import CollectionInfo
from casetrack.store.files import storage_errors, write_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_FILE = "collection.json"
_DIMENSION_BEFORE = 384
"""Collections of schema versions 1 and 2 have one ``model``, and vectors of this length."""


def read_info(folder: Path, /) -> CollectionInfo:
    """Read a collection's ``collection.json``.

    Raises
    ------
    CollectionDamaged
        It is missing or cannot be understood.
    """
    path = folder / _FILE
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        raw["tags"] = tuple(raw["tags"])
        if "profile" not in raw:
            raw |= {"profile": raw["model"], "dimension": _DIMENSION_BEFORE}
        for moment in ("created_at", "updated_at"):
            raw[moment] = datetime.fromisoformat(raw[moment])
        return CollectionInfo(**{n: raw[n] for n in CollectionInfo.__dataclass_fields__})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CollectionDamaged(
            f"The collection in {folder} cannot be read: {_FILE} is missing or damaged ({error}).",
            hint="Restore that file from a backup, or remove the folder if it is not needed.",
        ) from error


def write_info(folder: Path, info: CollectionInfo, /) -> None:
    """Write a collection's ``collection.json`` in one step."""
    write_json(folder / _FILE, info.as_dict())


def update_info(
    folder: Path, change: Callable[[CollectionInfo], CollectionInfo], /
) -> CollectionInfo:
    """Change a collection's ``collection.json``, so that no other process's change is lost.

    Parameters
    ----------
    folder
        The collection's folder.
    change
        Returns the new facts for those that are there at this moment.

    Returns
    -------
    CollectionInfo
        What is stored now.

    Raises
    ------
    CollectionDamaged
        The file is missing or cannot be understood.
    DiskFull, NotWritable, StorageError
        It cannot be written.
    """
    import filelock

    path = folder / ".info.lock"
    lock = filelock.FileLock(path, thread_local=False)
    with storage_errors(path):
        lock.acquire()
    try:
        info = change(read_info(folder))
        write_info(folder, info)
    finally:
        lock.release()
    return info


def require_active(info: CollectionInfo, /) -> None:
    """Refuse a collection that is closed or archived.

    Raises
    ------
    CollectionReadOnly
        It is.
    """
    if info.status != "active":
        raise CollectionReadOnly(info.name, info.status)
