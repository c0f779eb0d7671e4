"""The copies of source files that a collection keeps in its own folder.

A copy goes with its document, unless a named snapshot has the document still: restoring that
snapshot brings back the file as well.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from casetrack.store.damage import reading
from casetrack.store.datasets import DOCUMENTS, open_dataset
from casetrack.store.files import private_folder, storage_errors
from casetrack.store.heads import manifests
from casetrack.store.history import tags
from casetrack.store.notes import SNAPSHOTS, read_note

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from casetrack.records import Document
    from casetrack.store.datasets import Snapshot

COPIES = "originals"


def keep_copy(folder: Path, document_id: str, source: Path, /) -> str:
    """Copy a document's source file, whole or not at all.

    Parameters
    ----------
    folder
        The collection's folder.
    document_id
        Whose file it is.
    source
        The file.

    Returns
    -------
    str
        The copy's path relative to *folder*, with slashes.

    Raises
    ------
    DiskFull, NotWritable, StorageError
        It cannot be copied.
    """
    target = folder / COPIES / document_id / source.name
    # The name may be as long as the file system allows; the temporary one must not be longer.
    temporary = target.with_name(f".{os.getpid()}.tmp")
    with storage_errors(target):
        private_folder(target.parent)
        try:
            temporary.touch(mode=0o600)  # no more open than its source, from the first byte
            shutil.copyfile(source, temporary)
            facts = source.stat()
            os.utime(temporary, ns=(facts.st_atime_ns, facts.st_mtime_ns))
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    return target.relative_to(folder).as_posix()


def kept_by_snapshots(folder: Path, /) -> set[str]:
    """Return the copies, relative to *folder*, that a state with a name or a reader still names."""
    ledger = open_dataset(folder, DOCUMENTS)
    kept, versions = set[str](), set(tags(ledger).values())
    noted = (read_note(path) for path in (folder / SNAPSHOTS).glob("*.json"))
    versions |= {note.versions[0] for note in noted if note and note.versions}
    for version in versions & manifests(folder / DOCUMENTS).keys():
        with reading(ledger.uri):
            rows = ledger.checkout_version(version).to_table(columns=["original_copy"])
        kept.update(filter(None, rows["original_copy"].to_pylist()))
    return kept


def drop_copies(folder: Path, documents: Iterable[Document], /) -> None:
    """Remove the copies of documents that are gone, but for those that a snapshot still names."""
    homes = {d: folder / COPIES / d.document_id for d in documents}
    homes = {document: home for document, home in homes.items() if home.is_dir()}
    kept = kept_by_snapshots(folder) if homes else set()
    for document, home in homes.items():
        if document.original_copy not in kept:
            shutil.rmtree(home, ignore_errors=True)


def stray_copies(folder: Path, snapshot: Snapshot, /) -> Iterator[Path]:
    """Yield copies that neither a document of *snapshot* nor a named snapshot names."""
    home = folder / COPIES
    files = [path for path in sorted(home.rglob("*")) if path.is_file()]
    if not files:
        return
    named = {d.original_copy for d in snapshot.documents.values()} | kept_by_snapshots(folder)
    for path in files:
        if path.relative_to(folder).as_posix() not in named:
            yield path


def remove_stray_copies(folder: Path, snapshot: Snapshot, /) -> int:
    """Remove the copies that :func:`stray_copies` yields, and folders that are empty.

    Returns
    -------
    int
        Number of files removed.

    Raises
    ------
    NotWritable, StorageError
        They cannot be removed.
    """
    home, removed = folder / COPIES, 0
    with storage_errors(home):
        for path in stray_copies(folder, snapshot):
            path.unlink()
            removed += 1
        for path in sorted(home.rglob("*"), reverse=True):
            if path.is_dir() and not any(path.iterdir()):
                path.rmdir()
    return removed
