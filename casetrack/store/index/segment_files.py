"""Keeps segments up with the ledger: builds what is missing, merges what has piled up.

``manifest.json`` names the segment folders. It is a cache: what it lacks is built from Lance, what
is dead is masked, and a damaged one is rebuilt. Whoever holds the lock publishes what was built;
everyone else keeps it in memory.
"""

from __future__ import annotations

import contextlib
import json
import logging
import secrets
import shutil
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from casetrack.base.errors import StorageError
from casetrack.base.files import storage_errors, write_json
from casetrack.store.checksums import blanked, with_families
from casetrack.store.damage import reading
from casetrack.store.lock import try_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np

    from casetrack.store.datasets import Snapshot

# Reads the rows of many revisions in groups of bounded size, each row once.

_FEW = 256
"""Up to so many revisions go by a condition; more, by the files that hold them."""
_FRAGMENT_BITS = 32
"""A row's address is the number of its file, and its place in it in the lower bits."""


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
    """Yield the rows of *revisions* in tables of whole revisions.

    Parameters
    ----------
    snapshot
        The collection.
    revisions
        Revisions to read.
    columns
        Their columns; those that the stored table lacks are left out. ``_rowid`` is added.
        Nothing is compared with its checksum here.
    most
        Rows of a table; only a single longer revision has more.
    blank
        Empty the rows that are not what was written, but for the places that they keep, so that
        nothing is made of them.
    files
        Numbers of the data files to look into; all by default.
    """
    if blank:
        for table in read_groups(snapshot, revisions, with_families(columns, "chunks"), most):
            yield blanked(table, "chunks", lacking=snapshot.lacking).select(
                [name for name in table.column_names if name in columns or name == "_rowid"]
            )
        return
    wanted = sorted(revisions)
    stored = set(snapshot.chunks.schema.names)
    present = [name for name in columns if name in stored]
    if len(wanted) <= _FEW and files is None:
        for group in _groups(wanted, snapshot.documents.chunk_counts, most):
            yield snapshot.scan(present, revisions=group, with_row_id=True, checked=False)
        return
    # A condition on thousands of values looks at every row once more for every group.
    held = _files_of(snapshot, wanted, files)
    wanted.sort(key=lambda revision: held.get(revision, [0]))
    for group in _groups(wanted, snapshot.documents.chunk_counts, most):
        numbers = sorted({n for revision in group for n in held.get(revision, ())})
        yield _rows_in(snapshot, numbers, group, present)


def _groups(revisions: Iterable[str], sizes: dict[str, int], most: int) -> Iterator[list[str]]:
    group, rows = list[str](), 0
    for revision in revisions:
        if group and rows + sizes[revision] > most:
            yield group
            group, rows = [], 0
        group.append(revision)
        rows += sizes[revision]
    if group:
        yield group


def _files_of(
    snapshot: Snapshot, revisions: list[str], among: Sequence[int] | None
) -> dict[str, list[int]]:
    """Return the numbers of the data files that hold each revision."""
    values, found, chunks = pa.array(revisions), dict[str, set[int]](), snapshot.chunks
    with reading(chunks.uri):
        some = None if among is None else [chunks.get_fragment(number) for number in among]
        scanner = chunks.scanner(columns=["revision"], with_row_address=True, fragments=some)
        for batch in scanner.to_batches():
            files = pc.shift_right(batch["_rowaddr"], pa.scalar(_FRAGMENT_BITS, pa.uint64()))
            table = pa.table({"revision": batch["revision"], "file": files})
            pairs = table.filter(pc.is_in(table["revision"], value_set=values))
            for row in pairs.group_by(["revision", "file"]).aggregate([]).to_pylist():
                found.setdefault(row["revision"], set()).add(row["file"])
    return {revision: sorted(numbers) for revision, numbers in found.items()}


def _rows_in(
    snapshot: Snapshot, numbers: list[int], revisions: list[str], columns: list[str]
) -> pa.Table:
    """Read *revisions* from the data files *numbers*, batch by batch."""
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
"""Segment folders that no manifest names are kept this long for readers that still map them."""
_SHORTER_SECONDS = 60.0
_MOST_UNUSED = 16
"""Where there are more of them, the older ones are kept for a shorter while."""


class Part(Protocol):
    """An immutable segment: the rows of some revisions, each revision's side by side."""

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
    home
        The folder.
    format
        Layout of the segment files; another one on disk is rebuilt.
    largest
        Segments of half this many rows are merged no more.
    load, save
        Read a segment from a folder, and write one into a new folder. One that *load* cannot read,
        whatever it raises, counts as absent. Files are sealed (:mod:`sealed`).
    build
        Makes segments of bounded size for revisions.
    merge
        Makes segments of the live revisions of others.
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
        """Return segments that hold all live revisions of *snapshot*, and maybe dead ones.

        Parameters
        ----------
        snapshot
            What is live.
        only
            Where only some revisions are asked for, no other is built.
        made_by
            Has segments made of missing revisions, in other processes that each :meth:`make` some,
            and returns their names; by default they are made here.
        """
        live = snapshot.revisions
        stored = self.stored(snapshot.generation)
        needed = _needed(snapshot)
        needed = needed if only is None else needed.intersection(only)
        missing = needed - _held(stored)
        if not missing and not self._group(list(stored.values()), live):
            return list(stored.values())
        # Where it cannot be made, as on a disk that is full, the view stays in memory.
        with contextlib.suppress(OSError):
            self.home.mkdir(parents=True)
        with try_lock(self.home / ".lock") as locked:
            if locked:
                stored = self.stored(snapshot.generation)
                missing = needed - _held(stored)
                return list(self._publish(snapshot, stored, missing, made_by).values())
        return [*stored.values(), *self.build(missing)]

    def lacking(self, snapshot: Snapshot, /) -> dict[str, int]:
        """Return the live revisions that no segment holds, with their numbers of chunks."""
        counts = snapshot.documents.chunk_counts
        missing = _needed(snapshot) - _held(self.stored(snapshot.generation))
        return {revision: counts[revision] for revision in counts if revision in missing}

    def stored(self, generation: str, /) -> dict[str, S]:
        """Return the published segments by name; see :func:`published`."""
        return published(self.home, self.format, self.load, generation)

    def make(self, revisions: Iterable[str], /) -> list[str]:
        """Make segments of revisions and write them; nobody reads them before they are published.

        Raises
        ------
        OSError
            One cannot be written.
        """
        return list(self._store(self.build(revisions)))

    def _publish(
        self,
        snapshot: Snapshot,
        stored: dict[str, S],
        missing: set[str],
        made_by: Callable[[Collection[str]], Iterable[str]] | None,
    ) -> dict[str, S]:
        """Build what is missing, merge what has piled up, and switch the manifest."""
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
            # A view is only a copy: with a full disk, the work goes on from memory.
            _log.warning("The view cannot be stored in %s: %s", self.home, error)
            made = self.build(missing)
            return {str(i): data for i, data in enumerate([*stored.values(), *made])}
        self._remove_unused(set(kept), GRACE_SECONDS)
        return kept

    def purge(self, snapshot: Snapshot, /, *, grace: float, wait: float = 0.0) -> bool:
        """Make every segment anew that holds a dead revision, and remove what is no longer used.

        Nothing is made that was not there before; what is missing is built when it is asked for.

        Parameters
        ----------
        snapshot
            The newest state.
        grace
            Seconds that folders no manifest names are kept for readers.
        wait
            Seconds to wait for another process that is at work on the segments.

        Returns
        -------
        bool
            Whether it was done; not where another process is still at work, nor, on Windows, where
            one still maps what was to be removed.

        Raises
        ------
        DiskFull, NotWritable, StorageError
            A segment cannot be written; what was there stays.
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
                    del dirty  # Windows removes nothing that is still mapped
                self._write_manifest(snapshot, stored)
                return self._remove_unused(set(stored), grace)

    def has_dead(self, snapshot: Snapshot, /) -> bool:
        """Whether a published segment holds a dead revision."""
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
        """Write segments one after the other, each in memory only until it is written."""
        found = {}
        for segment in made:
            name = f"{int(time.time()):010d}-{secrets.token_hex(6)}"
            temporary = self.home / f".{name}.tmp"
            try:
                self.save(segment, temporary)
                temporary.rename(self.home / name)
            except OSError:
                shutil.rmtree(temporary, ignore_errors=True)
                raise
            found[name] = self.load(self.home / name)
        return found

    def _group(self, candidates: Sequence[S], live: Mapping[str, str]) -> list[S]:
        """Return segments worth merging: eight of one order of size, or one that is mostly dead."""
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
    """Remove folders that nobody needs any more, the youngest perhaps later.

    Parameters
    ----------
    folders
        What readers may still map.
    grace
        Seconds they are kept; of many the older ones are kept for a shorter while.

    Returns
    -------
    bool
        Whether all are gone that were to be removed.
    """
    now, removed = time.time(), True
    aged: list[tuple[float, Path]] = []
    for folder in folders:
        with contextlib.suppress(FileNotFoundError):
            aged.append((now - folder.stat().st_mtime, folder))
    for place, (age, folder) in enumerate(sorted(aged, key=lambda pair: pair[0])):
        kept = grace if place < _MOST_UNUSED else min(grace, _SHORTER_SECONDS)
        if age >= kept:
            # Windows keeps what is mapped; the next one removes it.
            shutil.rmtree(folder, ignore_errors=True)
            removed = removed and not folder.exists()
    return removed


def published(
    home: Path, layout: int, load: Callable[[Path], S], generation: str | None = None, /
) -> dict[str, S]:
    """Return the published segments of a folder by name.

    An unreadable manifest or segment counts as absent.

    Parameters
    ----------
    home
        The folder.
    layout
        Format of the segment files that is understood.
    load
        Reads one, see :class:`SegmentFolder`.
    generation
        Those of another generation of the data describe what is gone; ``None`` takes any.
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
    found = {}
    for name, folder in folders.items():
        try:
            found[name] = load(folder)
        except FileNotFoundError:
            continue  # merged with others, and cleaned away meanwhile
        except Exception as error:  # noqa: BLE001 - whatever it is: a copy, and made anew
            _repairs.warning("A part of a view is damaged, and is made anew: %s", error)
    return found


def _needed(snapshot: Snapshot) -> set[str]:
    # A document without chunks has nothing to keep.
    return {r for r, count in snapshot.documents.chunk_counts.items() if count}


def _held(stored: Mapping[str, Part]) -> set[str]:
    return {revision for segment in stored.values() for revision in segment.revisions}


def _has_dead(data: Part, live: Mapping[str, str]) -> bool:
    return any(revision not in live for revision in data.revisions)


def _live_rows(data: Part, live: Mapping[str, str]) -> int:
    starts = data.starts.tolist()
    spans = zip(data.revisions, starts, starts[1:], strict=False)
    return sum(end - start for revision, start, end in spans if revision in live)
