"""Which files of a collection elsewhere count, beside its datasets: the object ``files.json``.

It names for each path the object with its content, which never changes. So it says what stands at
one moment, and is replaced as a whole, on the condition that nobody else was faster.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from casetrack.base.errors import CollectionBusy, CollectionDamaged, CollectionGone, See
from casetrack.base.files import UNFINISHED
from casetrack.store.facts import sealed, unsealed
from casetrack.store.place import FILE as PLACE

if TYPE_CHECKING:
    from casetrack.base.objects.service import ObjectContent
    from casetrack.store.place import Place

LISTING = "files.json"
"""The object."""
RECORD = ".place-files.json"
"""File of a folder that stands for a collection; see :mod:`casetrack.store.mirror`."""
TRIES = 12
"""So often may others be faster."""
_FORMAT = 1
_HERE_ONLY = ("originals/", "sync/", "rewrite/", "reader-locks/", "backup/")
"""Folders that are no part of it: what is kept there is sent by itself, or of one computer."""
_NEVER = {PLACE, RECORD, ".upkeep"}


class Item(NamedTuple):
    """A file as ``files.json`` has it: the object with its content, its size, its SHA-256."""

    key: str
    size: int
    digest: str


@dataclass(frozen=True, slots=True)
class Listing:
    """What ``files.json`` says.

    Attributes
    ----------
    files
        By path.
    fence
        Number of the last writer that took over; one with a lower number may not publish.
    tag
        Changes with it; ``None`` where there is none yet.
    """

    files: dict[str, Item]
    fence: int = 0
    tag: str | None = None

    def content(self) -> bytes:
        """Return the object's content."""
        files = {path: list(item) for path, item in sorted(self.files.items())}
        return sealed({"format": _FORMAT, "fence": self.fence, "files": files})


def published(place: Place, /) -> Listing:
    """Return which files of the collection at a place count.

    Raises
    ------
    CollectionGone
        There is no collection, or not any more.
    CollectionDamaged
        It cannot be understood.
    ObjectStorageError
        The place cannot be read.
    """
    found = place.objects.get(LISTING)
    if found is None:
        raise CollectionGone(place.uri)
    return _understood(place, found)


def published_since(place: Place, tag: str, /) -> Listing | None:
    """Return the same; ``None`` where its tag still is *tag*."""
    found = place.objects.get(LISTING, unless=tag)
    # The two answers look alike: the same as before, or nothing.
    if found is None and place.objects.get(LISTING) is not None:
        return None
    return published(place) if found is None else _understood(place, found)


def _understood(place: Place, found: ObjectContent) -> Listing:
    try:
        raw = unsealed(found.data)
        if raw["format"] != _FORMAT:
            raise ValueError(raw["format"])
        files = {path: Item(*item) for path, item in raw["files"].items()}
        for path in files:
            _require_inside(path)
        return Listing(files, int(raw["fence"]), found.tag)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CollectionDamaged(
            f"The list of files at {place.uri} is damaged, or was written by a newer version.",
            hint=f"Bring back the object {LISTING} from a backup or an earlier version of it, or "
            f"update CaseTrack: {See('update')}.",
        ) from error


def _require_inside(path: str) -> None:
    parts = path.split("/")
    if {"", ".", ".."}.intersection(parts) or "\\" in path or ":" in path or not is_shared(path):
        raise ValueError(path)


def raise_fence(place: Place, number: int, /) -> None:
    """Keep every writer with a lower number from publishing."""
    for _ in range(TRIES):
        listing = published(place)
        if listing.fence >= number:
            return
        raised = Listing(listing.files, number, listing.tag)
        if place.objects.swap(LISTING, raised.content(), listing.tag) is not None:
            return
    raise busy(place)


def remove_unlisted(place: Place, seconds: float, /) -> int:
    """Remove objects that no longer count, once they are older than this; return how many."""
    listing = published(place)
    counting = {item.key for item in listing.files.values()}
    old = [
        entry.key
        for entry in place.objects.list("files")
        if entry.key not in counting and time.time() - entry.modified.timestamp() > seconds
    ]
    for key in old:
        place.objects.remove(key)
    return len(old)


def is_shared(path: str) -> bool:
    """Whether a file or folder is a part of the collection, and not of this computer alone."""
    name = path.rstrip("/").rpartition("/")[2]
    return not (
        path in _NEVER
        or path.startswith(_HERE_ONLY)
        or name.endswith((".lock", ".lance"))
        or (name.startswith(".") and name.endswith(UNFINISHED))
    )


def busy(place: Place, path: str = "", /) -> CollectionBusy:
    """Return what is told where another computer was faster."""
    what = f" ({path})" if path else ""
    return CollectionBusy(
        f"Another computer changed the collection at {place.uri} at the same moment{what}.",
        hint="Nothing was changed from here. Run the command again.",
    )
