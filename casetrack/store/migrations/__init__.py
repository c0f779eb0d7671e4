"""In-place migration of a collection to the present schema version.

Versions are migrated one at a time, under the write lock. First a backup is made. Each step is
recorded in ``collection.json`` after its completion, and can be repeated safely. So an interrupted
migration is completed when the collection is opened again.

A new schema version adds a folder ``schemas/vN``, a module here that explains the change and why no
data are lost, and an entry of :data:`MIGRATIONS`. Added columns only need
:func:`~casetrack.store.migrations.backup.add_columns`. ``tests/older_form.py`` is an example with a
fictitious version 0.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

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
from casetrack.base.records import CollectionInfo
from casetrack.base.resources import SCHEMA_VERSION
from casetrack.store.info import read_info, update_info
from casetrack.store.lock import write_lock
from casetrack.store.migrations.backup import Backup, backups, make_backup, remove_backups

__all__ = ["MIGRATIONS", "Backup", "backups", "make_backup", "migrate", "remove_backups"]

MIGRATIONS: dict[int, Callable[[Path, CollectionInfo], None]] = {}
"""Migrations to the next version, by version; none leads to the first version."""

_repairs = logging.getLogger("casetrack.repairs")


def migrate(folder: Path, /, *, timeout: float = 60.0) -> bool:
    """Migrate a collection to the present schema version; return whether that was necessary.

    Raises
    ------
    MigrationFailed, CollectionBusy
        It failed, and a backup has the earlier state; or another process is writing.
    """
    if read_info(folder).schema_version >= SCHEMA_VERSION:
        return False
    with write_lock(folder, timeout=timeout):
        info = read_info(folder)
        earlier, backup = info.schema_version, None
        if earlier >= SCHEMA_VERSION:
            return False
        try:
            steps = _steps(earlier)
            backup = make_backup(folder, info)
            for step in steps:
                step(folder, info)
                info = update_info(
                    folder, lambda i: replace(i, schema_version=i.schema_version + 1)
                )
        except (CollectionBusy, CollectionGone, CollectionSealed, DiskFull, NotWritable):
            raise
        except Exception as error:
            translated = translate(error, folder)
            if isinstance(translated, (DiskFull, NotWritable)):
                raise translated from error
            reason = getattr(error, "message", "") or f"{type(error).__name__}: {error}"
            raise MigrationFailed(info.name, earlier, SCHEMA_VERSION, reason, backup) from error
    _repairs.warning(
        'The collection "%s" was migrated from version %d to version %d. A backup of the earlier '
        "state is in %s",
        info.name,
        earlier,
        SCHEMA_VERSION,
        backup,
    )
    return True


def _steps(version: int) -> list[Callable[[Path, CollectionInfo], None]]:
    """Return the migrations from an earlier version, in order."""
    try:
        return [MIGRATIONS[v] for v in range(version, SCHEMA_VERSION)]
    except KeyError as error:
        raise SchemaError(f"there is no migration from version {error}") from None
