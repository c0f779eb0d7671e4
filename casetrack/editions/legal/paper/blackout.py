"""Removal of words and areas from a copy of a PDF."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.base.provenance import Box
from casetrack.editions.legal.paper.flat import as_picture, pixels_per_point
from casetrack.editions.legal.paper.letters import letters_of, letters_read, words_of
from casetrack.editions.legal.paper.parts import bytes_of
from casetrack.editions.legal.paper.pdf import silenced

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from casetrack.parse.ocr.engine import Picture, RecognizedPage

_POINTS_PER_INCH = 72.0
_READ_DPI = 200.0
_NO_LETTER = re.compile(r"[\W_]")
_GROW = 0.6
"""Points by which a black area exceeds the boxes of its letters."""


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle to redact."""

    page: int  # 1-based
    box: Box  # Points of the page as shown
    text: str  # Recognised text; empty for a given area
    why: str  # The requested words or kind of number, or "area"


def find_areas(
    document: Any,
    patterns: Sequence[tuple[str, Callable[[str], Iterator[tuple[int, int]]]]],
    /,
    *,
    shapes: Collection[int],
    recognise: Callable[[Picture, float], RecognizedPage] | None,
) -> tuple[list[Area], list[int], list[int]]:
    """Return the areas of matching words, unread pages of *shapes*, and pages with ActualText.

    Parameters
    ----------
    document
        A flattened document, see :func:`casetrack.editions.legal.paper.flat.flattened`.
    patterns
        Label and search function of each pattern.
    shapes
        Pages (1-based) that may show words as a picture or as outlines.
    recognise
        OCR of a grey picture with its dots per inch; ``None``: not available.
    """
    areas: list[Area] = []
    unread: list[int] = []
    hiding: list[int] = []
    for number, page in enumerate(document, 1):
        sheets = [letters_of(page)]
        replaced = letters_of(page, replaced=True)
        if len({_NO_LETTER.sub("", sheet.text) for sheet in (*sheets, replaced)}) > 1:
            sheets.append(replaced)
            hiding.append(number)
        if number in shapes:
            if recognise is None:
                unread.append(number)
            else:
                scale = pixels_per_point(page, _READ_DPI)
                read = recognise(_picture(page, scale), scale * _POINTS_PER_INCH)
                sheets.append(letters_read(read, 1 / scale))
        for sheet in sheets:
            for why, places in patterns:
                for start, end in places(sheet.text):
                    text = " ".join(sheet.text[start:end].split())
                    areas += [Area(number, box, text, why) for box in sheet.boxes_of(start, end)]
    return areas, unread, hiding


def marked_areas(document: Any, /) -> list[Area]:
    """Return the rectangles of redaction marks that were not applied."""
    return [
        Area(page.number + 1, Box(*(note.rect * page.rotation_matrix)), "", "mark")
        for page in document
        for note in page.annots(types=(silenced().PDF_ANNOT_REDACT,))
    ]


def _picture(page: Any, scale: float) -> Picture:
    pymupdf = silenced()
    drawn = page.get_pixmap(
        matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csGRAY, alpha=False
    )
    grey = np.frombuffer(drawn.samples, np.uint8).reshape(drawn.height, drawn.stride)
    return np.ascontiguousarray(grey[:, : drawn.width])


def redact_areas(
    document: Any,
    areas: Sequence[Area],
    /,
    *,
    covered: Mapping[int, Sequence[Box]],
    label: str = "",
) -> None:
    """Replace each page with an area or invisible words by a picture with black areas.

    The other words become a text layer under the picture, so the page can be searched and quoted.
    Nothing else of the page is kept, so invisible content is removed. (MuPDF 1.28 can delete
    letters from the drawing, but then moves those that follow.)

    Parameters
    ----------
    covered
        Boxes of invisible words by page (1-based); these words are removed.
    label
        Printed in white on each black area that is large enough.
    """
    by_page: dict[int, list[Area]] = {number: [] for number in covered}
    for area in areas:
        by_page.setdefault(area.page, []).append(area)
    for number, held in by_page.items():
        page = document[number - 1]
        words = list(_words_outside(page, [a.box for a in held], covered.get(number, ())))
        for area in held:
            _draw_black(page, area.box, label)
        as_picture(page, document, number - 1, words)
        document.delete_page(number)


def _draw_black(page: Any, box: Box, label: str) -> None:
    pymupdf = silenced()
    area = pymupdf.Rect(box.x0 - _GROW, box.y0, box.x1 + _GROW, box.y1)
    page.draw_rect(area, color=None, fill=(0, 0, 0))
    size = min(7.0, area.height * 0.8)
    width = pymupdf.get_text_length(label, fontsize=size)
    if label and width < area.width:
        at = (area.x0 + (area.width - width) / 2, area.y1 - (area.height - size * 0.7) / 2)
        page.insert_text(at, label, fontsize=size, color=(1, 1, 1))


def _words_outside(
    page: Any, boxes: Sequence[Box], covered: Sequence[Box]
) -> Iterator[tuple[str, Box]]:
    """Yield the visible words of a page, or parts of words, outside of all areas."""

    def keeps(held: tuple[float, float, float, float]) -> bool:
        x, y = (held[0] + held[2]) / 2, (held[1] + held[3]) / 2
        hidden = any(b.x0 <= x <= b.x1 and b.y0 <= y <= b.y1 for b in covered)
        return (
            page.rect.contains((x, y))
            and not hidden
            and not any(_touches(held, box) for box in boxes)
        )

    return words_of(letters_of(page), keeps)


def _touches(letter: tuple[float, float, float, float], box: Box) -> bool:
    x = (letter[0] + letter[2]) / 2
    return box.x0 - _GROW <= x <= box.x1 + _GROW and letter[1] < box.y1 and letter[3] > box.y0


def leftovers(document: Any, words: Collection[str], /) -> list[str]:
    """Return the objects of a written document that contain some words, and other leftovers.

    Every object is searched uncompressed, in the text encodings of PDF. Leftovers are invisible
    parts: properties, bookmarks, attached files, links, notes, scripts and earlier versions.
    """
    needles = [form for word in sorted(filter(None, words)) for form in _encoded(word)]
    objects = [
        f"object {xref} of the file"
        for xref in range(1, document.xref_length())
        if any(needle.search(held) for held in bytes_of(document, xref) for needle in needles)
    ]
    facts = ("title", "author", "subject", "keywords")
    catalog = document.pdf_catalog()
    left = {
        "properties": any(document.metadata[fact] for fact in facts)
        or document.xref_xml_metadata(),
        "bookmarks": document.get_toc(),
        "attached files": document.embfile_count(),
        "links or notes": any(page.first_link or page.first_annot for page in document),
        "scripts": {"OpenAction", "AA", "Names"} & set(document.xref_get_keys(catalog)),
        "earlier versions": document.version_count > 1,
    }
    return objects + [f"its {name}" for name, is_left in left.items() if is_left]


def _encoded(word: str) -> Iterator[re.Pattern[bytes]]:
    for encoding, gap in (("utf-8", b""), ("utf-16-be", b"\0"), ("latin-1", b"")):
        try:
            written = word.encode(encoding)
        except UnicodeEncodeError:
            continue
        # Whole words only: "Doe" in "Does" does not count.
        parts = (gap, re.escape(written), gap)
        yield re.compile(rb"(?<![A-Za-z0-9]%b)%b(?!%b[A-Za-z0-9])" % parts)
