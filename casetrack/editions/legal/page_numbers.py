"""What the pages of a paper are called: by the number printed on each, or by their place."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from casetrack.extract.papers.text import TextPage

ROMAN = re.compile(r"(?=[ivxlc])(?:c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})", re.IGNORECASE)
_ROMAN_SIGNS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_RUN = 3
"""So many pages in a row are listed as a range."""


@dataclass(frozen=True, slots=True)
class PageNumbers:
    """The numbers of the pages of a paper.

    Attributes
    ----------
    labels
        By the 1-based page of the file: what the page is called.
    are_printed
        Whether any number is printed; the place in the file counts where none is.
    inferred
        Pages of the file whose number is not printed, and was counted from their neighbours.
    unknown
        Pages of the file whose number is neither printed nor certain from their neighbours; they
        are called by their place in the file, in brackets.
    """

    labels: dict[int, str]
    are_printed: bool
    inferred: tuple[int, ...] = ()
    unknown: tuple[int, ...] = ()

    def listed(self, pages: Iterable[int], /) -> str:
        """Return pages of the file as a table lists them: ``"iv, 3, 5\u20137"``.

        Three pages or more in a row become a range; front matter and body make none together.
        """
        runs: list[list[int]] = []
        for page in sorted(set(pages)):
            if runs and page == runs[-1][-1] + 1 and self._follows(runs[-1][-1], page):
                runs[-1].append(page)
            else:
                runs.append([page])
        return ", ".join(itertools.chain.from_iterable(map(self._run, runs)))

    def _follows(self, page: int, following: int) -> bool:
        one, two = number_of(self.labels[page]), number_of(self.labels[following])
        if one is None or two is None:
            return False
        return one[0] == two[0] and one[1] + 1 == two[1]

    def _run(self, run: Sequence[int]) -> list[str]:
        if len(run) < _RUN:
            return [self.labels[page] for page in run]
        return [f"{self.labels[run[0]]}\u2013{self.labels[run[-1]]}"]


def page_numbers(pages: Sequence[TextPage], /) -> PageNumbers:
    """Return what the pages of a paper are called.

    A page without a number, such as the first one of the argument, has the one that its neighbours
    leave to it; where they do not agree, it is called by its place in the file.
    """
    printed = [_printed(page) for page in pages]
    if not any(printed):
        return PageNumbers({page.number: str(page.number) for page in pages}, are_printed=False)
    labels: dict[int, str] = {}
    inferred, unknown = list[int](), list[int]()
    for index, page in enumerate(pages):
        label = printed[index] or _between(printed, index)
        if printed[index] is None:
            (unknown if label is None else inferred).append(page.number)
        labels[page.number] = label or f"[{page.number}]"
    return PageNumbers(labels, True, tuple(inferred), tuple(unknown))


def _printed(page: TextPage) -> str | None:
    """Return the number printed on a page; none where it shows several pages at once."""
    labels = {place.label for place in page.printed if place.kind == "page"}
    return labels.pop() if len(labels) == 1 else None


def _between(printed: Sequence[str | None], index: int) -> str | None:
    """Return the number that the nearest numbered pages leave to one without."""
    before = next((i for i in range(index - 1, -1, -1) if printed[i]), None)
    after = next((i for i in range(index + 1, len(printed)) if printed[i]), None)
    from_before = _moved(printed[before], index - before) if before is not None else None
    from_after = _moved(printed[after], index - after) if after is not None else None
    if after is None:
        # Behind front matter a new count may begin.
        return None if _kind(printed[before or 0]) == "roman" else from_before
    if before is None or from_before == from_after:
        return from_after
    if _kind(printed[before]) == _kind(printed[after]):
        return None  # a page is missing, or one too many
    # Between "iv" and "2" stands page 1: the new count goes back as far as it can.
    return from_after or from_before


def _kind(label: str | None) -> str | None:
    number = number_of(label or "")
    return number[0] if number is not None else None


def _moved(label: str | None, by: int) -> str | None:
    number = number_of(label or "")
    if number is None or number[1] + by < 1:
        return None
    return roman(number[1] + by) if number[0] == "roman" else str(number[1] + by)


def number_of(label: str, /) -> tuple[str, int] | None:
    """Return the kind of a page's number, ``arabic`` or ``roman``, and its value.

    >>> number_of("iv"), number_of("12"), number_of("A-3")
    (('roman', 4), ('arabic', 12), None)
    """
    if label.isdecimal():
        return "arabic", int(label)
    if label and ROMAN.fullmatch(label):
        values = [_ROMAN_SIGNS[sign] for sign in label.lower()]
        pairs = itertools.zip_longest(values, values[1:], fillvalue=0)
        return "roman", sum(-one if one < two else one for one, two in pairs)
    return None


def roman(number: int, /) -> str:
    """Return a number from 1 to 399 in small Roman signs.

    >>> roman(14)
    'xiv'
    """
    signs = (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v")
    found = ""
    for value, sign in (*signs, (4, "iv"), (1, "i")):
        found += sign * (number // value)
        number %= value
    return found
