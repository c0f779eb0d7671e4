"""The last stage of reading, the same for every format: what is printed leaves the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.parse.printed.bates_stamps import BatesStamps
from casetrack.parse.printed.star_pages import StarPages
from casetrack.parse.printed.typed_numbers import TypedNumbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from casetrack.parse.base import Page


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
