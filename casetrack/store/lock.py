"""One writer per collection at a time; a dead process holds no lock."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import math
import os
import secrets
import socket
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.base.dataclass import asdict, dataclass, replace
from casetrack.base.errors import (
    CollectionBusy,
    JobStopped,
    ObjectStorageError,
    Opt,
    StorageError,
    WriterReplaced,
)
from casetrack.base.files import storage_errors
from casetrack.store import mirror
from casetrack.store.place import Place, place_of
from casetrack.store.published import raise_fence
from casetrack.store.sealed import GONE, gone

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import filelock


# Remote collections have no operating-system locks, so a writer holds a lease: the object
# ``lease.json``, replaced with a conditional write and renewed while its process runs. Clocks need
# not agree: a waiting writer treats a lease as expired once it has seen it unchanged for the full
# duration on its own clock. A writer on the same computer need not wait: the local lock already
# shows that the previous holder is dead. A suspended writer may resume after its lease expired. Two
# checks protect the data: it confirms its lease before each commit, and the next writer runs
# Lance's *restore* on the newest version of both datasets, which no earlier commit can pass. The
# lease number is also written into the list of files, see :func:`casetrack.store.mirror.publish`.

FILE = "lease.json"
"""Key of the lease object."""
SECONDS = 30.0
"""Seconds until a lease that is not renewed expires."""
_RENEWALS = 3.0
"""Renewals within the duration of a lease."""
_POLL_SECONDS = 0.5
_FENCE_TRIES = 20
_BOOT = Path("/proc/sys/kernel/random/boot_id")
_DATASETS = ("documents.lance", "chunks.lance")
_held: dict[Path, Lease] = {}


@dataclass(frozen=True, slots=True)
class _State:
    """Content of the lease object.

    Attributes
    ----------
    number
        Counts the leases; the holder's fencing number.
    holder
        Random name of the holder; empty if the lease is free.
    home
        Digest of the holder's folder, computer and boot; empty if unknown.
    """

    number: int = 0
    holder: str = ""
    home: str = ""
    who: str = ""
    renewed: int = 0

    def content(self) -> bytes:
        return json.dumps(asdict(self)).encode("ascii")


class Lease:
    """A lease that this process holds; see :func:`writing`."""

    def __init__(self, place: Place, state: _State, tag: str) -> None:
        self.place = place
        self._state, self._tag = state, tag
        self._ended = threading.Event()
        self._lost = False
        self._guard = threading.Lock()
        name = f"lease of {place.uri}"
        self._thread = threading.Thread(target=self._renew, name=name, daemon=True)
        self._thread.start()

    @property
    def number(self) -> int:
        """Fencing number, higher than that of every earlier lease."""
        return self._state.number

    def confirm(self) -> None:
        """Check that this process still holds the lease."""
        if not self._lost:
            state, _ = _read(self.place)
            self._lost = state.holder != self._state.holder
        if self._lost:
            raise WriterReplaced(self.place.uri)

    def _renew(self) -> None:
        while not self._ended.wait(SECONDS / _RENEWALS):
            # A failed renewal is retried; before a commit, `confirm` reports the error.
            with contextlib.suppress(ObjectStorageError), self._guard:
                if self._ended.is_set():
                    return
                self._replace(replace(self._state, renewed=self._state.renewed + 1))
                if self._lost:
                    return

    def _replace(self, wanted: _State) -> None:
        tag = self.place.objects.swap(FILE, wanted.content(), self._tag)
        if tag is None:
            # Another writer took over, or the write succeeded and its response was lost.
            current, seen = _read(self.place)
            if current.holder != self._state.holder or seen is None:
                self._lost = True
                return
            wanted, tag = current, seen
        self._state, self._tag = wanted, tag

    def release(self) -> None:
        """Release the lease; if the storage is not reachable, the lease expires."""
        self._ended.set()
        with self._guard, contextlib.suppress(ObjectStorageError):
            if not self._lost:
                state = _State(number=self._state.number)
                self.place.objects.swap(FILE, state.content(), self._tag)


@contextlib.contextmanager
def writing(
    folder: Path, /, *, deadline: float = math.inf, cancel: threading.Event | None = None
) -> Iterator[None]:
    """Hold the lease of a remote collection, then publish the changed files.

    Does nothing for a local collection. The caller holds the local lock. After an error nothing is
    published, as after a crash. *deadline* is a time of the monotonic clock.

    Raises
    ------
    CollectionBusy
        Another computer still holds the lease at *deadline*.
    JobStopped
        *cancel* was set while waiting.
    WriterReplaced
        The lease expired and another writer took over.
    """
    place = place_of(folder)
    if not place.is_remote:
        yield
        return
    lease, is_orderly = _take(place, deadline, cancel)
    try:
        if not is_orderly:
            _fence(place, lease.number)
        mirror.pull(folder, now=True, settle=mirror.of_writer)
        _held[folder] = lease
        yield
        lease.confirm()
        mirror.publish(folder, mirror.of_writer, fence=lease.number)
    finally:
        _held.pop(folder, None)
        lease.release()
        mirror.touched(folder)


def confirm(folder: Path, /) -> None:
    """Check before a commit, after opening its base, that this process still holds the lease."""
    lease = _held.get(folder)
    if lease is not None:
        lease.confirm()


def publish_now(folder: Path, paths: Iterable[str], /) -> None:
    """Publish some of the writer's files at once; does nothing for a local collection."""
    lease = _held.get(folder)
    if lease is not None:
        wanted = frozenset(paths)
        mirror.publish(folder, wanted.__contains__, fence=lease.number)


def _take(place: Place, deadline: float, cancel: threading.Event | None) -> tuple[Lease, bool]:
    """Wait for the lease and take it; also return whether its last holder released it."""
    home = _home(place.folder)
    mine = _State(
        holder=secrets.token_hex(12),
        home=home,
        who=f"{socket.gethostname()}, process {os.getpid()}",
    )
    seen, since, is_orderly = None, time.monotonic(), False
    while True:
        state, tag = _read(place)
        if tag is not None and state.holder == mine.holder:
            return Lease(place, state, tag), is_orderly
        if tag != seen:
            seen, since = tag, time.monotonic()
        # This process holds the local lock, so a previous holder on this computer is dead.
        is_free = not state.holder
        if is_free or (home and state.home == home) or time.monotonic() - since > SECONDS:
            is_orderly = is_free
            wanted = replace(mine, number=state.number + 1)
            made = place.objects.swap(FILE, wanted.content(), tag)
            if made is not None:
                return Lease(place, wanted, made), is_orderly
            continue
        _wait(place, state, deadline, cancel)


def _wait(place: Place, state: _State, deadline: float, cancel: threading.Event | None) -> None:
    if cancel is not None and cancel.is_set():
        raise _stopped(_WRITER)
    if time.monotonic() > deadline:
        raise _busy(f"Another computer is writing to {place.uri}: {state.who}.")
    time.sleep(min(_POLL_SECONDS, SECONDS / 10))


def _read(place: Place) -> tuple[_State, str | None]:
    """Return state and tag of the lease; before the first lease, an empty state and ``None``."""
    stored = place.objects.get(FILE)
    if stored is None:
        return _State(), None
    try:
        raw = json.loads(stored.data)
        state = _State(
            int(raw["number"]),
            str(raw["holder"]),
            str(raw["home"]),
            str(raw["who"]),
            int(raw["renewed"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise StorageError(
            f"The writer's lease {place.uri}/{FILE} is damaged.",
            hint="Make sure that no program writes to the collection, then remove that object.",
        ) from error
    return state, stored.tag


def _fence(place: Place, number: int) -> None:
    """Restore the newest version of both datasets, so that commits begun earlier fail.

    Lance refuses a commit that is based on a version before a *restore*. Restoring the newest
    version changes nothing else.
    """
    import lance

    raise_fence(place, number)
    for name in _DATASETS:
        where = place.dataset(name)
        for left in reversed(range(_FENCE_TRIES)):
            with storage_errors(where):
                try:
                    newest: Any = lance.dataset(where, storage_options=place.options)
                    newest.restore()
                    break
                except (OSError, RuntimeError) as error:
                    if not left or "onflict" not in str(error):
                        raise


def _home(folder: Path) -> str:
    """Return a digest of folder, computer and boot; empty where the boot id is unknown."""
    try:
        boot = _BOOT.read_text("ascii").strip()
    except OSError:
        boot = ""
    facts = folder.stat()
    parts = [socket.gethostname(), boot, str(folder.resolve()), facts.st_dev, facts.st_ino]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24] if boot else ""


_WAIT_SECONDS = 0.05
_OTHER, _WRITER = "Another CaseTrack process", "program that writes to this collection"
_NO_LOCKS = {errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP}


@contextlib.contextmanager
def write_lock(
    folder: Path, /, *, timeout: float = 600.0, cancel: threading.Event | None = None
) -> Iterator[None]:
    """Hold the collection's write lock, and for a remote collection its lease."""
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
    """Hold the local write lock of a collection's folder; waiting writers queue.

    These are operating-system locks on a file and on the folder, so they end with the process.
    *timeout* is in seconds; a negative number waits without limit.

    Raises
    ------
    CollectionBusy
        Another process still writes after *timeout* seconds.
    CollectionGone, CollectionSealed
        The collection was deleted or sealed, perhaps while waiting.
    JobStopped
        *cancel* was set while waiting.
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
    """Return an unacquired operating-system lock at *path*.

    ``filelock`` would fall back to marker files where a file system has no locks. A process that
    dies leaves those behind, so the fallback is off.
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
    """Acquire the lock file, then the folder; *held* releases both.

    A waiting writer holds the queue lock. A writer that comes back repeatedly must wait for it too,
    so it cannot starve the others.
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
            raise _stopped(_WRITER) from error
        raise _busy(f"{_OTHER} has been writing to {folder} for over {timeout:.0f} s.") from error
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        raise StorageError(
            f"The drive of {folder} cannot lock files, so two programs could write there at the "
            "same time and damage the collection.",
            hint="Choose a folder on a disk of this computer with CASETRACK_HOME. Or with "
            f"{Opt(data_dir='FOLDER')}.",
        ) from error


@contextlib.contextmanager
def _folder_lock(folder: Path, deadline: float, cancel: threading.Event | None) -> Iterator[None]:
    """Lock the folder too, because a lock file can be deleted while it is held.

    The next writer would create a new lock file and write at the same time. Windows protects an
    open lock file from deletion, and cannot lock folders.
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
                time.sleep(_WAIT_SECONDS)
            except OSError:
                break  # a network drive that locks only files
        yield
    finally:
        os.close(handle)


def identity(folder: Path) -> tuple[int, int] | None:
    """Return device and inode of a folder, which differ if another folder replaces it."""
    try:
        status = folder.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def remove_shell(path: Path) -> None:
    """Remove a folder that acquiring its lock created and that contains nothing else."""
    entries = list(path.parent.glob("*"))
    if all(p.name.endswith(".lock") for p in entries):
        for lock in entries:
            lock.unlink(missing_ok=True)
        path.parent.rmdir()


@contextlib.contextmanager
def names_lock(data_dir: Path, /, *, timeout: float = 30.0) -> Iterator[None]:
    """Hold the lock on the collection names of a data folder, before names are read and set."""
    doing = f"creating or renaming a collection in {data_dir}"
    with alone(data_dir / ".names.lock", doing, timeout=timeout):
        yield


@contextlib.contextmanager
def alone(
    path: Path,
    doing: str,
    /,
    *,
    timeout: float,
    cancel: threading.Event | None = None,
    whom: str = _WRITER,
) -> Iterator[None]:
    """Hold a lock of files that several processes change.

    *doing* and *whom* describe the work and the program in the errors ``CollectionBusy``, after
    *timeout* seconds, and ``JobStopped``, if *cancel* is set.
    """
    import filelock

    lock = file_lock(path)
    with storage_errors(path):
        try:
            lock.acquire(timeout=timeout, cancel_check=cancel.is_set if cancel else None)
        except filelock.Timeout as error:
            if cancel is not None and cancel.is_set():
                raise _stopped(whom) from error
            for_long = f"has been {doing} for over {timeout:.0f} s" if timeout else f"is {doing}"
            raise _busy(f"{_OTHER} {for_long}.") from error
    try:
        yield
    finally:
        lock.release()


def _busy(message: str) -> CollectionBusy:
    hint = "Wait for it to finish, or stop it; then run the command again."
    return CollectionBusy(message, hint=hint)


def _stopped(whom: str) -> JobStopped:
    return JobStopped(
        f"Stopped while waiting for another {whom}; nothing was done.",
        hint="Run the same command again to go on.",
    )


@contextlib.contextmanager
def try_lock(path: Path, /, *, timeout: float = 0.0) -> Iterator[bool]:
    """Try to hold the lock file at *path*; yield whether it is held (not in a read-only folder)."""
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
