"""Cuts the documents that something is to be made of into groups, one for each task."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_PILE = 8
"""So many small segments are merged into one as soon as they are published."""


def groups(
    sizes: Mapping[str, int], revisions: Iterable[str], largest: int, processors: int, /
) -> list[list[str]]:
    """Return the revisions in groups that take about as long, in the order of their names.

    A group fills at most one segment, so that little is made again where a machine is lost; and
    small groups are fewer than would be merged at once, which would be the same work again.

    Parameters
    ----------
    sizes
        Rows by revision.
    revisions
        Those to make something of.
    largest
        Rows of the largest segment.
    processors
        How many tasks run at a time.
    """
    wanted = sorted(revisions)
    rows = sum(sizes[revision] for revision in wanted)
    parts = max(1, processors)
    if rows < parts * (largest // 2):
        parts = min(parts, _PILE - 1)
    room = max(1, min(largest, -(-rows // parts)))
    found: list[list[str]] = []
    filled = room
    for revision in wanted:
        if filled and filled + sizes[revision] > room:
            found.append([])
            filled = 0
        found[-1].append(revision)
        filled += sizes[revision]
    return found
