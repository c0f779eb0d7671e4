"""Local copies of the files of a remote collection, other than its datasets.

Small files (``collection.json``, marks, notes of snapshots, ...) are copied when the published list
of files has changed (:mod:`casetrack.store.published`), files of views on demand. Each copy is
checked against its digest. Local changes are published under the lock of the changed file; the next
holder of that lock discards changes that a killed writer left unpublished.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from casetrack.base.dataclass import dataclass, field
from casetrack.base.errors import (
    CaseTrackError,
    CollectionBusy,
    CollectionDamaged,
    CollectionGone,
    See,
    WriterReplaced,
)
from casetrack.base.files import private_folder, replacement, stamp_of, storage_errors, write_atomic
from casetrack.store.facts import sealed, unsealed
from casetrack.store.place import Place, place_of
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

# The record of local copies of a remote collection.

VIEWS = "views/"
"""Prefix of the paths that are copied on demand only."""
_LOCK = ".place.lock"
_guard = threading.RLock()


@dataclass(slots=True)
class Record:
    """Local copies: digest and file status (time, size, inode) by path."""

    path: Path
    tag: str | None = None
    files: dict[str, tuple[str, list[int]]] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: Path) -> Record:
        """Return the record of a folder; an unreadable one is empty."""
        path = folder / RECORD
        try:
            raw = unsealed(path.read_bytes())
            files = {name: (str(d), [int(n) for n in s]) for name, (d, s) in raw["files"].items()}
            return cls(path, raw["tag"], files)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return cls(path)

    def keep(self) -> None:
        """Write the record to the folder."""
        facts = {"tag": self.tag, "files": {n: list(v) for n, v in self.files.items()}}
        write_atomic(self.path, sealed(facts), durable=False)


def present(folder: Path, *, views: bool) -> Iterator[str]:
    """Yield the paths of the local files that belong to the collection."""
    for base, folders, names in os.walk(folder):
        inside = "" if base == str(folder) else f"{Path(base).relative_to(folder).as_posix()}/"
        for name in list(folders):
            below = f"{inside}{name}/"
            if not is_shared(below) or (below == VIEWS and not views):
                folders.remove(name)
        yield from (f"{inside}{name}" for name in names if is_shared(f"{inside}{name}"))


def status_of(path: Path) -> list[int]:
    """Return time, size and inode of a file; empty if it does not exist."""
    return list(stamp_of(path) or ())


def item_of(folder: Path, path: str) -> Item:
    """Return the entry of a file for the published list."""
    digest, size = _digest(folder / path)
    return Item(f"files/{path}@{digest[:16]}", size, digest)


def _digest(path: Path) -> tuple[str, int]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return digest, file.tell()


def is_whole(path: Path, item: Item) -> bool:
    """Whether a file exists and has the published content."""
    try:
        return path.stat().st_size == item.size and _digest(path)[0] == item.digest
    except OSError:
        return False


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold the local lock on copying files of the collection."""
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
"""Seconds in which a repeated check of the published list is skipped."""
_INFO = (
    *("collection.json", ".collection.json.bak", "sources.json", "untaken.json"),
    ".profile-unchosen",
)
_HINT = f"Run {See('doctor', repair=True)} on the collection, or restore that object from a backup."
_looked: dict[Path, float] = {}
_changes: dict[Path, int] = {}
_received: set[tuple[Path, str]] = set()
"""Objects that another process sent and this one will publish, by folder and key."""
_repairs = logging.getLogger("casetrack.repairs")


def of_info(path: str, /) -> bool:
    """Whether a file is covered by the lock on the collection's facts."""
    return path.startswith(("queries/", "pipelines/", "collection.json")) or path in _INFO


def of_marks(path: str, /) -> bool:
    """Whether a file is covered by the lock on marks."""
    return path.startswith("marks/")


def of_writer(path: str, /) -> bool:
    """Whether a file is covered by the write lock."""
    return not of_info(path) and not of_marks(path)


# --- reading -----------------------------------------------------------------------------------


def changes_seen(folder: Path, /) -> int:
    """Return the number of changes that this process made to the collection."""
    return _changes.get(folder, 0)


def touched(folder: Path, /) -> None:
    """Count a change, and make the next reader of this process check the published list again."""
    _looked.pop(folder, None)
    _changes[folder] = _changes.get(folder, 0) + 1


def pull(
    folder: Path, /, *, now: bool = False, settle: Callable[[str], bool] | None = None
) -> None:
    """Copy the small files that have changed remotely; does nothing for a local collection.

    *now* checks even within ``FRESH_SECONDS``. *settle* selects files whose unpublished local
    changes are discarded; the caller holds their lock.
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


def pull_view(folder: Path, home: str, /) -> bool:
    """Copy missing files of a view such as ``views/index``; return whether it is remote."""
    place = place_of(folder)
    if not place.is_remote:
        return False
    with alone(folder):
        record, listing = Record.of(folder), published(place)
        try:
            _copied(place, record, listing, lambda path: path.startswith(f"{home}/"), None)
        except CollectionDamaged as damage:
            # A view is derived from the datasets: missing parts are rebuilt.
            _repairs.warning("A part of a view is damaged, and is rebuilt: %s", damage.message)
        record.keep()
    return True


def _mark_unpublished(folder: Path, scope: Callable[[str], bool]) -> None:
    """Mark unpublished local changes, so that the next copy replaces them."""
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
    """Copy the wanted files of a listing, or of one that replaced it; return that listing."""
    while True:
        files = {path: item for path, item in listing.files.items() if wanted(path)}
        try:
            _copy(place, record, files, settle)
        except _Gone as error:
            newest = published(place)
            if newest.files.get(error.path) == files[error.path]:
                raise CollectionDamaged(
                    f"{place.uri}/{files[error.path].key} is missing, but the collection's list "
                    "of files contains it.",
                    hint=_HINT,
                ) from error
            listing = newest
            continue
        return listing


class _Gone(Exception):
    """An object does not exist (any more)."""

    def __init__(self, path: str) -> None:
        self.path = path


def _copy(
    place: Place, record: Record, wanted: dict[str, Item], settle: Callable[[str], bool] | None
) -> None:
    """Copy the files that are missing or outdated locally."""
    folder = place.folder
    # Deepest paths first: the files that name other files of a view come last.
    for path, item in sorted(wanted.items(), key=lambda pair: -pair[0].count("/")):
        digest, looks = record.files.get(path, ("", []))
        target = folder / path
        if digest == item.digest:
            # Changed locally and unpublished, by a running or a killed writer.
            is_mine = settle is not None and settle(path)
            lacks = path.startswith((VIEWS, _INFO[0])) and not target.exists()
            if not lacks and not (is_mine and looks != status_of(target)):
                continue
        elif is_whole(target, item):
            record.files[path] = (item.digest, status_of(target))
            continue
        _fetch(place, path, item)
        record.files[path] = (item.digest, status_of(target))


def _fetch(place: Place, path: str, item: Item) -> None:
    """Download an object to a file and check its digest."""
    target = place.folder / path
    with storage_errors(target):
        private_folder(target.parent)
        with replacement(target, durable=False) as temporary:
            if not place.objects.fetch(item.key, temporary):
                raise _Gone(path)
            if not is_whole(temporary, item):
                raise CollectionDamaged(
                    f"{place.uri}/{item.key} is damaged: its digest does not match.", hint=_HINT
                )


# --- publishing --------------------------------------------------------------------------------


@contextlib.contextmanager
def shared(folder: Path, scope: Callable[[str], bool], /) -> Iterator[None]:
    """Change published small files of a remote collection; the caller holds their local lock."""
    pull(folder, now=True, settle=scope)
    yield
    try:
        publish(folder, scope)
    except CaseTrackError:
        _mark_unpublished(folder, scope)
        raise


def publish(
    folder: Path, scope: Callable[[str], bool], /, *, fence: int | None = None, first: bool = False
) -> None:
    """Publish the local changes of the files in *scope*; does nothing for a local collection.

    *fence* is the lease number of the writer. *first* publishes a new collection, whose place must
    be empty.
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
            record.files[path] = (item.digest, status_of(folder / path))
            _received.discard((folder, item.key))
        for path in gone:
            record.files.pop(path, None)
        record.tag = listing.tag
        record.keep()
    touched(folder)


def send(folder: Path, homes: Iterable[str], /) -> dict[str, Item]:
    """Upload the files of view folders (``views/index/NAME``); another process publishes them.

    Does nothing for a local collection. Returns the argument of :func:`receive`. Unpublished
    objects are unused, and upkeep removes them later.
    """
    place, sent = place_of(folder), dict[str, Item]()
    for home in homes if place.is_remote else ():
        for file in sorted(f for f in (folder / home).rglob("*") if f.is_file()):
            path = file.relative_to(folder).as_posix()
            sent[path] = item_of(folder, path)
            place.objects.send(sent[path].key, file)
    return sent


def receive(folder: Path, sent: Mapping[str, Item], /) -> None:
    """Copy the files that other processes uploaded; the next :func:`publish` lists them."""
    place = place_of(folder)
    for path, item in sent.items():
        try:
            _fetch(place, path, item)
        except _Gone as error:
            raise CollectionDamaged(
                f"{place.uri}/{item.key} is missing, although it has just been written.",
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
    """Replace ``files.json`` by a list with the changed files; return the list."""
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
            return listing  # an earlier response was lost; the list is already published
        made = Listing(files, max(listing.fence, fence or 0), listing.tag)
        tag = place.objects.swap(LISTING, made.content(), listing.tag)
        if tag is not None:
            return Listing(files, made.fence, tag)
        if first:
            current = published(place)
            if current.files == files:
                return current
            raise CollectionBusy(
                f"Another collection was created at {place.uri} at the same time.",
                hint="Choose another folder of the bucket.",
            )
    raise busy(place)


def _changed(
    folder: Path, record: Record, scope: Callable[[str], bool]
) -> tuple[dict[str, Item], list[str]]:
    """Return the files that changed since they were copied, and the paths of deleted ones."""
    changed = {}
    existing = {path for path in present(folder, views=True) if scope(path)}
    for path in sorted(existing):
        digest, looks = record.files.get(path, ("", []))
        if looks and looks == status_of(folder / path):
            continue
        try:
            item = item_of(folder, path)
        except FileNotFoundError:
            continue
        if item.digest == digest:
            record.files[path] = (digest, status_of(folder / path))
            continue
        changed[path] = item
    gone = [path for path in record.files if scope(path) and path not in existing]
    return changed, gone


def forget_views(folder: Path, /) -> None:
    """Delete the local views of a remote collection, to free disk space."""
    import shutil

    with alone(folder):
        record = Record.of(folder)
        record.files = {p: v for p, v in record.files.items() if not p.startswith(VIEWS)}
        record.keep()
        shutil.rmtree(folder / "views", ignore_errors=True)
