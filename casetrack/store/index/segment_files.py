"""Keeping segments in sync with the ledger: missing ones are built, small ones merged.

``manifest.json`` names the segment folders. It is a cache: missing segments are built from Lance,
dead revisions are masked, and damaged segments are rebuilt. The holder of the lock publishes new
segments; other processes keep them in memory.
"""

from __future__ import annotations

import contextlib
import json
import logging
import secrets
import shutil
import time
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import pyarrow as pa

from casetrack.base.dataclass import dataclass
from casetrack.base.errors import StorageError
from casetrack.base.files import storage_errors, write_json
from casetrack.base.groups import in_batches
from casetrack.store.checksums import blanked, with_families
from casetrack.store.damage import reading
from casetrack.store.lock import try_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np

    from casetrack.store.datasets import Snapshot

# Reading the rows of many revisions in groups of bounded size, each row once.

_FEW = 256
"""Maximum number of revisions to read by a condition instead of by their data files."""
_FRAGMENT_BITS = 32
"""A row's address is the number of its file, with its position in the lower bits."""


def read_groups(
    snapshot: Snapshot,
    revisions: Iterable[str],
    columns: Sequence[str],
    most: int,
    /,
    *,
    blank: bool = False,
    files: Sequence[int] | None = None,
) -> Iterator[pa.Table]:
    """Yield the rows of *revisions* in tables of whole revisions with at most about *most* rows.

    Missing columns are left out; ``_rowid`` is added. Checksums are not compared, but *blank*
    empties damaged rows except ids and offsets. *files* limits the data files.
    """
    if blank:
        for table in read_groups(snapshot, revisions, with_families(columns, "chunks"), most):
            yield blanked(table, "chunks", lacking=snapshot.lacking).select(
                [name for name in table.column_names if name in columns or name == "_rowid"]
            )
        return
    wanted = sorted(revisions)
    stored = snapshot.columns
    present = [name for name in columns if name in stored]
    if len(wanted) <= _FEW and files is None:
        for group in in_batches(wanted, snapshot.documents.chunk_counts.__getitem__, most):
            yield snapshot.scan(present, revisions=group, with_row_id=True, checked=False)
        return
    # A condition with thousands of values would scan every row again for each group.
    held = _files_of(snapshot, wanted, files)
    wanted.sort(key=lambda revision: held.get(revision, [0]))
    for group in in_batches(wanted, snapshot.documents.chunk_counts.__getitem__, most):
        numbers = sorted({n for revision in group for n in held.get(revision, ())})
        yield _rows_in(snapshot, numbers, group, present)


def _files_of(
    snapshot: Snapshot, revisions: list[str], among: Sequence[int] | None
) -> dict[str, list[int]]:
    """Return the numbers of the data files that contain each revision."""
    import pyarrow.compute as pc

    values, numbers_of, chunks = pa.array(revisions), dict[str, set[int]](), snapshot.chunks
    with reading(chunks.uri):
        some = None if among is None else [chunks.get_fragment(number) for number in among]
        scanner = chunks.scanner(columns=["revision"], with_row_address=True, fragments=some)
        for batch in scanner.to_batches():
            files = pc.shift_right(batch["_rowaddr"], pa.scalar(_FRAGMENT_BITS, pa.uint64()))
            table = pa.table({"revision": batch["revision"], "file": files})
            pairs = table.filter(pc.is_in(table["revision"], value_set=values))
            for row in pairs.group_by(["revision", "file"]).aggregate([]).to_pylist():
                numbers_of.setdefault(row["revision"], set()).add(row["file"])
    return {revision: sorted(numbers) for revision, numbers in numbers_of.items()}


def _rows_in(
    snapshot: Snapshot, numbers: list[int], revisions: list[str], columns: list[str]
) -> pa.Table:
    """Read *revisions* from the data files *numbers*, batch by batch."""
    import pyarrow.compute as pc

    values, chunks = pa.array(revisions), snapshot.chunks
    with reading(chunks.uri):
        files = [chunks.get_fragment(number) for number in numbers]
        scanner = chunks.scanner(columns=columns, fragments=files, with_row_id=True)
        kept = [b.filter(pc.is_in(b["revision"], value_set=values)) for b in scanner.to_batches()]
        return pa.Table.from_batches(kept, scanner.projected_schema)


_log = logging.getLogger(__name__)
_repairs = logging.getLogger("casetrack.repairs")
_FANOUT = 8
GRACE_SECONDS = 900.0
"""Seconds that unlisted segment folders are kept for readers that still map them."""
_SHORTER_SECONDS = 60.0
_MOST_UNUSED = 16
"""With more unlisted folders than this, the older ones are kept for a shorter time."""


class Part(Protocol):
    """An immutable segment: the rows of some revisions, each revision's contiguous."""

    @property
    def revisions(self) -> tuple[str, ...]:
        """Ids, ascending."""

    @property
    def starts(self) -> np.ndarray:
        """int64 [revisions + 1], first row of each revision."""

    @property
    def size(self) -> int:
        """Number of rows."""


S = TypeVar("S", bound=Part)


@dataclass(frozen=True, slots=True)
class SegmentFolder(Generic[S]):
    """A folder of segments of one kind.

    Attributes
    ----------
    format
        Layout of the segment files; segments of another layout are rebuilt.
    largest
        Segments with half this many rows are no longer merged.
    load, save
        Read a segment from a folder, and write one to a new folder. A segment for which *load*
        raises any error counts as absent. Files are sealed
        (:func:`~casetrack.store.index.arrays.seal`).
    """

    home: Path
    format: int
    largest: int
    load: Callable[[Path], S]
    save: Callable[[S, Path], None]
    build: Callable[[Iterable[str]], Iterator[S]]
    merge: Callable[[Sequence[S], Mapping[str, str]], Iterator[S]]

    def segments(
        self,
        snapshot: Snapshot,
        /,
        *,
        only: Collection[str] | None = None,
        made_by: Callable[[Collection[str]], Iterable[str]] | None = None,
    ) -> list[S]:
        """Return segments with all live revisions of *snapshot*, and maybe dead ones.

        *only* limits the building to some revisions. *made_by* has missing segments built in other
        processes, which call :meth:`make`, and returns their names; by default this process builds
        them.
        """
        live = snapshot.revisions
        stored = self.stored(snapshot.generation)
        needed = _needed(snapshot)
        needed = needed if only is None else needed.intersection(only)
        missing = needed - _held(stored)
        if not missing and not self._group(list(stored.values()), live):
            return list(stored.values())
        # If the folder cannot be written, as on a full disk, the view stays in memory.
        with contextlib.suppress(OSError):
            self.home.mkdir(parents=True)
        with try_lock(self.home / ".lock") as locked:
            if locked:
                stored = self.stored(snapshot.generation)
                missing = needed - _held(stored)
                return list(self._publish(snapshot, stored, missing, made_by).values())
        return [*stored.values(), *self.build(missing)]

    def lacking(self, snapshot: Snapshot, /) -> dict[str, int]:
        """Return the live revisions without a segment, with their numbers of chunks."""
        counts = snapshot.documents.chunk_counts
        missing = _needed(snapshot) - _held(self.stored(snapshot.generation))
        return {revision: counts[revision] for revision in counts if revision in missing}

    def stored(self, generation: str, /) -> dict[str, S]:
        """Return the published segments by name; see :func:`published`."""
        return published(self.home, self.format, self.load, generation)

    def make(self, revisions: Iterable[str], /) -> list[str]:
        """Build and write segments of revisions; readers see them after their publication."""
        return list(self._store(self.build(revisions)))

    def _publish(
        self,
        snapshot: Snapshot,
        stored: dict[str, S],
        missing: set[str],
        made_by: Callable[[Collection[str]], Iterable[str]] | None,
    ) -> dict[str, S]:
        """Build missing segments, merge small ones, and replace the manifest."""
        try:
            if made_by is None:
                kept = {**stored, **self._store(self.build(missing))}
            else:
                kept = {**stored, **{n: self.load(self.home / n) for n in made_by(missing)}}
            group = self._group(list(kept.values()), snapshot.revisions)
            if group:
                kept = {n: s for n, s in kept.items() if not any(s is g for g in group)}
                kept |= self._store(self.merge(group, snapshot.revisions))
            self._write_manifest(snapshot, kept)
        except (OSError, StorageError) as error:
            # A view can be rebuilt: with a full disk, the work continues in memory.
            _log.warning("The view cannot be stored in %s: %s", self.home, error)
            made = self.build(missing)
            return {str(i): data for i, data in enumerate([*stored.values(), *made])}
        self._remove_unused(set(kept), GRACE_SECONDS)
        return kept

    def purge(self, snapshot: Snapshot, /, *, grace: float, wait: float = 0.0) -> bool:
        """Rebuild every segment with a dead revision, and remove unused folders; return success.

        Missing segments are not built. *grace* is the number of seconds that unlisted folders are
        kept for readers, *wait* the number of seconds to wait for another process that changes the
        segments. Returns ``False`` if that process is still active or, on Windows, if a process
        still maps a folder to be removed.
        """
        if not self.home.is_dir():
            return True
        with try_lock(self.home / ".lock", timeout=wait) as locked:
            if not locked:
                return False
            stored, live = self.stored(snapshot.generation), snapshot.revisions
            dirty = [s for s in stored.values() if _has_dead(s, live)]
            with storage_errors(self.home):
                if dirty:
                    kept = {n: s for n, s in stored.items() if not any(s is d for d in dirty)}
                    stored = kept | self._store(self.merge(dirty, live))
                    del dirty  # Windows cannot remove a mapped file
                self._write_manifest(snapshot, stored)
                return self._remove_unused(set(stored), grace)

    def has_dead(self, snapshot: Snapshot, /) -> bool:
        """Return whether a published segment contains a dead revision."""
        live = snapshot.revisions
        return any(_has_dead(s, live) for s in self.stored(snapshot.generation).values())

    def _write_manifest(self, snapshot: Snapshot, kept: Mapping[str, S]) -> None:
        manifest = {
            "format": self.format,
            "generation": snapshot.generation,
            "segments": sorted(kept),
        }
        write_json(self.home / "manifest.json", manifest)

    def _store(self, made: Iterator[S]) -> dict[str, S]:
        """Write segments one by one, keeping each in memory only until it is written."""
        stored = {}
        for segment in made:
            name = f"{int(time.time()):010d}-{secrets.token_hex(6)}"
            temporary = self.home / f".{name}.tmp"
            try:
                self.save(segment, temporary)
                temporary.rename(self.home / name)
            except OSError:
                shutil.rmtree(temporary, ignore_errors=True)
                raise
            stored[name] = self.load(self.home / name)
        return stored

    def _group(self, candidates: Sequence[S], live: Mapping[str, str]) -> list[S]:
        """Return segments worth merging: eight of similar size, or one that is mostly dead."""
        tiers: dict[int, list[S]] = {}
        for data in candidates:
            if 2 * _live_rows(data, live) < data.size:
                tiers.setdefault(-1, []).append(data)
            elif data.size < self.largest // 2:
                tiers.setdefault(data.size.bit_length() // 3, []).append(data)
        group = tiers.pop(-1, [])
        for tier in sorted(tiers):
            if len(tiers[tier]) >= _FANOUT:
                group += tiers[tier]
        return group

    def _remove_unused(self, names: set[str], grace: float) -> bool:
        unused = [p for p in self.home.iterdir() if p.is_dir() and p.name not in names]
        return remove_old(unused, grace)


def remove_old(folders: Sequence[Path], grace: float, /) -> bool:
    """Remove unused folders older than *grace* seconds; return whether all are gone."""
    now, removed = time.time(), True
    aged: list[tuple[float, Path]] = []
    for folder in folders:
        with contextlib.suppress(FileNotFoundError):
            aged.append((now - folder.stat().st_mtime, folder))
    for place, (age, folder) in enumerate(sorted(aged, key=lambda pair: pair[0])):
        kept = grace if place < _MOST_UNUSED else min(grace, _SHORTER_SECONDS)
        if age >= kept:
            # Windows keeps mapped files; the next call removes them.
            shutil.rmtree(folder, ignore_errors=True)
            removed = removed and not folder.exists()
    return removed


def published(
    home: Path, layout: int, load: Callable[[Path], S], generation: str | None = None, /
) -> dict[str, S]:
    """Return the published segments of a folder by name.

    An unreadable manifest or segment counts as absent. *layout* is the supported format of segment
    files. Segments of another *generation* are outdated; ``None`` accepts any.
    """
    try:
        manifest = json.loads((home / "manifest.json").read_text("utf-8"))
        if manifest["format"] != layout:
            return {}
        if generation is not None and manifest["generation"] != generation:
            return {}
        folders = {name: home / name for name in manifest["segments"]}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    loaded = {}
    for name, folder in folders.items():
        try:
            loaded[name] = load(folder)
        except FileNotFoundError:
            continue  # merged and cleaned away meanwhile
        except Exception as error:  # noqa: BLE001 - any error: a view is rebuilt
            _repairs.warning("A part of a view is damaged, and is rebuilt: %s", error)
    return loaded


def _needed(snapshot: Snapshot) -> set[str]:
    # A document without chunks needs no segment.
    return {r for r, count in snapshot.documents.chunk_counts.items() if count}


def _held(stored: Mapping[str, Part]) -> set[str]:
    return {revision for segment in stored.values() for revision in segment.revisions}


def _has_dead(data: Part, live: Mapping[str, str]) -> bool:
    return any(revision not in live for revision in data.revisions)


def _live_rows(data: Part, live: Mapping[str, str]) -> int:
    alive = [revision in live for revision in data.revisions]
    return int((data.starts[1:] - data.starts[:-1])[alive].sum())
