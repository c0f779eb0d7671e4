"""Pictures of pages, to show the source of a passage.

Drawing a hostile file can hang or crash, so :func:`render_page` runs in a worker process: call
:meth:`casetrack.parse.workers.pool.ParsePool.render`. :func:`mark_boxes` edits the pictures.
"""

from __future__ import annotations

import contextlib
import html
import io
import itertools
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from casetrack.base.errors import ParseFailed
from casetrack.base.provenance import Box, hull
from casetrack.parse.base import DEFAULT_OPTIONS, ReadOptions

POINTS_PER_INCH = 72.0
MAX_PIXELS, MAX_SIDE = 12_000_000, 10_000
"""Maximum number of pixels of a picture, and maximum length of a side."""
PICTURE_FORMATS = frozenset({"pdf", "jpg", "png", "tiff", "webp", "bmp", "gif"})
"""Formats of documents whose pages can be drawn."""

_PDF = frozenset({".pdf"})
TEXT_PAGE_EXTENSION = ".text-page"

_TEXT_WIDTH, _TEXT_HEIGHT, _TEXT_MARGIN = 612.0, 14_000.0, 45.0
_TEXT_CSS = """
body { font-family: serif; font-size: 11pt; line-height: 1.45; color: #1d1d1f; }
h1 { font-family: sans-serif; font-size: 10.5pt; margin: 0 0 4pt; }
.note { font-family: sans-serif; font-size: 8.5pt; color: #7a4b00; margin: 0 0 4pt; }
p { margin: 0 0 7pt; } .heading { font-weight: bold; }
.code { font-family: monospace; font-size: 9pt; }
.table { margin: 0 0 2pt; font-size: 10pt; }
.rule { border-bottom: 1px solid #cccccc; margin: 0 0 9pt; font-size: 2pt; }
.dim { color: #767676; }
.mark { background-color: #ffe27a; }
"""


@dataclass(frozen=True, slots=True)
class PageImage:
    """A page as a PNG picture; sizes are in points, *scale* is pixels per point."""

    png: bytes
    width: float
    height: float
    scale: float


def render_page(
    path: Path, page: int, /, *, dpi: float = 144.0, options: ReadOptions = DEFAULT_OPTIONS
) -> PageImage | None:
    """Draw a page of a PDF, an image or a :class:`TextPage`; ``None`` for formats without pages.

    *page* is 1-based (the frame of an image), *dpi* is lowered for large pages or coarse images.
    Raises ``FileError``; the worker converts other exceptions.
    """
    from casetrack.parse.image.reader import ImageReader

    extension = path.suffix.lower()
    if extension in _PDF:
        return _pdf_page(path, page, dpi, options)
    if extension in ImageReader.extensions:
        return _image_frame(path, page, dpi)
    if extension == TEXT_PAGE_EXTENSION:
        return _text_page(TextPage.unpack(path.read_bytes()), dpi)
    return None


def _scale(width: float, height: float, dpi: float) -> float:
    """Return pixels per point that limit a picture of this size in points."""
    return min(
        dpi / POINTS_PER_INCH,
        math.sqrt(MAX_PIXELS / (width * height)),
        MAX_SIDE / max(width, height),
    )


# --- PDF -----------------------------------------------------------------------------------


def _pdf_page(path: Path, page: int, dpi: float, options: ReadOptions) -> PageImage:
    from casetrack.parse.pdf.open import check_memory, failures, open_pdf, words_of

    with contextlib.closing(open_pdf(path, options.passwords)) as document:
        if not 1 <= page <= document.page_count:
            raise ParseFailed(path, "PDF", f"it has no page {page}")
        try:
            return _draw(document[page - 1], dpi)
        except failures() as error:
            check_memory(error)
            reason = f"page {page} cannot be drawn: {words_of(error)}"
            raise ParseFailed(path, "PDF", reason) from error


def _draw(page: Any, dpi: float) -> PageImage:
    from casetrack.parse.pdf.open import silenced

    pymupdf = silenced()
    width, height = max(page.rect.width, 1.0), max(page.rect.height, 1.0)
    scale = _scale(width, height, dpi)
    drawn = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=False)
    return PageImage(drawn.tobytes("png"), width, height, scale)


# --- images --------------------------------------------------------------------------------


def _image_frame(path: Path, page: int, dpi: float) -> PageImage:
    from PIL import Image

    from casetrack.parse.image.reader import open_frames

    # The reader's frame defines the page; boxes are in its points.
    frames = open_frames(path, page).frames
    frame = next(itertools.islice(frames, page - 1, None), None)
    if frame is None:
        raise ParseFailed(path, "Image", f"it has no page {page}")
    scale = min(_scale(frame.width, frame.height, dpi), 1 / frame.scale)
    size = (max(1, round(frame.width * scale)), max(1, round(frame.height * scale)))
    image = None if frame.is_damaged else _in_colour(path)
    if image is None:
        image = Image.fromarray(frame.grey)
    out = io.BytesIO()
    image.resize(size, Image.Resampling.LANCZOS, reducing_gap=2.0).save(out, "PNG")
    return PageImage(out.getvalue(), frame.width, frame.height, scale)


def _in_colour(path: Path) -> Any:
    """Return the only picture of a file in colour; ``None`` if its grey frame is equivalent."""
    from PIL import Image, ImageOps

    from casetrack.parse.image.reader import FAILURES

    try:
        with Image.open(path) as image:
            is_plain = image.mode in {"RGB", "P", "CMYK", "YCbCr"} and image.format != "GIF"
            if not is_plain or image.has_transparency_data or getattr(image, "n_frames", 1) > 1:
                return None
            return ImageOps.exif_transpose(image).convert("RGB")
    except FAILURES:
        return None


# --- text ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a paragraph's text: marked, dim, or neither."""

    text: str
    look: str = ""


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A paragraph: its pieces in order, and its kind (see :class:`casetrack.parse.base.Page`)."""

    pieces: tuple[Piece, ...]
    kind: str = "body"


@dataclass(frozen=True, slots=True)
class TextPage:
    """Text to draw, for formats without pages: a label such as a citation, *notes*, *blocks*."""

    title: str
    notes: tuple[str, ...]
    blocks: tuple[TextBlock, ...]

    def pack(self) -> bytes:
        """Return the content of a file that :func:`render_page` draws."""
        blocks = [[b.kind, [[p.text, p.look] for p in b.pieces]] for b in self.blocks]
        return json.dumps([self.title, self.notes, blocks]).encode("ascii")

    @classmethod
    def unpack(cls, content: bytes, /) -> TextPage:
        """Rebuild the result of :meth:`pack`."""
        title, notes, blocks = json.loads(content)
        return cls(
            title,
            tuple(notes),
            tuple(TextBlock(tuple(Piece(*p) for p in pieces), kind) for kind, pieces in blocks),
        )


def _text_page(page: TextPage, dpi: float) -> PageImage:
    from casetrack.parse.pdf.open import silenced

    pymupdf = silenced()
    story = pymupdf.Story("".join(_story(page)), user_css=_TEXT_CSS)
    paper = pymupdf.Rect(0, 0, _TEXT_WIDTH, _TEXT_HEIGHT)
    right, bottom = _TEXT_WIDTH - _TEXT_MARGIN, _TEXT_HEIGHT - _TEXT_MARGIN
    room = pymupdf.Rect(_TEXT_MARGIN, _TEXT_MARGIN, right, bottom)
    _, filled = story.place(room)
    paper.y1 = min(filled[3] + _TEXT_MARGIN, _TEXT_HEIGHT)
    out = io.BytesIO()
    writer = pymupdf.DocumentWriter(out)
    story.draw(writer.begin_page(paper))
    writer.end_page()
    writer.close()
    with contextlib.closing(pymupdf.open("pdf", out.getvalue())) as document:
        return _draw(document[0], dpi)


def _story(page: TextPage) -> Iterator[str]:
    yield f"<h1>{html.escape(page.title)}</h1>"
    for note in page.notes:
        yield f'<p class="note">{html.escape(note)}</p>'
    yield '<p class="rule">&#160;</p>'
    for block in page.blocks:
        pieces = "".join(
            f'<span class="{html.escape(p.look)}">{_lines(p.text)}</span>' for p in block.pieces
        )
        yield f'<p class="{html.escape(block.kind)}">{pieces}</p>'


def _lines(text: str) -> str:
    return html.escape(text).replace("\n", "<br/>")


# --- marks ---------------------------------------------------------------------------------

_MARKER = (255, 226, 110)
_LIGHT = (255, 247, 214)
"""Colour of the marker pen; it multiplies, so that black stays black."""
_MARGIN = 1.5
"""Points by which the marker goes over a box."""


def mark_boxes(
    image: PageImage,
    boxes: Sequence[Box],
    /,
    *,
    strong: Sequence[Box] = (),
    around: float | None = None,
    width: int = 0,
) -> bytes:
    """Mark *boxes* (in points) on the picture of a page like a marker pen; return PNG.

    Boxes that are not *strong* are marked lightly. *around* crops the picture to the boxes with a
    margin in points; *width* limits its pixels (0: no limit).
    """
    import numpy as np

    from casetrack.parse.pdf.open import silenced

    pymupdf = silenced()
    drawn = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.Pixmap(image.png))
    flat = np.frombuffer(drawn.samples, dtype=np.uint8)
    pixels = flat.reshape(drawn.height, drawn.stride)[:, : drawn.width * 3]
    pixels = pixels.reshape(drawn.height, drawn.width, 3).copy()
    shades = np.full((*pixels.shape[:2], 3), 255, dtype=np.uint8)
    for some, colour in ((boxes, _LIGHT if strong else _MARKER), (strong, _MARKER)):
        for box in some:
            shades[_slices(box, _MARGIN, image, shades.shape[:2])] = colour
    pixels = (pixels.astype(np.uint16) * shades // 255).astype(np.uint8)
    if around is not None and boxes:
        pixels = pixels[_slices(hull(boxes), around, image, shades.shape[:2])]
    high, wide, _ = pixels.shape
    made = pymupdf.Pixmap(pymupdf.csRGB, wide, high, np.ascontiguousarray(pixels).tobytes(), 0)
    if width and wide > width:
        made = pymupdf.Pixmap(made, width, max(1, round(high * width / wide)))
    return bytes(made.tobytes("png"))


def _slices(
    box: Box, margin: float, image: PageImage, shape: tuple[int, ...]
) -> tuple[slice, slice]:
    """Return rows and columns of a box with a margin, at least one of each."""
    high, wide = shape
    y0, y1 = ((y * image.scale) for y in (box.y0 - margin, box.y1 + margin))
    x0, x1 = ((x * image.scale) for x in (box.x0 - margin, box.x1 + margin))
    top, left = min(max(int(y0), 0), high - 1), min(max(int(x0), 0), wide - 1)
    bottom, right = min(max(int(y1 + 1), top + 1), high), min(max(int(x1 + 1), left + 1), wide)
    return slice(top, bottom), slice(left, right)
