"""One writer per collection at a time; a dead process holds no lock."""

from __future__ import annotations

import contextlib
import errno
import math
import os
import sys
import time
from typing import TYPE_CHECKING

from casetrack.base.errors import CollectionBusy, JobStopped, StorageError
from casetrack.base.files import storage_errors
from casetrack.store.lease import writing
from casetrack.store.sealed import gone
from casetrack.store.wipe import GONE

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator
    from pathlib import Path

    import filelock

_POLL_SECONDS = 0.05
_NO_LOCKS = {errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP}


@contextlib.contextmanager
def write_lock(
    folder: Path, /, *, timeout: float = 600.0, cancel: threading.Event | None = None
) -> Iterator[None]:
    """Hold the collection's write lock; writers queue up.

    The lock is that of :func:`file_locked`. Of a collection elsewhere a lease is held as well, see
    :mod:`casetrack.store.lease`, and what was changed here is published at the end.

    Parameters
    ----------
    folder, timeout, cancel
        See :func:`file_locked`.

    Raises
    ------
    CollectionBusy, CollectionGone, JobStopped
        See :func:`file_locked`.
    WriterReplaced, ObjectStorageError
        See :func:`casetrack.store.lease.writing`.
    """
    deadline = time.monotonic() + timeout if timeout >= 0 else math.inf
    with (
        file_locked(folder, timeout=timeout, cancel=cancel),
        writing(folder, deadline=deadline, cancel=cancel),
    ):
        yield


@contextlib.contextmanager
def file_locked(
    folder: Path, /, *, timeout: float = 600.0, cancel: threading.Event | None = None
) -> Iterator[None]:
    """Be the only writer to a collection's folder on this computer; writers queue up.

    The lock is the operating system's own lock on an open file and on the folder: it ends with the
    process, however that ends.

    Parameters
    ----------
    folder
        The collection's folder.
    timeout
        Seconds to wait for other writers; a negative number means as long as it takes.
    cancel
        Set it to stop waiting.

    Raises
    ------
    CollectionBusy
        Another process still writes after *timeout* seconds.
    CollectionGone, CollectionSealed
        The collection was deleted or sealed, perhaps by the writer that was waited for.
    JobStopped
        *cancel* was set while others were writing.
    """
    path = folder / ".write.lock"
    deadline = time.monotonic() + timeout if timeout >= 0 else math.inf
    before = identity(folder)
    if before is None:
        raise gone(folder)
    with contextlib.ExitStack() as held:
        with storage_errors(path):
            try:
                _acquire(folder, path, held, timeout, deadline, cancel)
            except FileNotFoundError as error:
                raise gone(folder) from error
        is_there = identity(folder) == before and not (folder / GONE).exists()
        if is_there:
            yield
    if not is_there:
        remove_shell(path)
        raise gone(folder)


def file_lock(path: Path, /) -> filelock.BaseFileLock:
    """Return the lock at *path*, not yet held: the system's own, or none.

    Where a file system has no such locks, ``filelock`` would go over to files that only stand for
    a lock. A process that dies would leave them behind, so that is switched off.
    """
    import filelock

    return filelock.FileLock(path, thread_local=False, fallback_to_soft=False)


def _acquire(
    folder: Path,
    path: Path,
    held: contextlib.ExitStack,
    timeout: float,
    deadline: float,
    cancel: threading.Event | None,
) -> None:
    """Take the lock file, then the folder; *held* lets go of both.

    Whoever waits holds the turn meanwhile. So a writer that comes back again and again has to wait
    for the turn itself, and cannot keep others out.
    """
    import filelock

    turn, lock = file_lock(path.with_name(".turn.lock")), file_lock(path)
    is_stopped = cancel.is_set if cancel else None
    try:
        turn.acquire(timeout=timeout, cancel_check=is_stopped)
        try:
            left = max(0.0, deadline - time.monotonic()) if timeout >= 0 else timeout
            lock.acquire(timeout=left, cancel_check=is_stopped)
        finally:
            turn.release()
        held.callback(lock.release)
        held.enter_context(_folder_lock(folder, deadline, cancel))
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
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        raise StorageError(
            f"The drive of {folder} cannot lock files, so two programs could write there at the "
            "same time and damage the collection.",
            hint="Choose a folder on a disk of this computer with CASETRACK_HOME. "
            "Or with `--data-dir FOLDER`.",
        ) from error


@contextlib.contextmanager
def _folder_lock(folder: Path, deadline: float, cancel: threading.Event | None) -> Iterator[None]:
    """Hold a lock on the folder itself as well.

    A lock file can be deleted while it is held, by hand or by a program that clears up; the next
    writer would make a new one and be alone with it. Nobody can do this to the folder. Windows
    keeps an open lock file from being deleted, and has no locks on folders.
    """
    import filelock

    if sys.platform == "win32":
        yield
        return
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as error:
                if time.monotonic() > deadline or (cancel is not None and cancel.is_set()):
                    raise filelock.Timeout(str(folder)) from error
                time.sleep(_POLL_SECONDS)
            except OSError:
                break  # a network drive that locks files only
        yield
    finally:
        os.close(handle)


def identity(folder: Path) -> tuple[int, int] | None:
    """Return what tells a folder from another one that took its place."""
    try:
        found = folder.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def remove_shell(path: Path) -> None:
    """Remove a folder that came into being anew only because its lock was asked for."""
    found = list(path.parent.glob("*"))
    if all(p.name.endswith(".lock") for p in found):
        for lock in found:
            lock.unlink(missing_ok=True)
        path.parent.rmdir()


@contextlib.contextmanager
def names_lock(data_dir: Path, /, *, timeout: float = 30.0) -> Iterator[None]:
    """Be the only one in a data folder who gives a collection its name.

    Whoever holds it looks at the names that are taken, and then takes a new one: by making,
    renaming or importing a collection.

    Raises
    ------
    CollectionBusy
        Another process has held it for *timeout* seconds.
    NotWritable, StorageError
        The data folder cannot be written.
    """
    doing = f"making or renaming a collection in {data_dir}"
    with alone(data_dir / ".names.lock", doing, timeout=timeout):
        yield


@contextlib.contextmanager
def alone(path: Path, doing: str, /, *, timeout: float) -> Iterator[None]:
    """Hold the lock at *path*, and wait for whoever holds it.

    Parameters
    ----------
    path
        The lock file.
    doing
        What its holder does, as in "writing to FOLDER".
    timeout
        Seconds to wait.

    Raises
    ------
    CollectionBusy
        Another process has held it for *timeout* seconds.
    NotWritable, StorageError
        The lock file cannot be made.
    """
    import filelock

    lock = file_lock(path)
    with storage_errors(path):
        try:
            lock.acquire(timeout=timeout)
        except filelock.Timeout as error:
            raise CollectionBusy(
                f"Another CaseTrack process has been {doing} for over {timeout:.0f} s.",
                hint="Wait for it to finish, or stop it; then run the command again.",
            ) from error
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def try_lock(path: Path, /, *, timeout: float = 0.0) -> Iterator[bool]:
    """Hold the lock at *path* if nobody else does; yield whether it is held.

    Also ``False`` where the lock file cannot be made (a read-only folder): the caller then works
    without sharing its result.

    Parameters
    ----------
    path
        The lock file.
    timeout
        Seconds to wait for whoever holds it.
    """
    import filelock

    lock = file_lock(path)
    try:
        lock.acquire(timeout=timeout)
    except (filelock.Timeout, OSError):
        yield False
        return
    try:
        yield True
    finally:
        lock.release()
