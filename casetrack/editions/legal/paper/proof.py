"""Verification of a redacted copy, independent of the code that wrote it.

PDFium renders the pages and reads their text; MuPDF wrote the copy. Every page is read by OCR,
because fonts and outlines can show other words than the text layer. PDFium finds invisible words
before the redaction; here each letter must also show ink in MuPDF's picture, so that an error of
the first search is not repeated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.editions.legal.paper.covered import (
    POINTS_PER_INCH,
    drawn,
    in_pdfium,
    legible_dpi,
    read_sheet,
)
from casetrack.editions.legal.paper.letters import letters_of, letters_read, plain_signs
from casetrack.editions.legal.paper.pdf import silenced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from casetrack.base.provenance import Box
    from casetrack.editions.legal.paper.blackout import Area
    from casetrack.editions.legal.paper.covered import Letter
    from casetrack.parse.ocr.engine import Picture, RecognizedPage

    Patterns = Sequence[tuple[str, Callable[[str], Iterator[tuple[int, int]]]]]

_DPI = 200.0
_EVEN = 24
"""Maximum range of grey values at an invisible letter."""
_MIN_UNSEEN = 3
"""Minimum reported length of letters without ink: OCR text may be displaced by one letter."""


@dataclass(slots=True)
class Findings:
    """The result of a check."""

    left: list[str] = field(default_factory=list)  # Places where redacted content is still readable
    # Page (1-based) and text of other invisible words.
    covered: list[tuple[int, str]] = field(default_factory=list)
    recognised: list[int] = field(default_factory=list)  # Pages read by OCR
    unread: list[int] = field(default_factory=list)  # Pages with shapes that OCR could not read
    texts: list[str] = field(default_factory=list)  # Text of each page


def check_copy(
    path: Path,
    areas: Sequence[Area],
    patterns: Patterns,
    /,
    *,
    recognise: Callable[[Picture, float], RecognizedPage] | None,
) -> Findings:
    """Search the written file for the words and areas of a redaction.

    Parameters
    ----------
    areas
        Rectangles that must contain no letter.
    patterns
        Label and search function of each pattern.
    recognise
        OCR of a grey picture with its dots per inch; ``None``: not available.
    """
    findings = Findings()
    with in_pdfium(path) as document, silenced().open(path) as written:
        for number in range(1, len(document) + 1):
            # Must precede ``read_sheet``, which makes the letters of a page invisible.
            dpi = legible_dpi(document[number - 1], _DPI)
            picture = drawn(document[number - 1], dpi)
            sheet = read_sheet(document, number)
            text = plain_signs("".join(letter.character for letter in sheet.letters))
            findings.texts.append(text)
            findings.left += [f"the text of page {number} ({n})" for n in _held(patterns, text)]
            own = [area.box for area in areas if area.page == number]
            if any(_is_in(letter, box) for letter in sheet.letters for box in own):
                findings.left.append(f"an area of page {number}")
            unseen = [one.text for one in sheet.covered] or _without_ink(written[number - 1])
            findings.covered += [(number, text) for text in unseen]
            if recognise is None:
                # A page with areas is a picture of a page that was already searched.
                findings.unread += [number] if sheet.draws_shapes and not own else []
                continue
            findings.recognised.append(number)
            read = letters_read(recognise(picture, dpi), POINTS_PER_INCH / dpi)
            left = [f"the picture of page {number} ({n})" for n in _held(patterns, read.text)]
            findings.left += left
    return findings


def _held(patterns: Patterns, text: str) -> list[str]:
    return [name for name, places in patterns if any(True for _ in places(text))]


def _without_ink(page: Any) -> list[str]:
    """Return runs of letters whose place has one colour in MuPDF's picture."""
    page.set_rotation(0)
    dpi = min(_DPI, POINTS_PER_INCH * 5000 / max(page.rect.width, page.rect.height, 1.0))
    picture = page.get_pixmap(dpi=max(1, int(dpi)), colorspace="gray", alpha=False)
    dots = np.frombuffer(picture.samples_mv, np.uint8).reshape(picture.height, picture.stride)
    across, down = picture.width / page.rect.width, picture.height / page.rect.height
    runs, run = [], ""
    letters = letters_of(page)
    for character, box in zip(letters.text, letters.boxes, strict=True):
        if box is not None and character.isalnum():
            x0, y0, x1, y1 = (max(0.0, side) for side in box)
            place = dots[
                int(y0 * down) : int(np.ceil(y1 * down)),
                int(x0 * across) : min(int(np.ceil(x1 * across)), picture.width),
            ]
            if not place.size or int(place.max()) - int(place.min()) <= _EVEN:
                run += character
                continue
        elif box is not None or character == " ":
            continue
        runs.append(run)
        run = ""
    return [run for run in (*runs, run) if len(run) >= _MIN_UNSEEN]


def _is_in(letter: Letter, box: Box) -> bool:
    inset = (box.y1 - box.y0) / 4
    corners = box.x0 + 1, box.y0 + inset, box.x1 - 1, box.y1 - inset
    return letter.character.isalnum() and letter.is_in(corners)
