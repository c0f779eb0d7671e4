"""One writer per collection at a time; a dead process holds no lock."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from casetrack.errors import CollectionBusy, JobStopped
from casetrack.store.files import storage_errors

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator
    from pathlib import Path


@contextlib.contextmanager
def write_lock(
    folder: Path, /, *, timeout: float = 600.0, cancel: threading.Event | None = None
) -> Iterator[None]:
    """Hold the collection's write lock; writers queue up.

    The lock is the operating system's own lock on an open file: it ends with the process, however
    that ends.

    Parameters
    ----------
    folder
        The collection's folder.
    timeout
        Seconds to wait for other writers.
    cancel
        Set it to stop waiting.

    Raises
    ------
    CollectionBusy
        Another process still writes after *timeout* seconds.
    JobStopped
        *cancel* was set while others were writing.
    """
    import filelock

    path = folder / ".write.lock"
    lock = filelock.FileLock(path, thread_local=False)
    with storage_errors(path):
        try:
            lock.acquire(timeout=timeout, cancel_check=cancel.is_set if cancel else None)
        except filelock.Timeout as error:
            if cancel is not None and cancel.is_set():
                raise JobStopped(
                    "Stopped while waiting for another program that writes to this collection; "
                    "nothing was done.",
                    hint="Run the same command again to go on.",
                ) from error
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
