"""Self-descriptions of a document, and its claims about other documents."""

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
"""The kind of a document; empty if unknown."""
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
"""The claim about another document: only mentioned, owner of a cited part, or an earlier mail."""


@dataclass(frozen=True, slots=True)
class Description:
    """A description of a document: "Amendment No. 2 to the Lease dated 3 May 2019"."""

    kind: Kind = ""
    # Lower-case words without generic ones such as "agreement"; for a mail its subject.
    title: tuple[str, ...] = ()
    restated: bool = False  # Whether it is called amended and restated
    # Number of the amendment or supplement, from 1; ``None`` if unknown or not applicable.
    ordinal: int | None = None
    dates: tuple[str, ...] = ()  # ``YYYY-MM-DD`` or ``YYYY-MM``; for a mail the time of sending
    # Identifying numbers with their type: ``contract:4711-b``, ``invoice:2024-17``.
    numbers: tuple[str, ...] = ()

    @property
    def is_specific(self) -> bool:
        """Whether it identifies a document beyond its kind."""
        return bool(self.title or self.dates or self.numbers or self.ordinal)


@dataclass(frozen=True, slots=True)
class Identity:
    """The self-description of a document."""

    page: int  # First page
    description: Description
    label: str = ""  # Of a schedule or exhibit, such as ``b`` or ``99.1``
    parts: tuple[str, ...] = ()  # Numbers of its clauses, and labels of the exhibits that it lists
    # Equal for texts that differ only in white space, case and marks; empty for very short texts.
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim about another document, at its place."""

    # Position among the document's chunks, and code points in the chunk's text.
    chunk: int
    start: int
    end: int
    says: Says  # The kind of claim
    # The other document; empty if a part belongs to the base document of the whole document.
    of: Description
    repeated: bool = False  # Whether the previous chunk contains the same place
    confidence: float = 0.9


# The text of a document as one string, with the chunk of each place.


class Joined:
    """Concatenated chunks of one document in order, each code point of a page once."""

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
        """Return chunk, start and end of a place; a part in the next chunk is cut off."""
        chunk = max(0, bisect_right(self._starts, start) - 1)
        shift = self._skipped[chunk] - self._starts[chunk]
        size = len(self.chunks[chunk].text)
        return chunk, min(start + shift, size), min(end + shift, size)

    def at(self, chunk: int, start: int, /) -> int:
        """Return the text offset of a chunk's place, or -1 if the previous chunk contains it."""
        if start < self._skipped[chunk]:
            return -1
        return self._starts[chunk] + start - self._skipped[chunk]

    @cached_property
    def dates(self) -> list[DateSpan]:
        """All dates of a day or month, or ambiguous days, by position in :attr:`text`."""
        dates = []
        for number, chunk in enumerate(self.chunks):
            for span in chunk.dates:
                at = self.at(number, span.start)
                if at >= 0 and days_of(span):
                    dates.append(replace(span, start=at, end=at + span.end - span.start))
        return sorted(dates, key=lambda d: d.start)

    @cached_property
    def _date_starts(self) -> list[int]:
        return [date.start for date in self.dates]

    def dates_within(self, start: int, end: int, /) -> list[DateSpan]:
        """Return the dates that start in this range of :attr:`text`."""
        first = bisect_right(self._date_starts, start - 1)
        return self.dates[first : bisect_right(self._date_starts, end - 1)]


def days_of(span: DateSpan, /) -> tuple[str, ...]:
    """Return the days or months that a date may mean: two if day and month may be swapped."""
    values = (span.value,) if span.value else span.readings
    return tuple(
        v for v in values if v and len(v) in {7, 10} and v[:4].isdigit() and v[5].isdigit()
    )
