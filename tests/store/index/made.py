"""Segments and indexes made of random words, vectors and weights, without any store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from casetrack.base import schema
from casetrack.store.index import segment as segments
from casetrack.store.index.index import Index, live_index
from casetrack.store.passages import PLACE_COLUMNS

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.store.index.segment import Segment

DIMENSION = 32
WORDS = [f"word{n:03d}" for n in range(200)]
_SHARES = 1.0 / (np.arange(len(WORDS)) + 1.0)
_PER_DOCUMENT = 25


def topics(count: int, seed: int, dimension: int = DIMENSION) -> np.ndarray:
    """Return unit vectors in clusters: float32 [count, dimension]."""
    centres = np.random.default_rng(1).standard_normal((60, 8))
    plane = np.random.default_rng(2).standard_normal((8, dimension))
    rng = np.random.default_rng(seed)
    inner = centres[rng.integers(60, size=count)] + 0.5 * rng.standard_normal((count, 8))
    vectors = inner @ plane + 0.3 * rng.standard_normal((count, dimension))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def rows_of(
    count: int,
    seed: int,
    *,
    vectors: np.ndarray | None = None,
    embedder: str = "model",
    sparse: bool = True,
) -> pa.Table:
    """Return rows of ``chunks`` as a segment is built from; every 25 are one document."""
    rng = np.random.default_rng(seed)
    vectors = topics(count, seed) if vectors is None else vectors
    lengths = rng.integers(5, 60, size=count)
    drawn = [
        np.unique(rng.choice(len(WORDS), size=n, p=_SHARES / _SHARES.sum()), return_counts=True)
        for n in lengths
    ]
    ids = [np.sort(rng.choice(300, size=rng.integers(0, 20), replace=False)) for _ in range(count)]
    columns = {
        "chunk_id": [f"{rng.integers(1 << 60):016x}" for _ in range(count)],
        "revision": [f"{seed:03d}-{n // _PER_DOCUMENT:05d}" for n in range(count)],
        "chunk_index": [n % _PER_DOCUMENT for n in range(count)],
        "terms": [[WORDS[w] for w in words] for words, _ in drawn],
        "term_counts": pa.array([c.tolist() for _, c in drawn], pa.list_(pa.int32())),
        "term_total": pa.array(lengths, pa.int32()),
        "dense": pa.FixedSizeListArray.from_arrays(vectors.ravel(), vectors.shape[1]),
        "embedders": [[embedder]] * count,
        "text": [" ".join(WORDS[w] for w in words) for words, _ in drawn],
        "_rowid": pa.array(np.arange(count), pa.uint64()),
    }
    if sparse:
        columns["sparse_terms"] = pa.array([i.tolist() for i in ids], pa.list_(pa.int32()))
        weights = [rng.uniform(0.1, 3.0, len(i)).tolist() for i in ids]
        columns["sparse_weights"] = pa.array(weights, pa.list_(pa.float32()))
    declared = schema.table("chunks")
    for name in PLACE_COLUMNS:
        columns.setdefault(name, pa.nulls(count, declared.column(name).type))
    return pa.table(columns)


def saved(table: pa.Table, folder: Path) -> Segment:
    """Build a segment, write it, and map it."""
    segments.save(segments.build(table), folder)
    return segments.load(folder)


def index_of(*parts: Segment, dead: frozenset[str] = frozenset(), **options: str) -> Index:
    """Return the index of segments; every revision is a document of that name."""
    live = {r: r for part in parts for r in part.revisions if r not in dead}
    return live_index(parts, live, parts[0].dimension, *options.values())
