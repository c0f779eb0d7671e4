"""Candidates of one search: what each signal says of them, and how that is joined."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from casetrack.base.records import Signal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.store.index.rows import Place

# Fusion of several signals over the union of their candidates (DESIGN §6).

FusionMethod = Literal["zscore", "rrf"]
RRF_K = 60
"""Rank constant of reciprocal rank fusion (Cormack, Clarke and Buettcher 2009)."""
_TINY = 1e-9


def zscores(values: np.ndarray, /) -> np.ndarray:
    """Return ``(x - mean) / (sd + 1e-9)``: how far each value stands out among the candidates."""
    if not len(values):
        return values.astype(np.float64)
    wide = values.astype(np.float64)
    standardised: np.ndarray = (wide - wide.mean()) / (wide.std() + _TINY)
    return standardised


def reciprocal_ranks(ranks: Sequence[int | None], /) -> np.ndarray:
    """Return ``1 / (60 + rank)``, and 0 for a candidate that the list does not hold."""
    return np.array([0.0 if r is None else 1.0 / (RRF_K + r) for r in ranks])


def fuse(
    scores: Mapping[str, np.ndarray],
    ranks: Mapping[str, Sequence[int | None]],
    /,
    *,
    method: FusionMethod = "zscore",
) -> dict[str, np.ndarray]:
    """Return each signal's contribution per candidate; their sum is the fused score.

    Parameters
    ----------
    scores
        Per signal the exact score of every candidate, also of those another signal found.
    ranks
        Per signal the 1-based rank of every candidate in its own list, or ``None``.
    method
        ``zscore`` (default) adds standardised scores, ``rrf`` reciprocal ranks.
    """
    if method == "rrf":
        return {name: reciprocal_ranks(r) for name, r in ranks.items()}
    return {name: zscores(values) for name, values in scores.items()}


@dataclass(frozen=True, slots=True)
class Ranked:
    """One ranked chunk: its place in the index, fused score and what each signal said.

    *also* are the other passages of the same place, each with the reason; see
    :mod:`casetrack.search.folding`.
    """

    place: Place
    chunk_id: str
    score: float
    signals: dict[str, Signal]
    also: tuple[tuple[Place, str], ...] = ()


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
    """Chunks with what each signal says of them, in the order that decides between equal scores.

    Attributes
    ----------
    places, chunk_ids
        One per candidate.
    scores
        Per signal the exact score of every candidate, also of those that another signal found.
    ranks
        Per signal the 1-based rank of every candidate in its own list, or ``None``.
    priors
        Per prior what speaks for every candidate whatever its words, in standard deviations of
        the joined score.
    """

    places: list[Place]
    chunk_ids: list[str]
    scores: dict[str, np.ndarray]
    ranks: dict[str, list[int | None]]
    priors: dict[str, np.ndarray] = field(default_factory=dict)

    def take(self, positions: Sequence[int], /) -> Candidates:
        """Return those at *positions*."""
        positions = sorted(positions)
        return Candidates(
            [self.places[i] for i in positions],
            [self.chunk_ids[i] for i in positions],
            {name: values[list(positions)] for name, values in self.scores.items()},
            {name: [ranks[i] for i in positions] for name, ranks in self.ranks.items()},
            {name: values[list(positions)] for name, values in self.priors.items()},
        )


@dataclass(frozen=True, slots=True)
class Fused:
    """Candidates in order.

    Attributes
    ----------
    found
        The candidates.
    order
        Their positions, best first; equal scores in the order of the candidates.
    shares
        What each signal adds to the score of every candidate.
    """

    found: Candidates
    order: list[int]
    shares: dict[str, np.ndarray]

    def score(self, position: int, /) -> float:
        """Return the joined score of one of them."""
        return float(sum(values[position] for values in self.shares.values()))

    def ranked_at(self, position: int, /) -> Ranked:
        """Return one of them, with what each signal said."""
        found = self.found
        return Ranked(
            place=found.places[position],
            chunk_id=found.chunk_ids[position],
            score=self.score(position),
            signals={
                name: Signal(
                    float(found.scores[name][position]),
                    found.ranks[name][position],
                    float(self.shares[name][position]),
                )
                for name in found.scores
            }
            | {
                name: Signal(
                    float(values[position]),
                    None,
                    float(self.shares[name][position]),
                    has_list=False,
                )
                for name, values in found.priors.items()
            },
        )


def fused(found: Candidates, method: FusionMethod, /, *, silent: Sequence[str] = ()) -> Fused:
    """Join the signals of candidates.

    Parameters
    ----------
    found
        The candidates.
    method
        How signals are joined where there are several; one alone counts as it is.
    silent
        Signals that are kept and shown, and add nothing.
    """
    scores = {name: values for name, values in found.scores.items() if name not in silent}
    if len(scores) == 1:
        shares = {name: values.astype(np.float64) for name, values in scores.items()}
    else:
        shares = fuse(scores, found.ranks, method=method)
    shares |= {name: np.zeros(len(found.places)) for name in silent}
    joined = np.sum(list(shares.values()), axis=0) if shares else np.empty(0)
    spread = float(joined.std()) if len(joined) else 0.0
    shares |= {name: values * spread for name, values in found.priors.items()}
    total = np.sum(list(shares.values()), axis=0) if shares else np.empty(0)
    # Sums of floats may differ in the last digit; what a person sees as equal is a tie.
    keys = [-round(score, 9) for score in total.tolist()]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return Fused(found, order, shares)
