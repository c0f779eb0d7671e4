"""Invisible text of a PDF page that can be copied, as PDFium reads and renders it.

The page is rendered with and without its text objects: a letter is invisible if its place is equal
in both pictures, for any reason (cover, colour, render mode, clip, layer, page border). Letters
under a scan are also equal; their place must show ink.
"""

from __future__ import annotations

import contextlib
import ctypes
import re
import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from pypdfium2 import raw

from casetrack.base.provenance import Box
from casetrack.parse.pdf.open import open_in_pdfium

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from casetrack.editions.legal.records.load_files import Cover

    _Corners = tuple[float, float, float, float]
    _Layers = list[tuple[Cover, _Corners]]

POINTS_PER_INCH = 72.0
_DPI = 150.0
PICTURES = "(part of a picture)", "(part of a picture outside of its frame)"
"""Text of invisible parts of pictures, which are not read."""
_DARK = 90
"""Maximum grey value of a dark place."""
_STEP, _DARK_STEP = 24, 48
"""Invisible differences of grey values: on paper, and on a dark place."""
_SIDES = 0.15
"""Share of its height on both sides of a letter that must be dark too: bold letters fill boxes."""
_MOST_DOTS = 25e6
"""Maximum dots of a rendered page; larger pages have fewer dots per inch."""
_LEAST_SIZE = 1.0
"""Minimum width or height of a letter in points; smaller ones are unreadable grey dots."""
_LATIN_END = 0x250
_SCAN_DOTS = 250_000
"""Minimum dots of a page's pictures for a scan with an OCR text layer."""
_OF_WORD = frozenset("xv'-")
_MIN_LETTERS, _MIN_IN_SCAN = 2, 3
"""Minimum reported length of invisible text; OCR text may be displaced by one letter."""
_TILE, _INK = 8, 80
"""Dots of a side of the squares to compare pictures, and their range of grey with ink."""
_MIN_TILES, _MIN_EDGES = 6, 6
"""Minimum squares, and changes between dark and light along a line, of hidden words."""
_MOST_PICTURES = 8
"""Maximum pictures of a page that are rendered alone."""
_FRAME = 0.9
"""Share of a picture in its clip and page; if less is there, a part is invisible."""
_LABELS = 3
"""Minimum number of black boxes whose equal text, in different sizes, is a label."""


@dataclass(frozen=True, slots=True)
class Letter:
    """A character with its box in points of the page as shown, from the top left."""

    character: str
    box: _Corners
    has_font: bool = True
    """Whether PDFium can draw it: the font is embedded, or the letter is Latin."""

    def is_in(self, box: _Corners, /) -> bool:
        """Return whether the centre of the letter is in a rectangle."""
        x, y = (self.box[0] + self.box[2]) / 2, (self.box[1] + self.box[3]) / 2
        return box[0] <= x <= box[2] and box[1] <= y <= box[3]


@dataclass(frozen=True, slots=True)
class Covered:
    """Invisible words of a page; *is_dark* means that their place is a uniform dark area."""

    text: str
    box: Box
    cover: Cover
    is_dark: bool
    is_certain: bool = True


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page as PDFium reads it."""

    letters: list[Letter]
    covered: list[Covered]
    draws_shapes: bool  # Whether pictures, shadings or curves may show words without text
    visible: str  # Text without the invisible letters


@contextlib.contextmanager
def in_pdfium(source: Path | bytes, passwords: Sequence[str] = (), /) -> Iterator[Any]:
    """Open a PDF as a ``pypdfium2.PdfDocument``."""
    with contextlib.closing(open_in_pdfium(source, passwords)) as document:
        yield document


def read_sheet(document: Any, number: int, /) -> Sheet:
    """Return the letters of page *number* (1-based) and its invisible words.

    *document* is a ``pypdfium2.PdfDocument``; notes and fields are drawn into the page, in memory.
    """
    page = document[number - 1]
    if page.get_width() * page.get_height() < 1:
        page.set_cropbox(*page.get_mediabox())  # a CropBox outside of the MediaBox is empty
    marks = _marks(page)
    letters, covers, shapes, pictures = _find_covers(page)
    if raw.FPDFPage_GetAnnotCount(page):
        before = dict(zip(letters, covers, strict=True))
        page.render(scale=0.1)  # draws the notes that have no appearance stored
        raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY)
        letters, covers, shapes, pictures = _find_covers(document[number - 1])
        covers = [
            (before.get(letter) or ("annotation", cover[1])) if cover else None
            for letter, cover in zip(letters, covers, strict=True)
        ]
    for at, letter in enumerate(letters):
        if letter.character.isalnum() and any(map(letter.is_in, marks)):
            covers[at] = "mark", False
    least = _MIN_IN_SCAN if shapes >= _SCAN_DOTS else _MIN_LETTERS
    words = _without_labels(list(_runs(letters, covers, least)))
    visible = (" " if cover else one.character for one, cover in zip(letters, covers, strict=True))
    return Sheet(letters, [*words, *pictures], shapes > 0, "".join(visible))


def legible_dpi(page: Any, dpi: float, /) -> float:
    """Return the dots per inch for a page, fewer than *dpi* for a very large one."""
    return float(min(dpi, POINTS_PER_INCH * (_MOST_DOTS / np.prod(page.get_size())) ** 0.5))


def drawn(page: Any, dpi: float, /) -> NDArray[np.uint8]:
    """Return a page as PDFium renders it without its notes, grey: uint8, height x width."""
    picture = page.render(scale=dpi / POINTS_PER_INCH, grayscale=True, draw_annots=False)
    return np.ascontiguousarray(picture.to_numpy().reshape(picture.height, picture.width))


def _find_covers(
    page: Any,
) -> tuple[list[Letter], list[tuple[Cover, bool] | None], int, list[Covered]]:
    """Return letters, their cover with its darkness, dots of pictures and curves, hidden pictures.

    The objects of the page are invisible afterwards.
    """
    to_shown = _to_shown(page)
    dpi = legible_dpi(page, _DPI)
    letters, seen = _letters(page, to_shown), drawn(page, dpi)
    dots = 0
    layers: _Layers = []
    pictures: list[tuple[Any, _Corners]] = []
    others: list[tuple[Any, _Corners]] = []
    for item, corners in list(_objects(page)):
        kind = raw.FPDFPageObj_GetType(item)
        if kind == raw.FPDF_PAGEOBJ_TEXT:
            raw.FPDFPageObj_SetIsActive(item, False)
            continue
        is_picture = kind == raw.FPDF_PAGEOBJ_IMAGE
        layers.append(("picture" if is_picture else "box", _around(map(to_shown, corners))))
        (pictures if is_picture else others).append((item, layers[-1][1]))
        if is_picture:
            width, height = ctypes.c_uint(), ctypes.c_uint()
            raw.FPDFImageObj_GetImagePixelSize(item, width, height)
            dots += width.value * height.value
        elif kind == raw.FPDF_PAGEOBJ_SHADING or _has_curves(item):
            dots += 1
    plain = drawn(page, dpi)
    changed = np.abs(seen.astype(np.int16) - plain)
    is_scan, scale = dots >= _SCAN_DOTS, dpi / POINTS_PER_INCH
    dark = [_darkness(one, seen, changed, scale, is_scan=is_scan) for one in letters]
    covers: list[tuple[Cover, bool] | None] = [
        (next((k for k, box in reversed(layers) if one.is_in(box)), "invisible"), is_dark)
        if is_dark is not None
        else None
        for one, is_dark in zip(letters, dark, strict=True)
    ]
    hidden = list(_hidden_pictures(page, pictures, others, plain, dpi)) if pictures else []
    return letters, covers, dots, hidden


def _hidden_pictures(
    page: Any,
    pictures: Sequence[tuple[Any, _Corners]],
    others: Sequence[tuple[Any, _Corners]],
    shown: NDArray[np.uint8],
    dpi: float,
) -> Iterator[Covered]:
    """Yield the parts of pictures with ink where the page is even, and outside of their frame.

    *shown* is the page without its text; a picture is compared with it in small squares.
    """
    for item, _ in (*pictures, *others):
        raw.FPDFPageObj_SetIsActive(item, False)
    points = _TILE * POINTS_PER_INCH / dpi
    even = _ranges(shown)
    for item, corners in pictures[:_MOST_PICTURES]:
        if _share_in_frame(page, item, corners) < _FRAME:
            yield Covered(PICTURES[1], Box(*corners), "picture", False, False)
        if len(pictures) + len(others) == 1:
            return
        raw.FPDFPageObj_SetIsActive(item, True)
        alone = drawn(page, dpi)
        raw.FPDFPageObj_SetIsActive(item, False)
        for sides in _blocks((_ranges(alone) >= _INK) & (even <= _STEP)):
            ink = _cut(alone, *(side * _TILE for side in sides)) < 2 * _DARK
            if np.abs(np.diff(ink.astype(np.int8), axis=1)).sum(axis=1).max() < _MIN_EDGES:
                continue  # an edge, or shades of a photograph
            box = Box(*(float(side * points) for side in sides))
            is_dark = bool(np.median(_cut(shown, *(side * _TILE for side in sides))) <= _DARK)
            yield Covered(PICTURES[0], box, "box", is_dark, is_dark)


def _ranges(picture: NDArray[np.uint8]) -> Any:
    """Return the range of grey values of each square of a picture."""
    down, across = (side // _TILE for side in picture.shape)
    squares = picture[: down * _TILE, : across * _TILE].reshape(down, _TILE, across, _TILE)
    return np.subtract(squares.max(axis=(1, 3)), squares.min(axis=(1, 3)), dtype=np.int16)


def _blocks(marked: Any) -> Iterator[tuple[int, int, int, int]]:
    """Yield left, top, right and bottom of groups of marked squares: rows, then columns."""

    def groups(line: Any) -> Iterator[tuple[int, int]]:
        ends = np.flatnonzero(np.diff(np.concatenate(([0], line.astype(np.int8), [0]))))
        return zip(ends[::2].tolist(), ends[1::2].tolist(), strict=True)

    for top, bottom in groups(marked.any(axis=1)):
        near = np.convolve(marked[top:bottom].any(axis=0), np.ones(5), "same") > 0  # joins words
        for left, right in groups(near):
            if marked[top:bottom, left:right].sum() >= _MIN_TILES:
                yield left, top, right, bottom


def _share_in_frame(page: Any, item: Any, corners: _Corners) -> float:
    """Return the share of a picture in its clip and on the page."""
    frames = [(0.0, 0.0, *page.get_size())]
    clip = raw.FPDFPageObj_GetClipPath(item)
    x, y = ctypes.c_float(), ctypes.c_float()
    for path in range(max(0, raw.FPDFClipPath_CountPaths(clip)) if clip else 0):
        places = []
        for at in range(raw.FPDFClipPath_CountPathSegments(clip, path)):
            raw.FPDFPathSegment_GetPoint(raw.FPDFClipPath_GetPathSegment(clip, path, at), x, y)
            places.append((x.value, y.value))
        if places:
            frames.append(_around(map(_to_shown(page), places)))
    x0, y0, x1, y1 = corners
    for frame in frames:
        x0, y0, x1, y1 = max(x0, frame[0]), max(y0, frame[1]), min(x1, frame[2]), min(y1, frame[3])
    size = (corners[2] - corners[0]) * (corners[3] - corners[1])
    return max(0.0, x1 - x0) * max(0.0, y1 - y0) / size if size else 1.0


def _to_shown(page: Any) -> Callable[[tuple[float, float]], tuple[float, float]]:
    # FPDF_PageToDevice returns 32-bit integers.
    fine = min(64.0, 2**28 / max(page.get_size()))
    size = round(page.get_width() * fine), round(page.get_height() * fine)
    x, y = ctypes.c_int(), ctypes.c_int()

    def to_shown(point: tuple[float, float]) -> tuple[float, float]:
        raw.FPDF_PageToDevice(page, 0, 0, *size, 0, *point, x, y)
        return x.value / fine, y.value / fine

    return to_shown


def _around(points: Iterator[tuple[float, float]]) -> _Corners:
    across, down = zip(*points, strict=True)
    return min(across), min(down), max(across), max(down)


def _letters(
    page: Any, to_shown: Callable[[tuple[float, float]], tuple[float, float]]
) -> list[Letter]:
    letters = []
    with contextlib.closing(page.get_textpage()) as text:
        sides = [ctypes.c_double() for _ in range(4)]
        for at in range(text.count_chars()):
            code = raw.FPDFText_GetUnicode(text, at)
            is_character = code < 0xD800 or 0xDFFF < code <= sys.maxunicode
            character = chr(code) if is_character else "\ufffd"
            raw.FPDFText_GetCharBox(text, at, *sides)
            left, right, bottom, top = (side.value for side in sides)
            box = _around(map(to_shown, ((left, top), (right, bottom))))
            has_font = code < _LATIN_END or bool(
                raw.FPDFFont_GetIsEmbedded(
                    raw.FPDFTextObj_GetFont(raw.FPDFText_GetTextObject(text, at))
                )
            )
            letters.append(Letter("\n" if character in "\r\n" else character, box, has_font))
    return letters


def _objects(page: Any) -> Iterator[tuple[Any, list[tuple[float, float]]]]:
    """Yield the objects of a page and of its form XObjects, with the corners of their bounds."""

    def within(
        count: int, get: Callable[[int], Any], outer: NDArray[np.float64]
    ) -> Iterator[tuple[Any, list[tuple[float, float]]]]:
        for at in range(count):
            item = get(at)
            if raw.FPDFPageObj_GetType(item) == raw.FPDF_PAGEOBJ_FORM:
                matrix = raw.FS_MATRIX()
                raw.FPDFPageObj_GetMatrix(item, matrix)
                own = np.array(
                    [[matrix.a, matrix.b, 0], [matrix.c, matrix.d, 0], [matrix.e, matrix.f, 1]]
                )
                inner = partial(raw.FPDFFormObj_GetObject, item)
                yield from within(raw.FPDFFormObj_CountObjects(item), inner, own @ outer)
                continue
            sides = [ctypes.c_float() for _ in range(4)]
            raw.FPDFPageObj_GetBounds(item, *sides)
            x0, y0, x1, y1 = (side.value for side in sides)
            places = np.array([[x, y, 1] for x in (x0, x1) for y in (y0, y1)]) @ outer
            yield item, [(float(x), float(y)) for x, y, _ in places]

    first = partial(raw.FPDFPage_GetObject, page)
    yield from within(raw.FPDFPage_CountObjects(page), first, np.eye(3))


def _has_curves(item: Any) -> bool:
    return any(
        raw.FPDFPathSegment_GetType(raw.FPDFPath_GetPathSegment(item, at))
        == raw.FPDF_SEGMENT_BEZIERTO
        for at in range(raw.FPDFPath_CountSegments(item))
    )


def _marks(page: Any) -> list[_Corners]:
    """Return the rectangles of redaction annotations that were not applied."""
    boxes, to_shown = [], _to_shown(page)
    for at in range(raw.FPDFPage_GetAnnotCount(page)):
        note = raw.FPDFPage_GetAnnot(page, at)
        if raw.FPDFAnnot_GetSubtype(note) == raw.FPDF_ANNOT_REDACT:
            rect = raw.FS_RECTF()
            raw.FPDFAnnot_GetRect(note, rect)
            ends = (rect.left, rect.top), (rect.right, rect.bottom)
            boxes.append(_around(map(to_shown, ends)))
        raw.FPDFPage_CloseAnnot(note)
    return boxes


def _darkness(
    letter: Letter,
    seen: NDArray[np.uint8],
    changed: NDArray[np.int16],
    scale: float,
    *,
    is_scan: bool,
) -> bool | None:
    """Return whether the place of an invisible letter is uniformly dark; ``None`` if visible."""
    if not letter.character.isalnum():
        return None
    x0, y0, x1, y1 = (side * scale for side in letter.box)
    rise = y1 - y0
    if max(x1 - x0, rise) < _LEAST_SIZE * scale:
        return False
    whole = _cut(seen, x0, y0, x1, y1)
    wide = _cut(seen, x0 - _SIDES * rise, y0 + rise / 4, x1 + _SIDES * rise, y1 - rise / 4)
    if wide.size and wide.max() <= _DARK and int(wide.max()) - wide.min() <= _DARK_STEP:
        return True
    if not whole.size:
        return False  # beyond the border of the page
    if not letter.has_font or _cut(changed, x0, y0, x1, y1).max() > _STEP:
        return None
    return None if is_scan and int(whole.max()) - whole.min() > _STEP else False


def _cut(picture: NDArray[Any], *corners: float) -> NDArray[Any]:
    left, top, right, bottom = (max(0.0, value) for value in corners)
    return picture[int(top) : int(np.ceil(bottom)), int(left) : int(np.ceil(right))]


def _runs(
    letters: Sequence[Letter], covers: Sequence[tuple[Cover, bool] | None], least: int
) -> Iterator[Covered]:
    """Yield runs of invisible letters of a line, with signs and blanks between them, as words."""
    codes = "".join(
        "x" if cover else "v" if letter.character.isalnum() else letter.character
        for letter, cover in zip(letters, covers, strict=True)
    )
    for run in re.finditer(r"x(?:[^v\n]*x)?", codes):
        held = [(letters[at], cover) for at in range(*run.span()) if (cover := covers[at])]
        if len(held) < least:
            continue
        begin, end = run.span()
        while begin and codes[begin - 1] in _OF_WORD:
            begin -= 1
        while end < len(codes) and codes[end] in _OF_WORD:
            end += 1
        boxes = np.array([letters[at].box for at in range(begin, end) if not codes[at].isspace()])
        x0, y0, x1, y1 = map(float, (*boxes[:, :2].min(axis=0), *boxes[:, 2:].max(axis=0)))
        if y1 - y0 < _LEAST_SIZE:  # glyphs without outline, which are as high as wide at least
            y0 -= float(np.mean(boxes[:, 2] - boxes[:, 0]))
        text = "".join(letter.character for letter in letters[begin:end])
        kind, _ = held[0][1]
        yield Covered(text, Box(x0, y0, x1, y1), kind, any(dark for _, (_, dark) in held))


def _without_labels(words: list[Covered]) -> list[Covered]:
    """Remove a label that a program printed on its boxes, such as a date.

    A label is fitted to each box, but hidden words have the size of their line.
    """
    dark = [one for one in words if one.is_dark]
    label = min((one.text for one in dark), key=len, default="")
    sizes = {round(one.box.y1 - one.box.y0) for one in dark}
    if len(sizes) < _LABELS or not all(one.text.startswith(label) for one in dark):
        return words
    return [one for one in words if not one.is_dark]
