"""Removal of unneeded data from the datasets: the storage part of upkeep.

Three things accumulate: small data files, deleted rows in data files, and unused versions. Writers
limit them (:func:`compact_after_write`); upkeep removes them completely when the collection is
idle. It also finds what deleted documents left elsewhere in the folder.

Each step is one Lance commit, or the removal of files that no version and no document refers to. So
an upkeep may be killed at any time, and the next one does the rest. The caller holds the write
lock.
"""

from __future__ import annotations

import shutil
import time
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from casetrack.base.files import folder_bytes, put_in_place, storage_errors
from casetrack.base.objects.address import is_address
from casetrack.store.datasets import CHUNKS, DOCUMENTS, open_dataset
from casetrack.store.heads import manifests
from casetrack.store.history import SNAPSHOTS, TAG, read_note, repair_tags, tags
from casetrack.store.place import dataset_at, place_of, stored_bytes
from casetrack.store.published import remove_unlisted
from casetrack.store.reader_locks import drop_tag

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

# Compaction after writing runs at the end of every write session, so it must be cheap: fragments
# are merged in tiers, so that each row is copied a few times and not with every update, and old
# versions are listed only when enough of them have expired. Upkeep does the rest. A reader may use
# an old version for a quarter of an hour. With very frequent updates the time is shorter, so that
# versions kept for readers do not outgrow the collection. A reader whose version is gone retries
# with the newest state, see :meth:`casetrack.store.workspace.Workspace.ask`.

ROWS_PER_FRAGMENT = 8192
KEEP_SECONDS = 900.0
"""Seconds that an old version is kept for readers; every call opens the newest one again."""
_SHORTER_SECONDS = (90.0, 10.0)
"""Shorter times, used when the limits below are exceeded."""
MOST_VERSIONS = 256
_LEAST_KEPT_BYTES = 64 * 2**20
"""Versions kept for readers may use as much as the live data, and at least this much."""
_CLEAN_EVERY = 16
"""Versions between two listings: one takes about 15 ms, too much for each document."""
_FANOUT = 16
_TIER_BITS = 3
"""Row counts of fragments in one tier differ by a factor of eight at most."""
_DEAD_SHARE = 0.25
_DEAD_ROWS = ROWS_PER_FRAGMENT // 4
"""A smaller fragment is merged soon anyway, without its deleted rows."""


def compact_after_write(folder: Path, /, *, unverified: bool = False) -> None:
    """Merge small fragments and remove old versions; the caller holds the write lock.

    *unverified* also removes data files that no version refers to, left by a killed writer. It is
    safe only while no other writer can be active.
    """
    repair_tags(folder)
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
    """Return the ids of the fragments to merge: of full and lower tiers, or with many deletions."""
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
    """Return whether a fragment has too few rows to stay separate."""
    return bool(fragment.physical_rows < ROWS_PER_FRAGMENT // 2)


def merge(dataset: Any, chosen: set[int], /, *, most_rows: int | None = None) -> bool:
    """Merge adjacent fragments without their deleted rows; return whether *dataset* changed.

    *chosen* are the ids of the fragments. Stops after copying *most_rows*. *dataset* is at the new
    version afterwards.
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
    """Return the ages of a dataset's versions in seconds, newest first."""
    now = time.time()
    # Each version is one file; reading the time stored in them takes a hundred times longer.
    made = sorted(file.modified for file in manifests(folder, name).values())
    return [now - moment for moment in reversed(made)]


def clean(dataset: Any, seconds: float, /, *, unverified: bool = False) -> int:
    """Remove untagged versions older than *seconds*, except the newest; return their number."""
    # Lance interprets a zero age as its default of two weeks.
    age = max(timedelta(seconds=seconds), timedelta(microseconds=1))
    done = dataset.cleanup_old_versions(
        age,
        # In object storage another writer may be preparing a commit: its files are kept for a week.
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
    """Return whether enough versions have expired to justify reading all of them."""
    due = sum(age > grace for age in ages[1:])
    return due >= max(_CLEAN_EVERY, len(ages) // 4)


def file_bytes(fragments: Iterable[Any], /) -> int:
    """Return the bytes of the data files of fragments, from metadata only."""
    return sum(file.file_size_bytes or 0 for part in fragments for file in part.files)


_MARK = ".upkeep"
"""File whose time is that of the last upkeep."""
_MOST_SMALL = 4
"""Number of small fragments that stay: merging the last few costs more than it saves."""
_MANY_SMALL = 64
_ROWS_PER_STEP = 16 * ROWS_PER_FRAGMENT
_READER_TAG = "reader-lock-"
_STAGE = "rewrite"


@dataclass(frozen=True, slots=True)
class Space:
    """Disk usage of a collection's datasets; live bytes include deleted rows of current files."""

    total_bytes: int
    live_bytes: int
    versions: int
    fragments: int
    deleted_rows: int


def measure(folder: Path, /) -> Space:
    """Return the disk usage of a collection's datasets; reads the whole directory tree."""
    live = versions = fragments = deleted = 0
    for name in (CHUNKS, DOCUMENTS):
        parts = [f.metadata for f in open_dataset(folder, name).get_fragments()]
        live += file_bytes(parts)
        versions += len(version_ages(folder, name))
        fragments += len(parts)
        deleted += sum(part.num_deletions for part in parts)
    return Space(folder_bytes(folder), live, versions, fragments, deleted)


def live_bytes(folder: Path, /) -> int:
    """Return the bytes of the data files and the manifest of the newest versions."""
    total = 0
    for name in (CHUNKS, DOCUMENTS):
        total += file_bytes(f.metadata for f in open_dataset(folder, name).get_fragments())
        total += next(iter(manifests(folder, name).values())).size
    return total


# --- conditions ------------------------------------------------------------------------------


def seconds_since(folder: Path, /) -> float:
    """Return the seconds since the last upkeep; infinite before the first one."""
    try:
        return time.time() - (folder / _MARK).stat().st_mtime
    except FileNotFoundError:
        return float("inf")


def mark_done(folder: Path, /) -> None:
    """Record the end of an upkeep."""
    with storage_errors(folder):
        (folder / _MARK).touch()


def is_due(folder: Path, /) -> bool:
    """Return whether the datasets have deleted rows, many small files or unused versions."""
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
    """Return whether an upkeep is urgent, however recent the last one was."""
    for name in (CHUNKS, DOCUMENTS):
        parts = [f.metadata for f in open_dataset(folder, name).get_fragments()]
        if sum(map(is_small, parts)) > _MANY_SMALL:
            return True
        if len(version_ages(folder, name)) > 2 * MOST_VERSIONS:
            return True
    return False


# --- the datasets ----------------------------------------------------------------------------


def compact(folder: Path, /, *, cancel: threading.Event | None = None) -> None:
    """Merge small fragments, and rewrite every fragment with deleted rows."""
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
    """Remove untagged versions older than *seconds*, and files without a version."""
    for name in (CHUNKS, DOCUMENTS):
        with storage_errors(dataset_at(folder, name)):
            clean(open_dataset(folder, name), seconds, unverified=True)
    place = place_of(folder)
    if place.is_remote:
        remove_unlisted(place, seconds)


# --- named snapshots -------------------------------------------------------------------------


def remove_snapshots(folder: Path, /) -> tuple[str, ...]:
    """Remove every named snapshot, which releases their versions; return their names, sorted."""
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
    """Return whether a long reader keeps an earlier state; see ``store.reader_locks``."""
    return bool(_tags(folder, _READER_TAG))


def _tags(folder: Path, prefix: str) -> set[str]:
    names = (CHUNKS, DOCUMENTS)
    names_of = {tag for name in names for tag in tags(open_dataset(folder, name))}
    return {tag for tag in names_of if tag.startswith(prefix)}


# --- leftovers ------------------------------------------------------------------------------


def prune_stage(folder: Path, column: str, live: Callable[[], set[bytes]], /) -> int:
    """Remove outputs for deleted texts from an interrupted reindex; return the number of texts.

    No reindex may be running. *column* contains the keys of the texts. *live* returns the keys of
    all live texts; it is called only if there are outputs.
    """
    files = sorted((folder / _STAGE).glob("*/*"))
    if not files:
        return 0
    keys, removed = live(), 0
    for path in files:
        with storage_errors(path):
            table = _read_stage(path)
            if table is None:  # incomplete, from a killed run; readers ignore it
                path.unlink()
                continue
            kept = table.filter(_is_in(table[column], keys))
            removed += table.num_rows - kept.num_rows
            if kept.num_rows < table.num_rows:
                _write_stage(path, kept)
    return removed


def _read_stage(path: Path) -> pa.Table | None:
    try:
        with path.open("rb") as file:
            return pa.ipc.open_file(file).read_all() if path.suffix == ".arrow" else None
    except (OSError, ValueError):
        return None


def _write_stage(path: Path, table: pa.Table) -> None:
    if not table.num_rows:
        path.unlink()
        return
    temporary = path.with_suffix(".tmp")
    with pa.OSFile(str(temporary), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    put_in_place(temporary, path)


def _is_in(values: pa.ChunkedArray, keys: set[bytes]) -> pa.ChunkedArray:
    import pyarrow.compute as pc

    return pc.is_in(values, value_set=pa.array(sorted(keys), values.type))


# The bytes of a collection by part: columns of its datasets, and files of its views.


def sizes_of(folder: Path, /) -> dict[str, int]:
    """Return the bytes of each part of a collection, largest first; their sum is the whole.

    Metadata are those of files and versions; an upkeep removes the rows of old versions.
    """
    sizes, whole = Counter[str](), stored_bytes(folder)
    for name in (CHUNKS, DOCUMENTS):
        table, dataset = name.removesuffix(".lance"), open_dataset(folder, name)
        by_field = {field.id: field.bytes_on_disk for field in dataset.stats.data_stats().fields}
        columns = {f.name(): _with_children(f, by_field) for f in dataset.lance_schema.fields()}
        sizes.update({f"{table}.{column}": size for column, size in columns.items()})
        sizes[f"{table}: metadata, old rows"] = stored_bytes(folder, name) - sum(columns.values())
    views = folder / "views"
    files = views.rglob("*") if place_of(folder).address is None else ()
    for path in files:
        if path.is_file():
            kind = path.relative_to(views).parts[0]
            # Positions of token matrices have the names of data files.
            label = kind if kind == "matrices" else f"{kind}: {path.stem.lstrip('.')}"
            sizes[label] += path.stat().st_size
    sizes["other files"] = whole - sizes.total()
    return dict((+sizes).most_common())


def _with_children(field: Any, sizes: dict[int, int]) -> int:
    return sizes.get(field.id(), 0) + sum(_with_children(c, sizes) for c in field.children())
