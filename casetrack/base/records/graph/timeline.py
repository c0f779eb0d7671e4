"""Events by date."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from casetrack.base.records.graph.entities import Quote
from casetrack.base.records.shape import HIDDEN, INLINE, Day, FieldFormat, Record, Share
from casetrack.base.records.table import Tabular


@dataclass(frozen=True, slots=True)
class Dated(Record):
    """What stands on a line of time.

    Attributes
    ----------
    value
        ISO 8601 with its precision, see the table ``dates``.
    first, last
        First and last day that it covers, ``YYYY-MM-DD``.
    """

    value: Annotated[str, FieldFormat(name="date")]
    first: Day
    last: Day
    precision: str

    @property
    def date(self) -> str:
        """The date as its column in tables is called; the same as *value*."""
        return self.value


@dataclass(frozen=True, slots=True)
class Event(Dated):
    """A date and what the text says of it.

    Attributes
    ----------
    description
        The sentence that holds the date, shortened on whole words where it is long.
    mention_count, document_count
        Places and documents that say so of this date.
    quote
        The place that says most.
    weight
        How much it stands out, 0..1.
    mark_id
        The mark that the user added it by, with the source that the user named; ``None`` for what
        the documents say themselves.
    """

    SHOWN = ("date", "description", "citation")

    description: str
    mention_count: int
    document_count: int
    weight: Share
    quote: Annotated[Quote, INLINE]
    mark_id: str | None = None

    @property
    def event_id(self) -> str:
        """What it is hidden by: its mark, or its date and the beginning of its chunk's id."""
        return self.mark_id or f"{self.value}@{self.quote.chunk_id[:8]}"

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.quote.citation


@dataclass(frozen=True, slots=True, repr=False)
class Timeline(Tabular[Event], Record):
    """Events by date.

    Attributes
    ----------
    total
        Events in the span asked for.
    events
        Those shown, in order of date: where there are too many, the weightiest.
    undated
        Number of dates that stand for no certain day or time: without a year, such as “5 August”,
        or with more than one reading. They are not among the events.
    fiscal
        Number of fiscal quarters and years of which no text says the days; they are not among the
        events either.
    unread
        Number of documents without names or dates because of an error.
    notes
        What the user's marks leave out, in sentences.
    periods
        How many dates of the documents each month of the span has (``2024-03``), and each year of
        those of which no month is said (``2024``), in order.
    draw
        Draws it as HTML, for notebooks.
    """

    JSON = ("collection", "start", "end", "total", "undated", "fiscal", "unread", "events")

    collection: str
    start: Annotated[str | None, FieldFormat(name="start_date")]
    end: Annotated[str | None, FieldFormat(name="end_date")]
    total: int
    events: tuple[Event, ...]
    undated: int
    fiscal: int = 0
    unread: int = 0
    notes: tuple[str, ...] = ()
    periods: Annotated[tuple[tuple[str, int], ...], HIDDEN] = ()
    draw: Annotated[Callable[[Any], str] | None, HIDDEN] = field(
        default=None, repr=False, compare=False
    )

    @property
    def left_out(self) -> str:
        """What was found and is not among the events, as a sentence; empty where nothing is."""
        parts = []
        if self.undated:
            what = "date" if self.undated == 1 else "dates"
            parts.append(f"{self.undated:,} {what} without a year, or with several readings")
        if self.fiscal:
            what = "period" if self.fiscal == 1 else "periods"
            parts.append(f"{self.fiscal:,} fiscal {what} whose days no document says")
        return f"{', and '.join(parts)}, left out." if parts else ""

    @property
    def gap(self) -> str:
        """The documents that errors keep from the timeline, as a sentence; empty for none."""
        if not self.unread:
            return ""
        what = "1 document" if self.unread == 1 else f"{self.unread:,} documents"
        command = f"casetrack statistics -c {shlex.quote(self.collection)}"
        return (
            f"Events may be missing: the names or dates of {what} could not be read. "
            f"`{command}` lists each error and its next step."
        )

    def _table(self) -> tuple[type[Event], Sequence[Event]]:
        return Event, self.events

    def _heading(self) -> str:
        return f"{len(self.events):,} of {self.total:,} events in {self.collection}"

    def _repr_html_(self) -> str | None:
        return self.draw(self) if self.draw is not None else Tabular._repr_html_(self)
