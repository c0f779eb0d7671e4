"""Fusion of several signals over the union of their candidates (DESIGN §6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
