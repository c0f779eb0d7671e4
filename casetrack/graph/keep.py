"""The stored segments of the graph, see :mod:`casetrack.views.shelf`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.graph import segment as segments
from casetrack.graph.reading import build as read_rows
from casetrack.graph.segment import GraphSegment
from casetrack.views.reading import read_groups
from casetrack.views.shelf import Shelf

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from casetrack.store.datasets import Snapshot

LARGEST = 65_536
"""Segments of half this many chunks are merged no more."""
_READ_TOGETHER = 4096
"""Chunks that are in memory at once with their texts."""


def stored_segments(home: Path, snapshot: Snapshot, /) -> list[GraphSegment]:
    """Return segments that hold all live revisions of *snapshot*, and maybe dead ones.

    Parameters
    ----------
    home
        Folder of the segments.
    snapshot
        What is live.
    """

    def build(revisions: Iterable[str]) -> Iterator[GraphSegment]:
        by_revision = {d.revision: d for d in snapshot.documents.values()}
        made = [
            read_rows(rows, by_revision)
            for rows in read_groups(snapshot, revisions, segments.COLUMNS, _READ_TOGETHER)
        ]
        yield from merge(made, snapshot.revisions)

    def merge(group: Sequence[GraphSegment], live: Mapping[str, str]) -> Iterator[GraphSegment]:
        batch, size = list[GraphSegment](), 0
        for part in group:
            if batch and size + part.size > LARGEST:
                yield segments.merge(batch, live)
                batch, size = [], 0
            batch.append(part)
            size += part.size
        if batch:
            yield segments.merge(batch, live)

    shelf = Shelf(home, segments.FORMAT, LARGEST, segments.load, segments.save, build, merge)
    return shelf.segments(snapshot)
