"""Screenshots of HTML pages as small PNG files."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PIL import Image

if TYPE_CHECKING:
    from pathlib import Path

    from headless import Browser

MOST_BYTES = 150_000
COLOURS = 256
SETTLED = "new Promise(done => setTimeout(() => requestAnimationFrame(done), 300))"


@dataclass(frozen=True, slots=True)
class View:
    """Settings of a screenshot.

    Attributes
    ----------
    width, height
        Of the window, in CSS pixels.
    scale
        Pixels of the picture per CSS pixel.
    dark
        Whether the reader prefers dark colours.
    first
        JavaScript that runs before the screenshot.
    """

    width: int
    height: int
    scale: float = 1.0
    dark: bool = False
    first: str = ""


def photograph(browser: Browser, page: Path | str, view: View) -> Image.Image:
    """Return a screenshot of a page."""
    browser.show(page, width=view.width, height=view.height, scale=view.scale, dark=view.dark)
    if view.first:
        browser.js(view.first)
    browser.js(SETTLED)
    return browser.screenshot(whole=False)


def small_png(picture: Image.Image) -> bytes:
    """Return a picture as PNG with a palette, small enough for the documentation."""
    for colours in (COLOURS, COLOURS // 4):
        out = io.BytesIO()
        # A median cut gives up the colours of small signs for greys, an octree the steps of a
        # shadow.
        palette = picture.quantize(colours, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        palette.save(out, "PNG", optimize=True)
        if len(out.getvalue()) <= MOST_BYTES:
            return out.getvalue()
    size = f"{len(out.getvalue()):,} bytes"
    raise SystemExit(f"A picture of {size} is too large; show less of the page.")
