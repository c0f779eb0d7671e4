"""The stored segments of the search index, see :mod:`casetrack.store.index.segment_files`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.store.index import segment as segments
from casetrack.store.index.segment_files import SegmentFolder, published, read_groups

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from casetrack.store.datasets import Snapshot
    from casetrack.store.index.segment import Segment

FORMAT = 9
"""Layout of the segment files; another one on disk is rebuilt."""
MAX_CHUNKS = 65_536
"""Largest segment (but for a single document that is longer); a row then fits two bytes."""


def index_home(folder: Path, /) -> Path:
    """Return where the search index lies in a collection's folder."""
    return folder / "views" / "index"


def stored_segments(home: Path, snapshot: Snapshot, dimension: int, /) -> list[Segment]:
    """Return segments that hold all live revisions of *snapshot*, and maybe dead ones.

    Parameters
    ----------
    home
        Folder of the index.
    snapshot
        What is live.
    dimension
        Length of the vectors; a stored segment with vectors of another length is built anew.
    """
    return segment_folder(home, snapshot, dimension).segments(snapshot)


def segment_folder(home: Path, snapshot: Snapshot, dimension: int, /) -> SegmentFolder[Segment]:
    """Return what keeps the segments; the parameters are those of :func:`stored_segments`."""

    def load(folder: Path) -> Segment:
        found = segments.load(folder)
        if found.dimension != dimension:
            raise ValueError(f"{folder} has vectors of another length")
        return found

    def build(revisions: Iterable[str]) -> Iterator[Segment]:
        for table in read_groups(snapshot, revisions, segments.COLUMNS, MAX_CHUNKS):
            yield segments.build(table)

    def merge(group: Sequence[Segment], live: Mapping[str, str]) -> Iterator[Segment]:
        return build({r for s in group for r in s.revisions if r in live})

    return SegmentFolder(home, FORMAT, MAX_CHUNKS, load, segments.save, build, merge)


def load_segments(home: Path, /) -> dict[str, Segment]:
    """Map the published segments by name; what cannot be read counts as absent."""
    return published(home, FORMAT, segments.load)
