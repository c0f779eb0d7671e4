"""Measures of one ranking, each between 0 (nothing found) and 1 (perfect).

They look at the places of what answers a question, so they serve documents (BEIR) and passages
(golden files) alike.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

DEPTH = 100
"""Passages fetched for each question."""
CUTOFF = 10
MAIN = "ndcg@10"
"""The measure that runs are compared by where only one is shown."""
MEASURES = ("ndcg@10", "recall@10", "recall@100", "mrr@10", "hit@1", "hit@5", "hit@10")
PAGE_MEASURES = ("page_hit@1", "page_hit@5", "page_hit@10")
POINT_MEASURES = ("pinpoint", "marked_chars", "value", "value@1", "wrong_value@1")
ABSENCE_MEASURES = ("absent_told", "present_told")
ALL_MEASURES = (*MEASURES, *PAGE_MEASURES, *POINT_MEASURES, *ABSENCE_MEASURES)
COUNTS = ("marked_chars",)
"""Measures that are means of counts and no shares."""
_TOPS = (1, 5, 10)


def measures_of(ranks: Mapping[str, int], relevant: Mapping[str, int], /) -> dict[str, float]:
    """Return all :data:`MEASURES` of one question.

    Parameters
    ----------
    ranks
        What was found, with its place, 1 for the best. Several may share a place: a passage that
        holds two answers. Others than those in *relevant* do no harm.
    relevant
        What answers the question, with its relevance; 0 means judged and no answer.

    Notes
    -----
    nDCG takes linear gains discounted by ``log2(place + 1)``, as trec_eval does (Järvelin and
    Kekäläinen 2002). Answers that share a place count as if they stood one after the other, so
    that 1 means: no other order, and no other passages, could be better.
    """
    good = {unit: grade for unit, grade in relevant.items() if grade > 0}
    found = {unit: rank for unit, rank in ranks.items() if unit in good}
    first = min(found.values(), default=0)
    ideal = _dcg(enumerate(sorted(good.values(), reverse=True)[:CUTOFF], start=1))
    return {
        "ndcg@10": _dcg(_places(found, good)) / ideal if ideal else 0.0,
        "recall@10": _share_within(found, CUTOFF, len(good)),
        "recall@100": _share_within(found, DEPTH, len(good)),
        "mrr@10": 1.0 / first if 0 < first <= CUTOFF else 0.0,
        **hits(first or None, "hit"),
    }


def hits(first: int | None, name: str, /) -> dict[str, float]:
    """Return whether the first right result stands among the best 1, 5 and 10.

    Examples
    --------
    >>> hits(3, "hit")
    {'hit@1': 0.0, 'hit@5': 1.0, 'hit@10': 1.0}
    """
    return {f"{name}@{top}": float(first is not None and first <= top) for top in _TOPS}


def mean_of(scores: Iterable[Mapping[str, float]], /) -> dict[str, float]:
    """Return the mean of every measure over the questions that have it."""
    columns: dict[str, list[float]] = {}
    for one in scores:
        for name, value in one.items():
            columns.setdefault(name, []).append(value)
    return {name: math.fsum(values) / len(values) for name, values in columns.items()}


def percentile(values: Sequence[float], share: float, /) -> float:
    """Return the value below which *share* (0..1) of *values* lie, by nearest rank."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def _share_within(found: Mapping[str, int], top: int, total: int) -> float:
    return sum(rank <= top for rank in found.values()) / total if total else 0.0


def _places(found: Mapping[str, int], good: Mapping[str, int]) -> Iterable[tuple[int, int]]:
    """Give ``(place, gain)``; what shares a place, and all behind it, moves back by one each."""
    pushed, last = 0, 0
    for rank, loss in sorted((rank, -good[unit]) for unit, rank in found.items()):
        pushed += rank == last
        last = rank
        if rank + pushed <= CUTOFF:
            yield rank + pushed, -loss


def _dcg(placed: Iterable[tuple[int, int]]) -> float:
    return sum(gain / math.log2(place + 1) for place, gain in placed)
