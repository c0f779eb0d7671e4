"""Redactions: words that a covered place still holds, and copies from which words were taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from casetrack.base.provenance import Box
from casetrack.base.records.cards import Card, Fact
from casetrack.base.records.shape import NO_COLUMN, Record

Cover = Literal[
    "box",
    "picture",
    "annotation",
    "invisible",
    "mark",
    "earlier version",
    "shading",
    "hidden",
    "deleted",
]


@dataclass(frozen=True, slots=True)
class HiddenText(Record):
    """Text that a reader of a file doesn't see and that anybody can copy out of it.

    Attributes
    ----------
    file
        Path of the file.
    page
        1-based; ``None`` in a DOCX, which has none of its own.
    paragraph
        1-based, of a DOCX: in reading order of its part; else ``None``.
    text
        The words.
    cover
        What hides them: ``box``, ``picture``, ``annotation`` (can be moved away in any viewer),
        ``invisible`` (by its colour, render mode, clip, layer, or beyond the border of the page),
        ``mark`` (marked for redaction, which was never carried out), ``earlier version`` (taken
        out, and still in the file, which keeps its earlier states), ``shading`` (black on black),
        ``hidden`` (a property of the text), ``deleted`` (a tracked change that was not accepted).
    box
        Where they stand on the page, in points; ``None`` in a DOCX and in earlier versions.
    """

    file: str
    page: int | None
    paragraph: int | None
    text: str
    cover: Cover
    box: Annotated[Box | None, NO_COLUMN] = None

    @property
    def place(self) -> str:
        """Where it stands, in words: ``p. 3`` or ``para. 12``."""
        return f"p. {self.page}" if self.page is not None else f"para. {self.paragraph}"


@dataclass(frozen=True, slots=True, repr=False)
class RedactedCopy(Card):
    """A copy of a PDF from which words were taken, and what was looked at to prove it.

    Attributes
    ----------
    original, copy
        Paths.
    original_sha256, copy_sha256
        SHA-256 of both files, so that either can be told again.
    places
        Number of black areas.
    pages
        The pages (1-based) that have one.
    by_reason
        Black areas by what they were found by.
    recognised
        Pages that were read by text recognition, whose words may have been misread.
    not_read
        Pages with pictures or drawings not read by text recognition: words in them may be left.
    left_out
        Page and words that are invisible in the original, and that the copy doesn't have.
    covered
        Page and words of the copy that are invisible, can be copied, and were not asked for.
    proof
        Checks of the written copy that passed; PDFium reads it, which had no part in writing it.
    unproved
        Checks that were not possible.
    """

    original: str
    copy: str
    original_sha256: str
    copy_sha256: str
    places: int
    pages: tuple[int, ...]
    by_reason: dict[str, int]
    recognised: tuple[int, ...]
    not_read: tuple[int, ...]
    left_out: tuple[str, ...]
    covered: tuple[str, ...]
    proof: tuple[str, ...]
    unproved: tuple[str, ...]

    def _facts(self) -> list[Fact]:
        return [
            ("original", self.original),
            ("copy", self.copy),
            ("black areas", self.places),
            ("on pages", self.pages),
            ("found by", self.by_reason),
            ("not read", self.not_read),
            ("invisible and left out", self.left_out),
            ("invisible and readable", self.covered),
            ("proof", "; ".join(self.proof)),
            ("not checked", "; ".join(self.unproved)),
        ]
