"""Sealed collections of a data folder: the encrypted files beside the folders of the open ones.

A sealed collection is ``<id>.ctsealed``, and has no folder. On the way from one to the other the
encrypted file is called ``.<id>.ctsealed`` for a moment, and is whole then: whoever finds it alone
gives it its name, and whoever finds it beside the folder removes it. So a collection is sealed or
open, at whatever moment a program was killed.
"""

from __future__ import annotations

import contextlib
import json
import logging
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from casetrack.base.crypt.stream import read_head
from casetrack.base.errors import CollectionGone, CollectionSealed, EncryptedFileDamaged, UsageError
from casetrack.base.records.snapshots import SealedCollection
from casetrack.store.wipe import GONE, wipe

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

ENDING = ".ctsealed"
COLLECTION = "collection"
"""What the head of the file says where a whole collection is what it holds."""
DOOMED = ".sealed-"
"""What the name of a folder begins with that was sealed, and is being removed; its id follows."""
_MADE_OF = ("collection.json", ".collection.json.bak", "documents.lance", "chunks.lance")
_MOST_HEAD = 1 << 16
_FIELD = re.compile(rb'"(name|edition|made_at)": "(?:[^"\\]|\\.)*"')
_repairs = logging.getLogger("casetrack.repairs")


def sealed_path(folder: Path, /) -> Path:
    """Return where the encrypted file of a collection lies, by the folder that it has when open."""
    return folder.with_name(folder.name + ENDING)


def passing_path(folder: Path, /) -> Path:
    """Return what that file is called on the way between sealed and open."""
    return folder.with_name(f".{folder.name}{ENDING}")


def is_open(folder: Path, /) -> bool:
    """Return whether there is anything in a folder that makes it a collection."""
    return not (folder / GONE).exists() and any((folder / name).exists() for name in _MADE_OF)


def sealed_in(home: Path, /) -> list[SealedCollection]:
    """Return the sealed collections of a data folder, the one sealed last first.

    Parameters
    ----------
    home
        The folder of all collections.
    """
    found = []
    for path in home.glob(f"[!.]*{ENDING}") if home.is_dir() else ():
        if not is_open(path.with_suffix("")):
            with contextlib.suppress(OSError):
                found.append(sealed_at(path))
    return sorted(found, key=lambda s: (-s.sealed_at.timestamp(), s.id))


def sealed_at(path: Path, /) -> SealedCollection:
    """Return what anyone may see of a sealed collection; one whose head is damaged too.

    Raises
    ------
    OSError
        The file cannot be read.
    """
    facts, _ = _facts(path)
    moment = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    with contextlib.suppress(ValueError, TypeError):
        moment = datetime.fromisoformat(facts.get("made_at"))  # type: ignore[arg-type]
    name, edition = facts.get("name"), facts.get("edition")
    return SealedCollection(
        id=path.name.removesuffix(ENDING),
        name=name if isinstance(name, str) and name else None,
        edition=edition if isinstance(edition, str) else "collections",
        sealed_at=moment if moment.tzinfo else moment.replace(tzinfo=UTC),
        bytes=path.stat().st_size,
        path=str(path),
    )


def damaged_in(home: Path, /) -> list[tuple[Path, str]]:
    """Return the sealed collections whose head is damaged, with the reason."""
    found = []
    for path in sorted(home.glob(f"[!.]*{ENDING}")):
        with contextlib.suppress(OSError):
            if not is_open(path.with_suffix("")) and (damage := _facts(path)[1]):
                reason = f'The sealed collection "{sealed_at(path).called}" is damaged. {damage}'
                found.append((path, reason))
    return found


def _facts(path: Path) -> tuple[dict[str, Any], str]:
    """Return what the head of a file says in the clear, and what is damaged about it."""
    with path.open("rb") as file:
        try:
            return read_head(file, path.name).facts, ""
        except EncryptedFileDamaged as damage:
            file.seek(0)
            begin = file.read(_MOST_HEAD)
            # The name may be whole in a head that is damaged elsewhere.
            facts: dict[str, Any] = {}
            for field in _FIELD.finditer(begin):
                with contextlib.suppress(ValueError):
                    facts |= json.loads(b"{%b}" % field[0])
            return facts, damage.message


def gone(folder: Path, /) -> UsageError:
    """Return why there is no collection in a folder: it was deleted, or it is sealed."""
    path = sealed_path(folder)
    if path.is_file():
        with contextlib.suppress(OSError):
            return CollectionSealed(sealed_at(path).called)
    return CollectionGone(folder.name)


def recover(home: Path, collection_id: str, half_open: Path, /) -> None:
    """Finish what a killed program left between sealed and open; its lock is the caller's.

    What cannot be done now, as in a folder that is read-only, is left to the next who comes.

    Parameters
    ----------
    home
        The folder of all collections.
    collection_id
        Of the collection.
    half_open
        Where its folder is made when it is opened.
    """
    folder = home / collection_id
    passing = passing_path(folder)
    with contextlib.suppress(OSError):
        if passing.is_file():
            if is_open(folder):
                passing.unlink()
            elif not sealed_path(folder).exists():
                passing.rename(sealed_path(folder))
    if is_open(folder) or not sealed_path(folder).is_file():
        return
    doomed = (folder, half_open, *home.glob(f"{DOOMED}{collection_id}-*"))
    plain = [path for path in doomed if path.is_dir()]
    if sum(map(wipe, plain)):
        _repairs.warning(
            "Finished what a stopped program left: removed plain files of a collection that is "
            "sealed."
        )


def unfinished(names: Iterable[str], building: str, /) -> set[str]:
    """Return the ids of collections that seem to be between sealed and open.

    Parameters
    ----------
    names
        Of all that lies in the folder of all collections.
    building
        What the name of a folder that is being made begins with.
    """
    here = set(names)
    found = {n.removeprefix(DOOMED).rpartition("-")[0] for n in here if n.startswith(DOOMED)}
    ids = {n.removeprefix(".").removesuffix(ENDING): n for n in here if n.endswith(ENDING)}
    found |= {i for i, n in ids.items() if n.startswith(".") or here & {i, building + i}}
    return found - {""}
