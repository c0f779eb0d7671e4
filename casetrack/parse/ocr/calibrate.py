"""What an engine's own certainty of a word is worth: how often such words are right.

Measured on receipts, typewritten and printed pages, pages of contracts and reports drawn with and
without noise, and Fraktur: words as printed, in lower case, with their punctuation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Scale:
    """Pairs of an engine's own certainty and the share of right words, both ascending, 0 to 1."""

    points: tuple[tuple[float, float], ...]

    def share_right(self, certainty: float, /) -> float:
        """Return how many of the words with this certainty are right."""
        own, right = zip(*self.points, strict=True)
        return float(np.interp(certainty, own, right))


TESSERACT = Scale(
    (
        (0.0, 0.1),
        (0.5, 0.3),
        (0.7, 0.5),
        (0.8, 0.6),
        (0.85, 0.7),
        (0.9, 0.82),
        (0.93, 0.9),
        (0.95, 0.94),
        (0.96, 0.97),
        (1.0, 0.99),
    )
)
"""Of a word as Tesseract rates it."""

RAPID = Scale(
    (
        (0.0, 0.1),
        (0.5, 0.45),
        (0.7, 0.6),
        (0.8, 0.66),
        (0.9, 0.76),
        (0.95, 0.83),
        (0.98, 0.9),
        (0.99, 0.94),
        (0.9995, 0.975),
        (1.0, 0.99),
    )
)
"""Of the least certain letter of a word: PP-OCR's mean over letters says little, 0.99 for nearly
every line that it misreads."""
