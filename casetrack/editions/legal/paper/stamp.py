"""Stamps numbers on copies of pages, where nothing stands, and never over anything."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from casetrack.editions.legal.paper.pdf import opened, silenced

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

Place = Literal["bottom-right", "bottom-center", "bottom-left"]
PLACES: tuple[Place, ...] = get_args(Place)
PICTURES = frozenset({".jpg", ".jpeg", ".png", ".tif", ".tiff", ".bmp", ".gif", ".webp"})
_SIZE = 9.0
_FONT = "hebo"
_EDGE, _GAP = 14.0, 4.0
"""Points between a stamp and the edges of the page, and between it and what stands there."""
_STRIP = 26.0
"""Points that a page gets longer by where every place is taken."""
_PAPER = 232
"""Grey values from here on are paper."""
_LETTER = (612.0, 792.0)


@contextlib.contextmanager
def paper_of(path: Path, passwords: Sequence[str] = (), /) -> Iterator[Any]:
    """Open a PDF, or a picture as the PDF that it makes, for stamping.

    Raises
    ------
    FileError
        It can't be read.
    """
    if path.suffix.lower() not in PICTURES:
        with opened(path, passwords) as document:
            yield document
        return
    from casetrack.base.errors import ParseFailed
    from casetrack.parse.pdf.open import failures, words_of

    pymupdf = silenced()
    try:
        with contextlib.closing(pymupdf.open(str(path))) as picture:
            made = picture.convert_to_pdf()
    except failures() as error:
        raise ParseFailed(path, "picture", words_of(error)) from error
    with contextlib.closing(pymupdf.open(stream=made, filetype="pdf")) as document:
        yield document


def slip_sheet(lines: Sequence[str], /) -> Any:
    """Return a document of one page that stands for a file produced as it is.

    Parameters
    ----------
    lines
        What it says, the first one larger.
    """
    pymupdf = silenced()
    document = pymupdf.open()
    page = document.new_page(width=_LETTER[0], height=_LETTER[1])
    for number, text in enumerate(lines):
        box = pymupdf.Rect(72, 330 + 26 * number, _LETTER[0] - 72, 400 + 26 * number)
        page.insert_textbox(box, text, fontsize=15 if number == 0 else 10, align=1)
    return document


def stamp_page(page: Any, number: str, /, *, legend: str = "", place: Place = PLACES[0]) -> None:
    """Stamp a page with its number and a legend, both as text that can be searched.

    Where something stands at the wanted place the next one along the foot is taken; where all are
    taken the page is made longer at its foot.

    Parameters
    ----------
    page
        Of a flattened document, see :func:`casetrack.editions.legal.paper.flat.flattened`.
    number, legend
        Such as ``"ABC000123"``, and ``"CONFIDENTIAL"``.
    place
        Where the number goes if it can.
    """
    taken: list[Place] = []
    for text in filter(None, (number, legend)):
        wanted = [place, *(p for p in PLACES if p != place)]
        if text is legend:  # as far from the number as the foot allows
            wanted.reverse()
        left = [p for p in wanted if p not in taken]
        free = next((p for p in left if _is_free(page, text, p)), None)
        if free is None:
            page.set_mediabox(_longer(page.mediabox))
            free = left[0]
        taken.append(free)
        box = _box(page, text, free)
        page.insert_text((box.x0, box.y1 - 2), text, fontsize=_SIZE, fontname=_FONT)


def _box(page: Any, text: str, place: Place) -> Any:
    pymupdf = silenced()
    width = pymupdf.get_text_length(text, fontname=_FONT, fontsize=_SIZE)
    shown = page.rect
    left = {
        "bottom-left": shown.x0 + _EDGE,
        "bottom-center": (shown.x0 + shown.x1 - width) / 2,
        "bottom-right": shown.x1 - _EDGE - width,
    }[place]
    bottom = shown.y1 - _EDGE + 2
    return pymupdf.Rect(left, bottom - _SIZE - 2, left + width, bottom)


def _is_free(page: Any, text: str, place: Place) -> bool:
    """Whether a place shows nothing but paper, and has no text that isn't drawn."""
    pymupdf = silenced()
    box = _box(page, text, place)
    around = pymupdf.Rect(box.x0 - _GAP, box.y0 - _GAP, box.x1 + _GAP, box.y1 + _GAP) & page.rect
    if page.get_text(clip=around).strip():
        return False
    drawn = page.get_pixmap(
        matrix=pymupdf.Matrix(2, 2), clip=around, colorspace=pymupdf.csGRAY, alpha=False
    )
    return bool((np.frombuffer(drawn.samples, np.uint8) >= _PAPER).all())


def _longer(box: Any) -> Any:
    return type(box)(box.x0, box.y0 - _STRIP, box.x1, box.y1)
