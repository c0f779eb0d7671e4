"""A collection's facts: the file ``collection.json`` that makes a folder a collection."""

from __future__ import annotations

import contextlib
import json
import logging
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

from casetrack.base import schema
from casetrack.base.errors import (
    CollectionBusy,
    CollectionDamaged,
    CollectionReadOnly,
    FutureSchema,
    NotWritable,
    See,
    StorageError,
)
from casetrack.base.files import storage_errors, write_json
from casetrack.base.records import CollectionInfo, CollectionStatus
from casetrack.base.resources import SCHEMA_VERSION
from casetrack.store import audit, mirror
from casetrack.store.damage import reading
from casetrack.store.datasets import CHUNKS, DOCUMENTS, dimension_of, open_dataset, profile_of
from casetrack.store.lock import file_lock, identity, remove_shell
from casetrack.store.place import place_of
from casetrack.store.sealed import GONE, gone

FILE = "collection.json"
COPY = ".collection.json.bak"
_LOCK = ".info.lock"
_TRIES = 5
_TEXTS = ("id", "name", "type", "edition", "pipeline", "profile")
_OPTIONAL_TEXTS = ("description", "reference")
_MOMENTS = ("created_at", "updated_at")


def read_info(folder: Path, /) -> CollectionInfo:
    """Read a collection's ``collection.json``."""
    try:
        return parse_info((folder / FILE).read_bytes())
    except (OSError, ValueError) as error:
        if not folder.exists() or is_deleted(folder):
            raise gone(folder) from error
        raise CollectionDamaged(
            f"The collection in {folder} cannot be read: {FILE} is missing or damaged ({error}).",
            hint="Restore that file from a backup, or remove the folder if it is not needed.",
        ) from error


def is_deleted(folder: Path, /) -> bool:
    """Return whether a folder contains only the remains of a deleted collection.

    These are views and locks, which a search during the deletion may create again, or any files if
    the deletion could not move the folder.
    """
    try:
        names = {path.name for path in folder.iterdir()}
    except (FileNotFoundError, NotADirectoryError):
        return False
    if GONE in names:
        return FILE not in names
    return "views" in names and all(n == "views" or n.endswith(".lock") for n in names)


def parse_info(data: bytes, /) -> CollectionInfo:
    """Return the facts in the content of a ``collection.json``."""
    raw = json.loads(data.decode("utf-8-sig"))  # some editors add a byte order mark
    if not isinstance(raw, dict):
        raise ValueError("it contains no facts")  # noqa: TRY004 - a value, not an argument
    problem = next(_problems(raw), None)
    if problem is None:
        raw["tags"] = tuple(raw["tags"])
        raw |= {name: _moment(raw[name]) for name in _MOMENTS}
        return CollectionInfo(**{field.name: raw[field.name] for field in fields(CollectionInfo)})
    version: Any = raw.get("schema_version")
    if _is_count(version, 0) and version > SCHEMA_VERSION:
        raise FutureSchema(version, SCHEMA_VERSION)
    raise ValueError(problem)


def write_info(folder: Path, info: CollectionInfo, /) -> None:
    """Write a collection's ``collection.json`` in one step, then its backup copy."""
    if not folder.is_dir():
        raise gone(folder)
    facts = info.as_dict() | {"audit": audit.bound(folder)}
    write_json(folder / FILE, facts)
    # Only after success: a repair must not restore facts that were never stored.
    write_json(folder / COPY, facts)


@contextlib.contextmanager
def info_lock(folder: Path, /) -> Iterator[None]:
    """Hold the lock on a collection's facts."""
    before = identity(folder)
    if before is None:
        raise gone(folder)
    path = folder / _LOCK
    lock = file_lock(path)
    try:
        with storage_errors(path):
            lock.acquire()
        if identity(folder) == before:
            with mirror.shared(folder, mirror.of_info):
                yield
            return
    except StorageError as error:
        if identity(folder) == before:
            raise
        raise gone(folder) from error
    finally:
        lock.release()
    remove_shell(path)
    raise gone(folder)


def update_info(
    folder: Path, change: Callable[[CollectionInfo], CollectionInfo], /
) -> CollectionInfo:
    """Apply *change* to a collection's ``collection.json`` under its lock; return the new facts."""
    for left in reversed(range(_TRIES)):
        try:
            with info_lock(folder):
                write_info(folder, change(read_info(folder)))
                return read_info(folder)
        except CollectionBusy:  # another computer changed it first
            if not left:
                raise
    raise AssertionError


def require_active(info: CollectionInfo, /) -> None:
    """Refuse a closed or archived collection."""
    if info.status != "active":
        raise CollectionReadOnly(info.name, info.status)


def _problems(raw: dict[str, Any]) -> Iterator[str]:
    """Yield the errors in the facts of a ``collection.json``."""
    for field in fields(CollectionInfo):
        if field.name not in raw:
            yield f"{field.name} is missing"
    for name in _TEXTS:
        if not isinstance(raw.get(name), str) or not raw[name]:
            yield f"{name} must be a text"
    for name in _OPTIONAL_TEXTS:
        if not isinstance(raw.get(name), str | None):
            yield f"{name} must be a text or null"
    for name, least in (("schema_version", 0), ("dimension", 1)):
        if not _is_count(raw.get(name), least):
            yield f"{name} must be a whole number of {least} or more"
    if raw.get("status") not in get_args(CollectionStatus):
        yield f"status must be one of {', '.join(get_args(CollectionStatus))}"
    tags = raw.get("tags")
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        yield "tags must be a list of texts"
    for name in _MOMENTS:
        if _moment(raw.get(name)) is None:
            yield f"{name} must be a time such as 2024-03-12T08:30:00Z"


def _is_count(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _moment(value: object) -> datetime | None:
    """Parse an ISO 8601 time, in UTC unless it has a zone."""
    try:
        moment = datetime.fromisoformat(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


# Repair of ``collection.json``. A file system crash, an editor or a synchronisation program may
# leave it torn, empty or missing while all documents exist. The next reader of the folder repairs
# it from the backup copy, or else from the content of the two datasets. The damaged file is kept. A
# folder without the datasets is not a collection, and is left unchanged.

DAMAGED = "collection.json.damaged"
_DEFAULT_PIPELINE = "standard"
_repairs = logging.getLogger("casetrack.repairs")


def repaired_info(folder: Path, /) -> CollectionInfo:
    """Return a collection's facts; repair their file if it is damaged.

    The collection's id is the name of the folder. If the file has another id, the folder was copied
    or renamed, and the file is updated.
    """
    try:
        info = read_info(folder)
    except CollectionDamaged as damage:
        if place_of(folder).is_remote:
            mirror.pull(folder, now=True, settle=mirror.of_info)
            return read_info(folder)
        if not all((folder / name).is_dir() for name in (CHUNKS, DOCUMENTS)):
            raise
        return _repair(folder, damage)
    if info.id == folder.name:
        return info
    copy = _restored(folder, any_id=False)
    if copy is not None:
        # A copied folder has another id in both files: this file belongs to another collection.
        return _repair(folder, CollectionDamaged(f"{folder / FILE} is that of another collection."))
    return _adopted(folder, info)


def _repair(folder: Path, damage: CollectionDamaged) -> CollectionInfo:
    try:
        with info_lock(folder):
            with contextlib.suppress(CollectionDamaged):
                stored = read_info(folder)  # another process repaired it first
                if stored.id == folder.name:
                    return stored
            info, how = _restored(folder) or _rebuilt(folder)
            state = _set_aside(folder)
            write_info(folder, info)
    except NotWritable as error:
        raise damage from error
    _repairs.warning('%s of "%s" %s, and %s', FILE, info.name, state, how)
    return info


def _restored(folder: Path, *, any_id: bool = True) -> tuple[CollectionInfo, str] | None:
    """Return the facts in the backup copy of :func:`write_info`, if it is intact."""
    try:
        info = parse_info((folder / COPY).read_bytes())
    except (OSError, ValueError):
        return None
    if not any_id and info.id != folder.name:
        return None
    return replace(info, id=folder.name), "was restored from its backup copy; nothing is lost."


def _rebuilt(folder: Path) -> tuple[CollectionInfo, str]:
    """Return facts derived from the datasets."""
    chunks, ledger = open_dataset(folder, CHUNKS), open_dataset(folder, DOCUMENTS)
    columns = [n for n in ("ingested_at", "updated_at", "pipeline") if n in ledger.schema.names]
    with reading(ledger.uri):
        rows = ledger.to_table(columns=columns).to_pylist()
    now = datetime.now(UTC)
    pipelines = Counter(row["pipeline"] for row in rows)
    info = CollectionInfo(
        id=folder.name,
        name=f"Recovered {folder.name[:8]}",
        type="other",
        status="active",
        description=None,
        reference=None,
        tags=(),
        edition="collections",
        schema_version=_version_of(folder, chunks, ledger),
        pipeline=pipelines.most_common(1)[0][0] if pipelines else _DEFAULT_PIPELINE,
        profile=profile_of(chunks),
        dimension=dimension_of(chunks),
        created_at=min((row["ingested_at"] for row in rows), default=now),
        updated_at=max((row["updated_at"] for row in rows), default=now),
    )
    how = (
        "was rebuilt from the stored documents, which are complete. Its name, description and "
        f"tags are lost: set them again with {See('collection rename')} and `describe`."
    )
    return info, how


def _version_of(folder: Path, chunks: Any, ledger: Any) -> int:
    """Return the newest schema version whose columns all exist.

    Columns already added by a killed migration do not count: the migration completes them. If no
    version matches, return the first one that lacks only nullable columns, which were added to it
    later.
    """
    have = {"chunks": set(chunks.schema.names), "documents": set(ledger.schema.names)}
    unknown = [n for t, names in have.items() for n in names - set(schema.table(t).names)]
    for version in reversed(schema.versions()):
        if unknown:
            break
        if all(names >= set(schema.table(t, version=version).names) for t, names in have.items()):
            return version
    for version in () if unknown else schema.versions():
        tables = {t: schema.table(t, version=version).columns for t in have}
        if all({c.name for c in tables[t] if not c.nullable} <= have[t] for t in have):
            return version
    raise CollectionDamaged(
        f"The collection in {folder} cannot be read: {FILE} is missing or damaged, and its data "
        "have an unknown version.",
        hint="Install the newest version with `pip install --upgrade casetrack`, or restore that "
        "file from a backup.",
    )


def _set_aside(folder: Path) -> str:
    """Set a damaged file aside, which may contain recoverable data; describe the damage."""
    path = folder / FILE
    if not path.exists():
        return "was missing"
    with storage_errors(path):
        path.replace(folder / DAMAGED)
    return f"was damaged (it is kept as {DAMAGED})"


def _adopted(folder: Path, info: CollectionInfo) -> CollectionInfo:
    """Give a copied folder a new identity; the file of a newer version stays unchanged."""
    own = replace(info, id=folder.name)
    if info.schema_version > SCHEMA_VERSION:
        return own
    try:
        with info_lock(folder):
            stored = read_info(folder)
            if stored.id == folder.name:
                return stored
            own = replace(stored, id=folder.name)
            write_info(folder, own)
    except NotWritable:
        return own  # in a read-only folder only the returned facts can change
    _repairs.warning(
        'A copied collection folder was added: "%s" now has the ID %s.', own.name, own.id
    )
    return own
