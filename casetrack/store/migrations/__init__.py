"""Bringing a collection of an earlier schema version to the present one, in place.

One version at a time, under the write lock. First a backup of the collection as it is is made; each
step is recorded in ``collection.json`` only when it is complete, and does nothing where it was done
already. So a migration that is killed anywhere is completed when the collection is next opened.

Each step is a module of its own, named after what it does, which says what changes and why nothing
is lost by it. A new schema version adds such a module and its line in :data:`MIGRATIONS`.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.errors import (
    CollectionBusy,
    CollectionGone,
    DiskFull,
    MigrationFailed,
    NotWritable,
)
from casetrack.resources import SCHEMA_VERSION
from casetrack.store.files import translate
from casetrack.store.info import read_info, update_info
from casetrack.store.lock import write_lock
from casetrack.store.migrations import v1_to_v2, v2_to_v3, v3_to_v4
from casetrack.store.migrations.backup import Backup, backups, make_backup, remove_backups

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.records import CollectionInfo

__all__ = ["MIGRATIONS", "Backup", "backups", "make_backup", "migrate", "remove_backups"]

MIGRATIONS: dict[int, Callable[[Path, CollectionInfo], None]] = {
    1: v1_to_v2.migrate,
    2: v2_to_v3.migrate,
    3: v3_to_v4.migrate,
}
"""What brings a collection of a version to the next one."""

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
            backup = make_backup(folder, info)
            for version in range(found, SCHEMA_VERSION):
                MIGRATIONS[version](folder, info)
                info = update_info(
                    folder, lambda i: replace(i, schema_version=i.schema_version + 1)
                )
        except (CollectionBusy, CollectionGone, DiskFull, NotWritable):
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
