"""Makes the scanned exhibit: a page that is a picture of text, a little crooked and noisy."""

from __future__ import annotations

import io
import random
from pathlib import Path
from typing import TYPE_CHECKING

import reportlab
from PIL import Image, ImageChops, ImageDraw, ImageFont
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from _make.pdf import dress

if TYPE_CHECKING:
    import datetime as dt

_PIXELS = (1240, 1754)  # A4 at 150 dots per inch
_ANGLE = 0.9
_SEED = 20241008


def write_scan(path: Path, text: str, /, *, title: str, author: str, date: dt.date) -> None:
    """Draw ``text`` line by line, turn the page, add the noise of a scanner and wrap it as PDF."""
    buffer = io.BytesIO()
    _page(text).save(buffer, "JPEG", quality=45, optimize=False)
    buffer.seek(0)
    canvas = Canvas(str(path), pagesize=A4, invariant=1, pageCompression=0)
    dress(canvas, title=title, author=author, date=date)
    canvas.drawImage(ImageReader(buffer), 0, 0, *A4)
    canvas.showPage()
    canvas.save()


def _page(text: str, /) -> Image.Image:
    page = Image.new("L", _PIXELS, 246)
    draw = ImageDraw.Draw(page)
    fonts = Path(reportlab.__file__).parent / "fonts"
    plain = ImageFont.truetype(str(fonts / "Vera.ttf"), 27, layout_engine=ImageFont.Layout.BASIC)
    bold = ImageFont.truetype(str(fonts / "VeraBd.ttf"), 30, layout_engine=ImageFont.Layout.BASIC)
    for number, line in enumerate(text.split("\n")):
        font = bold if line.isupper() else plain
        x = 130
        # Columns stand at fixed places; in the text they are set apart by two or more spaces.
        first = 1 if line.startswith("  ") else 0
        for column, part in enumerate((part for part in line.split("  ") if part.strip()), first):
            shift = (0, 170, 760)[min(column, 2)] if not line.startswith("Signed") else column * 420
            draw.text((x + shift, 150 + number * 48), part.strip(), font=font, fill=38)
    # The shadow of a punched hole at the left edge, above and below the middle.
    for y in (640, 1110):
        draw.ellipse((34, y, 72, y + 38), fill=150)
    turned = page.rotate(_ANGLE, Image.Resampling.BICUBIC, fillcolor=246)
    grain = Image.frombytes("L", _PIXELS, random.Random(_SEED).randbytes(_PIXELS[0] * _PIXELS[1]))
    # Noise of about ±12 grey levels around the paper's tone.
    return ImageChops.subtract(turned, grain.point([value // 10 for value in range(256)]))
