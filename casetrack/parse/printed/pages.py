"""The last stage of reading, the same for every format: what is printed leaves the text."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from casetrack.base.provenance import PrintedPlace
from casetrack.parse.printed.bates_stamps import BatesStamps
from casetrack.parse.printed.edit import without
from casetrack.parse.printed.typed_numbers import TypedNumbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from casetrack.parse.base import Page

# Takes marks of star pages out of the text: pages of a reporter within another print.

_MARK = re.compile(
    r"\[(?P<stars>\*{1,3})(?P<sure>\d{1,5})\]|(?<![^\s(\"\u201c])\*{1,2}(?P<bare>\d{1,5})(?![\d*,.%)\]/-])"
)
_LEAST, _LEAST_LARGE, _LARGE = 3, 2, 100


@dataclass(slots=True)
class StarPages:
    """Finds the star pages of one document, whose pages come in order; each goes on until the next.

    Several reporters may number the same text, each in a series of its own.
    """

    _open: list[int] = field(default_factory=list)

    def take(self, page: Page, /) -> Page:
        """Return a page without marks of star pages; they are printed places."""
        marked = [(p.start, int(p.label)) for p in page.printed if p.kind == "star"]
        others = tuple(p for p in page.printed if p.kind != "star")
        typed = self._typed(page) if "*" in page.text else []
        if not (marked or typed or self._open):
            return page
        edited = without(replace(page, printed=others), [m.span() for m in typed])
        stars = [(edited.moved(start), label) for start, label in marked]
        stars += [(edited.moved(m.end()), int(m["sure"] or m["bare"])) for m in typed]
        stars.sort()
        page = edited.page
        return replace(page, printed=(*page.printed, *self._places(stars, len(page.text))))

    def _places(self, stars: Sequence[tuple[int, int]], length: int) -> list[PrintedPlace]:
        going = dict.fromkeys(self._open, 0)
        places: list[PrintedPlace] = []
        for at, label in stars:
            before = [old for old in going if 0 < label - old <= _LEAST]
            if before:
                old = max(before)
                places.append(PrintedPlace("star", str(old), going.pop(old), at))
            elif label in going:
                continue
            going[label] = at
        places += [PrintedPlace("star", str(label), at, length) for label, at in going.items()]
        self._open = list(going)
        return sorted((p for p in places if p.start < p.end), key=lambda p: p.start)

    def _typed(self, page: Page) -> list[re.Match[str]]:
        """Return the marks in the text that are star pages for sure."""
        if page.sheet_name is not None or any(p.kind == "code" for p in page.paragraphs):
            return []
        marks = list(_MARK.finditer(page.text))
        often = Counter(m["bare"] for m in marks)
        found, series = [], list[list[re.Match[str]]]()
        for m in marks:
            if m["sure"]:
                found.append(m)
                continue
            if often[m["bare"]] > 1:
                continue
            value = int(m["bare"])
            run = next((s for s in series if int(s[-1]["bare"]) == value - 1), None)
            if run is None:
                series.append([m])
            else:
                run.append(m)
        for run in series:
            first = int(run[0]["bare"])
            least = _LEAST_LARGE if first >= _LARGE else _LEAST
            if len(run) >= least or first - 1 in self._open:
                found += run
        return sorted(found, key=lambda m: m.start())


def with_printed(pages: Iterable[Page], /) -> Iterator[Page]:
    """Yield the pages of a document with the places that are printed on them.

    Numbers of lines and star pages are taken out of the text, and Bates numbers that stand alone
    on a line. A page whose numbers a reader has taken off already keeps those.
    """
    numbers, stars, bates = TypedNumbers(), StarPages(), BatesStamps()

    def stamped(plain: Page) -> Iterator[Page]:
        return bates.take(stars.take(plain))

    def waiting() -> Iterator[Page]:
        for plain in numbers.rest():
            yield from stamped(plain)
        yield from bates.rest()

    try:
        for page in pages:
            # Where the reader knows where lines stand on paper, it has taken numbers off itself.
            for plain in numbers.take(page) if page.width is None else (page,):
                yield from stamped(plain)
    except Exception:
        # A page that waits is not lost with the one that could not be read.
        yield from waiting()
        raise
    yield from waiting()
