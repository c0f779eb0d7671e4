"""Orders results by their score and their relevance together, so that both agree with the rank.

The score compares the passages of a search; the relevance is the probability that a passage
answers. ``docs/evaluation.md`` has the gain of the sum on each set of questions.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.base.records import Signal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.search.ranking import Ranked

WEIGHT = 3.0
"""Points of score for one unit of the logit of the relevance."""
ORDERED = 20
"""Minimum number of ordered results, so that their order does not depend on the limit."""
_LEAST = 0.003
"""Relevances closer than this to 0 or 1 count alike."""


def with_relevance(hit: Ranked, relevance: float, /) -> Ranked:
    """Return a ranked passage whose score includes its relevance, as points from 0."""
    odds = max(relevance, _LEAST) / max(1 - relevance, _LEAST)
    points = WEIGHT * math.log(odds / _LEAST)
    signal = Signal(score=relevance, rank=None, contribution=points, has_list=False)
    return replace(hit, score=hit.score + points, signals={**hit.signals, "relevance": signal})


def falling(values: Sequence[float], /) -> list[float]:
    """Return the nearest values that never rise: neighbours that would rise share their mean."""
    blocks: list[tuple[float, int]] = []
    for value in values:
        block = (value, 1)
        while blocks and blocks[-1][0] < block[0]:
            before, count = blocks.pop()
            total = count + block[1]
            block = ((before * count + block[0] * block[1]) / total, total)
        blocks.append(block)
    return [value for value, count in blocks for _ in range(count)]
