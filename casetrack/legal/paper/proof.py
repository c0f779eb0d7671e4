"""Checks a redacted copy by another path than the one that made it.

PDFium renders the pages and reads their text; the copy is written by MuPDF. Pages with pictures are
recognised (OCR) as a reader sees them.
"""

from __future__ import annotations

import ctypes
import re
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.legal.paper.letters import letters_read, plain_signs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from casetrack.legal.paper.blackout import Area
    from casetrack.ocr.page import Picture, RecognizedPage

    Patterns = Sequence[tuple[str, Callable[[str], Iterator[tuple[int, int]]]]]

_POINTS_PER_INCH = 72.0
_DPI = 200.0
_DARK, _EVEN = 90, 24
"""Grey values: of a dark place at most, and between the lightest and darkest dot of an even one."""
_BESIDE = 0.15
"""Share of a letter's height to both sides that must be dark, too: a thick letter fills its box."""
_LEGIBLE = (24.0, 6.0)
"""Width and height in points from which on a picture may show words."""


@dataclass(frozen=True, slots=True)
class Letter:
    """A character as PDFium reads it, with its box in points from the top left."""

    character: str
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(slots=True)
class Findings:
    """The result of a check.

    Attributes
    ----------
    left
        Places where something that was to be taken out is still readable.
    covered
        Page (1-based) and words under a dark area that the redaction was not asked for.
    recognised, unread
        Pages (1-based) with pictures that were recognised, and those that were not.
    """

    left: list[str] = field(default_factory=list)
    covered: list[tuple[int, str]] = field(default_factory=list)
    recognised: list[int] = field(default_factory=list)
    unread: list[int] = field(default_factory=list)


def check_copy(
    path: Path,
    areas: Sequence[Area],
    patterns: Patterns,
    /,
    *,
    recognise: Callable[[Picture, float], RecognizedPage] | None,
) -> Findings:
    """Look for the words and areas of a redaction in the file that was written.

    Parameters
    ----------
    path
        The copy.
    areas
        Rectangles that must hold no letter.
    patterns
        Names of what was taken out, and functions that find its places in a text.
    recognise
        Reads a grey picture of the given dots per inch; ``None`` where nothing can.
    """
    import pypdfium2

    found = Findings()
    with closing(pypdfium2.PdfDocument(path)) as document:
        for number in range(1, len(document) + 1):
            page = document[number - 1]
            text, letters = _read(page)
            for name, places in patterns:
                if any(True for _ in places(text)):
                    found.left.append(f"the text of page {number} ({name})")
            own = [area.box for area in areas if area.page == number]
            if any(_is_in(letter, box) for letter in letters for box in own):
                found.left.append(f"an area of page {number}")
            seen = _drawn(page)
            found.covered += [(number, words) for words in _covered(letters, seen)]
            if not (own or _has_pictures(page)):
                continue
            if recognise is None:
                # A page of `own` is a picture of a page that was searched before.
                found.unread += [] if own else [number]
                continue
            found.recognised.append(number)
            sheet = letters_read(recognise(seen, _DPI), _POINTS_PER_INCH / _DPI)
            for name, places in patterns:
                if any(True for _ in places(sheet.text)):
                    found.left.append(f"a picture on page {number} ({name})")
    return found


def _read(page: Any) -> tuple[str, list[Letter]]:
    """Return the text of a page with plain quotes and hyphens, and its letters with their boxes."""
    from pypdfium2 import raw

    height, letters, text = page.get_height(), [], []
    with closing(page.get_textpage()) as held:
        sides = [ctypes.c_double() for _ in range(4)]
        for at in range(held.count_chars()):
            character = chr(raw.FPDFText_GetUnicode(held, at))
            text.append("\n" if character in "\r\n" else character)
            raw.FPDFText_GetCharBox(held, at, *sides)
            left, right, bottom, top = (side.value for side in sides)
            letters.append(Letter(character, left, height - top, right, height - bottom))
    return plain_signs("".join(text)), letters


def _is_in(letter: Letter, box: Any) -> bool:
    if not letter.character.isalnum():
        return False
    x, y = (letter.x0 + letter.x1) / 2, (letter.y0 + letter.y1) / 2
    height = (box.y1 - box.y0) / 4
    return bool(box.x0 + 1 <= x <= box.x1 - 1 and box.y0 + height <= y <= box.y1 - height)


def _drawn(page: Any) -> NDArray[np.uint8]:
    picture = page.render(scale=_DPI / _POINTS_PER_INCH, grayscale=True)
    return np.ascontiguousarray(picture.to_numpy().reshape(picture.height, picture.width))


def _covered(letters: Sequence[Letter], seen: NDArray[np.uint8]) -> Iterator[str]:
    """Yield the words of which letters are on an evenly dark place of the rendered page."""
    text = "".join(letter.character for letter in letters)
    dark = [letter.character.isalnum() and _is_dark(letter, seen) for letter in letters]
    run: list[str] = []
    for word in [*re.finditer(r"\S+", text), None]:
        if word is not None and sum(dark[word.start() : word.end()]) > 1:
            run.append(word.group())
        elif run:
            yield " ".join(run)
            run = []


def _is_dark(letter: Letter, seen: NDArray[np.uint8]) -> bool:
    height = letter.y1 - letter.y0
    corners = (
        letter.x0 - _BESIDE * height,
        letter.y0 + height / 4,
        letter.x1 + _BESIDE * height,
        letter.y1 - height / 4,
    )
    x0, y0, x1, y1 = (max(0, round(value * _DPI / _POINTS_PER_INCH)) for value in corners)
    place = seen[y0:y1, x0:x1]
    return bool(place.size and place.max() <= _DARK and int(place.max()) - place.min() <= _EVEN)


def _has_pictures(page: Any) -> bool:
    from pypdfium2 import raw

    for item in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE]):
        left, bottom, right, top = item.get_bounds()
        if right - left >= _LEGIBLE[0] and top - bottom >= _LEGIBLE[1]:
            return True
    return False
