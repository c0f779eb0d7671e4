"""Which copies a folder has of a collection elsewhere; see :mod:`casetrack.store.mirror`."""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base.errors import CollectionGone
from casetrack.base.files import storage_errors, write_atomic
from casetrack.store.facts import sealed, unsealed
from casetrack.store.published import RECORD, Item, is_shared

if TYPE_CHECKING:
    from collections.abc import Iterator

VIEWS = "views/"
"""Begins the paths of what is copied only when it is asked for."""
_LOCK = ".place.lock"
_guard = threading.RLock()


@dataclass(slots=True)
class Record:
    """Which files lie here: digest and looks (time, size, inode) by path."""

    path: Path
    tag: str | None = None
    files: dict[str, tuple[str, list[int]]] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: Path) -> Record:
        """Return what a folder notes of its copies; what cannot be read counts as nothing."""
        path = folder / RECORD
        try:
            raw = unsealed(path.read_bytes())
            files = {name: (str(d), [int(n) for n in s]) for name, (d, s) in raw["files"].items()}
            return cls(path, raw["tag"], files)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return cls(path)

    def keep(self) -> None:
        """Note it in the folder."""
        facts = {"tag": self.tag, "files": {n: list(v) for n, v in self.files.items()}}
        write_atomic(self.path, sealed(facts), durable=False)


def present(folder: Path, *, views: bool) -> Iterator[str]:
    """Yield the paths of the files here that belong to the collection."""
    for base, folders, names in os.walk(folder):
        inside = "" if base == str(folder) else f"{Path(base).relative_to(folder).as_posix()}/"
        for name in list(folders):
            below = f"{inside}{name}/"
            if not is_shared(below) or (below == VIEWS and not views):
                folders.remove(name)
        yield from (f"{inside}{name}" for name in names if is_shared(f"{inside}{name}"))


def looks_of(path: Path) -> list[int]:
    """Return what changes with a file: time, size, inode; empty where there is none."""
    try:
        facts = path.stat()
    except OSError:
        return []
    return [facts.st_mtime_ns, facts.st_size, facts.st_ino]


def item_of(folder: Path, path: str) -> Item:
    """Return what stands for a file of a folder in the list of those that count.

    Raises
    ------
    OSError
        It cannot be read.
    """
    digest, size = _digest(folder / path)
    return Item(f"files/{path}@{digest[:16]}", size, digest)


def _digest(path: Path) -> tuple[str, int]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return digest, file.tell()


def is_whole(path: Path, item: Item) -> bool:
    """Whether a file is there and holds what was published."""
    try:
        return path.stat().st_size == item.size and _digest(path)[0] == item.digest
    except OSError:
        return False


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Be the only one on this computer who copies files of the collection."""
    import filelock

    if not folder.is_dir():
        raise CollectionGone(folder.name)
    lock = filelock.FileLock(folder / _LOCK, fallback_to_soft=False)
    with _guard, storage_errors(folder / _LOCK):
        lock.acquire()
    try:
        yield
    finally:
        lock.release()
