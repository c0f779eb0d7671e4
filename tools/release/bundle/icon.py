"""Draws ``icon.png``: a page with a marked line, under a magnifying glass.

``python -m release.bundle.icon`` writes it. The repository contains the picture, so
that a bundle does not depend on the version of the drawing library.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import casetrack

if TYPE_CHECKING:
    from PIL.Image import Image

FILE = Path(casetrack.__file__).parent / "faces" / "setup" / "bundle" / "icon.png"
SIZE = 512
_FINE = 4  # drawn larger and reduced, which makes smooth edges
_INK, _PAPER, _MARK, _LINES, _GLASS = "#1f3a5f", "#ffffff", "#f2b632", "#b9c7d8", "#2fa4b8"


def draw(size: int = SIZE, /) -> Image:
    """Return the icon as a square picture of *size* pixels with a transparent surrounding."""
    from PIL import Image, ImageDraw

    full = SIZE * _FINE
    picture = Image.new("RGBA", (full, full), (0, 0, 0, 0))
    pen = ImageDraw.Draw(picture)

    def box(*corners: int) -> tuple[int, ...]:
        return tuple(c * _FINE for c in corners)

    pen.rounded_rectangle(box(16, 16, 496, 496), radius=96 * _FINE, fill=_INK)
    pen.polygon(box(120, 88, 304, 88, 376, 160, 376, 424, 120, 424), fill=_PAPER)
    pen.polygon(box(304, 88, 376, 160, 304, 160), fill=_LINES)
    for top, right in ((196, 336), (244, 300), (364, 336)):
        pen.rounded_rectangle(box(156, top, right, top + 18), radius=9 * _FINE, fill=_LINES)
    pen.rounded_rectangle(box(148, 296, 348, 332), radius=8 * _FINE, fill=_MARK)
    pen.line(box(366, 366, 430, 430), fill=_GLASS, width=36 * _FINE)
    pen.ellipse(box(412, 412, 448, 448), fill=_GLASS)
    pen.ellipse(box(236, 236, 392, 392), outline=_GLASS, width=26 * _FINE)
    return picture.resize((size, size), Image.Resampling.LANCZOS)


def main() -> None:
    """Write the picture into the program."""
    draw().save(FILE, optimize=True)


if __name__ == "__main__":
    main()
