"""What an OCR engine does, and which one reads a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from casetrack.parse.ocr.page import Picture, RawLine


@dataclass(frozen=True, slots=True)
class Fit:
    """Heights of letters, in pixels, that an engine reads well.

    A picture whose letters are outside *low* to *high* is scaled so that they are *best* high.
    """

    low: float
    best: float
    high: float


class Engine(Protocol):
    """Recognises text in clean, upright pictures."""

    @property
    def name(self) -> str:
        """Name as in ``--ocr ENGINE``."""

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages it expects; empty where it reads many at once."""

    @property
    def fit(self) -> Fit:
        """Sizes of letters that suit it."""

    def read(self, image: Picture, dpi: float, /) -> list[RawLine]:
        """Return the lines of a picture, in reading order as far as the engine knows it."""
