"""The copies of source files within a collection's folder.

A copy is removed with its document, unless a named snapshot still has the document: restoring that
snapshot restores the file too.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from casetrack.base.errors import CollectionDamaged
from casetrack.base.files import private_folder, storage_errors
from casetrack.base.records import Document
from casetrack.store.damage import reading
from casetrack.store.datasets import DOCUMENTS, Snapshot, open_dataset
from casetrack.store.heads import manifests
from casetrack.store.history import SNAPSHOTS, read_note, tags
from casetrack.store.place import place_of

COPIES = "originals"


def keep_copy(folder: Path, document_id: str, source: Path, /, *, name: str = "") -> str:
    """Copy a document's source file atomically, as *name*; return the copy's relative path."""
    target = folder / COPIES / document_id / (name or source.name)
    # The name may have the maximum length of the file system; the temporary one must not be longer.
    temporary = target.with_name(f".{os.getpid()}.tmp")
    with storage_errors(target):
        private_folder(target.parent)
        try:
            temporary.touch(mode=0o600)  # never more accessible than the source
            shutil.copyfile(source, temporary)
            facts = source.stat()
            os.utime(temporary, ns=(facts.st_atime_ns, facts.st_mtime_ns))
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    kept, place = target.relative_to(folder).as_posix(), place_of(folder)
    if place.is_remote:
        place.objects.send(kept, target)
    return kept


def copy_of(folder: Path, kept: str, /) -> Path:
    """Return the local path of a copy, fetched first if it is remote; the file may be missing."""
    path, place = folder / kept, place_of(folder)
    if place.is_remote and not path.exists() and is_copy_path(kept):
        with storage_errors(path):
            private_folder(path.parent)
            temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
            try:
                temporary.touch(mode=0o600)
                if place.objects.fetch(kept, temporary):
                    temporary.replace(path)
            finally:
                temporary.unlink(missing_ok=True)
    return path


def is_copy_path(kept: str, /) -> bool:
    """Return whether a path within a collection's folder is that of a copy."""
    parts = kept.split("/")
    return len(parts) == 3 and parts[0] == COPIES and not {"", ".", ".."}.intersection(parts)


def drop_copies_of(folder: Path, document_id: str, /) -> None:
    """Remove all copies of a document, local and remote."""
    place = place_of(folder)
    if place.is_remote:
        for entry in list(place.objects.list(f"{COPIES}/{document_id}")):
            place.objects.remove(entry.key)
    shutil.rmtree(folder / COPIES / document_id, ignore_errors=True)


def copies(folder: Path, /) -> dict[str, int]:
    """Return the sizes of all copies by path, for local and remote collections."""
    place = place_of(folder)
    if place.is_remote:
        return {entry.key: entry.size for entry in place.objects.list(COPIES)}
    paths = (path for path in (folder / COPIES).rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.stat().st_size for path in paths}


def kept_by_snapshots(folder: Path, /) -> set[str]:
    """Return the copies, relative to *folder*, that a named or locked state refers to."""
    ledger = open_dataset(folder, DOCUMENTS)
    kept, versions = set[str](), set(tags(ledger).values())
    noted = (read_note(path) for path in (folder / SNAPSHOTS).glob("*.json"))
    versions |= {note.versions[0] for note in noted if note and note.versions}
    for version in versions & manifests(folder, DOCUMENTS).keys():
        try:
            with reading(ledger.uri):
                rows = ledger.checkout_version(version).to_table(columns=["original_copy"])
        except CollectionDamaged:
            return set(copies(folder))  # an unreadable state may refer to any of them
        kept.update(filter(None, rows["original_copy"].to_pylist()))
    return kept


def drop_copies(folder: Path, documents: Iterable[Document], /) -> None:
    """Remove the copies of deleted documents, except those that a snapshot refers to."""
    have = [d for d in documents if d.original_copy is not None]
    kept = kept_by_snapshots(folder) if have else set()
    for document in have:
        if document.original_copy not in kept:
            drop_copies_of(folder, document.document_id)


def stray_copies(folder: Path, snapshot: Snapshot, /) -> Iterator[str]:
    """Yield the copies that no document of *snapshot* and no named snapshot refers to."""
    paths = sorted(copies(folder))
    if not paths:
        return
    named = {d.original_copy for d in snapshot.documents.values()} | kept_by_snapshots(folder)
    yield from (kept for kept in paths if kept not in named)


def remove_stray_copies(folder: Path, snapshot: Snapshot, /) -> int:
    """Remove the copies of :func:`stray_copies` and empty folders; return the number of files."""
    home, removed = folder / COPIES, 0
    with storage_errors(home):
        place = place_of(folder)
        for kept in stray_copies(folder, snapshot):
            if place.is_remote:
                place.objects.remove(kept)
            (folder / kept).unlink(missing_ok=place.is_remote)
            removed += 1
        for path in sorted(home.rglob("*"), reverse=True):
            if path.is_dir() and not any(path.iterdir()):
                path.rmdir()
    return removed
