"""What a document is by its own account, and what it says of others."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.extract.spans import DateSpan
    from casetrack.graph.document.facts import ChunkFacts

Kind = Literal[
    "agreement",
    "restatement",
    "amendment",
    "supplement",
    "schedule",
    "exhibit",
    "notice",
    "letter",
    "order",
    "invoice",
    "annual report",
    "interim report",
    "current report",
    "mail",
    "",
]
"""What a document is; empty where nothing says so."""
Says = Literal[
    "amends",
    "restates",
    "supplements",
    "schedule_of",
    "exhibit_of",
    "made_under",
    "bills",
    "names",
    "clause",
    "quotes",
]
"""What a document says of another one. ``names`` says no more than that it speaks of it, ``clause``
that a part cited there stands in it, ``quotes`` that a mail holds the head of an earlier one."""


@dataclass(frozen=True, slots=True)
class Description:
    """Words that tell a document from others: "Amendment No. 2 to the Lease dated 3 May 2019".

    Attributes
    ----------
    kind
        What kind of document is meant.
    title
        Its words in small letters, without those that say only that it is an agreement; of a mail
        its subject.
    restated
        Whether it is called amended and restated.
    ordinal
        Which amendment or supplement it is, from 1; ``None`` where nothing says so, or it is none.
    dates
        Dates of it, ``YYYY-MM-DD`` or ``YYYY-MM``; of a mail when it was sent.
    numbers
        Numbers that name it, with what they number: ``contract:4711-b``, ``invoice:2024-17``.
    """

    kind: Kind = ""
    title: tuple[str, ...] = ()
    restated: bool = False
    ordinal: int | None = None
    dates: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()

    @property
    def is_telling(self) -> bool:
        """Whether it says which document is meant, and not only what kind."""
        return bool(self.title or self.dates or self.numbers or self.ordinal)


@dataclass(frozen=True, slots=True)
class Identity:
    """What a document, or a message of a mailbox, says that it is.

    Attributes
    ----------
    page
        The page that it begins on: 1, but for the later messages of a mailbox.
    description
        Its own title, dates and numbers.
    label
        Of a schedule or exhibit, such as ``b`` or ``99.1``.
    parts
        Numbers of its clauses, and labels of the exhibits that it lists.
    digest
        The same for two texts that differ in nothing but white space, case and marks; empty where
        there is hardly a text.
    """

    page: int
    description: Description
    label: str = ""
    parts: tuple[str, ...] = ()
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Saying:
    """A place that says something of another document.

    Attributes
    ----------
    chunk, start, end
        The place: position among the document's chunks, and code points into that one's text.
    says
        What.
    of
        The other document. Says nothing for a part whose document is the one that the whole
        document is about.
    repeated
        Whether the chunk before holds the very same place.
    confidence
        How sure it is that the place says so.
    """

    chunk: int
    start: int
    end: int
    says: Says
    of: Description
    repeated: bool = False
    confidence: float = 0.9


# The text of a document as one, each place with the chunk that holds it.


class Joined:
    """Chunks laid end to end, each code point of a page once.

    Parameters
    ----------
    chunks
        Of one document, in order.
    """

    def __init__(self, chunks: Sequence[ChunkFacts], /) -> None:
        self.chunks = chunks
        self._starts: list[int] = []
        self._skipped: list[int] = []
        self.pages: list[tuple[int, int]] = []
        parts: list[str] = []
        length, page, end = 0, 0, 0
        for chunk in chunks:
            if chunk.page != page:
                parts.append("\n\n" if parts else "")
                length += len(parts[-1])
                page, end = chunk.page, chunk.char_start
                self.pages.append((page, length))
            elif chunk.char_start > end:
                parts.append("\n")
                length += 1
            skipped = min(max(0, end - chunk.char_start), len(chunk.text))
            self._starts.append(length)
            self._skipped.append(skipped)
            parts.append(chunk.text[skipped:])
            length += len(parts[-1])
            end = max(end, chunk.char_end)
        self.text = "".join(parts)

    def place(self, start: int, end: int, /) -> tuple[int, int, int]:
        """Return chunk, start and end of a place; what goes on in the next chunk is cut off."""
        chunk = max(0, bisect_right(self._starts, start) - 1)
        shift = self._skipped[chunk] - self._starts[chunk]
        size = len(self.chunks[chunk].text)
        return chunk, min(start + shift, size), min(end + shift, size)

    def at(self, chunk: int, start: int, /) -> int:
        """Return where a place of a chunk stands, or -1 where the chunk before holds it."""
        if start < self._skipped[chunk]:
            return -1
        return self._starts[chunk] + start - self._skipped[chunk]

    @cached_property
    def dates(self) -> list[DateSpan]:
        """All dates of a day, a month, or one of several days, by place in :attr:`text`."""
        found = []
        for number, chunk in enumerate(self.chunks):
            for span in chunk.dates:
                at = self.at(number, span.start)
                if at >= 0 and days_of(span):
                    found.append(replace(span, start=at, end=at + span.end - span.start))
        return sorted(found, key=lambda d: d.start)

    @cached_property
    def _date_starts(self) -> list[int]:
        return [date.start for date in self.dates]

    def dates_within(self, start: int, end: int, /) -> list[DateSpan]:
        """Return the dates that begin in a stretch of :attr:`text`."""
        first = bisect_right(self._date_starts, start - 1)
        return self.dates[first : bisect_right(self._date_starts, end - 1)]


def days_of(span: DateSpan, /) -> tuple[str, ...]:
    """Return the days or months that a date may be: two where their order is open."""
    values = (span.value,) if span.value else span.readings
    return tuple(
        v for v in values if v and len(v) in {7, 10} and v[:4].isdigit() and v[5].isdigit()
    )
