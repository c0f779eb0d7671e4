"""From a query to ranked chunks: union recall, exact scores for every candidate, fusion, rerank.

Pure arithmetic over an :class:`~casetrack.views.index.Index`; what token matrices say of the best
candidates comes from a function that is given, and reading the text of the winners is the
collection's business.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from casetrack.records import Signal
from casetrack.retrieve.dense import cosine_at, dense_top
from casetrack.retrieve.fuse import FusionMethod, fuse
from casetrack.retrieve.lexical import lexical_at, lexical_top
from casetrack.retrieve.sparse import sparse_at, sparse_top

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from casetrack.views.index import Index
    from casetrack.views.rows import Place, Rows

CANDIDATES = 100
"""Length of each recall list; more did not help (DESIGN §6)."""
RERANKED = 50
"""How many of the best fused candidates are read token by token; more did not help."""
_BEHIND = 1e-6


@dataclass(frozen=True, slots=True)
class Question:
    """What the recall stages look for; a stage whose part is ``None`` is left out.

    Attributes
    ----------
    terms
        Index terms, for ``bm25``.
    vector
        float32 [dimension], unit length, for ``semantic``.
    sparse
        Vocabulary ids and weights, for ``sparse``.
    """

    terms: Sequence[str] | None = None
    vector: np.ndarray | None = None
    sparse: tuple[np.ndarray, np.ndarray] | None = None


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


@dataclass(frozen=True, slots=True)
class Candidates:
    """Chunks with what each signal says of them, in any order.

    Attributes
    ----------
    places, chunk_ids
        One per candidate.
    scores
        Per signal the exact score of every candidate, also of those that another signal found.
    ranks
        Per signal the 1-based rank of every candidate in its own list, or ``None``.
    """

    places: list[Place]
    chunk_ids: list[str]
    scores: dict[str, np.ndarray]
    ranks: dict[str, list[int | None]]

    def take(self, positions: Sequence[int], /) -> Candidates:
        """Return some of them, in the order of *positions*."""
        return Candidates(
            [self.places[i] for i in positions],
            [self.chunk_ids[i] for i in positions],
            {name: values[list(positions)] for name, values in self.scores.items()},
            {name: [ranks[i] for i in positions] for name, ranks in self.ranks.items()},
        )


def rank(
    index: Index,
    k: int,
    question: Question,
    /,
    *,
    document_id: str | None = None,
    fusion: FusionMethod = "zscore",
    maxsim: Callable[[Sequence[Place]], np.ndarray] | None = None,
    times: StageTimes | None = None,
) -> list[Ranked]:
    """Return the best *k* chunks.

    Parameters
    ----------
    index
        Live segments.
    k
        Number of results.
    question
        What to look for.
    document_id
        Only chunks of this document; the filter works inside each recall list.
    fusion
        How signals are joined where there are several.
    maxsim
        Scores places by their token matrices; NaN where there is none. ``None`` leaves it out.
    times
        Collects milliseconds per stage.

    Returns
    -------
    list of Ranked
        Best first; equal scores in the order of chunk ids. The order of the first does not depend
        on how many are asked for, up to the length of a recall list.
    """
    times = times or StageTimes()
    single = sum(p is not None for p in (question.terms, question.vector, question.sparse)) == 1
    # With one signal alone there is nothing to fuse, and its best are the answer.
    depth = k if single and maxsim is None else max(CANDIDATES, k)
    found = _recall(index, question, depth, document_id, times)
    order, shares = _order(found, fusion)
    if maxsim is None or not order:
        ranked = [_ranked(found, shares, i) for i in order[:k]]
    else:
        best = found.take(order[:RERANKED])
        _add_maxsim(best, maxsim(best.places))
        times.lap("maxsim")
        ordered, reranked = _order(best, fusion)
        ranked = [_ranked(best, reranked, i) for i in ordered]
        ranked += _unread([_ranked(found, shares, i) for i in order[RERANKED:k]], ranked[-1].score)
    times.lap("fusion")
    return ranked[:k]


def _unread(rest: list[Ranked], worst: float) -> list[Ranked]:
    """Return candidates whose token matrices were not read, behind all those that were.

    The first fusion standardised its scores over other candidates: they are moved as one below
    *worst*, and the move is what the token stage adds to them.
    """
    if not rest:
        return []
    move = min(0.0, worst - rest[0].score - _BEHIND)
    signal = Signal(None, None, move)
    return [replace(r, score=r.score + move, signals={**r.signals, "maxsim": signal}) for r in rest]


def _recall(
    index: Index,
    question: Question,
    depth: int,
    document_id: str | None,
    times: StageTimes,
) -> Candidates:
    """Return the union of the recall lists, each candidate scored by every signal."""
    rows = index.rows(document_id)
    signals = _signals(index, question)
    found: dict[str, tuple[list[Place], np.ndarray]] = {}
    for name, signal in signals.items():
        found[name] = signal.top(depth, rows)
        times.lap(name)
    places = list(dict.fromkeys(place for listed, _ in found.values() for place in listed))
    scores = {}
    ranks: dict[str, list[int | None]] = {}
    for name, (listed, values) in found.items():
        position = {place: i for i, place in enumerate(listed)}
        others = [place for place in places if place not in position]
        known = dict(zip(listed, values, strict=True))
        known |= zip(others, signals[name].at(others), strict=True)
        scores[name] = np.array([known[place] for place in places], dtype=np.float64)
        ranks[name] = [position[p] + 1 if p in position else None for p in places]
        times.lap(name)
    return Candidates(places, index.chunk_ids(places), scores, ranks)


@dataclass(frozen=True, slots=True)
class _Recall:
    """One signal: its best rows, and its score of any row."""

    top: Callable[[int, Sequence[Rows]], tuple[list[Place], np.ndarray]]
    at: Callable[[Sequence[Place]], np.ndarray]


def _signals(index: Index, question: Question) -> dict[str, _Recall]:
    """Return the signals that have something to look for, in the order in which they run."""
    signals = {}
    if (terms := question.terms) is not None:
        signals["bm25"] = _Recall(
            lambda depth, rows: lexical_top(index, terms, depth, rows),
            lambda places: lexical_at(index, terms, places),
        )
    if (vector := question.vector) is not None:
        signals["semantic"] = _Recall(
            lambda depth, rows: dense_top(index, vector, depth, rows),
            lambda places: cosine_at(index, vector, places),
        )
    if (sparse := question.sparse) is not None:
        signals["sparse"] = _Recall(
            lambda depth, rows: sparse_top(index, *sparse, depth, rows),
            lambda places: sparse_at(index, *sparse, places),
        )
    return signals


def _add_maxsim(found: Candidates, values: np.ndarray) -> None:
    """Add the token signal; a chunk without a matrix stands at the mean: neither up nor down."""
    known = ~np.isnan(values)
    ordered = sorted(np.flatnonzero(known), key=lambda i: (-values[i], found.chunk_ids[i]))
    ranks: list[int | None] = [None] * len(values)
    for number, position in enumerate(ordered, start=1):
        ranks[position] = number
    mean = float(values[known].mean()) if known.any() else 0.0
    found.scores["maxsim"] = np.where(known, values, mean)
    found.ranks["maxsim"] = ranks


def _order(found: Candidates, fusion: FusionMethod) -> tuple[list[int], dict[str, np.ndarray]]:
    """Return the positions of the candidates, best first, and each signal's share of the score."""
    if len(found.scores) == 1:
        shares = {name: values.astype(np.float64) for name, values in found.scores.items()}
    else:
        shares = fuse(found.scores, found.ranks, method=fusion)
    if not shares:
        return [], {}
    total = np.sum(list(shares.values()), axis=0)
    # Sums of floats may differ in the last digit; what a person sees as equal is a tie.
    order = sorted(
        range(len(found.places)), key=lambda i: (-round(float(total[i]), 9), found.chunk_ids[i])
    )
    return order, shares


def _ranked(found: Candidates, shares: dict[str, np.ndarray], position: int) -> Ranked:
    return Ranked(
        place=found.places[position],
        chunk_id=found.chunk_ids[position],
        score=float(sum(values[position] for values in shares.values())),
        signals={
            name: Signal(
                float(found.scores[name][position]),
                found.ranks[name][position],
                float(shares[name][position]),
            )
            for name in found.scores
        },
    )
