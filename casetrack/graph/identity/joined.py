"""The text of a document as one, each place with the chunk that holds it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.extract.spans import DateSpan
    from casetrack.graph.document.facts import ChunkFacts


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
