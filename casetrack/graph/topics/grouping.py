"""Groups of similar vectors: spherical k-means for many, average linkage for few. Deterministic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

_ROUNDS = 15
_STARTS = 2
_BLOCK = 8192


def unit_rows(vectors: NDArray[np.float32], /) -> NDArray[np.float32]:
    """Return rows of length 1; rows of zeros stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units: NDArray[np.float32] = np.divide(
        vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0
    )
    return units


def spherical_kmeans(rows: NDArray[np.float32], count: int, /) -> NDArray[np.float32]:
    """Return unit centres float32 [count or fewer, dimension] of unit rows [n, dimension].

    k-means with the cosine, begun at rows drawn far apart (k-means++, Arthur and Vassilvitskii
    2007) with a fixed seed; the better of two starts.
    """
    count = min(count, len(rows))
    best, best_score = rows[:count], -np.inf
    for start in range(_STARTS if count > 1 else 1):
        centres = _far_apart(rows, count, np.random.default_rng(start))
        count = len(centres)
        labels = np.full(len(rows), -1)
        for _ in range(_ROUNDS):
            similar = rows @ centres.T
            assigned = similar.argmax(axis=1)
            if np.array_equal(assigned, labels):
                break
            labels = assigned
            member = np.zeros((count, len(rows)), dtype=np.float32)
            member[labels, np.arange(len(rows))] = 1
            sums = member @ rows
            empty = ~member.any(axis=1)
            sums[empty] = centres[empty]
            centres = unit_rows(sums)
        score = float((rows @ centres.T).max(axis=1).sum())
        if score > best_score + 1e-6:
            best, best_score = centres, score
    return best


def _far_apart(
    rows: NDArray[np.float32], count: int, random: np.random.Generator
) -> NDArray[np.float32]:
    chosen = [int(random.integers(len(rows)))]
    distance = np.full(len(rows), np.inf)
    while len(chosen) < count:
        distance = np.minimum(distance, np.clip(1 - rows @ rows[chosen[-1]], 0, None))
        total = distance.sum()
        if total <= 0:
            break
        chosen.append(int(np.searchsorted(np.cumsum(distance), random.random() * total)))
    return rows[np.minimum(chosen, len(rows) - 1)]


def nearest(
    codes: NDArray[np.int8],
    scales: NDArray[np.float32],
    mean: NDArray[np.float32],
    centres: NDArray[np.float32],
    /,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the nearest centre of each quantised row and its cosine; -1 for a row without vector.

    Rows are moved by *mean* and brought to length 1 first, as the rows were that *centres* are of.
    """
    labels = np.full(len(codes), -1, dtype=np.int64)
    cosines = np.zeros(len(codes), dtype=np.float32)
    offsets = centres @ mean
    for low in range(0, len(codes), _BLOCK):
        scale = scales[low : low + _BLOCK, None]
        block = codes[low : low + _BLOCK].astype(np.float32)
        # |s·c - m|^2 without a second copy of the block
        squares = (
            (scale[:, 0] ** 2) * np.einsum("ij,ij->i", block, block)
            - 2 * scale[:, 0] * (block @ mean)
            + mean @ mean
        )
        similar = (block @ centres.T) * scale - offsets
        similar /= np.sqrt(np.maximum(squares, 1e-12))[:, None]
        best = similar.argmax(axis=1)
        present = scale[:, 0] > 0
        labels[low : low + _BLOCK] = np.where(present, best, -1)
        cosines[low : low + _BLOCK] = np.where(present, similar[np.arange(len(best)), best], 0)
    return labels, cosines


def average_linkage(similarity: NDArray[np.float32], /) -> list[tuple[int, int, float]]:
    """Return the merges of average linkage over a similarity matrix [n, n], the most similar first.

    Each merge is (row of one group, row of the other, mean similarity); a group is named by any of
    its rows. Found with chains of nearest neighbours (Murtagh 1983), n² time.
    """
    count = len(similarity)
    links = similarity.astype(np.float64, copy=True)
    np.fill_diagonal(links, -np.inf)
    sizes = np.ones(count)
    alive = np.ones(count, dtype=bool)
    merges: list[tuple[int, int, float]] = []
    chain: list[int] = []
    for _ in range(count - 1):
        if not chain:
            chain.append(int(np.flatnonzero(alive)[0]))
        while True:
            tip = chain[-1]
            near = int(links[tip].argmax())
            if len(chain) > 1 and links[tip, chain[-2]] >= links[tip, near]:
                near = chain[-2]
                break
            chain.append(near)
        a, b = sorted((chain.pop(), chain.pop()))
        merges.append((a, b, float(links[a, b])))
        joined = (sizes[a] * links[a] + sizes[b] * links[b]) / (sizes[a] + sizes[b])
        links[a, :] = links[:, a] = joined
        links[a, a] = -np.inf
        links[b, :] = links[:, b] = -np.inf
        sizes[a] += sizes[b]
        alive[b] = False
    return sorted(merges, key=lambda m: (-m[2], m[0], m[1]))


def cut(
    merges: Sequence[tuple[int, int, float]], count: int, heights: Iterable[float], /
) -> Iterator[NDArray[np.int64]]:
    """Yield for each height the group of each of *count* rows, numbered by their first rows.

    Parameters
    ----------
    merges
        Of :func:`average_linkage`, the most similar first.
    heights
        Similarities, falling: rows are one group that a merge of at least so much joins.
    """
    parent = list(range(count))

    def first(row: int) -> int:
        while parent[row] != row:
            parent[row] = parent[parent[row]]
            row = parent[row]
        return row

    done = 0
    for least in heights:
        while done < len(merges) and merges[done][2] >= least:
            low, high = sorted(map(first, merges[done][:2]))
            parent[high] = low
            done += 1
        firsts = np.array(parent, dtype=np.int64)
        while not np.array_equal(further := firsts[firsts], firsts):
            firsts = further
        yield np.unique(firsts, return_inverse=True)[1].astype(np.int64)
