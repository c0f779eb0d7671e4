"""The stored segments of the search index, see :mod:`casetrack.store.index.segment_files`."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from casetrack.base.files import stamp_of
from casetrack.store.index import segment as segments
from casetrack.store.index.segment_files import SegmentFolder, published, read_groups

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from casetrack.base.files import Stamp
    from casetrack.store.datasets import Snapshot
    from casetrack.store.index.segment import Segment

FORMAT = 10
"""Layout of the segment files; segments of another layout are rebuilt."""
MAX_CHUNKS = 65_536
"""Maximum chunks per segment (a single document may exceed it), so that a row fits two bytes."""


_loaded: WeakValueDictionary[tuple[Path, tuple[Stamp | None, ...]], Segment] = WeakValueDictionary()
"""Mapped segments of living states by folder."""


def index_home(folder: Path, /) -> Path:
    """Return the folder of the search index within a collection."""
    return folder / "views" / "index"


def stored_segments(home: Path, snapshot: Snapshot, dimension: int, /) -> list[Segment]:
    """Return segments with all live revisions; those with another *dimension* are rebuilt."""
    return segment_folder(home, snapshot, dimension).segments(snapshot)


def segment_folder(home: Path, snapshot: Snapshot, dimension: int, /) -> SegmentFolder[Segment]:
    """Return the folder of segments; for the parameters see :func:`stored_segments`."""

    def load(folder: Path) -> Segment:
        # A folder never changes unless it is damaged, and most are the same in the next state.
        key = folder, tuple(stamp_of(folder / name) for name in segments.FILES)
        segment = _loaded.get(key) or _loaded.setdefault(key, segments.load(folder))
        if segment.dimension != dimension:
            raise ValueError(f"{folder} has vectors of another length")
        return segment

    def build(revisions: Iterable[str]) -> Iterator[Segment]:
        for table in read_groups(snapshot, revisions, segments.COLUMNS, MAX_CHUNKS):
            yield segments.build(table)

    def merge(group: Sequence[Segment], live: Mapping[str, str]) -> Iterator[Segment]:
        return build({r for s in group for r in s.revisions if r in live})

    return SegmentFolder(home, FORMAT, MAX_CHUNKS, load, segments.save, build, merge)


def load_segments(home: Path, /) -> dict[str, Segment]:
    """Map the published segments by name; unreadable ones count as absent."""
    return published(home, FORMAT, segments.load)
