"""The published files of a remote collection, other than its datasets: ``files.json``.

It maps each path to an object whose content never changes. It describes one moment and is replaced
as a whole with a conditional write.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from casetrack.base.dataclass import dataclass
from casetrack.base.errors import CollectionBusy, CollectionDamaged, CollectionGone, See
from casetrack.base.files import UNFINISHED
from casetrack.store.facts import sealed, unsealed
from casetrack.store.place import FILE as PLACE

if TYPE_CHECKING:
    from casetrack.base.objects.service import ObjectContent
    from casetrack.store.place import Place

LISTING = "files.json"
"""Key of the listing."""
RECORD = ".place-files.json"
"""File in the local folder of a remote collection; see :mod:`casetrack.store.mirror`."""
TRIES = 12
"""Attempts to replace the listing while others change it."""
_FORMAT = 1
_HERE_ONLY = ("originals/", "sync/", "rewrite/", "reader-locks/", "backup/")
"""Excluded folders: they are sent separately, or belong to one computer."""
_NEVER = {PLACE, RECORD, ".upkeep"}


class Item(NamedTuple):
    """An entry of ``files.json``: the object with the content, its size, its SHA-256."""

    key: str
    size: int
    digest: str


@dataclass(frozen=True, slots=True)
class Listing:
    """Content of ``files.json``; a writer with a lower number than *fence* may not publish."""

    files: dict[str, Item]
    fence: int = 0
    tag: str | None = None

    def content(self) -> bytes:
        """Return the object's content."""
        files = {path: list(item) for path, item in sorted(self.files.items())}
        return sealed({"format": _FORMAT, "fence": self.fence, "files": files})


def published(place: Place, /) -> Listing:
    """Return the published files of the collection at a place."""
    content = place.objects.get(LISTING)
    if content is None:
        raise CollectionGone(place.uri)
    return _understood(place, content)


def published_since(place: Place, tag: str, /) -> Listing | None:
    """Return the published files, or ``None`` if their tag still is *tag*."""
    content = place.objects.get(LISTING, unless=tag)
    # The storage answers alike for an unchanged and for a missing object.
    if content is None and place.objects.get(LISTING) is not None:
        return None
    return published(place) if content is None else _understood(place, content)


def _understood(place: Place, content: ObjectContent) -> Listing:
    try:
        raw = unsealed(content.data)
        if raw["format"] != _FORMAT:
            raise ValueError(raw["format"])
        files = {path: Item(*item) for path, item in raw["files"].items()}
        for path in files:
            _require_inside(path)
        return Listing(files, int(raw["fence"]), content.tag)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CollectionDamaged(
            f"The list of files at {place.uri} is damaged, or was written by a newer version.",
            hint=f"Restore the object {LISTING} from a backup or an earlier version of it, or "
            f"update CaseTrack: {See('update')}.",
        ) from error


def _require_inside(path: str) -> None:
    parts = path.split("/")
    if {"", ".", ".."}.intersection(parts) or "\\" in path or ":" in path or not is_shared(path):
        raise ValueError(path)


def raise_fence(place: Place, number: int, /) -> None:
    """Prevent every writer with a lower number from publishing."""
    for _ in range(TRIES):
        listing = published(place)
        if listing.fence >= number:
            return
        raised = Listing(listing.files, number, listing.tag)
        if place.objects.swap(LISTING, raised.content(), listing.tag) is not None:
            return
    raise busy(place)


def remove_unlisted(place: Place, seconds: float, /) -> int:
    """Remove unlisted objects older than *seconds*; return their number."""
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
    """Whether a path belongs to the collection, not only to this computer."""
    name = path.rstrip("/").rpartition("/")[2]
    return not (
        path in _NEVER
        or path.startswith(_HERE_ONLY)
        or name.endswith((".lock", ".lance"))
        or (name.startswith(".") and name.endswith(UNFINISHED))
    )


def busy(place: Place, path: str = "", /) -> CollectionBusy:
    """Return the error for a concurrent change by another computer."""
    what = f" ({path})" if path else ""
    return CollectionBusy(
        f"Another computer changed the collection at {place.uri} at the same time{what}.",
        hint="This command changed nothing. Run it again.",
    )
