"""From scores of labels per word to spans: the best sequence that the labels allow.

Label 0 is "no name"; kind ``k`` has the labels ``1 + 4 * k`` for the first word, then inside, last
and single. Most texts are mostly no names, so only the runs between words that are surely none are
looked at, and only those whose best labels do not fit one another are searched.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_SURE = float(np.log(0.995))


def spans_of(scores: NDArray[np.float32], /) -> Iterator[tuple[int, int, int, float]]:
    """Yield first word, word after the last, kind and mean log probability of every name.

    Parameters
    ----------
    scores
        float32 [n, labels], log probabilities.
    """
    best = scores.argmax(axis=1)
    open_ = np.flatnonzero((best > 0) | (scores[:, 0] < _SURE))
    if not len(open_):
        return
    follows = _follows(scores.shape[1])
    padded = np.concatenate([[0], best, [0]])
    bad = ~follows[padded[:-1], padded[1:]]
    breaks = np.flatnonzero(np.diff(open_) > 1) + 1
    edges = [0, *breaks.tolist(), len(open_)]
    for a, b in pairwise(edges):
        first, last = int(open_[a]), int(open_[b - 1]) + 1
        if bad[first : last + 1].any():
            best[first:last] = _search(scores[first:last], follows)
        yield from _read(best, scores, first, last)


def _read(
    best: NDArray[np.int64], scores: NDArray[np.float32], first: int, last: int
) -> Iterator[tuple[int, int, int, float]]:
    start = first
    for i in range(first, last):
        label = int(best[i])
        if not label:
            continue
        kind, role = divmod(label - 1, 4)
        if role in {0, 3}:
            start = i
        if role >= 2:
            rows = scores[start : i + 1]
            base = 1 + 4 * kind
            # The kind's probability word by word, and the place's at both ends.
            sure = np.logaddexp.reduce(rows[:, base : base + 4], axis=1).mean()
            ends = min(float(rows[0, best[start]]), float(rows[-1, label]))
            yield start, i + 1, kind, (float(sure) + ends) / 2


@lru_cache(maxsize=4)
def _follows(labels: int) -> NDArray[np.bool_]:
    """Return which label may come after which."""
    allowed = np.zeros((labels, labels), dtype=bool)
    opens = [0] + [n for n in range(1, labels) if (n - 1) % 4 in {0, 3}]
    for n in range(labels):
        role = (n - 1) % 4 if n else 3
        if role >= 2:
            allowed[n, opens] = True
        else:
            base = n - role
            allowed[n, [base + 1, base + 2]] = True
    return allowed


def _search(scores: NDArray[np.float32], follows: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the best sequence of labels that begins and ends outside a name."""
    cost = np.where(follows, 0.0, -1e9)
    total = scores[0] + cost[0]
    back = np.zeros(scores.shape, dtype=np.int64)
    for i in range(1, len(scores)):
        sums = total[:, None] + cost
        back[i] = sums.argmax(axis=0)
        total = sums[back[i], np.arange(len(total))] + scores[i]
    label = int((total + cost[:, 0]).argmax())
    found = np.empty(len(scores), dtype=np.int64)
    for i in range(len(scores) - 1, -1, -1):
        found[i] = label
        label = int(back[i, label])
    return found
