"""A whole document as one text, so that what runs over the end of a page is read in one piece."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Literal

from casetrack.base.provenance import PrintedPlace

# What is found in a legal text: citations and quotations, with their places.

AuthorityKind = Literal[
    "case", "statute", "regulation", "rule", "constitution", "journal", "record", "other"
]
CitationForm = Literal["full", "short", "id", "supra", "name"]
PinUnit = Literal["page", "paragraph", "line", "note", "section"]


@dataclass(frozen=True, slots=True)
class Pin:
    """Where in its source a citation points.

    Attributes
    ----------
    text
        As written: ``"593-94"``, ``"¶ 33"``, ``"24:11-20"``, ``"n.3"``.
    unit
        What its numbers count.
    first, last
        The place or the range, whole ("593", "594"); of ``24:11-20`` the pages "24", "24".
    first_line, last_line
        Of a transcript or pleading paper: "11", "20"; else ``None``.
    key
        Of parallel citations the one whose pages it counts ("case:113-s-ct-2786"); ``""`` where
        there is but one.
    """

    text: str
    unit: PinUnit
    first: str
    last: str
    first_line: str | None = None
    last_line: str | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class LegalCitation:
    """A place that cites an authority or a document of the record.

    Attributes
    ----------
    start, end
        Of the whole citation in the text: names, reporter, pin cites, year in parentheses.
    text
        What stands there.
    kind, form
        What it cites, and how it is written.
    key
        The same for every way of citing one authority, parallel citations among them; as the keys
        of references (``case:509-us-579``, ``record:dkt-12``).
    name
        The authority in words, whole: ``"Daubert v. Merrell Dow Pharmaceuticals, Inc., 509 U.S.
        579 (1993)"``.
    keys
        Keys of all its parallel citations, *key* first.
    pins
        Where in the source it points; empty for the source as a whole.
    signal
        The word before it in the usual spelling: ``"see"``, ``"but see"``, ``"cf."``, ...; ``""``.
    treatment
        What is said of the authority: ``"overruled by"``, ``"abrogated by"``, ``"distinguished"``,
        ``"followed"``, ``"quoted"``, ...; ``""`` where nothing is.
    parenthetical
        The remark in parentheses after it, without them; ``""``.
    court, year
        As far as the text has them; ``""`` and ``None``.
    resolved
        Whether it is settled what it means; an *Id.* that could be several is not.
    confidence
        How sure it is, 0 to 1; recognised text lowers it.
    note
        What a reader should know of it ("read from a scan: 5O9 was taken for 509"); ``""``.
    """

    start: int
    end: int
    text: str
    kind: AuthorityKind
    form: CitationForm
    key: str
    name: str
    keys: tuple[str, ...] = ()
    pins: tuple[Pin, ...] = ()
    signal: str = ""
    treatment: str = ""
    parenthetical: str = ""
    court: str = ""
    year: int | None = None
    resolved: bool = True
    confidence: float = 1.0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words that a text gives as another's.

    Attributes
    ----------
    start, end
        Between the quotation marks, or of the indented block.
    text
        What stands there.
    is_block
        Whether it is set off as a block without marks.
    citation
        Index of the citation that it is ascribed to among those of the same text; ``None`` where
        none is.
    confidence
        How sure it is that the words are given as a quotation of that citation, 0 to 1; "scare
        quotes" and defined terms are low.
    """

    start: int
    end: int
    text: str
    is_block: bool = False
    citation: int | None = None
    confidence: float = 1.0


__all__ = ["BETWEEN", "PrintedPlace", "TextPage", "WholeText"]

BETWEEN = "\n"
"""Stands between the texts of two pages."""


@dataclass(frozen=True, slots=True)
class TextPage:
    """One page: its 1-based number, its text, the places printed on it.

    *blocks* are the paragraphs that its reader knows to be set off as quotations: start and end.
    *is_estimated*: the format has no page breaks, so the paper may have other page numbers.
    """

    number: int
    text: str
    printed: tuple[PrintedPlace, ...] = ()
    blocks: tuple[tuple[int, int], ...] = ()
    is_estimated: bool = False


@dataclass(frozen=True)
class WholeText:
    r"""The pages of one document laid end to end.

    Offsets into :attr:`text` are code points, like those into pages.

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
        """Where each page begins in :attr:`text`."""
        lengths = (len(page.text) + len(BETWEEN) for page in self.pages[:-1])
        return tuple(accumulate(lengths, initial=0)) if self.pages else ()

    def place(self, offset: int, /) -> tuple[TextPage, int]:
        """Return the page on which *offset* lies, and the offset into its text.

        The break between two pages counts to the end of the first.

        Raises
        ------
        IndexError
            *offset* lies outside the text.
        """
        if not 0 <= offset <= len(self.text) or not self.pages:
            raise IndexError(f"{offset} is outside the {len(self.text)} characters of the text")
        number = bisect_right(self.starts, offset) - 1
        page = self.pages[number]
        return page, min(offset - self.starts[number], len(page.text))

    def parts(self, start: int, end: int, /) -> tuple[tuple[TextPage, int, int], ...]:
        """Return what ``text[start:end]`` covers, page by page: page, start and end on it."""
        found = []
        for page, begin in zip(self.pages, self.starts, strict=True):
            first, last = max(start, begin), min(end, begin + len(page.text))
            if first < last:
                found.append((page, first - begin, last - begin))
        return tuple(found)
