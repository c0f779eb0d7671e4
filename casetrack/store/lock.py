"""One writer per collection at a time; a dead process holds no lock."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from casetrack.errors import CollectionBusy
from casetrack.store.files import storage_errors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextlib.contextmanager
def write_lock(folder: Path, /, *, timeout: float = 600.0) -> Iterator[None]:
    """Hold the collection's write lock; writers queue up.

    The lock is the operating system's own lock on an open file: it ends with the process, however
    that ends.

    Parameters
    ----------
    folder
        The collection's folder.
    timeout
        Seconds to wait for other writers.

    Raises
    ------
    CollectionBusy
        Another process still writes after *timeout* seconds.
    """
    import filelock

    path = folder / ".write.lock"
    lock = filelock.FileLock(path, thread_local=False)
    with storage_errors(path):
        try:
            lock.acquire(timeout=timeout)
        except filelock.Timeout as error:
            raise CollectionBusy(
                f"Another CaseTrack process has been writing to {folder} for over {timeout:.0f} s.",
                hint="Wait for it to finish, or stop it; then run the command again.",
            ) from error
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def try_lock(path: Path, /) -> Iterator[bool]:
    """Hold the lock at *path* if nobody else does; yield whether it is held.

    Also ``False`` where the lock file cannot be made (a read-only folder): the caller then works
    without sharing its result.
    """
    import filelock

    lock = filelock.FileLock(path, thread_local=False)
    try:
        lock.acquire(timeout=0)
    except (filelock.Timeout, OSError):
        yield False
        return
    try:
        yield True
    finally:
        lock.release()
