"""Taking away for good what is no longer needed: the part of an upkeep that concerns the store.

Three things pile up in the datasets while a collection changes: small data files, rows that are
deleted but still lie in a file, and versions that nobody reads any more. Writing itself bounds them
(:mod:`casetrack.store.tidy`); what is here takes them away altogether, at a quiet time. Besides, it
finds what is left elsewhere in the folder of documents that are gone.

Every step is one commit of Lance, or the removal of files that no version and no document names.
So an upkeep that is killed anywhere leaves the collection whole, and the next one does the rest.
The caller holds the write lock throughout.
"""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.base.files import folder_bytes, put_in_place, storage_errors
from casetrack.store.datasets import CHUNKS, DOCUMENTS, open_dataset
from casetrack.store.heads import manifests
from casetrack.store.history import tags
from casetrack.store.notes import SNAPSHOTS, TAG, read_note
from casetrack.store.place import dataset_at, place_of
from casetrack.store.published import remove_unlisted
from casetrack.store.reader_locks import drop_tag
from casetrack.store.tidy import (
    KEEP_SECONDS,
    MOST_VERSIONS,
    ROWS_PER_FRAGMENT,
    clean,
    file_bytes,
    is_small,
    merge,
    version_ages,
)

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable
    from pathlib import Path

    import pyarrow as pa


_MARK = ".upkeep"
"""Changed at the end of each upkeep; tells when that was."""
_MOST_SMALL = 4
"""So many small fragments may stay: merging the last few copies more than it saves."""
_MANY_SMALL = 64
_ROWS_PER_STEP = 16 * ROWS_PER_FRAGMENT
_READER_TAG = "reader-lock-"
_STAGE = "rewrite"


@dataclass(frozen=True, slots=True)
class Space:
    """What a collection's datasets take up.

    Attributes
    ----------
    total_bytes
        All files in the collection's folder.
    live_bytes
        Data files that the newest versions read, deleted rows in them included.
    versions, fragments
        Of both datasets together.
    deleted_rows
        Rows that are deleted and still lie in a data file.
    """

    total_bytes: int
    live_bytes: int
    versions: int
    fragments: int
    deleted_rows: int


def measure(folder: Path, /) -> Space:
    """Return what the datasets of a collection take up; a walk over its files.

    Raises
    ------
    CollectionDamaged
        A dataset is missing or unreadable.
    """
    live = versions = fragments = deleted = 0
    for name in (CHUNKS, DOCUMENTS):
        parts = [f.metadata for f in open_dataset(folder, name).get_fragments()]
        live += file_bytes(parts)
        versions += len(version_ages(folder, name))
        fragments += len(parts)
        deleted += sum(part.num_deletions for part in parts)
    return Space(folder_bytes(folder), live, versions, fragments, deleted)


def live_bytes(folder: Path, /) -> int:
    """Return the bytes of the data files and of the one manifest that the newest versions read."""
    total = 0
    for name in (CHUNKS, DOCUMENTS):
        total += file_bytes(f.metadata for f in open_dataset(folder, name).get_fragments())
        total += next(iter(manifests(folder, name).values())).size
    return total


# --- whether it is due -----------------------------------------------------------------------


def seconds_since(folder: Path, /) -> float:
    """Return how long ago the last upkeep was; infinite where there was none."""
    try:
        return time.time() - (folder / _MARK).stat().st_mtime
    except FileNotFoundError:
        return float("inf")


def mark_done(folder: Path, /) -> None:
    """Note that an upkeep has come to its end."""
    with storage_errors(folder):
        (folder / _MARK).touch()


def is_due(folder: Path, /) -> bool:
    """Whether the datasets hold deleted rows, many small files or versions that nobody reads."""
    for name in (CHUNKS, DOCUMENTS):
        dataset = open_dataset(folder, name)
        parts = [f.metadata for f in dataset.get_fragments()]
        small = sum(map(is_small, parts))
        if any(part.num_deletions for part in parts) or small > 4 * _MOST_SMALL:
            return True
        old = sum(age > KEEP_SECONDS for age in version_ages(folder, name)[1:])
        if old > len(set(tags(dataset).values())):
            return True
    return False


def is_pressing(folder: Path, /) -> bool:
    """Whether so much has piled up that it cannot wait until the last upkeep is a while ago."""
    for name in (CHUNKS, DOCUMENTS):
        parts = [f.metadata for f in open_dataset(folder, name).get_fragments()]
        if sum(map(is_small, parts)) > _MANY_SMALL:
            return True
        if len(version_ages(folder, name)) > 2 * MOST_VERSIONS:
            return True
    return False


# --- the datasets ----------------------------------------------------------------------------


def compact(folder: Path, /, *, cancel: threading.Event | None = None) -> None:
    """Merge small fragments, and copy every fragment with a deleted row without it.

    Parameters
    ----------
    folder
        The collection's folder.
    cancel
        Set it to stop between two commits.

    Raises
    ------
    DiskFull, NotWritable, StorageError
        The data cannot be written; what was there stays.
    """
    for name in (CHUNKS, DOCUMENTS):
        left: int | None = None
        while cancel is None or not cancel.is_set():
            dataset = open_dataset(folder, name)
            parts = [f.metadata for f in dataset.get_fragments()]
            chosen = {part.id for part in parts if part.num_deletions}
            small = {part.id for part in parts if is_small(part)}
            chosen |= small if len(small) > _MOST_SMALL else set()
            if not chosen or (left is not None and len(chosen) >= left):
                break
            left = len(chosen)
            with storage_errors(dataset_at(folder, name)):
                if not merge(dataset, chosen, most_rows=_ROWS_PER_STEP):
                    break


def clean_versions(folder: Path, seconds: float, /) -> None:
    """Remove versions older than this but for those with a tag, and files that no version names.

    Raises
    ------
    NotWritable, StorageError
        They cannot be removed.
    """
    for name in (CHUNKS, DOCUMENTS):
        with storage_errors(dataset_at(folder, name)):
            clean(open_dataset(folder, name), seconds, unverified=True)
    place = place_of(folder)
    if place.is_remote:
        remove_unlisted(place, seconds)


# --- named snapshots -------------------------------------------------------------------------


def remove_snapshots(folder: Path, /) -> tuple[str, ...]:
    """Remove every named snapshot, so that nothing keeps the versions it is made of.

    Returns
    -------
    tuple of str
        Their names, sorted.
    """
    home = folder / SNAPSHOTS
    names = dict[str, str]()
    for path in home.glob("*.json"):
        note = read_note(path)
        names[path.stem] = path.stem if note is None else note.name
    for tag in _tags(folder, TAG):
        names.setdefault(tag.removeprefix(TAG), tag.removeprefix(TAG))
        drop_tag(folder, tag)
    with storage_errors(home):
        if home.is_dir():
            shutil.rmtree(home)
    return tuple(sorted(names.values()))


def held_by_readers(folder: Path, /) -> bool:
    """Whether somebody who reads for long keeps an earlier state; see ``store.reader_locks``."""
    return bool(_tags(folder, _READER_TAG))


def _tags(folder: Path, prefix: str) -> set[str]:
    names = (CHUNKS, DOCUMENTS)
    found = {tag for name in names for tag in tags(open_dataset(folder, name))}
    return {tag for tag in found if tag.startswith(prefix)}


# --- leftovers ------------------------------------------------------------------------------


def prune_stage(folder: Path, column: str, live: Callable[[], set[bytes]], /) -> int:
    """Remove what models made of texts that are gone from what a stopped reindex has kept.

    Parameters
    ----------
    folder
        The collection's folder; nobody reindexes it now.
    column
        Holds the keys of the texts.
    live
        Returns the keys of all texts that are there; called only where something is kept.

    Returns
    -------
    int
        Number of texts whose outputs were removed.
    """
    files = sorted((folder / _STAGE).glob("*/*"))
    if not files:
        return 0
    keys, removed = live(), 0
    for path in files:
        with storage_errors(path):
            table = _read_stage(path)
            if table is None:  # half written by a killed run, which counts for nothing
                path.unlink()
                continue
            kept = table.filter(_is_in(table[column], keys))
            removed += table.num_rows - kept.num_rows
            if kept.num_rows < table.num_rows:
                _write_stage(path, kept)
    return removed


def _read_stage(path: Path) -> pa.Table | None:
    import pyarrow as pa

    try:
        with path.open("rb") as file:
            return pa.ipc.open_file(file).read_all() if path.suffix == ".arrow" else None
    except (OSError, ValueError):
        return None


def _write_stage(path: Path, table: pa.Table) -> None:
    import pyarrow as pa

    if not table.num_rows:
        path.unlink()
        return
    temporary = path.with_suffix(".tmp")
    with pa.OSFile(str(temporary), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    put_in_place(temporary, path)


def _is_in(values: pa.ChunkedArray, keys: set[bytes]) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.is_in(values, value_set=pa.array(sorted(keys), values.type))
