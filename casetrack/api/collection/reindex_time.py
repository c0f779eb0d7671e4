"""How long making everything anew may take, judged by how long it took the first time."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.base.records import Document

_PAUSE_SECONDS = 120.0
"""A longer time between two documents is taken for a pause of the user's."""
_FEWEST_CHUNKS = 20


def first_time_seconds(documents: Iterable[Document], /) -> float | None:
    """Return about how many seconds it took to take in *documents*.

    The time from one document to the next is shared out among the chunks of the first of them.

    Returns
    -------
    float or None
        ``None`` where too few documents came one after the other to tell.
    """
    found = sorted((d.updated_at.timestamp(), d.chunk_count) for d in documents)
    seconds, chunks = 0.0, 0
    for (begun, count), (after, _) in itertools.pairwise(found):
        if after - begun <= _PAUSE_SECONDS:
            seconds, chunks = seconds + after - begun, chunks + count
    if chunks < _FEWEST_CHUNKS or not seconds:
        return None
    return seconds / chunks * sum(count for _, count in found)
