"""Letters of a page with their places, and stamps in free places."""

from __future__ import annotations

import contextlib
import re
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.base.provenance import Box
from casetrack.editions.legal.paper.pdf import opened, silenced
from casetrack.editions.legal.records.load_files import PLACES, Place
from casetrack.parse.pdf.readable import chars_of, lines_of
from casetrack.parse.pdf.rules import union

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from casetrack.parse.ocr.engine import RecognizedPage

_QUOTES = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "‐": "-", "‑": "-", "\u00ad": "-"}
    | {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
)
_BETWEEN = r"(?:[-\s\u200b-\u200f\u2060\ufeff]|(?<=\n)\d{1,2}\s)*"
"""Between the letters of a name: blanks, hyphens, invisible signs, the number of a line."""


def plain_signs(text: str, /) -> str:
    """Return a text with plain quotation marks and hyphens, and without ligatures."""
    return text.translate(_QUOTES)


@dataclass
class Letters:
    """Text with a rectangle for each character."""

    text: str = ""  # Lines end with a line break; typographic quotation marks and hyphens are plain
    # Page points; ``None`` for line breaks and blanks between words.
    boxes: list[tuple[float, float, float, float] | None] = field(default_factory=list)

    def boxes_of(self, start: int, end: int, /) -> Iterator[Box]:
        """Yield the rectangles of ``text[start:end]``, one for each line."""
        for line in re.finditer(r"[^\n]+", self.text[start:end]):
            held = [b for b in self.boxes[start + line.start() : start + line.end()] if b]
            if held:
                yield Box(*union(held))


def letters_of(page: Any, /, *, replaced: bool = False) -> Letters:
    """Return the letters of a ``pymupdf.Page`` without rotation, visible or not, in text order.

    If *replaced*, replacement texts (ActualText) take the place of their letters.
    """
    flags = 0 if replaced else silenced().TEXT_IGNORE_ACTUALTEXT
    text: list[str] = []
    boxes: list[tuple[float, float, float, float] | None] = []
    for line in lines_of(page.get_text("rawdict", flags=flags)):
        for char in chars_of(line):
            for letter in plain_signs(char["c"]):
                text.append(letter)
                boxes.append(tuple(char["bbox"]) if not letter.isspace() else None)
        text.append("\n")
        boxes.append(None)
    return Letters("".join(text), boxes)


def words_of(
    letters: Letters, keeps: Callable[[tuple[float, float, float, float]], bool] = lambda _: True, /
) -> Iterator[tuple[str, Box]]:
    """Yield words with their rectangles; letters that *keeps* rejects divide words."""
    for match in re.finditer(r"\S+", letters.text):
        run, begin = "", match.start()
        for at in range(match.start(), match.end() + 1):
            held = letters.boxes[at] if at < match.end() else None
            if held is not None and keeps(held):
                run += letters.text[at]
                continue
            if run:
                yield run, next(letters.boxes_of(begin, at))
            run, begin = "", at + 1


def letters_read(page: RecognizedPage, points_per_pixel: float, /) -> Letters:
    """Return the letters of an OCR result; each letter has the box of its word."""
    letters = Letters()
    for line in page.lines:
        for word in line.words:
            box = tuple(v * points_per_pixel for v in (word.x0, word.y0, word.x1, word.y1))
            written = plain_signs(word.text)
            letters.text += written + " "
            letters.boxes += [(box[0], box[1], box[2], box[3])] * len(written) + [None]
        letters.text += "\n"
        letters.boxes.append(None)
    return letters


def _letter(letter: str) -> str:
    """Return a pattern for a letter, composed or decomposed (NFD)."""
    forms = dict.fromkeys((letter, unicodedata.normalize("NFD", letter)))
    return f"(?:{'|'.join(map(re.escape, forms))})"


def phrase_pattern(
    phrases: Iterable[str], /, *, match_case: bool = False, inside_words: bool = False
) -> re.Pattern[str]:
    """Return a pattern for words of a page: across lines, hyphenated, with spaced letters.

    White space in *phrases* matches any white space; *inside_words* also matches parts of words.
    """
    alternatives = []
    for phrase in sorted(phrases, key=len, reverse=True):
        # A page may have spaced letters, and words without a blank.
        letters = re.sub(r"\s", "", plain_signs(unicodedata.normalize("NFC", phrase)))
        alternatives.append(_BETWEEN.join(map(_letter, letters)))
    body = f"(?:{'|'.join(alternatives)})"
    if not inside_words:
        body = rf"(?<!\w){body}(?!\w)"
    return re.compile(body, 0 if match_case else re.IGNORECASE)


# Stamping of numbers on copies of pages, only in free places.

PICTURES = frozenset({".jpg", ".jpeg", ".png", ".tif", ".tiff", ".bmp", ".gif", ".webp"})
_SIZE = 9.0
_FONT = "hebo"
_EDGE, _GAP = 14.0, 4.0
"""Points between a stamp and the edges of the page, and between a stamp and other content."""
_STRIP = 26.0
"""Points by which a page is extended if no place is free."""
_PAPER = 232
"""Minimum grey value of paper."""
_LETTER = (612.0, 792.0)


@contextlib.contextmanager
def open_for_stamping(path: Path, passwords: Sequence[str] = (), /) -> Iterator[Any]:
    """Open a PDF or a picture (converted to PDF) for stamping."""
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
    """Return a one-page document for a file in its native form; its first line is larger."""
    pymupdf = silenced()
    document = pymupdf.open()
    page = document.new_page(width=_LETTER[0], height=_LETTER[1])
    for number, text in enumerate(lines):
        box = pymupdf.Rect(72, 330 + 26 * number, _LETTER[0] - 72, 400 + 26 * number)
        page.insert_textbox(box, text, fontsize=15 if number == 0 else 10, align=1)
    return document


def stamp_page(page: Any, number: str, /, *, legend: str = "", place: Place = PLACES[0]) -> None:
    """Stamp a page of a flattened document with its number and a legend, as searchable text.

    If *place* is not free, the next one along the foot is used; if none is free, the page is
    extended at its foot.
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
    """Return whether a place shows only paper and has no invisible text."""
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
