"""What writing itself does to stay small: merging the smallest files, letting old versions go.

It runs at the end of every write session, so it must cost next to nothing: files are merged in
tiers, so that each row is copied a few times in its life and not with every update, and old
versions are looked at only where enough of them are due. The rest is for
:mod:`casetrack.store.upkeep`, at a quiet time.

A reader may hold an old version for a quarter of an hour. Where updates come so fast that what is
kept for readers outgrows the collection itself, it is less. A reader that comes too late takes the
newest state and asks again, see :meth:`casetrack.store.workspace.Workspace.ask`.
"""

from __future__ import annotations

import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from casetrack.base.files import storage_errors
from casetrack.base.objects.address import is_address
from casetrack.store.datasets import CHUNKS, DOCUMENTS, open_dataset
from casetrack.store.heads import manifests
from casetrack.store.history import mend_tags
from casetrack.store.place import dataset_at, stored_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

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


def tidy(folder: Path, /, *, unverified: bool = False) -> None:
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
