"""Interface of recognition: engines, words of a picture, confidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

# Result of recognition: the words of a picture and their positions.

Picture = NDArray[np.uint8]
"""A grey picture, height x width, 0 black to 255 white."""


@dataclass(frozen=True, slots=True)
class Word:
    """A recognized word; *x0* to *y1* is its rectangle in the given picture, in pixels.

    *u0* to *v1* is that on the upright, straightened page, which layout uses.
    """

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    confidence: float
    u0: float
    v0: float
    u1: float
    v1: float


@dataclass(frozen=True, slots=True)
class RecognizedLine:
    """Words on one baseline, left to right; *base* and *size* are pixels of the upright page."""

    words: tuple[Word, ...]
    base: float
    size: float

    @property
    def text(self) -> str:
        """Its words, separated by single spaces."""
        return " ".join(word.text for word in self.words)


@dataclass(frozen=True, slots=True)
class RecognizedPage:
    """The text of a picture; *confidence* is the mean over its characters, 0 to 1.

    *lines* are in the engine's order, some engines end a line at a wide gap. *languages* is empty
    for an engine that reads many at once. *rotation* and *skew* are degrees counter-clockwise.
    """

    lines: tuple[RecognizedLine, ...]
    engine: str
    languages: tuple[str, ...] = ()
    confidence: float = 0.0
    rotation: int = 0
    skew: float = 0.0

    @property
    def text(self) -> str:
        """The lines, joined by newlines."""
        return "\n".join(line.text for line in self.lines)


@dataclass(frozen=True, slots=True)
class RawWord:
    """A word of an engine: rectangle in pixels of its picture."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    confidence: float


@dataclass(frozen=True, slots=True)
class RawLine:
    """A line of an engine: baseline and font size in pixels of its picture."""

    words: tuple[RawWord, ...]
    base: float
    size: float


def mean_confidence(words: Iterable[RawWord | Word], /) -> float:
    """Return the mean over the characters; 0 without any."""
    total = weight = 0.0
    for word in words:
        total += word.confidence * len(word.text)
        weight += len(word.text)
    return total / weight if weight else 0.0


def words_of(lines: Sequence[RawLine], /) -> list[RawWord]:
    """Return the words of all lines."""
    return [word for line in lines for word in line.words]


# Calibrates an engine's confidence: the share of such words that is right. Measured on receipts,
# typewritten and printed pages, pages of contracts and reports with and without noise, and Fraktur:
# words as printed, in lower case, with their punctuation.


@dataclass(frozen=True, slots=True)
class Scale:
    """Pairs of an engine's confidence and the share of correct words, both ascending, 0 to 1."""

    points: tuple[tuple[float, float], ...]

    def share_right(self, certainty: float, /) -> float:
        """Return the share of correct words with this confidence."""
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
"""For a word's confidence according to Tesseract."""

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
"""For a word's least certain letter: PP-OCR's mean over letters hardly varies."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Letter heights, in pixels, that an engine reads well; others are scaled to *best*."""

    low: float
    best: float
    high: float


class Engine(Protocol):
    """Recognizes text in clean, upright pictures."""

    @property
    def name(self) -> str:
        """Name as in ``--ocr ENGINE``."""

    @property
    def languages(self) -> tuple[str, ...]:
        """Expected languages; empty if it reads many at once."""

    @property
    def fit(self) -> Fit:
        """Suitable sizes of letters."""

    def read(self, image: Picture, dpi: float, /) -> list[RawLine]:
        """Return the lines of a picture, in the engine's reading order."""
