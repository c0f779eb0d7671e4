"""A document as one text, for matches over page breaks; its citations and quotations."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate
from typing import Literal

from casetrack.base.dataclass import dataclass
from casetrack.base.provenance import PrintedPlace

# Citations and quotations with their positions.

AuthorityKind = Literal[
    "case", "statute", "regulation", "rule", "constitution", "journal", "record", "other"
]
CitationForm = Literal["full", "short", "id", "supra", "name"]
PinUnit = Literal["page", "paragraph", "line", "note", "section"]


@dataclass(frozen=True, slots=True)
class Pin:
    """The cited position in a source."""

    text: str  # as written: `"593-94"`, `"¶ 33"`, `"24:11-20"`, `"n.3"`
    unit: PinUnit  # unit of its numbers
    # first, last: complete numbers ("593", "594"); the pages "24", "24" of `24:11-20`.
    first: str
    last: str
    # first_line, last_line: of a transcript or pleading paper: "11", "20"; else `None`.
    first_line: str | None = None
    last_line: str | None = None
    # Parallel citation with this page numbering ("case:113-s-ct-2786"); `""` for a single citation.
    key: str = ""


@dataclass(frozen=True, slots=True)
class LegalCitation:
    """A position that cites an authority or a document of the record."""

    # start, end: of the whole citation: names, reporter, pin cites, year in parentheses.
    start: int
    end: int
    text: str
    # kind, form: type of the source, and form of the citation.
    kind: AuthorityKind
    form: CitationForm
    # Equal for all citations of one authority, also parallel ones; like the keys of references
    # (`case:509-us-579`, `record:dkt-12`).
    key: str
    # Full name: `"Daubert v. Merrell Dow Pharmaceuticals, Inc., 509 U.S. 579 (1993)"`.
    name: str
    keys: tuple[str, ...] = ()  # keys of all its parallel citations, *key* first
    pins: tuple[Pin, ...] = ()  # cited positions; empty for the whole source
    signal: str = ""  # preceding signal: `"see"`, `"but see"`, `"cf."`, ...; or `""`
    # Stated treatment: `"overruled by"`, `"abrogated by"`, `"distinguished"`, `"followed"`,
    # `"quoted"`, ...; or `""`.
    treatment: str = ""
    parenthetical: str = ""  # remark in parentheses after it, without them; or `""`
    # court, year: `""` and `None` if the text lacks them.
    court: str = ""
    year: int | None = None
    resolved: bool = True  # whether its meaning is unambiguous; false for an ambiguous *Id.*
    confidence: float = 1.0  # 0..1; OCR lowers it
    note: str = ""  # note for the reader ("read from a scan: 5O9 was taken for 509"); or `""`


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words that a text quotes."""

    # start, end: between the quotation marks, or of the indented block.
    start: int
    end: int
    text: str
    is_block: bool = False  # whether it is a block without marks
    citation: int | None = None  # index of its citation in the same text, or `None`
    # That the words are a quotation of that citation, 0..1; low for "scare quotes" and defined
    # terms.
    confidence: float = 1.0


def written_lines(text: str, /) -> Iterator[tuple[int, int]]:
    """Yield start and end of the lines that are not blank."""
    return (line.span() for line in re.finditer(r"[^\n]+", text) if line[0].strip())


__all__ = ["BETWEEN", "PrintedPlace", "TextPage", "WholeText"]

BETWEEN = "\n"
"""Separator of the texts of two pages."""


@dataclass(frozen=True, slots=True)
class TextPage:
    """A page with its 1-based number, its text and its printed places.

    *blocks* are the paragraphs that the reader marks as quotations, *notes* those of footnotes.
    *is_estimated*: the format has no page breaks, so the printed paper may have other page numbers.
    """

    number: int
    text: str
    printed: tuple[PrintedPlace, ...] = ()
    blocks: tuple[tuple[int, int], ...] = ()
    is_estimated: bool = False
    notes: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class WholeText:
    r"""The joined pages of one document; offsets into :attr:`text` are code points.

    Examples
    --------
    >>> whole = WholeText((TextPage(1, "See Roe v."), TextPage(2, "Wade.")))
    >>> whole.text
    'See Roe v.\nWade.'
    >>> whole.place(11)
    (TextPage(number=2, text='Wade.', printed=(), blocks=()), 0)
    """

    pages: tuple[TextPage, ...]

    @cached_property
    def text(self) -> str:
        """The texts of all pages, with one line break between two of them."""
        return BETWEEN.join(page.text for page in self.pages)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Start of each page in :attr:`text`."""
        lengths = (len(page.text) + len(BETWEEN) for page in self.pages[:-1])
        return tuple(accumulate(lengths, initial=0)) if self.pages else ()

    def place(self, offset: int, /) -> tuple[TextPage, int]:
        """Return the page of *offset*, and the offset into its text.

        A page break belongs to the end of the preceding page. Raises ``IndexError`` outside the
        text.
        """
        if not 0 <= offset <= len(self.text) or not self.pages:
            raise IndexError(f"{offset} is outside the {len(self.text)} characters of the text")
        number = bisect_right(self.starts, offset) - 1
        page = self.pages[number]
        return page, min(offset - self.starts[number], len(page.text))

    def parts(self, start: int, end: int, /) -> tuple[tuple[TextPage, int, int], ...]:
        """Return the pages of ``text[start:end]``: page, start and end on it."""
        parts = []
        for page, begin in zip(self.pages, self.starts, strict=True):
            first, last = max(start, begin), min(end, begin + len(page.text))
            if first < last:
                parts.append((page, first - begin, last - begin))
        return tuple(parts)
