"""A collection's own facts: the file ``collection.json`` that makes a folder a collection.

A copy of what was written last lies beside it, for the day on which the file itself is torn; see
:mod:`casetrack.store.recovery`.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, get_args

from casetrack.base.errors import (
    CollectionBusy,
    CollectionDamaged,
    CollectionReadOnly,
    FutureSchema,
    StorageError,
)
from casetrack.base.files import storage_errors, write_json
from casetrack.base.records import CollectionInfo, CollectionStatus
from casetrack.base.resources import SCHEMA_VERSION
from casetrack.store import audit, mirror
from casetrack.store.lock import file_lock, identity, remove_shell
from casetrack.store.sealed import gone
from casetrack.store.wipe import GONE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FILE = "collection.json"
COPY = ".collection.json.bak"
_LOCK = ".info.lock"
_TRIES = 5
_TEXTS = ("id", "name", "type", "edition", "pipeline", "profile")
_OPTIONAL_TEXTS = ("description", "reference")
_MOMENTS = ("created_at", "updated_at")


def read_info(folder: Path, /) -> CollectionInfo:
    """Read a collection's ``collection.json``.

    Raises
    ------
    CollectionGone, CollectionSealed
        There is no such folder any more.
    CollectionDamaged
        The file is missing or cannot be understood.
    FutureSchema
        It was written by a newer version, and this one cannot understand it.
    """
    try:
        return parse_info((folder / FILE).read_bytes())
    except (OSError, ValueError) as error:
        if not folder.exists() or is_shell(folder):
            raise gone(folder) from error
        raise CollectionDamaged(
            f"The collection in {folder} cannot be read: {FILE} is missing or damaged ({error}).",
            hint="Restore that file from a backup, or remove the folder if it is not needed.",
        ) from error


def is_shell(folder: Path, /) -> bool:
    """Return whether a folder holds what is left of a collection that was deleted.

    That is nothing but views and locks, since who searches a collection while it is deleted may
    bring that much of it back; or whatever it holds, where its deletion could not move it away.
    """
    try:
        names = {path.name for path in folder.iterdir()}
    except (FileNotFoundError, NotADirectoryError):
        return False
    if GONE in names:
        return FILE not in names
    return "views" in names and all(n == "views" or n.endswith(".lock") for n in names)


def parse_info(data: bytes, /) -> CollectionInfo:
    """Return the facts that the content of a ``collection.json`` states.

    Raises
    ------
    ValueError
        It is no such file: torn, empty, or with values of a wrong type.
    FutureSchema
        It is one of a newer version with facts unlike those of today.
    """
    raw = json.loads(data.decode("utf-8-sig"))  # some editors put a byte order mark in front
    if not isinstance(raw, dict):
        raise ValueError("it holds no facts")  # noqa: TRY004 - a value, not an argument
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
    """Write a collection's ``collection.json`` in one step, and the copy of it after that."""
    if not folder.is_dir():
        raise gone(folder)
    facts = info.as_dict() | {"audit": audit.bound(folder)}
    write_json(folder / FILE, facts)
    # Only now: what could not be stored must not come back one day as if it had been.
    write_json(folder / COPY, facts)


@contextlib.contextmanager
def info_lock(folder: Path, /) -> Iterator[None]:
    """Be the only one who changes a collection's own facts.

    Raises
    ------
    CollectionGone
        There is no such folder any more.
    NotWritable, StorageError
        The folder cannot be written.
    """
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
    CollectionGone
        There is no such folder any more.
    CollectionDamaged
        The file is missing or cannot be understood.
    DiskFull, NotWritable, StorageError
        It cannot be written.
    """
    for left in reversed(range(_TRIES)):
        try:
            with info_lock(folder):
                write_info(folder, change(read_info(folder)))
                return read_info(folder)
        except CollectionBusy:  # another computer was faster
            if not left:
                raise
    raise AssertionError


def require_active(info: CollectionInfo, /) -> None:
    """Refuse a collection that is closed or archived.

    Raises
    ------
    CollectionReadOnly
        It is.
    """
    if info.status != "active":
        raise CollectionReadOnly(info.name, info.status)


def _problems(raw: dict[str, Any]) -> Iterator[str]:
    """Yield what keeps these facts from being those of a collection."""
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
    """Return a time of ISO 8601; without a zone it is one of UTC."""
    try:
        found = datetime.fromisoformat(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
