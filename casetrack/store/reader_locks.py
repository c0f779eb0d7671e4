"""Protects the files of one state from cleanup during a long read.

Readers never wait, and outdated Lance versions are removed after a while. A long reader, such as an
export, protects its version with a Lance tag. The tag is named after a lock file in
``reader-locks/`` that the reader's process keeps locked, so the next writer removes the tags of
dead processes. The tag for a remote collection contains its expiry time.
"""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from casetrack.base.errors import DiskFull, NotWritable, StorageError
from casetrack.base.files import storage_errors
from casetrack.store.datasets import CHUNKS, DOCUMENTS, Snapshot, open_dataset, open_snapshot
from casetrack.store.history import tags
from casetrack.store.lock import alone, try_lock, write_lock
from casetrack.store.place import dataset_at, place_of

_FOLDER = "reader-locks"
_PREFIX = "reader-lock-"
_UNTIL = "-until-"
_ELSEWHERE_SECONDS = 86_400.0
"""Seconds that a reader of a remote collection may take; its tag expires then."""
_TRIES = 20
"""Attempts to lock the newest state before waiting for the writer."""


@contextlib.contextmanager
def locked_snapshot(
    folder: Path, /, *, cancel: threading.Event | None = None, timeout: float = 600.0
) -> Iterator[Snapshot]:
    """Open the newest state and keep its files until the end of the block.

    Neither readers nor writers wait for one another. A read-only folder is read directly, because
    no process can clean it.
    """
    with contextlib.ExitStack() as stack:
        for _ in range(_TRIES):
            snapshot = _lock_newest(folder, stack)
            if snapshot is not None:
                break
        else:
            with write_lock(folder, timeout=timeout, cancel=cancel):
                snapshot = open_snapshot(folder)
                stack.enter_context(
                    lock_versions(folder, snapshot.version, snapshot.chunks.version)
                )
        yield snapshot


def _lock_newest(folder: Path, stack: contextlib.ExitStack) -> Snapshot | None:
    """Keep the newest state until the stack is closed; ``None`` if it was replaced meanwhile.

    The newest state is never cleaned away, and cleanup reads the tags first. So a state that is
    still the newest after it was tagged is safe.
    """
    snapshot, attempt = open_snapshot(folder), contextlib.ExitStack()
    try:
        attempt.enter_context(lock_versions(folder, snapshot.version, snapshot.chunks.version))
    except NotWritable:
        return snapshot
    except DiskFull:
        raise
    except StorageError:
        return None  # cleaned away between the two calls
    if snapshot.is_current():
        stack.enter_context(attempt)
        return snapshot
    attempt.close()
    return None


@contextlib.contextmanager
def lock_versions(folder: Path, ledger_version: int, chunks_version: int, /) -> Iterator[None]:
    """Keep two versions until the end of the block; the caller checks that they are newest."""
    sweep_reader_locks(folder)
    if place_of(folder).is_remote:
        # No lock shows another computer that this process runs.
        name = f"{_PREFIX}{secrets.token_hex(8)}{_UNTIL}{int(time.time() + _ELSEWHERE_SECONDS)}"
        try:
            _tag(folder, name, ledger_version, chunks_version)
            yield
        finally:
            drop_tag(folder, name)
        return
    name = _PREFIX + secrets.token_hex(8)
    lock = folder / _FOLDER / name
    with storage_errors(lock):
        lock.parent.mkdir(exist_ok=True)
    try:
        with alone(lock, f"reading {folder}", timeout=0):
            try:
                _tag(folder, name, ledger_version, chunks_version)
                yield
            finally:
                if folder.is_dir():  # otherwise the whole collection was deleted meanwhile
                    drop_tag(folder, name)
    finally:
        # If the drive is read-only by now, the next writer removes it.
        with contextlib.suppress(OSError):
            lock.unlink(missing_ok=True)


def _tag(folder: Path, name: str, ledger_version: int, chunks_version: int) -> None:
    for dataset, version in ((DOCUMENTS, ledger_version), (CHUNKS, chunks_version)):
        with storage_errors(dataset_at(folder, dataset)):
            open_dataset(folder, dataset).tags.create(name, version)


def sweep_reader_locks(folder: Path, /) -> int:
    """Remove the locks of dead processes; return their number."""
    home = folder / _FOLDER
    names = {p.name for p in home.iterdir()} if home.is_dir() else set()
    for dataset in (DOCUMENTS, CHUNKS):
        names |= {t for t in tags(open_dataset(folder, dataset)) if t.startswith(_PREFIX)}
    swept = 0
    if place_of(folder).is_remote:
        dead = {name for name in names if int(name.rpartition(_UNTIL)[2] or 0) < time.time()}
        for name in sorted(dead):
            drop_tag(folder, name)
        return len(dead)
    for name in sorted(names):
        home.mkdir(exist_ok=True)
        with try_lock(home / name) as is_dead:
            if is_dead:
                drop_tag(folder, name)
        if is_dead:
            (home / name).unlink(missing_ok=True)
            swept += 1
    return swept


def drop_tag(folder: Path, tag: str, /) -> None:
    """Remove a tag from both datasets, if it exists."""
    for name in (DOCUMENTS, CHUNKS):
        dataset = open_dataset(folder, name)
        with storage_errors(dataset_at(folder, name)):
            if tag not in tags(dataset):
                continue
            try:
                dataset.tags.delete(tag)
            except ValueError:
                if tag in tags(dataset):  # otherwise another process removed it first
                    raise
