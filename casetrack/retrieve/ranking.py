"""From a query to ranked chunks: union recall, exact scores for every candidate, fusion.

Pure arithmetic over an :class:`~casetrack.views.index.Index`; reading the text of the winners is
the collection's business.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from casetrack.records import Signal
from casetrack.retrieve.dense import cosine_scores
from casetrack.retrieve.fuse import FusionMethod, fuse
from casetrack.retrieve.lexical import bm25_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.views.index import Index, LiveSegment

CANDIDATES = 100
"""Length of each recall list; more did not help (DESIGN §6)."""

_SAMPLE = 8

Place = tuple[int, int]
"""Where a chunk stands in the index: segment number, row."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """One ranked chunk: its place in the index, fused score and what each signal said."""

    place: Place
    chunk_id: str
    score: float
    signals: dict[str, Signal]


@dataclass(slots=True)
class StageTimes:
    """Milliseconds per stage, in the order in which they ran."""

    milliseconds: dict[str, float] = field(default_factory=dict)
    _last: float = field(default_factory=time.perf_counter)

    def lap(self, stage: str, /) -> None:
        """Count the time since the last lap to *stage*."""
        now = time.perf_counter()
        self.milliseconds[stage] = self.milliseconds.get(stage, 0.0) + (now - self._last) * 1000
        self._last = now


def rank(
    index: Index,
    k: int,
    /,
    *,
    terms: Sequence[str] | None = None,
    vector: np.ndarray | None = None,
    document_id: str | None = None,
    fusion: FusionMethod = "zscore",
    times: StageTimes | None = None,
) -> list[Ranked]:
    """Return the best *k* chunks.

    Parameters
    ----------
    index
        Live segments.
    k
        Number of results.
    terms
        The query's terms, or ``None`` to leave keyword recall out.
    vector
        The query's dense vector (float32, unit length), or ``None`` to leave it out.
    document_id
        Only chunks of this document; the filter works inside each recall list.
    fusion
        How signals are joined where there are two.
    times
        Collects milliseconds per stage.

    Returns
    -------
    list of Ranked
        Best first; equal scores in the order of chunk ids.
    """
    times = times or StageTimes()
    masks = [_mask(part, document_id) for part in index.segments]
    signals: dict[str, list[np.ndarray]] = {}
    lists: dict[str, list[Place]] = {}
    # With one signal alone there is nothing to fuse, and its best are the answer.
    depth = max(CANDIDATES, k) if terms is not None and vector is not None else k
    if terms is not None:
        signals["bm25"] = bm25_scores(index, terms)
        lists["bm25"] = _top(index, signals["bm25"], masks, depth, positive=True)
        times.lap("bm25")
    if vector is not None:
        signals["semantic"] = cosine_scores(index, vector)
        embedded = [_embedded(p, m) for p, m in zip(index.segments, masks, strict=True)]
        lists["semantic"] = _top(index, signals["semantic"], embedded, depth, positive=False)
        times.lap("semantic")
    ranked = _fused(index, signals, lists, fusion, k)
    times.lap("fusion")
    return ranked


def _mask(part: LiveSegment, document_id: str | None) -> np.ndarray | None:
    if document_id is None:
        return part.mask
    return part.rows_of(document_id)


def _embedded(part: LiveSegment, mask: np.ndarray | None) -> np.ndarray | None:
    column = part.data.column("embedded")
    if column.all():
        return mask
    return column.astype(bool) if mask is None else mask & column.astype(bool)


def _top(
    index: Index,
    scores: list[np.ndarray],
    masks: list[np.ndarray | None],
    depth: int,
    *,
    positive: bool,
) -> list[Place]:
    """Return the places of the *depth* best rows, ties by chunk id."""
    found: list[tuple[float, str, Place]] = []
    for number, (values, mask) in enumerate(zip(scores, masks, strict=True)):
        if positive:
            allowed = np.flatnonzero(values > 0 if mask is None else (values > 0) & mask)
        else:
            allowed = np.arange(len(values)) if mask is None else np.flatnonzero(mask)
        rows = _best_rows(values, allowed, depth)
        ids = index.segments[number].data.chunk_ids(rows)
        found += [
            (-float(values[row]), chunk_id, (number, int(row)))
            for row, chunk_id in zip(rows, ids, strict=True)
        ]
    found.sort(key=lambda entry: entry[:2])
    return [place for _, _, place in found[:depth]]


def _best_rows(values: np.ndarray, allowed: np.ndarray, depth: int) -> np.ndarray:
    """Return the rows that hold the *depth* best values, with all that tie with the last one."""
    if len(allowed) <= depth:
        return allowed
    chosen = values[allowed]
    sample = chosen[::_SAMPLE]
    if len(sample) > depth * _SAMPLE:
        # The sample's depth-th best is a lower bound of the whole's: most rows fall out at once.
        near = chosen >= np.partition(sample, len(sample) - depth)[len(sample) - depth]
        allowed, chosen = allowed[near], chosen[near]
    threshold = np.partition(chosen, len(chosen) - depth)[len(chosen) - depth]
    best: np.ndarray = allowed[chosen >= threshold]
    return best


def _fused(
    index: Index,
    signals: dict[str, list[np.ndarray]],
    lists: dict[str, list[Place]],
    fusion: FusionMethod,
    k: int,
) -> list[Ranked]:
    """Score every candidate by every signal, and return the best *k*."""
    candidates = list(dict.fromkeys(place for places in lists.values() for place in places))
    if not candidates:
        return []
    exact = {
        name: np.array([per_segment[s][row] for s, row in candidates])
        for name, per_segment in signals.items()
    }
    positions = {name: {p: i + 1 for i, p in enumerate(ps)} for name, ps in lists.items()}
    ranks = {name: [found.get(p) for p in candidates] for name, found in positions.items()}
    if len(exact) == 1:
        shares = {name: values.astype(np.float64) for name, values in exact.items()}
    else:
        shares = fuse(exact, ranks, method=fusion)
    total = np.sum(list(shares.values()), axis=0)
    ids = _chunk_ids(index, candidates)
    # Sums of floats may differ in the last digit; what a person sees as equal is a tie.
    order = sorted(range(len(candidates)), key=lambda i: (-round(float(total[i]), 9), ids[i]))
    return [
        Ranked(
            place=candidates[i],
            chunk_id=ids[i],
            score=float(total[i]),
            signals={
                name: Signal(float(exact[name][i]), ranks[name][i], float(shares[name][i]))
                for name in exact
            },
        )
        for i in order[:k]
    ]


def _chunk_ids(index: Index, places: list[Place]) -> list[str]:
    """Return the chunk ids at *places*, asking each segment once."""
    ids = [""] * len(places)
    by_segment: dict[int, list[int]] = {}
    for position, (number, _) in enumerate(places):
        by_segment.setdefault(number, []).append(position)
    for number, positions in by_segment.items():
        rows = np.array([places[p][1] for p in positions])
        found = index.segments[number].data.chunk_ids(rows)
        for position, chunk_id in zip(positions, found, strict=True):
            ids[position] = chunk_id
    return ids
