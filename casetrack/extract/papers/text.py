"""A whole document as one text, so that what runs over the end of a page is read in one piece."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from casetrack.base.provenance import PrintedPlace

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
