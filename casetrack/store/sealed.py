"""Sealed collections of a data folder: encrypted files next to the folders of open ones.

A sealed collection is ``<id>.ctsealed``, without a folder. During sealing and unsealing the
complete encrypted file is named ``.<id>.ctsealed``. The next program renames it if the folder is
gone, and removes it otherwise. So a collection is either sealed or open, whenever a program was
killed.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from casetrack.base.crypt.stream import read_head
from casetrack.base.errors import CollectionGone, CollectionSealed, EncryptedFileDamaged, UsageError
from casetrack.base.records.snapshots import SealedCollection

# Secure removal of files, as far as a program can do it.

GONE = ".deleted"
"""New name of ``collection.json``, removed last, if Windows cannot move the folder."""
_ZEROS = bytes(1 << 20)


def wipe(folder: Path, /, tell: Callable[[int], None] = lambda _: None) -> bool:
    """Overwrite and remove all files of a folder, and the folder; return whether nothing is left.

    Writes zeros and keeps the length of each file until the end, so that a program that has mapped
    one reads zeros instead of crashing. A file with hard links elsewhere only loses this name.
    Files in use on Windows stay for the next call. *tell* gets the number of bytes overwritten each
    time.
    """
    for base, folders, names in os.walk(folder, topdown=False):
        for name in names:
            if name == GONE and base == str(folder):
                continue
            with contextlib.suppress(OSError):
                _wipe_file(Path(base, name), tell)
        for name in folders:
            path = Path(base, name)
            with contextlib.suppress(OSError):
                path.unlink() if path.is_symlink() else path.rmdir()
    if not (folder / GONE).exists():
        shutil.rmtree(folder, ignore_errors=True)
        return not folder.exists()
    with contextlib.suppress(OSError):
        if [path.name for path in folder.iterdir()] == [GONE]:
            _wipe_file(folder / GONE, tell)
            folder.rmdir()
    return not folder.exists()


def _wipe_file(path: Path, tell: Callable[[int], None]) -> None:
    status = path.lstat()
    if stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and status.st_size:
        with contextlib.suppress(PermissionError):
            path.chmod(0o600)
        with path.open("r+b", buffering=0) as file:
            left = status.st_size
            while left > 0:
                left -= file.write(_ZEROS[: min(left, len(_ZEROS))])
            os.fsync(file.fileno())
        tell(status.st_size)
    path.unlink()


ENDING = ".ctsealed"
COLLECTION = "collection"
"""Content type in the head of the file of a sealed collection."""
DOOMED = ".sealed-"
"""Prefix of a sealed folder that is being removed; the collection's id follows."""
_MADE_OF = ("collection.json", ".collection.json.bak", "documents.lance", "chunks.lance")
_MOST_HEAD = 1 << 16
_FIELD = re.compile(rb'"(name|edition|made_at)": "(?:[^"\\]|\\.)*"')
_repairs = logging.getLogger("casetrack.repairs")


def sealed_path(folder: Path, /) -> Path:
    """Return the path of a collection's encrypted file, from the path of its open folder."""
    return folder.with_name(folder.name + ENDING)


def transition_path(folder: Path, /) -> Path:
    """Return the temporary path of that file during sealing and unsealing."""
    return folder.with_name(f".{folder.name}{ENDING}")


def is_open(folder: Path, /) -> bool:
    """Return whether a folder contains a collection."""
    return not (folder / GONE).exists() and any((folder / name).exists() for name in _MADE_OF)


def sealed_in(home: Path, /) -> list[SealedCollection]:
    """Return the sealed collections of a data folder, the last sealed one first."""
    collections = []
    for path in home.glob(f"[!.]*{ENDING}") if home.is_dir() else ():
        if not is_open(path.with_suffix("")):
            with contextlib.suppress(OSError):
                collections.append(sealed_at(path))
    return sorted(collections, key=lambda s: (-s.sealed_at.timestamp(), s.id))


def sealed_at(path: Path, /) -> SealedCollection:
    """Return the public facts of a sealed collection, even if its head is damaged."""
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
    """Return the sealed collections with a damaged head, with the reasons."""
    damages = []
    for path in sorted(home.glob(f"[!.]*{ENDING}")):
        with contextlib.suppress(OSError):
            if not is_open(path.with_suffix("")) and (damage := _facts(path)[1]):
                reason = f'The sealed collection "{sealed_at(path).label}" is damaged. {damage}'
                damages.append((path, reason))
    return damages


def _facts(path: Path) -> tuple[dict[str, Any], str]:
    """Return the plain-text facts in the head of a file, and a description of its damage."""
    with path.open("rb") as file:
        try:
            return read_head(file, path.name).facts, ""
        except EncryptedFileDamaged as damage:
            file.seek(0)
            begin = file.read(_MOST_HEAD)
            # The name may be readable in a head that is damaged elsewhere.
            facts: dict[str, Any] = {}
            for field in _FIELD.finditer(begin):
                with contextlib.suppress(ValueError):
                    facts |= json.loads(b"{%b}" % field[0])
            return facts, damage.message


def gone(folder: Path, /) -> UsageError:
    """Return the error for a missing collection: it was deleted, or it is sealed."""
    path = sealed_path(folder)
    if path.is_file():
        with contextlib.suppress(OSError):
            return CollectionSealed(sealed_at(path).label)
    return CollectionGone(folder.name)


def recover(home: Path, collection_id: str, half_open: Path, /) -> None:
    """Complete an interrupted sealing or unsealing; the caller holds the lock.

    *half_open* is the folder in which an unsealing builds the collection. A read-only folder is
    left to the next program.
    """
    folder = home / collection_id
    passing = transition_path(folder)
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
            "Cleaned up after a stopped program: removed plain files of a sealed collection."
        )


def unfinished(names: Iterable[str], building: str, /) -> set[str]:
    """Return the ids of collections that seem to be between sealed and open.

    *names* are all entries of the folder of collections; *building* is the prefix of folders under
    construction.
    """
    present = set(names)
    unsettled = {n.removeprefix(DOOMED).rpartition("-")[0] for n in present if n.startswith(DOOMED)}
    ids = {n.removeprefix(".").removesuffix(ENDING): n for n in present if n.endswith(ENDING)}
    unsettled |= {i for i, n in ids.items() if n.startswith(".") or present & {i, building + i}}
    return unsettled - {""}
