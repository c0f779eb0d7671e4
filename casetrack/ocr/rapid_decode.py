"""Network output to words: the best class of each step, repeats and blanks dropped (CTC)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Piece:
    """A word of a line.

    *first* and *last* are the middles of its first and last letter, as shares of the line's width.
    """

    text: str
    first: float
    last: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Reading:
    """A line as the network reads it."""

    words: tuple[Piece, ...]
    confidence: float


def decode(scores: NDArray[np.float32], alphabet: Sequence[str], share: float, /) -> Reading:
    """Turn the scores of one line, steps x classes, into words.

    Parameters
    ----------
    alphabet
        Text of each class; that of class 0 is empty and parts equal letters.
    share
        How much of the steps belongs to the line; the rest is padding.
    """
    best = scores.argmax(axis=1)
    kept = best != 0
    kept[1:] &= best[1:] != best[:-1]
    steps = np.nonzero(kept)[0]
    used = max(len(best) * share, 1.0)
    chars = [
        (alphabet[best[i]], (float(i) + 0.5) / used, float(scores[i, best[i]]))
        for i in steps
        if i < used
    ]
    total = [sure for text, _, sure in chars if not text.isspace()]
    return Reading(tuple(_words(chars)), float(np.mean(total)) if total else 0.0)


def _words(chars: Sequence[tuple[str, float, float]]) -> list[Piece]:
    """Part characters at spaces."""
    groups: list[list[tuple[str, float, float]]] = [[]]
    for char in chars:
        if char[0].isspace():
            groups.append([])
        else:
            groups[-1].append(char)
    return [
        Piece(
            "".join(text for text, _, _ in group),
            group[0][1],
            group[-1][1],
            float(np.mean([sure for _, _, sure in group])),
        )
        for group in groups
        if group
    ]
