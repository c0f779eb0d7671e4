"""Creation and removal of collection folders, and cleanup after interrupted ones.

Both use one rename, so that a collection exists completely or not at all. Windows cannot rename a
folder with an open file, such as the lock of the deleting process; there, removing
``collection.json`` removes the collection.
"""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import shutil
import time
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path

from casetrack.base.errors import CollectionDamaged, CollectionGone, See, UsageError
from casetrack.base.files import (
    IS_WINDOWS,
    private_folder,
    put_in_place,
    storage_errors,
    write_atomic,
)
from casetrack.base.objects.address import Address
from casetrack.base.records import CollectionInfo
from casetrack.store import audit, mirror
from casetrack.store.heads import FILE
from casetrack.store.info import COPY, info_lock, is_deleted, read_info, write_info
from casetrack.store.info import FILE as FACTS
from casetrack.store.lock import alone, file_locked, try_lock, write_lock
from casetrack.store.place import FILE as PLACE
from casetrack.store.place import Place, is_remote_folder, make_remote_folder, place_of
from casetrack.store.published import LISTING
from casetrack.store.sealed import GONE, recover, unfinished

UNCHOSEN_PROFILE = ".profile-unchosen"
"""File in a collection's folder until the user has chosen a profile."""
BUILDING = ".new-"
"""Prefix of a folder under construction; the collection's id follows."""
ASIDE = ".aside-"
"""Prefix of the folder of a collection that was set aside; its id follows."""
_STOPPED_SECONDS = 60.0
_LOCK_SECONDS = 10.0
_DELETE_SECONDS = 30.0
_repairs = logging.getLogger("casetrack.repairs")


def make_folder(
    home: Path,
    info: CollectionInfo,
    files: Mapping[str, bytes],
    /,
    *,
    at: Address | None = None,
    endpoint: str | None = None,
) -> None:
    """Create the folder of a new, empty collection; the caller holds the lock on names.

    *files* is the initial content by path within the folder. *at* and *endpoint* place the
    collection in object storage; see :class:`casetrack.store.place.Place`.
    """
    from casetrack.store import datasets, heads

    sweep_home(home)
    with building(home, info.id) as folder:
        if at is not None:
            _require_empty(make_remote_folder(folder, at, endpoint))
        datasets.create(folder, info.dimension, profile=info.profile)
        opened = (datasets.open_dataset(folder, n) for n in (datasets.DOCUMENTS, datasets.CHUNKS))
        heads.note(folder, *opened)
        for path, content in files.items():
            write_atomic(folder / path, content)
        write_info(folder, info)
        mirror.publish(folder, lambda _path: True, first=True)
        with storage_errors(home):
            folder.rename(home / info.id)


def _require_empty(place: Place) -> None:
    """Refuse an address that is not empty."""
    entry = next(place.objects.list(""), None)
    if entry is not None:
        is_one = place.objects.get(LISTING) is not None
        what = "a collection" if is_one else f"something else ({entry.key})"
        raise UsageError(
            f"{place.uri} already contains {what}.",
            hint=f"Attach it with {See('collection attach', place.uri)}."
            if is_one
            else "Choose an empty folder of the bucket.",
        )


def attach_folder(home: Path, address: Address, endpoint: str | None = None, /) -> Path:
    """Create the local folder of a remote collection, or return the existing one."""
    known = attached(home, address)
    if known is not None:
        return known
    sweep_home(home)
    with building(home, str(uuid.uuid4())) as folder:
        place = make_remote_folder(folder, address, endpoint)
        try:
            mirror.pull(folder, now=True)
            info = read_info(folder)
        except CollectionGone as error:
            raise UsageError(
                f"There is no collection at {address}.",
                hint="Check the address, or create one there: "
                f"{See('collection create', 'NAME', at=address)}.",
            ) from error
        target = home / info.id
        if (target / GONE).exists():
            raise UsageError(
                f'Some files of the collection "{info.name}", which was detached, are still in '
                f"use: {target}",
                hint="Close the programs that use them, then attach it again.",
            )
        if target.exists():
            other = place_of(target)
            raise UsageError(
                f'The collection "{info.name}" of {place.uri} is already attached, as {other.uri}.',
                hint=f"Remove one of the two: {See('collection detach')}, or `delete`.",
            )
        with storage_errors(home):
            folder.rename(target)
    return target


def local_folder(place: Place, home: Path, /) -> Path:
    """Return the local folder of a collection; for an address, attach it in *home* if necessary."""
    if place.address is None:
        return place.folder
    return attach_folder(home, place.address, place.endpoint)


def attached(home: Path, address: Address, /) -> Path | None:
    """Return the local folder of the remote collection at an address, if there is one."""
    for path in sorted(home.glob(f"[!.]*/{PLACE}")):
        with contextlib.suppress(CollectionDamaged):
            if place_of(path.parent).address == address:
                return path.parent
    return None


def detach_folder(home: Path, info: CollectionInfo, /) -> None:
    """Remove the local folder of a remote collection, which stays unchanged."""
    if not place_of(home / info.id).is_remote:
        raise UsageError(
            f'The collection "{info.name}" is stored in this data folder, not in object storage.',
            hint=f"To delete it with all its data: {See('collection delete')}.",
        )
    _remove_collection_folder(home, info, "collection detached")


@contextlib.contextmanager
def building(home: Path, collection_id: str, /) -> Iterator[Path]:
    """Create a folder for a new collection; the caller renames it when it is complete.

    The folder is removed after an error, and after a crash by the next process: a lock file next to
    it shows whether its creator still runs.
    """
    folder = home / f"{BUILDING}{collection_id}"
    lock = _making_lock(home, collection_id)
    with storage_errors(home):
        private_folder(home)
    with alone(lock, f"creating a collection in {home}", timeout=_LOCK_SECONDS):
        try:
            with storage_errors(home):
                private_folder(folder, new=True)
            yield folder
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        finally:
            _remove_lock(lock)
    if IS_WINDOWS:
        _remove_lock(lock)


def settle_building(folder: Path, /) -> None:
    """Remove the lock file of a completed creation, in case its creator was killed."""
    with contextlib.suppress(OSError):  # Windows: the creator is about to remove it
        _making_lock(folder.parent, folder.name).unlink(missing_ok=True)


def _remove_lock(lock: Path) -> None:
    """Remove a lock file while it is held; on Windows after its release, if no one holds it."""
    with contextlib.suppress(OSError):
        lock.unlink(missing_ok=True)


def _making_lock(home: Path, collection_id: str) -> Path:
    return home / f"{BUILDING}{collection_id}.lock"


def remove_collection(home: Path, info: CollectionInfo, /) -> None:
    """Remove a collection once no process writes to it."""
    place = place_of(home / info.id)
    if place.is_remote:
        with (
            contextlib.suppress(CollectionGone),
            write_lock(home / info.id, timeout=_DELETE_SECONDS),
        ):
            audit.note(home / info.id, "collection deleted")
            # Without its list of files the collection no longer exists; the rest is cleanup.
            place.objects.remove(LISTING)
        for entry in list(place.objects.list("")):
            place.objects.remove(entry.key)
    _remove_collection_folder(home, info, "" if place.is_remote else "collection deleted")


def set_aside(home: Path, info: CollectionInfo, /) -> None:
    """Hide a collection once no process writes to it; :func:`put_back` shows it again."""
    with file_locked(home / info.id, timeout=_DELETE_SECONDS):
        audit.note(home / info.id, "collection set aside")
    # After the lock, because Windows cannot rename a folder with an open file.
    with storage_errors(home / info.id):
        (home / info.id).rename(home / f"{ASIDE}{info.id}")


def put_back(home: Path, info: CollectionInfo, /) -> None:
    """Show a collection again that was set aside."""
    with storage_errors(home / info.id):
        if not (home / info.id / FACTS).exists():  # a page under way may have written to it
            shutil.rmtree(home / info.id, ignore_errors=True)
        (home / f"{ASIDE}{info.id}").rename(home / info.id)
    audit.note(home / info.id, "collection put back")


def _remove_collection_folder(home: Path, info: CollectionInfo, action: str) -> None:
    # A unique name: an earlier folder of this id may still wait for its removal.
    doomed = home / f".deleted-{info.id}-{secrets.token_hex(4)}"
    with file_locked(home / info.id, timeout=_DELETE_SECONDS), storage_errors(home / info.id):
        if action:
            audit.note(home / info.id, action)
        # One rename removes the collection completely; the rest is cleanup.
        try:
            (home / info.id).rename(doomed)
        except PermissionError:
            doomed = home / info.id
            # From here on the local folder of a remote collection is an ordinary folder.
            (doomed / PLACE).unlink(missing_ok=True)
            with info_lock(doomed):
                remove_in_place(doomed)
    _remove(doomed)
    if doomed.exists():
        _repairs.warning(
            'The collection "%s" is deleted, but some of its files are still in use; they are '
            "removed when the next collection is created or deleted: %s",
            info.name,
            doomed,
        )
    sweep_home(home)


def settle_sealed(home: Path, /) -> None:
    """Complete the sealing or unsealing that killed programs left unfinished."""
    try:
        names = os.listdir(home)  # noqa: PTH208 - hot
    except OSError:
        return
    for collection_id in unfinished(names, BUILDING):
        lock = _making_lock(home, collection_id)
        with try_lock(lock) as is_dead:
            if is_dead:
                recover(home, collection_id, home / f"{BUILDING}{collection_id}")
                with contextlib.suppress(OSError):
                    lock.unlink(missing_ok=True)


def remove_in_place(folder: Path, /) -> None:
    """Remove a collection whose folder cannot be moved; the caller holds the lock on its facts."""
    (folder / COPY).unlink(missing_ok=True)
    put_in_place(folder / FACTS, folder / GONE)


def _remove(folder: Path) -> None:
    """Remove the folder of a removed collection; log files that are still in use."""
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            elif path.name != GONE:
                with contextlib.suppress(OSError):
                    path.unlink()
        if [path.name for path in folder.iterdir()] in ([GONE], []):
            shutil.rmtree(folder, ignore_errors=True)


def sweep_home(home: Path, /) -> None:
    """Remove folders of collections whose creation or deletion was interrupted."""
    settle_sealed(home)
    for folder in home.glob("[!.]*"):
        if is_deleted(folder):
            _remove(folder)
    swept = sum(_sweep(folder) for folder in home.glob(".deleted-*"))
    for name in {p.name.removesuffix(".lock") for p in home.glob(f"{BUILDING}*")}:
        lock = home / f"{name}.lock"
        with try_lock(lock) as is_dead:
            if is_dead:
                swept += _sweep(home / name)
                _remove_lock(lock)
        if is_dead and IS_WINDOWS:
            _remove_lock(lock)
    if swept:
        _repairs.warning(
            "Cleaned up after a stopped program: removed the files of %d %s that were deleted or "
            "incomplete.",
            swept,
            "collection" if swept == 1 else "collections",
        )


def _sweep(folder: Path) -> bool:
    """Remove a folder; return whether a stopped program had left it."""
    with contextlib.suppress(FileNotFoundError):
        # A recent one may belong to a deletion in progress.
        is_old = time.time() - folder.stat().st_mtime >= _STOPPED_SECONDS
        shutil.rmtree(folder, ignore_errors=True)
        return is_old and not folder.exists()
    return False


def commit_stamp(folder: Path, /) -> tuple[int, ...]:
    """Return a value that changes with every known commit; costs two file status calls."""
    times, is_here = [], not is_remote_folder(folder)
    for name in ("documents.lance/_versions", "chunks.lance/_versions") if is_here else (FILE,):
        try:
            times.append((folder / name).stat().st_mtime_ns)
        except OSError:
            times.append(0)
    return tuple(times)
