"""The backup of a collection before a migration.

It is a complete collection in the subfolder ``backup/v<version>``, which the earlier program can
open. Lance's data files and kept originals never change, so they are hard links that take no space;
other files are copied.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from casetrack.base import schema
from casetrack.base.errors import DiskFull
from casetrack.base.files import folder_bytes, storage_errors, sync_folder
from casetrack.base.records import CollectionInfo
from casetrack.store.datasets import CHUNKS, DOCUMENTS, open_dataset
from casetrack.store.info import FILE

# Adding the columns of a later version to the datasets of a collection.

TABLES = ((CHUNKS, "chunks"), (DOCUMENTS, "documents"))


def add_columns(folder: Path, version: int, dimension: int, /) -> None:
    """Add the columns of *version* that the datasets lack, as nulls, without disturbing readers."""
    for name, table in TABLES:
        dataset = open_dataset(folder, name)
        have = set(dataset.schema.names)
        declared = schema.table(table, version=version)
        lacking = [column for column in declared.names if column not in have]
        if lacking:
            with storage_errors(folder / name):
                dataset.add_columns(declared.arrow(lacking, dimension=dimension))


HOME = "backup"
KEEP = timedelta(days=30)
"""Age after which upkeep removes a backup."""
_LEFT_OUT = frozenset({HOME, "views", "reader-locks", "snapshots"})
"""Files that are rebuilt on demand, or that the collection keeps itself."""
_MARGIN_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup made by a migration; its size includes files shared with the collection."""

    path: Path
    version: int
    made_at: datetime
    size_bytes: int


def backups(folder: Path, /) -> tuple[Backup, ...]:
    """Return the backups within a collection's folder, earliest version first."""
    result = []
    for path in (folder / HOME).glob("v[0-9]*"):
        with contextlib.suppress(FileNotFoundError):
            # The collection.json of a backup is written last and only once.
            made_at = datetime.fromtimestamp((path / FILE).stat().st_mtime, UTC)
            result.append(Backup(path, int(path.name[1:]), made_at, folder_bytes(path)))
    return tuple(sorted(result, key=lambda b: b.version))


def remove_backups(folder: Path, /, *, older_than: timedelta | None = None) -> tuple[Backup, ...]:
    """Remove incomplete backups and those older than *older_than*; return them."""
    now = datetime.now(UTC)
    doomed = [b for b in backups(folder) if older_than is None or now - b.made_at > older_than]
    home = folder / HOME
    with storage_errors(home):
        for backup in doomed:
            # Renamed in one step first, so that a backup is complete or absent.
            hidden = home / f".{backup.path.name}-{secrets.token_hex(4)}"
            backup.path.rename(hidden)
        _remove_unfinished(home)
        if home.is_dir() and not any(home.iterdir()):
            home.rmdir()
    return tuple(doomed)


def make_backup(folder: Path, info: CollectionInfo, /) -> Path:
    """Make a backup of a collection, or keep that of a stopped migration; return its folder."""
    home = folder / HOME
    target = home / f"v{info.schema_version}"
    if target.is_dir() and not _is_untouched(folder, info.schema_version):
        return target
    files = sorted(_files(folder))
    building = home / f".v{info.schema_version}-{secrets.token_hex(4)}"
    with storage_errors(home):
        home.mkdir(exist_ok=True)
        _remove_unfinished(home)
        try:
            _require_room(folder, files, _can_link(folder))
            _fill(building, folder, files)
            if target.is_dir():
                # The earlier program has used the collection since that backup was made.
                shutil.rmtree(target)
            building.rename(target)
            sync_folder(home)
        except BaseException:
            shutil.rmtree(building, ignore_errors=True)
            raise
    return target


def _remove_unfinished(home: Path) -> None:
    """Remove incomplete backups and files of :func:`_can_link` that a killed program left."""
    for leftover in home.glob(".*"):
        shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()


def _is_untouched(folder: Path, version: int) -> bool:
    """Return whether the datasets have exactly the columns of their version (no migration)."""
    return all(
        set(open_dataset(folder, name).schema.names)
        == set(schema.table(table, version=version).names)
        for name, table in TABLES
    )


def _files(folder: Path) -> Iterator[Path]:
    """Yield every file that belongs to the collection itself, relative to its folder."""
    for base, folders, names in os.walk(folder):
        inside = Path(base).relative_to(folder)
        if not inside.parts:
            folders[:] = [f for f in folders if f not in _LEFT_OUT and not f.startswith(".")]
        yield from (inside / n for n in names if inside.parts or not n.startswith("."))


def _never_changes(file: Path) -> bool:
    return file.parts[0] == "originals" or (
        file.parts[0].endswith(".lance") and "data" in file.parts
    )


def _can_link(folder: Path) -> bool:
    """Return whether this file system has hard links."""
    probe, other = folder / HOME / ".probe", folder / HOME / ".link"
    try:
        probe.touch()
        os.link(probe, other)
    except OSError:
        return False
    finally:
        probe.unlink(missing_ok=True)
        other.unlink(missing_ok=True)
    return True


def _require_room(folder: Path, files: list[Path], can_link: bool) -> None:
    copied = [f for f in files if not (can_link and _never_changes(f))]
    needed = sum((folder / f).stat().st_size for f in copied) + _MARGIN_BYTES
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise DiskFull(
            folder,
            f"The backup before the migration needs {needed / 2**20:,.0f} MiB there, and "
            f"{free / 2**20:,.0f} MiB are free.",
        )


def _fill(building: Path, folder: Path, files: list[Path]) -> None:
    """Copy or link *files* into a new folder, ``collection.json`` last."""
    building.mkdir()
    (building / "journal").mkdir()
    for file in sorted(files, key=lambda f: f == Path(FILE)):
        target = building / file
        target.parent.mkdir(parents=True, exist_ok=True)
        if not (_never_changes(file) and _linked(folder / file, target)):
            _copy(folder / file, target)
    for base, _, _ in os.walk(building):
        sync_folder(Path(base))


def _linked(source: Path, target: Path) -> bool:
    try:
        os.link(source, target)
    except OSError:
        return False
    return True


def _copy(source: Path, target: Path) -> None:
    shutil.copyfile(source, target)
    with target.open("rb+") as file:
        os.fsync(file.fileno())
