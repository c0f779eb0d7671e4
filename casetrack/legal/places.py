"""Places as the paper names them, in the documents of a case: page and line, star page, Bates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.errors import UsageError
from casetrack.extract.legal.places import (
    BatesRange,
    bates_gaps,
    bates_key,
    find_pin,
    printed_at,
    read_bates,
)
from casetrack.store.whole_text import whole_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.extract.legal.spans import Pin
    from casetrack.extract.legal.text import WholeText
    from casetrack.records import Document
    from casetrack.store.datasets import Snapshot


@dataclass(frozen=True, slots=True)
class Located:
    """A stretch of one page of a document, and how the paper names it.

    Attributes
    ----------
    page
        1-based page of the file.
    start, end
        Code points into the text of that page.
    printed
        ``24:11-20``, ``*593``, ``ABC000123``; ``None`` where nothing is printed.
    """

    document_id: str
    document_name: str
    page: int
    start: int
    end: int
    printed: str | None


@dataclass(frozen=True, slots=True)
class BatesPages:
    """The pages of a range of Bates numbers.

    Attributes
    ----------
    asked
        The range.
    pages
        One for each page that bears a number of it, in the order of the numbers; a number that two
        documents bear is there twice.
    missing
        Numbers of the range that no page bears.
    """

    asked: BatesRange
    pages: tuple[Located, ...]
    missing: tuple[BatesRange, ...]

    @property
    def note(self) -> str | None:
        """Say which numbers are not in the case; ``None`` where all are."""
        if not self.missing:
            return None
        gaps = ", ".join(map(str, self.missing))
        if not self.pages:
            return f"No page of the case bears {gaps}."
        return f"No page of the case bears {gaps}: the range has a gap."


def locate(snapshot: Snapshot, document: Document, pin: Pin, /) -> tuple[tuple[Located, ...], ...]:
    """Return where in a document a pin cite points, page by page.

    More than one way where the document prints the number more than once; none where it has no such
    place; see :func:`casetrack.extract.legal.places.find_pin`.
    """
    whole = whole_text(snapshot, document.document_id)
    return tuple(
        tuple(_located(document, whole, start, end)) for start, end in find_pin(whole, pin)
    )


def _located(document: Document, whole: WholeText, start: int, end: int) -> Iterator[Located]:
    for page, first, last in whole.parts(start, end):
        at = whole.starts[whole.pages.index(page)]
        yield Located(
            document.document_id,
            document.name,
            page.number,
            first,
            last,
            printed_at(whole, at + first, at + last),
        )


def find_bates(snapshot: Snapshot, asked: str | BatesRange, /) -> BatesPages:
    """Return the pages that bear a Bates number, or the numbers of a range.

    Prefixes are compared without their case, hyphens and spaces.

    Raises
    ------
    UsageError
        *asked* is no Bates number.
    """
    read = read_bates(asked) if isinstance(asked, str) else asked
    if read is None:
        raise UsageError(
            f"Not a Bates number: {asked}.",
            hint="Write the prefix and the number, such as ABC000123 or ABC000123-ABC000130.",
        )
    borne: dict[int, list[Located]] = {}
    for number, located in _stamped(snapshot, read.key):
        if read.first <= number <= read.last:
            borne.setdefault(number, []).append(located)
    edges = {read.first - 1, read.last + 1}
    have = [read.label(n) for n in sorted({*borne, *edges}) if n >= 0]
    return BatesPages(
        read,
        tuple(place for number in sorted(borne) for place in borne[number]),
        tuple(_without_edges(bates_gaps(have), read)) if borne else (read,),
    )


def _without_edges(gaps: list[BatesRange], read: BatesRange) -> Iterator[BatesRange]:
    for gap in gaps:
        first, last = max(gap.first, read.first), min(gap.last, read.last)
        if first <= last:
            yield BatesRange(read.prefix, first, last, read.width)


def _stamped(snapshot: Snapshot, key: str) -> Iterator[tuple[int, Located]]:
    """Yield all numbers with a prefix and their pages, each page once."""
    columns = ("document_id", "page", "char_start", "char_end", "printed")
    pages: dict[tuple[str, int, str], tuple[int, int]] = {}
    for row in snapshot.scan(columns).to_pylist():
        for place in row["printed"] or ():
            if place["kind"] != "bates" or not bates_key(place["label"]).startswith(key):
                continue
            at = row["document_id"], row["page"], place["label"]
            start, end = row["char_start"] + place["start"], row["char_start"] + place["end"]
            known = pages.get(at, (start, end))
            pages[at] = min(known[0], start), max(known[1], end)
    for (document_id, page, label), (start, end) in sorted(pages.items()):
        read = read_bates(label)
        if read is not None and read.key == key:
            name = snapshot.documents[document_id].name
            yield read.first, Located(document_id, name, page, start, end, label)
