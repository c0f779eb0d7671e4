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

from casetrack.errors import StorageError
from casetrack.store.files import write_json
from casetrack.store.lock import try_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np

    from casetrack.store.datasets import Snapshot

_log = logging.getLogger(__name__)
_FANOUT = 8
_GRACE_SECONDS = 900.0
"""Segment folders that no manifest names are kept this long for readers that still map them."""


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
class Shelf(Generic[S]):
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
        Read a segment from a folder, and write one into a new folder. *load* raises ``OSError``,
        ``ValueError``, ``KeyError`` or ``EOFError`` for one that is damaged or of no use any more;
        it counts as absent.
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

    def segments(self, snapshot: Snapshot, /) -> list[S]:
        """Return segments that hold all live revisions of *snapshot*, and maybe dead ones."""
        live = snapshot.revisions
        stored = self.stored(snapshot.generation)
        # A document without chunks has nothing to keep.
        needed = {r for r, count in snapshot.documents.chunk_counts.items() if count}
        missing = needed - {r for s in stored.values() for r in s.revisions}
        if not missing and not self._group(list(stored.values()), live):
            return list(stored.values())
        with contextlib.suppress(FileExistsError):
            self.home.mkdir(parents=True)
        with try_lock(self.home / ".lock") as locked:
            if locked:
                stored = self.stored(snapshot.generation)
                missing = needed - {r for s in stored.values() for r in s.revisions}
                return list(self._publish(snapshot, stored, missing).values())
        return [*stored.values(), *self.build(missing)]

    def stored(self, generation: str, /) -> dict[str, S]:
        """Return the published segments by name; see :func:`published`."""
        return published(self.home, self.format, self.load, generation)

    def _publish(self, snapshot: Snapshot, stored: dict[str, S], missing: set[str]) -> dict[str, S]:
        """Build what is missing, merge what has piled up, and switch the manifest."""
        try:
            kept = {**stored, **self._store(self.build(missing))}
            group = self._group(list(kept.values()), snapshot.revisions)
            if group:
                kept = {n: s for n, s in kept.items() if not any(s is g for g in group)}
                kept |= self._store(self.merge(group, snapshot.revisions))
            manifest = {
                "format": self.format,
                "generation": snapshot.generation,
                "segments": sorted(kept),
            }
            write_json(self.home / "manifest.json", manifest)
        except (OSError, StorageError) as error:
            # A view is only a copy: with a full disk, the work goes on from memory.
            _log.warning("The view cannot be stored in %s: %s", self.home, error)
            made = self.build(missing)
            return {str(i): data for i, data in enumerate([*stored.values(), *made])}
        self._remove_unused(set(kept))
        return kept

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

    def _remove_unused(self, names: set[str]) -> None:
        now = time.time()
        for path in self.home.iterdir():
            if not path.is_dir() or path.name in names:
                continue
            if now - path.stat().st_mtime > _GRACE_SECONDS:
                shutil.rmtree(path, ignore_errors=True)


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
        Reads one, see :class:`Shelf`.
    generation
        Those of another generation of the data describe what is gone; ``None`` takes any.
    """
    try:
        manifest = json.loads((home / "manifest.json").read_text("utf-8"))
        if manifest["format"] != layout:
            return {}
        if generation is not None and manifest["generation"] != generation:
            return {}
        names = list(manifest["segments"])
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    found = {}
    for name in names:
        with contextlib.suppress(OSError, ValueError, KeyError, EOFError):
            found[name] = load(home / name)
    return found


def _live_rows(data: Part, live: Mapping[str, str]) -> int:
    starts = data.starts.tolist()
    spans = zip(data.revisions, starts, starts[1:], strict=False)
    return sum(end - start for revision, start, end in spans if revision in live)
