"""Cosine similarity of the query's vector with every chunk's (exact, over memory-mapped arrays)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from casetrack.views.index import Index


def cosine_scores(index: Index, query: np.ndarray, /) -> list[np.ndarray]:
    """Return the cosine of *query* (float32, unit length) with every chunk, one array per segment.

    Chunks without a vector have 0.
    """
    return [np.asarray(part.data.dense @ query, dtype=np.float32) for part in index.segments]
