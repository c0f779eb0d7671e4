"""Bringing a collection of an earlier schema version to the present one, in place.

One version at a time, under the write lock. First a backup of the collection as it is is made; each
step is recorded in ``collection.json`` only when it is complete, and does nothing where it was done
already. So a migration that is killed anywhere is completed when the collection is next opened.

A new schema version adds a folder ``schemas/vN``, a module here that says what changes and why
nothing is lost by it, and its line in :data:`MIGRATIONS`. Columns that are only added need no more
than :func:`~casetrack.store.migrations.backup.add_columns`. ``tests/older_form.py`` is an example,
a version 0 that never was.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.base.errors import (
    CollectionBusy,
    CollectionGone,
    CollectionSealed,
    DiskFull,
    MigrationFailed,
    NotWritable,
    SchemaError,
)
from casetrack.base.files import translate
from casetrack.base.resources import SCHEMA_VERSION
from casetrack.store.info import read_info, update_info
from casetrack.store.lock import write_lock
from casetrack.store.migrations.backup import Backup, backups, make_backup, remove_backups

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.base.records import CollectionInfo

__all__ = ["MIGRATIONS", "Backup", "backups", "make_backup", "migrate", "remove_backups"]

MIGRATIONS: dict[int, Callable[[Path, CollectionInfo], None]] = {}
"""What brings a collection of a version to the next one; the first version has none before it."""

_repairs = logging.getLogger("casetrack.repairs")


def migrate(folder: Path, /, *, timeout: float = 60.0) -> bool:
    """Bring a collection to the present schema version.

    Parameters
    ----------
    folder
        The collection's folder.
    timeout
        Seconds to wait for programs that write to it.

    Returns
    -------
    bool
        Whether there was anything to do.

    Raises
    ------
    MigrationFailed
        It cannot be done; a backup has the collection as it was.
    CollectionBusy
        Somebody is writing to the collection.
    CollectionGone
        It was deleted meanwhile.
    DiskFull, NotWritable
        The folder is read-only.
    """
    if read_info(folder).schema_version >= SCHEMA_VERSION:
        return False
    with write_lock(folder, timeout=timeout):
        info = read_info(folder)
        found, backup = info.schema_version, None
        if found >= SCHEMA_VERSION:
            return False
        try:
            steps = _steps(found)
            backup = make_backup(folder, info)
            for step in steps:
                step(folder, info)
                info = update_info(
                    folder, lambda i: replace(i, schema_version=i.schema_version + 1)
                )
        except (CollectionBusy, CollectionGone, CollectionSealed, DiskFull, NotWritable):
            raise
        except Exception as error:
            told = translate(error, folder)
            if isinstance(told, (DiskFull, NotWritable)):
                raise told from error
            reason = getattr(error, "message", "") or f"{type(error).__name__}: {error}"
            raise MigrationFailed(info.name, found, SCHEMA_VERSION, reason, backup) from error
    _repairs.warning(
        'The collection "%s" was brought from version %d to version %d. A backup of it as it was '
        "is in %s",
        info.name,
        found,
        SCHEMA_VERSION,
        backup,
    )
    return True


def _steps(version: int) -> list[Callable[[Path, CollectionInfo], None]]:
    """Return what has to be done with a collection of an earlier version, in order."""
    try:
        return [MIGRATIONS[v] for v in range(version, SCHEMA_VERSION)]
    except KeyError as error:
        raise SchemaError(f"nobody knows how to go on from version {error}") from None
