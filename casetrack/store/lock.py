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
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from casetrack.store.place import place_of
from casetrack.store.published import raise_fence
from casetrack.store.sealed import gone
from casetrack.store.wipe import GONE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import filelock

    from casetrack.store.place import Place

# One writer at a time to a collection elsewhere, where there are no locks of an operating
# system.
#
# Whoever writes holds a lease: the object ``lease.json``, replaced on the condition that nobody
# else was faster, and renewed as long as its process lives. Computers need not agree on the time: a
# lease counts as expired once it has stood unchanged for as long as it lasts by the clock of who
# waits for it. A process that dies holds nobody up for longer; and nobody at all on its own
# computer, where the lock of the system tells that it is dead.
#
# A writer that was only frozen may wake up and go on. Two things keep it from harm: it asks for its
# lease before each commit, and whoever took over has put a version on both datasets that no commit
# begun before can go past (Lance's *restore*, of the version that was the newest anyway). Its
# number is also written into the list of files, see :func:`casetrack.store.mirror.publish`.

FILE = "lease.json"
"""The object."""
SECONDS = 30.0
"""How long a lease lasts without being renewed."""
_RENEWALS = 3.0
"""So often is it renewed in that time."""
_POLL_SECONDS = 0.5
_FENCE_TRIES = 20
_BOOT = Path("/proc/sys/kernel/random/boot_id")
_DATASETS = ("documents.lance", "chunks.lance")
_held: dict[Path, Lease] = {}


@dataclass(frozen=True, slots=True)
class _State:
    """What the object says.

    Attributes
    ----------
    number
        Counts the leases; the fence of who holds it.
    holder
        Who holds it, by a name of its own; empty where nobody does.
    home
        The folder, computer and run of the system that the holder is on.
    who
        The same for people.
    renewed
        Counts the renewals, so that each changes the object.
    """

    number: int = 0
    holder: str = ""
    home: str = ""
    who: str = ""
    renewed: int = 0

    def content(self) -> bytes:
        return json.dumps(asdict(self)).encode("ascii")


class Lease:
    """A lease that is held; see :func:`writing`."""

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
        """Its number: higher than that of every lease before it."""
        return self._state.number

    def confirm(self) -> None:
        """Make sure that it is still held.

        Raises
        ------
        WriterReplaced
            Another writer took over.
        ObjectStorageError
            The place cannot be asked.
        """
        if not self._lost:
            state, _ = _read(self.place)
            self._lost = state.holder != self._state.holder
        if self._lost:
            raise WriterReplaced(self.place.uri)

    def _renew(self) -> None:
        while not self._ended.wait(SECONDS / _RENEWALS):
            # What cannot be asked now is asked again; before a commit it has to be certain.
            with contextlib.suppress(ObjectStorageError), self._guard:
                if self._ended.is_set():
                    return
                self._replace(replace(self._state, renewed=self._state.renewed + 1))
                if self._lost:
                    return

    def _replace(self, wanted: _State) -> None:
        tag = self.place.objects.swap(FILE, wanted.content(), self._tag)
        if tag is None:
            # Taken over; or it was written, and the answer was lost.
            found, seen = _read(self.place)
            if found.holder != self._state.holder or seen is None:
                self._lost = True
                return
            wanted, tag = found, seen
        self._state, self._tag = wanted, tag

    def release(self) -> None:
        """Give it back; where that cannot be, it expires."""
        self._ended.set()
        with self._guard, contextlib.suppress(ObjectStorageError):
            if not self._lost:
                state = _State(number=self._state.number)
                self.place.objects.swap(FILE, state.content(), self._tag)


@contextlib.contextmanager
def writing(
    folder: Path, /, *, deadline: float = math.inf, cancel: threading.Event | None = None
) -> Iterator[None]:
    """Be the only one who writes to a collection elsewhere; nothing for one that is here.

    The caller holds the collection's lock on this computer. What was changed is published at the
    end; after an error it is not, as if this process had died.

    Parameters
    ----------
    folder
        The collection's folder.
    deadline
        Until when others are waited for, by the monotonic clock.
    cancel
        Set it to stop waiting.

    Raises
    ------
    CollectionBusy
        Another computer still writes then.
    JobStopped
        *cancel* was set while others were writing.
    WriterReplaced
        Nothing was heard of this process for so long that another writer took over.
    CollectionGone, CollectionDamaged, ObjectStorageError
        The place cannot be used.
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
    """Make sure that this process still is the writer; nothing for a collection that is here.

    Call it after a dataset was opened and before a commit that is based on it.

    Raises
    ------
    WriterReplaced, ObjectStorageError
        See :meth:`Lease.confirm`.
    """
    lease = _held.get(folder)
    if lease is not None:
        lease.confirm()


def publish_now(folder: Path, paths: Iterable[str], /) -> None:
    """Let some files of the writer count before it goes on; nothing for a collection that is here.

    Raises
    ------
    WriterReplaced, CollectionBusy, ObjectStorageError
        See :func:`casetrack.store.mirror.publish`.
    """
    lease = _held.get(folder)
    if lease is not None:
        wanted = frozenset(paths)
        mirror.publish(folder, wanted.__contains__, fence=lease.number)


def _take(place: Place, deadline: float, cancel: threading.Event | None) -> tuple[Lease, bool]:
    """Take the lease once nobody holds it; say too whether its last holder gave it back."""
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
        # Whoever has this computer's lock knows that a holder from here is dead.
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
        raise JobStopped(
            "Stopped while waiting for another program that writes to this collection; "
            "nothing was done.",
            hint="Run the same command again to go on.",
        )
    if time.monotonic() > deadline:
        raise CollectionBusy(
            f"Another computer is writing to {place.uri}: {state.who}.",
            hint="Wait for it to finish, or stop it; then run the command again.",
        )
    time.sleep(min(_POLL_SECONDS, SECONDS / 10))


def _read(place: Place) -> tuple[_State, str | None]:
    """Return the state of the lease and its tag; that of nobody where it was never taken."""
    found = place.objects.get(FILE)
    if found is None:
        return _State(), None
    try:
        raw = json.loads(found.data)
        state = _State(
            int(raw["number"]),
            str(raw["holder"]),
            str(raw["home"]),
            str(raw["who"]),
            int(raw["renewed"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise StorageError(
            f"{place.uri}/{FILE}, which says who writes, is damaged.",
            hint="Make sure that nobody writes to the collection, and remove that object.",
        ) from error
    return state, found.tag


def _fence(place: Place, number: int) -> None:
    """Put a version on both datasets that no commit can go past which was begun before.

    Any change since makes Lance refuse a commit that is based on an earlier version, if that change
    is a *restore*; and to restore the newest version changes nothing else.
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
    """Return what stands for a folder on this computer, as long as its system runs."""
    try:
        boot = _BOOT.read_text("ascii").strip()
    except OSError:
        boot = ""
    facts = folder.stat()
    parts = [socket.gethostname(), boot, str(folder.resolve()), facts.st_dev, facts.st_ino]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24] if boot else ""


_WAIT_SECONDS = 0.05
_NO_LOCKS = {errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP}


@contextlib.contextmanager
def write_lock(
    folder: Path, /, *, timeout: float = 600.0, cancel: threading.Event | None = None
) -> Iterator[None]:
    """Hold the collection's write lock; writers queue up.

    The lock is that of :func:`file_locked`. Of a collection elsewhere a lease is held as well, see
    :mod:`casetrack.store.lock`, and what was changed here is published at the end.

    Parameters
    ----------
    folder, timeout, cancel
        See :func:`file_locked`.

    Raises
    ------
    CollectionBusy, CollectionGone, JobStopped
        See :func:`file_locked`.
    WriterReplaced, ObjectStorageError
        See :func:`casetrack.store.lock.writing`.
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
            hint="Choose a folder on a disk of this computer with CASETRACK_HOME. Or with "
            f"{Opt(data_dir='FOLDER')}.",
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
                time.sleep(_WAIT_SECONDS)
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
