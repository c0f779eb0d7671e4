"""The truly nearest chunks, by comparing a question with every stored vector."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.synthetic import Corpus


def exact_nearest(
    corpus: Corpus, queries: Sequence[np.ndarray], depth: int, /
) -> list[list[tuple[str, float]]]:
    """Return chunk id and cosine of the *depth* nearest chunks of every query, nearest first.

    Reads the stored vectors in batches, so that memory does not grow with the collection.
    """
    asked = np.stack(queries)
    best: list[list[tuple[str, float]]] = [[] for _ in queries]
    scanner = corpus.collection.workspace.state().snapshot.chunks.scanner(
        columns=["chunk_id", "dense"]
    )
    for batch in scanner.to_batches():
        dense = batch["dense"]
        matrix = dense.flatten().to_numpy().reshape(-1, dense.type.list_size)
        cosines = asked @ matrix.T
        ids = batch["chunk_id"].to_pylist()
        for nearest, row in zip(best, cosines, strict=True):
            keep = np.argpartition(-row, min(depth, len(row)) - 1)[:depth]
            nearest += [(ids[place], float(row[place])) for place in keep]
            nearest.sort(key=lambda pair: -pair[1])
            del nearest[depth:]
    return best


def recall(
    retrieved: Sequence[Sequence[str]], truth: Sequence[Sequence[tuple[str, float]]], /
) -> tuple[float, float]:
    """Return mean and least share of the true ids that were found."""
    shares = [
        len(set(ids) & {name for name, _ in right}) / len(right)
        for ids, right in zip(retrieved, truth, strict=True)
    ]
    return statistics.mean(shares), min(shares)
