"""The letters of a page with their places, and where words stand among them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from casetrack.base.provenance import Box

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from casetrack.parse.ocr.engine import RecognizedPage

_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "‐": "-", "‑": "-", "\u00ad": "-"})


def plain_signs(text: str, /) -> str:
    """Return a text with plain quotation marks and hyphens, of the same length."""
    return text.translate(_QUOTES)


@dataclass
class Letters:
    """Text with a rectangle for every character.

    Attributes
    ----------
    text
        Lines end with a line break; typographic quotation marks and hyphens are plain.
    boxes
        One for each character, in page points; ``None`` for line breaks and blanks between words.
    """

    text: str = ""
    boxes: list[tuple[float, float, float, float] | None] = field(default_factory=list)

    def boxes_of(self, start: int, end: int, /) -> Iterator[Box]:
        """Yield the rectangles of ``text[start:end]``, one for each line."""
        for line in re.finditer(r"[^\n]+", self.text[start:end]):
            held = [b for b in self.boxes[start + line.start() : start + line.end()] if b]
            if held:
                yield Box(
                    min(b[0] for b in held),
                    min(b[1] for b in held),
                    max(b[2] for b in held),
                    max(b[3] for b in held),
                )


def letters_of(page: Any, /) -> Letters:
    """Return the letters of a page of a PDF, drawn or not, in the order of its text.

    Parameters
    ----------
    page
        A ``pymupdf.Page`` without rotation.
    """
    text: list[str] = []
    boxes: list[tuple[float, float, float, float] | None] = []
    for block in page.get_text("rawdict", flags=0)["blocks"]:
        for line in block.get("lines", ()):
            for span in line["spans"]:
                for char in span["chars"]:
                    for letter in plain_signs(char["c"]):
                        text.append(letter)
                        boxes.append(tuple(char["bbox"]) if not letter.isspace() else None)
            text.append("\n")
            boxes.append(None)
    return Letters("".join(text), boxes)


def words_of(
    letters: Letters, keeps: Callable[[tuple[float, float, float, float]], bool] = lambda _: True, /
) -> Iterator[tuple[str, Box]]:
    """Yield words with their rectangles; letters that *keeps* refuses by their box divide them."""
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
    """Return what recognition read on a picture of a page: every letter has its word's box."""
    found = Letters()
    for line in page.lines:
        for word in line.words:
            box = tuple(v * points_per_pixel for v in (word.x0, word.y0, word.x1, word.y1))
            written = plain_signs(word.text)
            found.text += written + " "
            found.boxes += [(box[0], box[1], box[2], box[3])] * len(written) + [None]
        found.text += "\n"
        found.boxes.append(None)
    return found


def _letter(letter: str) -> str:
    """Return a pattern for a letter, composed or with its marks apart (NFD)."""
    forms = dict.fromkeys((letter, unicodedata.normalize("NFD", letter)))
    return f"(?:{'|'.join(map(re.escape, forms))})"


def phrase_pattern(
    phrases: Iterable[str], /, *, match_case: bool = False, inside_words: bool = False
) -> re.Pattern[str]:
    """Return a pattern for words of a page: over line ends, hyphenated, with spaced letters.

    Parameters
    ----------
    phrases
        Each as a person would type it; white space stands for any.
    match_case
        Whether capital and small letters differ.
    inside_words
        Whether a part of a longer word counts.
    """
    alternatives = []
    for phrase in sorted(phrases, key=len, reverse=True):
        # A page may set letters apart, and words without a blank.
        letters = re.sub(r"\s", "", plain_signs(unicodedata.normalize("NFC", phrase)))
        alternatives.append(r"(?:-\n)?\s*".join(map(_letter, letters)))
    body = f"(?:{'|'.join(alternatives)})"
    if not inside_words:
        body = rf"(?<!\w){body}(?!\w)"
    return re.compile(body, 0 if match_case else re.IGNORECASE)
