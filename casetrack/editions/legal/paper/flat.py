"""Flattening of pages: no rotation, notes, fields, layers or other parts of a file."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.editions.legal.paper.letters import letters_of, words_of
from casetrack.editions.legal.paper.pdf import silenced

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.base.provenance import Box

_POINTS_PER_INCH = 72.0
_PICTURE_DPI = 220.0
_MOST_DOTS = 6e7
"""Maximum dots of a picture; larger pages have fewer dots per inch."""
_COLOURED = 24
"""Maximum difference of red, green and blue in a grey page."""
_GREY_STEP = 17
_LONG = 4
"""Minimum letters of a word that is longer than the height of its line."""
_INVISIBLE = 3
"""Render mode of text that is not drawn."""


def flattened(document: Any, /) -> Any:
    """Return a new document with only the visible content of the pages of *document*.

    Notes and fields become part of the pages; rotation and crop are applied. Properties, bookmarks,
    attached files, links, scripts and earlier versions are removed. Pages of a document with layers
    become pictures with a text layer, because hidden layers must not be copied. *document* is
    changed in memory.
    """
    document.bake()
    layered = bool(document.get_ocgs())
    flat = silenced().open()
    for number in range(document.page_count):
        page = document[number]
        width, height, rotation = page.rect.width, page.rect.height, page.rotation
        if layered:
            page.remove_rotation()
            as_picture(page, flat, number, words_of(letters_of(page)))
            continue
        fresh = flat.new_page(number, width=width, height=height)
        page.set_rotation(0)
        if page.get_contents():
            fresh.show_pdf_page(fresh.rect, document, number, rotate=-rotation)
    return flat


def as_picture(page: Any, target: Any, number: int, words: Iterable[tuple[str, Box]], /) -> None:
    """Insert *page* before page *number* (0-based) of *target*, as a picture with a text layer.

    *words* have boxes in page points; they can be found and copied, but are not drawn.
    """
    held = list(words)
    picture, (width, height) = _rendered(page), (page.rect.width, page.rect.height)
    fresh = target.new_page(number, width=width, height=height)
    fresh.insert_image(fresh.rect, stream=picture)
    _add_text_layer(fresh, held)


def pixels_per_point(page: Any, dpi: float, /) -> float:
    """Return the scale of a picture of a page; lower than *dpi* for a very large one."""
    return float(min(dpi / _POINTS_PER_INCH, (_MOST_DOTS / page.rect.get_area()) ** 0.5))


def _rendered(page: Any) -> bytes:
    """Return a page as a picture: lossless grey, or JPEG if it has colours."""
    pymupdf = silenced()
    scale = pixels_per_point(page, _PICTURE_DPI)
    drawn = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=False)
    seen = np.frombuffer(drawn.samples, np.uint8).reshape(-1, drawn.n)
    if drawn.n > 1 and int((seen.max(axis=1) - seen.min(axis=1)).max()) > _COLOURED:
        picture: bytes = drawn.tobytes("jpeg", jpg_quality=88)
    else:
        grey = pymupdf.Pixmap(pymupdf.csGRAY, drawn)
        # Sixteen greys look the same on paper and need a third of the space.
        steps = np.frombuffer(grey.samples, np.uint8) // _GREY_STEP
        few = (steps * np.uint8(_GREY_STEP)).tobytes()
        picture = pymupdf.Pixmap(pymupdf.csGRAY, grey.width, grey.height, few, False).tobytes("png")
    return picture


def _add_text_layer(page: Any, words: Iterable[tuple[str, Box]]) -> None:
    """Write invisible words on a page that can be found and copied."""
    pymupdf = silenced()
    fonts = pymupdf.Font("helv"), pymupdf.Font("cjk")
    level, turned = pymupdf.TextWriter(page.rect), pymupdf.TextWriter(page.rect)
    held = list(words)
    # Words of a rotated page are higher than wide and follow each other vertically.
    steps = [after.y0 - before.y0 for (_, before), (_, after) in pairwise(held)]
    turn = -90 if sum(np.sign(steps)) > 0 else 90
    is_turned = False
    for word, box in held:
        font = fonts[0] if all(fonts[0].has_glyph(ord(letter)) for letter in word) else fonts[1]
        length = font.text_length(word, fontsize=1.0) or 1.0
        width, rise = box.x1 - box.x0, box.y1 - box.y0
        writer, start = level, pymupdf.Point(box.x0, box.y1 - rise * 0.2)
        if len(word) >= _LONG:  # a shorter word runs as the one before it
            is_turned = rise > width
        if is_turned:
            writer = turned
            start = pymupdf.Point(box.x1 - width * 0.2, box.y1)
            if turn < 0:
                start = pymupdf.Point(box.x0 + width * 0.2, box.y0)
            start *= pymupdf.Matrix(turn)
            width, rise = rise, width
        size = max(min(width / length, 1.5 * rise), 1.0)
        writer.append(start, word + " ", font=font, fontsize=size)
    level.write_text(page, render_mode=_INVISIBLE)
    turned.write_text(page, render_mode=_INVISIBLE, morph=(pymupdf.Point(), pymupdf.Matrix(turn)))
