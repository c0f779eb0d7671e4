"""Copies on this computer of what a collection elsewhere holds beside its datasets.

Small files (``collection.json``, marks, notes of snapshots, ...) are copied as soon as the list of
those that count has changed (:mod:`casetrack.store.published`), files of views when they are asked
for. Each copy is compared with its digest. What was changed here is published under the lock that
it was changed under; what lies here unpublished, because its writer was killed, is taken back by
the next one who has that lock.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base.errors import (
    CaseTrackError,
    CollectionBusy,
    CollectionDamaged,
    CollectionGone,
    See,
    WriterReplaced,
)
from casetrack.base.files import private_folder, replacement, storage_errors, write_atomic
from casetrack.store.facts import sealed, unsealed
from casetrack.store.place import place_of
from casetrack.store.published import (
    LISTING,
    RECORD,
    TRIES,
    Item,
    Listing,
    busy,
    is_shared,
    published,
    published_since,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from casetrack.store.place import Place

# Which copies a folder has of a collection elsewhere; see :mod:`casetrack.store.mirror`.

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


FRESH_SECONDS = 1.0
"""What was looked at so short a while ago is not asked for again."""
_INFO = (
    *("collection.json", ".collection.json.bak", "sources.json", "untaken.json"),
    ".profile-unchosen",
)
_MEND = (
    f"Run {See('doctor', repair=True)} on the collection, or bring back that object from a backup."
)
_looked: dict[Path, float] = {}
_changes: dict[Path, int] = {}
_received: set[tuple[Path, str]] = set()
"""Objects that another process sent for this one to publish, by folder and key."""
_repairs = logging.getLogger("casetrack.repairs")


def of_info(path: str, /) -> bool:
    """Whether the lock on a collection's own facts is for a file."""
    return path.startswith(("queries/", "pipelines/", "collection.json")) or path in _INFO


def of_marks(path: str, /) -> bool:
    """Whether the lock on marks is for a file."""
    return path.startswith("marks/")


def of_writer(path: str, /) -> bool:
    """Whether the write lock is for a file."""
    return not of_info(path) and not of_marks(path)


# --- looking -----------------------------------------------------------------------------------


def changes_seen(folder: Path, /) -> int:
    """Return what changes whenever this process has changed the collection."""
    return _changes.get(folder, 0)


def touched(folder: Path, /) -> None:
    """Let the next reader of this process look again, however short a while ago it did."""
    _looked.pop(folder, None)
    _changes[folder] = _changes.get(folder, 0) + 1


def pull(
    folder: Path, /, *, now: bool = False, settle: Callable[[str], bool] | None = None
) -> None:
    """Copy the small files that have changed elsewhere; nothing for a collection that is here.

    Parameters
    ----------
    folder
        The collection's folder.
    now
        Look, however short a while ago this process did.
    settle
        Take back what lies here unpublished of the files that it tells: the caller has their lock.

    Raises
    ------
    CollectionGone
        It was deleted where it lay.
    CollectionDamaged, ObjectStorageError
        It cannot be read there.
    """
    place = place_of(folder)
    if not place.is_remote:
        return
    if not now and time.monotonic() - _looked.get(folder, float("-inf")) < FRESH_SECONDS:
        return
    with alone(folder):
        record = Record.of(folder)
        is_known = record.tag is not None and settle is None
        listing = published_since(place, record.tag or "") if is_known else published(place)
        _looked[folder] = time.monotonic()
        if listing is not None:
            listing = _copied(place, record, listing, lambda p: not p.startswith(VIEWS), settle)
            gone = [
                path
                for path in record.files
                if not path.startswith(VIEWS) and path not in listing.files
            ]
            if settle:
                gone += [
                    path
                    for path in present(folder, views=False)
                    if path not in listing.files and settle(path)
                ]
            for path in gone:
                (folder / path).unlink(missing_ok=True)
                record.files.pop(path, None)
            record.tag = listing.tag
            record.keep()


def bring(folder: Path, home: str, /) -> bool:
    """Copy the files of a view that are there and not here; nothing for a collection that is here.

    Parameters
    ----------
    folder
        The collection's folder.
    home
        Folder of the view in it, such as ``views/index``.

    Returns
    -------
    bool
        Whether the collection lies elsewhere.

    Raises
    ------
    CollectionGone, CollectionDamaged, ObjectStorageError
        See :func:`pull`.
    """
    place = place_of(folder)
    if not place.is_remote:
        return False
    with alone(folder):
        record, listing = Record.of(folder), published(place)
        try:
            _copied(place, record, listing, lambda path: path.startswith(f"{home}/"), None)
        except CollectionDamaged as damage:
            # A view is only a copy of what the datasets say: what is not here is made anew.
            _repairs.warning("A part of a view is damaged, and is made anew: %s", damage.message)
        record.keep()
    return True


def _disown(folder: Path, scope: Callable[[str], bool]) -> None:
    """Let what was changed here and could not be published be replaced by what counts."""
    with contextlib.suppress(CaseTrackError), alone(folder):
        record = Record.of(folder)
        for path in _changed(folder, record, scope)[0]:
            record.files[path] = ("", [])
        record.tag = None
        record.keep()
    touched(folder)


def _copied(
    place: Place,
    record: Record,
    listing: Listing,
    wanted: Callable[[str], bool],
    settle: Callable[[str], bool] | None,
) -> Listing:
    """Copy files of a listing, or of the newest where they were replaced meanwhile; return it."""
    while True:
        files = {path: item for path, item in listing.files.items() if wanted(path)}
        try:
            _copy(place, record, files, settle)
        except _Gone as error:
            newest = published(place)
            if newest.files.get(error.path) == files[error.path]:
                raise CollectionDamaged(
                    f"{place.uri}/{files[error.path].key} is gone, though the collection's list of "
                    "files names it.",
                    hint=_MEND,
                ) from error
            listing = newest
            continue
        return listing


class _Gone(Exception):
    """An object is not there (any more)."""

    def __init__(self, path: str) -> None:
        self.path = path


def _copy(
    place: Place, record: Record, wanted: dict[str, Item], settle: Callable[[str], bool] | None
) -> None:
    """Copy those of some files that are not here, or are not what counts."""
    folder = place.folder
    # Of a view, what names the others comes last.
    for path, item in sorted(wanted.items(), key=lambda pair: -pair[0].count("/")):
        digest, looks = record.files.get(path, ("", []))
        target = folder / path
        if digest == item.digest:
            # Changed here and not published: by somebody at work, or who was killed.
            is_mine = settle is not None and settle(path)
            lacks = path.startswith((VIEWS, _INFO[0])) and not target.exists()
            if not lacks and not (is_mine and looks != looks_of(target)):
                continue
        elif is_whole(target, item):
            record.files[path] = (item.digest, looks_of(target))
            continue
        _fetch(place, path, item)
        record.files[path] = (item.digest, looks_of(target))


def _fetch(place: Place, path: str, item: Item) -> None:
    """Write an object into a file, once it is found to be what was published."""
    target = place.folder / path
    with storage_errors(target):
        private_folder(target.parent)
        with replacement(target, durable=False) as temporary:
            if not place.objects.fetch(item.key, temporary):
                raise _Gone(path)
            if not is_whole(temporary, item):
                raise CollectionDamaged(
                    f"{place.uri}/{item.key} is not what was written there.", hint=_MEND
                )


# --- publishing --------------------------------------------------------------------------------


@contextlib.contextmanager
def shared(folder: Path, scope: Callable[[str], bool], /) -> Iterator[None]:
    """Change small files that others have copies of; the caller has their lock on this computer.

    Nothing for a collection that is here.

    Raises
    ------
    CollectionBusy
        Another computer changed one of them at the same moment; here nothing is changed.
    CollectionGone, CollectionDamaged, ObjectStorageError
        See :func:`pull`.
    """
    pull(folder, now=True, settle=scope)
    yield
    try:
        publish(folder, scope)
    except CaseTrackError:
        _disown(folder, scope)
        raise


def publish(
    folder: Path, scope: Callable[[str], bool], /, *, fence: int | None = None, first: bool = False
) -> None:
    """Let those files count that were changed here; nothing for a collection that is here.

    Parameters
    ----------
    folder
        The collection's folder.
    scope
        Which files.
    fence
        Number of the writer that publishes.
    first
        The collection is new: nothing may be there yet.

    Raises
    ------
    CollectionBusy
        Another computer changed one of them at the same moment.
    WriterReplaced
        Another writer took over.
    CollectionGone, CollectionDamaged, ObjectStorageError
        See :func:`pull`.
    """
    place = place_of(folder)
    if not place.is_remote:
        return
    with alone(folder):
        record = Record.of(folder)
        changed, gone = _changed(folder, record, scope)
        if not changed and not gone and not first:
            return
        for path, item in changed.items():
            if (folder, item.key) not in _received:
                place.objects.send(item.key, folder / path)
        listing = _switch(place, record, changed, gone, fence=fence, first=first)
        for path, item in changed.items():
            record.files[path] = (item.digest, looks_of(folder / path))
            _received.discard((folder, item.key))
        for path in gone:
            record.files.pop(path, None)
        record.tag = listing.tag
        record.keep()
    touched(folder)


def send(folder: Path, homes: Iterable[str], /) -> dict[str, Item]:
    """Send the files of views to where the collection lies, for another process to publish.

    Nothing for a collection that is here. Nobody reads what is not in the list of those that
    count, and upkeep removes it after a while.

    Parameters
    ----------
    folder
        The collection's folder.
    homes
        Folders in it, such as ``views/index/NAME``.

    Returns
    -------
    dict
        For :func:`receive`, by path.

    Raises
    ------
    OSError, ObjectStorageError
        A file cannot be read, or not be written there.
    """
    place, sent = place_of(folder), dict[str, Item]()
    for home in homes if place.is_remote else ():
        for file in sorted(f for f in (folder / home).rglob("*") if f.is_file()):
            path = file.relative_to(folder).as_posix()
            sent[path] = item_of(folder, path)
            place.objects.send(sent[path].key, file)
    return sent


def receive(folder: Path, sent: Mapping[str, Item], /) -> None:
    """Copy here what other processes sent, which the next :func:`publish` lets count.

    Raises
    ------
    CollectionDamaged, ObjectStorageError
        It is not there any more, or not what was sent.
    """
    place = place_of(folder)
    for path, item in sent.items():
        try:
            _fetch(place, path, item)
        except _Gone as error:
            raise CollectionDamaged(
                f"{place.uri}/{item.key} is gone, though it was written a moment ago.",
                hint="Run the same command again.",
            ) from error
        _received.add((folder, item.key))


def _switch(
    place: Place,
    record: Record,
    changed: dict[str, Item],
    gone: list[str],
    *,
    fence: int | None,
    first: bool,
) -> Listing:
    """Replace ``files.json`` by one that names the changed files; return it."""
    for _ in range(TRIES):
        listing = Listing({}) if first else published(place)
        if fence is not None and listing.fence > fence:
            raise WriterReplaced(place.uri)
        for path in (*changed, *gone):
            theirs, base = listing.files.get(path), record.files.get(path, ("",))[0]
            is_ours = theirs == changed.get(path)
            if (
                not is_ours
                and not path.startswith(VIEWS)
                and (theirs and theirs.digest) != (base or None)
            ):
                raise busy(place, path)
        files = {p: i for p, i in listing.files.items() if p not in gone} | changed
        if files == listing.files and not first:
            return listing  # an answer was lost, and it has been done
        made = Listing(files, max(listing.fence, fence or 0), listing.tag)
        tag = place.objects.swap(LISTING, made.content(), listing.tag)
        if tag is not None:
            return Listing(files, made.fence, tag)
        if first:
            there = published(place)
            if there.files == files:
                return there
            raise CollectionBusy(
                f"Another collection was made at {place.uri} at the same moment.",
                hint="Choose another folder of the bucket.",
            )
    raise busy(place)


def _changed(
    folder: Path, record: Record, scope: Callable[[str], bool]
) -> tuple[dict[str, Item], list[str]]:
    """Return the files that are not as they were when they were copied, and those that are gone."""
    changed = {}
    here = {path for path in present(folder, views=True) if scope(path)}
    for path in sorted(here):
        digest, looks = record.files.get(path, ("", []))
        if looks and looks == looks_of(folder / path):
            continue
        try:
            item = item_of(folder, path)
        except FileNotFoundError:
            continue
        if item.digest == digest:
            record.files[path] = (digest, looks_of(folder / path))
            continue
        changed[path] = item
    gone = [path for path in record.files if scope(path) and path not in here]
    return changed, gone


def forget_views(folder: Path, /) -> None:
    """Let go of what is here of the views of a collection elsewhere: others need the room."""
    import shutil

    with alone(folder):
        record = Record.of(folder)
        record.files = {p: v for p, v in record.files.items() if not p.startswith(VIEWS)}
        record.keep()
        shutil.rmtree(folder / "views", ignore_errors=True)
