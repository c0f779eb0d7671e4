"""The last stage of reading, the same for every format: what is printed leaves the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.readers.printed.bates_stamps import BatesStamps
from casetrack.readers.printed.star_pages import StarPages
from casetrack.readers.printed.typed_numbers import TypedNumbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from casetrack.readers.base import Page


def with_printed(pages: Iterable[Page], /) -> Iterator[Page]:
    """Yield the pages of a document with the places that are printed on them.

    Numbers of lines and star pages are taken out of the text, and Bates numbers that stand alone
    on a line. A page whose numbers a reader has taken off already keeps those.
    """
    numbers, stars, bates = TypedNumbers(), StarPages(), BatesStamps()
    try:
        for page in pages:
            plain = page if any(p.kind == "line" for p in page.printed) else numbers.take(page)
            yield from bates.take(stars.take(plain))
    except Exception:
        # A page that waits is not lost with the one that could not be read.
        yield from bates.rest()
        raise
    yield from bates.rest()
