"""The collections of a data folder; its subfolders are the only list of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from uuid import UUID

from casetrack.base import editions, errors
from casetrack.base.arguments import one_of
from casetrack.base.records import COLLECTION_TYPES, CollectionInfo
from casetrack.store.damage import damage_errors
from casetrack.store.folders import settle_sealed
from casetrack.store.info import repaired_info
from casetrack.store.sealed import DOOMED, ENDING, damaged_in, sealed_in

_MAX_NAME = 200
_MAX_TAG = 100


def scan(collections_dir: Path, /) -> tuple[list[CollectionInfo], list[tuple[Path, str]]]:
    """Return the facts of every collection, and ``(path, reason)`` of each unreadable one.

    The path is its folder, or the file of a sealed collection. A damaged ``collection.json`` is
    repaired where possible.
    """
    infos: list[CollectionInfo] = []
    damaged: list[tuple[Path, str]] = []
    if not collections_dir.is_dir():
        return infos, damaged
    # Most data folders have no sealed collection, and need no settling.
    names = [path.name for path in collections_dir.iterdir()]
    has_sealed = any(ENDING in name or name.startswith(DOOMED) for name in names)
    if has_sealed:
        settle_sealed(collections_dir)
    for folder in sorted(collections_dir.iterdir()):
        if folder.name.startswith(".") or not folder.is_dir():
            continue
        try:
            with damage_errors(folder):
                infos.append(repaired_info(folder))
        except (errors.CollectionGone, errors.CollectionSealed):
            continue  # deleted or sealed during this loop
        except (errors.CollectionDamaged, errors.FutureSchema, errors.StorageError) as error:
            damaged.append((folder, error.message))
    return infos, damaged + (damaged_in(collections_dir) if has_sealed else [])


def by_id(collections_dir: Path, text: str, /) -> CollectionInfo | None:
    """Return the facts of the collection whose whole id is *text*; ``None`` if it is unreadable."""
    try:
        if str(UUID(text)) != text:
            return None
        with damage_errors(collections_dir / text):
            return repaired_info(collections_dir / text)
    except (
        ValueError,
        errors.CollectionGone,
        errors.CollectionSealed,
        errors.CollectionDamaged,
        errors.FutureSchema,
        errors.StorageError,
    ):
        return None


def checked_name(name: str, /) -> str:
    """Return a collection's name without surrounding white space."""
    name = name.strip()
    if not name or len(name) > _MAX_NAME:
        raise errors.UsageError(
            f"A collection name has 1 to {_MAX_NAME} characters, not {len(name)}.",
            hint="Choose a short name such as 'Project Alpha'.",
        )
    if not name.isprintable():
        raise errors.UsageError(
            "A collection name cannot contain line breaks or control characters.",
            hint="Choose a short name such as 'Project Alpha'.",
        )
    return name


def checked_type(collection_type: str, edition: str, name: str = "", /) -> str:
    """Return the collection type of an edition that matches regardless of case."""
    kind = collection_type.strip().lower()
    own = editions.edition(edition if edition in editions.names() else editions.ANY)
    return one_of(name or f"{own.noun}_type", kind, own.collection_types or COLLECTION_TYPES)


def checked_tags(tags: Iterable[str], /) -> tuple[str, ...]:
    """Return the tags in order, without duplicates that differ in case only."""
    unique: dict[str, str] = {}
    for given in tags:
        tag = given.strip()
        if not tag or len(tag) > _MAX_TAG or not tag.isprintable():
            raise errors.UsageError(
                f"{given!r} cannot be a tag: a tag is one line of 1 to {_MAX_TAG} characters.",
                hint="Choose a short word, such as 'harbour'.",
            )
        unique.setdefault(tag.casefold(), tag)
    return tuple(unique.values())


def require_free(collections_dir: Path, name: str, /, *, but: str | None = None) -> None:
    """Refuse a name that a collection other than *but* (an id) already has, ignoring case."""
    for other, other_id in _taken(collections_dir):
        if other_id != but and other.casefold() == name.casefold():
            raise errors.CollectionExists(other, other_id)


def free_name(collections_dir: Path, name: str, /, *, but: str | None = None) -> str:
    """Return *name*, or "name (2)" and so on if it is in use; see :func:`require_free`."""
    taken = {other.casefold() for other, other_id in _taken(collections_dir) if other_id != but}
    chosen, number = name, 1
    while chosen.casefold() in taken:
        number += 1
        ending = f" ({number})"
        chosen = name[: _MAX_NAME - len(ending)] + ending
    return chosen


def _taken(collections_dir: Path) -> list[tuple[str, str]]:
    """Return name and id of every collection, including sealed ones whose name is not hidden."""
    names = [(info.name, info.id) for info in scan(collections_dir)[0]]
    return names + [(s.name, s.id) for s in sealed_in(collections_dir) if s.name is not None]
