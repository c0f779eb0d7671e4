"""Passages that mean nearly the same as a passage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from casetrack.base.errors import ChunkNotFound, UsageError
from casetrack.base.records import Rows
from casetrack.base.records.graph import SimilarChunk
from casetrack.graph.answers.rows import up_to

if TYPE_CHECKING:
    from casetrack.graph.graph import ContextGraph

_MOST = 500
_BLOCK = 8192


def similar_chunks(
    source: ContextGraph,
    chunk_id: str,
    /,
    *,
    exclude_same_document: bool = True,
    min_similarity: float = 0.6,
    limit: int | None = 10,
) -> Rows[SimilarChunk]:
    """Return the passages whose vectors are nearest to that of a passage, nearest first.

    Parameters
    ----------
    chunk_id
        The passage.
    exclude_same_document
        Whether passages of its own document are left out.
    min_similarity
        Least cosine, 0..1.
    limit
        1..500, or ``None`` for all.

    Raises
    ------
    ChunkNotFound
        There is no such passage.
    UsageError
        An argument is out of range, or the passage has no vector.
    """
    limit = up_to(limit, _MOST)
    if not 0 <= min_similarity <= 1:
        raise UsageError(
            f"The least similarity is {min_similarity}; it must be between 0 and 1.",
            hint="0.6 finds passages on the same matter, 0.9 nearly the same words.",
        )
    vectors = source.chunk_vectors()
    if chunk_id not in vectors.ids:
        raise ChunkNotFound(chunk_id)
    own = vectors.ids.index(chunk_id)
    if vectors.scales[own] == 0:
        raise UsageError(
            f"Passage {chunk_id} has no vector: it was taken in without a model.",
            hint="Run `casetrack models pull` once while online, then `casetrack reindex`.",
        )
    asked = vectors.codes[own].astype(np.float32) * vectors.scales[own]
    cosines = np.concatenate(
        [
            (vectors.codes[low : low + _BLOCK].astype(np.float32) @ asked)
            * vectors.scales[low : low + _BLOCK]
            for low in range(0, len(vectors.ids), _BLOCK)
        ]
    )
    fits = (cosines >= min_similarity) & (vectors.scales > 0)
    fits[own] = False
    if exclude_same_document:
        fits &= vectors.documents != vectors.documents[own]
    found = np.flatnonzero(fits)
    # Equally near ones, such as copies, in the order of the documents and of reading.
    best = sorted(found.tolist(), key=lambda i: (-round(float(cosines[i]), 5), i))[:limit]
    chunks = source.chunks([vectors.ids[i] for i in best])
    records = (
        SimilarChunk(chunk, min(1.0, float(cosines[i])))
        for chunk, i in zip(chunks, best, strict=True)
    )
    return Rows(records, of=SimilarChunk, total=len(found))
