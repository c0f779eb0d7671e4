"""Detects invisible text by its size, its colour and its ground.

Colours are six lower-case hexadecimal digits; other texts are unknown colours, ``""`` is the
program's default.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

WHITE = "ffffff"
_HEX = re.compile(r"[0-9a-f]{6}")
_ALIKE = 12
"""Largest difference, of 255, between the parts of two colours that look alike."""
_NO_SIZE = 1.0


def hex_color(text: str | None, /) -> str | None:
    """Return a colour such as ``#FFF0F0`` in the form of this module, other text as ``""``."""
    if text is None:
        return None
    color = text.removeprefix("#").lower()
    return color if _HEX.fullmatch(color) else ""


def are_alike(color: str | None, ground: str | None, /) -> bool:
    """Return whether text of a colour is invisible on a ground."""
    if not color or not ground:
        return False
    if not (_HEX.fullmatch(color) and _HEX.fullmatch(ground)):
        return color == ground
    parts = zip(bytes.fromhex(color), bytes.fromhex(ground), strict=True)
    return all(abs(a - b) <= _ALIKE for a, b in parts)


@dataclass(frozen=True, slots=True)
class Look:
    """The look of text as far as one place specifies it; *size* is in points, *ground* a shade."""

    size: float | None = None
    is_bold: bool | None = None
    is_hidden: bool | None = None
    color: str | None = None
    ground: str | None = None

    def over(self, other: Look, /) -> Look:
        """Return this look, completed by the other."""
        return Look(
            other.size if self.size is None else self.size,
            other.is_bold if self.is_bold is None else self.is_bold,
            other.is_hidden if self.is_hidden is None else self.is_hidden,
            other.color if self.color is None else self.color,
            other.ground if self.ground is None else self.ground,
        )

    def kind(self, paper: str | None = WHITE, /) -> str:
        """Return the kind of hidden text on a paper, empty for visible text."""
        if self.is_hidden or (self.size is not None and self.size <= _NO_SIZE):
            return "hidden"
        ground = paper if self.ground is None else self.ground
        return "background" if are_alike(self.color, ground) else ""
