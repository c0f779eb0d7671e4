"""Keeps the files of one state from being cleaned away while somebody reads it for long.

Whoever reads waits for nobody, and versions of Lance that are no longer the newest are removed
after a while. A reader that needs one for longer, such as an export, puts a tag of Lance on it,
which keeps it. The tag is named after a lock file in ``reader-locks/`` that the reader's process
keeps locked, so that whoever writes next can tell the tags of dead processes and remove them. Of a
collection elsewhere the tag says itself until when it counts.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from typing import TYPE_CHECKING

from casetrack.base.errors import DiskFull, NotWritable, StorageError
from casetrack.base.files import storage_errors
from casetrack.store.datasets import CHUNKS, DOCUMENTS, open_dataset, open_snapshot
from casetrack.store.history import tags
from casetrack.store.lock import alone, try_lock, write_lock
from casetrack.store.place import dataset_at, place_of

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator
    from pathlib import Path

    from casetrack.store.datasets import Snapshot

_FOLDER = "reader-locks"
_PREFIX = "reader-lock-"
_UNTIL = "-until-"
_ELSEWHERE_SECONDS = 86_400.0
"""How long a reader of a collection elsewhere may take; its tag says until when it counts."""
_TRIES = 20
"""After so many states that were overtaken at once, the writer is waited for."""


@contextlib.contextmanager
def locked_snapshot(
    folder: Path, /, *, cancel: threading.Event | None = None, timeout: float = 600.0
) -> Iterator[Snapshot]:
    """Open the newest state and keep its files until the block is left.

    Nobody waits for the other: not this for a writer, and no writer for this. A folder that cannot
    be written is read as it is: nobody cleans it.

    Raises
    ------
    CollectionBusy, JobStopped
        See :func:`casetrack.store.lock.write_lock`.
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
    """Hold the newest state until the stack is left; ``None`` if it was not that any more.

    What is newest is never cleaned away, and who cleans looks at the tags first. So a state that
    is still the newest one after it was tagged stays.
    """
    snapshot, attempt = open_snapshot(folder), contextlib.ExitStack()
    try:
        attempt.enter_context(lock_versions(folder, snapshot.version, snapshot.chunks.version))
    except NotWritable:
        return snapshot
    except DiskFull:
        raise
    except StorageError:
        return None  # cleaned away between the two lines
    if snapshot.is_current():
        stack.enter_context(attempt)
        return snapshot
    attempt.close()
    return None


@contextlib.contextmanager
def lock_versions(folder: Path, ledger_version: int, chunks_version: int, /) -> Iterator[None]:
    """Keep two versions until the block is left.

    The caller holds the write lock on entry, or makes sure afterwards that they are still the
    newest ones.
    """
    sweep_reader_locks(folder)
    if place_of(folder).is_remote:
        # No lock tells another computer that this process lives.
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
                if folder.is_dir():  # else the whole collection was deleted meanwhile
                    drop_tag(folder, name)
    finally:
        # Where that cannot be, as on a disk that is read-only by now, the next writer does it.
        with contextlib.suppress(OSError):
            lock.unlink(missing_ok=True)


def _tag(folder: Path, name: str, ledger_version: int, chunks_version: int) -> None:
    for dataset, version in ((DOCUMENTS, ledger_version), (CHUNKS, chunks_version)):
        with storage_errors(dataset_at(folder, dataset)):
            open_dataset(folder, dataset).tags.create(name, version)


def sweep_reader_locks(folder: Path, /) -> int:
    """Remove the locks of dead processes.

    Returns
    -------
    int
        Number of locks that were removed.
    """
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
    """Remove a tag from both datasets where it is there."""
    for name in (DOCUMENTS, CHUNKS):
        dataset = open_dataset(folder, name)
        with storage_errors(dataset_at(folder, name)):
            if tag not in tags(dataset):
                continue
            try:
                dataset.tags.delete(tag)
            except ValueError:
                if tag in tags(dataset):  # else another process was faster
                    raise
