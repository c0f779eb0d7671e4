"""Taking away for good what is no longer needed: the part of an upkeep that concerns the store.

Three things pile up in the datasets while a collection changes: small data files, rows that are
deleted but still lie in a file, and versions that nobody reads any more. Writing itself bounds them
(:func:`compact_after_write`); the rest takes them away altogether, at a quiet time. Besides, it
finds what is left elsewhere in the folder of documents that are gone.

Every step is one commit of Lance, or the removal of files that no version and no document names.
So an upkeep that is killed anywhere leaves the collection whole, and the next one does the rest.
The caller holds the write lock throughout.
"""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from casetrack.base.files import folder_bytes, put_in_place, storage_errors
from casetrack.base.objects.address import is_address
from casetrack.store.datasets import CHUNKS, DOCUMENTS, open_dataset
from casetrack.store.heads import manifests
from casetrack.store.history import SNAPSHOTS, TAG, mend_tags, read_note, tags
from casetrack.store.place import dataset_at, place_of, stored_bytes
from casetrack.store.published import remove_unlisted
from casetrack.store.reader_locks import drop_tag

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    import pyarrow as pa

# What writing itself does to stay small: merging the smallest files, letting old versions go.
#
# It runs at the end of every write session, so it must cost next to nothing: files are merged in
# tiers, so that each row is copied a few times in its life and not with every update, and old
# versions are looked at only where enough of them are due. The rest is for
# :mod:`casetrack.store.upkeep`, at a quiet time.
#
# A reader may hold an old version for a quarter of an hour. Where updates come so fast that what is
# kept for readers outgrows the collection itself, it is less. A reader that comes too late takes
# the newest state and asks again, see :meth:`casetrack.store.workspace.Workspace.ask`.

ROWS_PER_FRAGMENT = 8192
KEEP_SECONDS = 900.0
"""A reader may hold an older version this long; every call opens the newest one anew."""
_SHORTER_SECONDS = (90.0, 10.0)
"""How long it is where more is kept than the bounds below."""
MOST_VERSIONS = 256
_LEAST_KEPT_BYTES = 64 * 2**20
"""What is kept for readers may take as much as the live data, and this much in any case."""
_CLEAN_EVERY = 16
"""Looking for old versions costs some 15 ms; one document must not pay for it each time."""
_FANOUT = 16
_TIER_BITS = 3
"""Fragments of one tier differ in their rows by a factor of eight at most."""
_DEAD_SHARE = 0.25
_DEAD_ROWS = ROWS_PER_FRAGMENT // 4
"""A smaller fragment is merged soon anyway, and loses its deleted rows then."""


def compact_after_write(folder: Path, /, *, unverified: bool = False) -> None:
    """Merge small fragments and remove old versions; the caller holds the write lock.

    Parameters
    ----------
    folder
        The collection's folder.
    unverified
        Also remove data files that no version names: leftovers of a killed writer. Safe only
        while no other writer can be at work.

    Raises
    ------
    CollectionDamaged
        A dataset is missing or unreadable.
    DiskFull, NotWritable, StorageError
        It cannot be written.
    """
    mend_tags(folder)
    for name in (CHUNKS, DOCUMENTS):
        dataset = open_dataset(folder, name)
        with storage_errors(dataset_at(folder, name)):
            fragments = [f.metadata for f in dataset.get_fragments()]
            merged = merge(dataset, due_fragments(fragments))
            if unverified or merged or dataset.version % _CLEAN_EVERY == 0:
                ages = version_ages(folder, name)
                grace = _grace(folder, name, ages, fragments)
                if unverified or _is_worth_it(ages, grace):
                    clean(dataset, grace, unverified=unverified)


# --- merging ---------------------------------------------------------------------------------


def due_fragments(fragments: Iterable[Any], /) -> set[int]:
    """Return the fragments that are merged now, by id.

    They are all of a tier of which there are many, and everything smaller, which lies beside it;
    and large ones of which much is deleted.
    """
    fragments = list(fragments)
    tiers = {f.id: _tier(f.physical_rows) for f in fragments if is_small(f)}
    counts = list(tiers.values())
    full = [tier for tier in set(counts) if counts.count(tier) > _FANOUT]
    chosen = {number for number, tier in tiers.items() if full and tier <= max(full)}
    return chosen | {
        f.id
        for f in fragments
        if f.physical_rows >= _DEAD_ROWS and f.num_deletions > _DEAD_SHARE * f.physical_rows
    }


def is_small(fragment: Any, /) -> bool:
    """Whether it has too few rows to stay by itself for good."""
    return bool(fragment.physical_rows < ROWS_PER_FRAGMENT // 2)


def merge(dataset: Any, chosen: set[int], /, *, most_rows: int | None = None) -> bool:
    """Merge fragments that lie side by side, without their deleted rows.

    Parameters
    ----------
    dataset
        Is at the new version afterwards.
    chosen
        Ids of the fragments; all others stay as they are.
    most_rows
        Stop when so many rows were copied.

    Returns
    -------
    bool
        Whether anything was changed.
    """
    if not chosen:
        return False
    others = [f.fragment_id for f in dataset.get_fragments() if f.fragment_id not in chosen]
    done = dataset.optimize.compact_files(
        target_rows_per_fragment=ROWS_PER_FRAGMENT,
        materialize_deletions_threshold=0.0,
        excluded_fragment_ids=others,
        max_source_rows=most_rows,
    )
    return bool(done.fragments_removed)


def _tier(rows: int) -> int:
    return int(rows).bit_length() // _TIER_BITS


# --- old versions ----------------------------------------------------------------------------


def version_ages(folder: Path, name: str, /) -> list[float]:
    """Return how many seconds ago each version of a dataset was made, the newest first."""
    now = time.time()
    # Each version is one file; opening them to read the time in them takes a hundred times longer.
    made = sorted(file.modified for file in manifests(folder, name).values())
    return [now - moment for moment in reversed(made)]


def clean(dataset: Any, seconds: float, /, *, unverified: bool = False) -> int:
    """Remove versions older than this, but for the newest one and those that carry a tag.

    Returns
    -------
    int
        Number of versions removed.
    """
    # Lance takes no age at all for its own default of two weeks.
    age = max(timedelta(seconds=seconds), timedelta(microseconds=1))
    done = dataset.cleanup_old_versions(
        age,
        # Elsewhere somebody may be writing files for a commit to come: they are left for a week.
        delete_unverified=unverified and not is_address(dataset.uri),
        error_if_tagged_old_versions=False,
    )
    return int(done.old_versions)


def _grace(folder: Path, name: str, ages: Sequence[float], fragments: Sequence[Any]) -> float:
    """Return how many seconds old versions are kept for readers."""
    live = file_bytes(fragments)
    heavy = stored_bytes(folder, name) - live > max(_LEAST_KEPT_BYTES, live)
    grace = KEEP_SECONDS
    for shorter in _SHORTER_SECONDS:
        kept = sum(age <= grace for age in ages)
        if kept <= MOST_VERSIONS and not (heavy and kept == len(ages)):
            break
        grace = shorter
    return grace


def _is_worth_it(ages: Sequence[float], grace: float) -> bool:
    """Whether so many versions are due that reading all of them pays."""
    due = sum(age > grace for age in ages[1:])
    return due >= max(_CLEAN_EVERY, len(ages) // 4)


def file_bytes(fragments: Iterable[Any], /) -> int:
    """Return the bytes of the data files of fragments, from their metadata alone."""
    return sum(file.file_size_bytes or 0 for part in fragments for file in part.files)


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
