"""Events by date."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, get_args

from casetrack.base.dataclass import dataclass, field
from casetrack.base.records.passages import Quote
from casetrack.base.records.shape import HIDDEN, INLINE, Day, FieldFormat, Record, Share
from casetrack.base.records.table import Tabular

EventType = Literal["signed", "effective", "expiry", "notice", "deadline"]
EVENT_TYPES: tuple[EventType, ...] = get_args(EventType)


@dataclass(frozen=True, slots=True)
class Dated(Record):
    """An entry of a timeline."""

    # ISO 8601 with its precision, see the table `dates`.
    value: Annotated[str, FieldFormat(name="date")]
    # first, last: first and last covered day, `YYYY-MM-DD`.
    first: Day
    last: Day
    precision: str

    @property
    def date(self) -> str:
        """Alias of *value*, by the name of its column."""
        return self.value


@dataclass(frozen=True, slots=True)
class Event(Dated):
    """A date and the text about it."""

    JSON = ("...", "type?")
    SHOWN = ("date", "description", "citation")

    description: str  # the sentence with the date, shortened between words
    # mention_count, document_count: positions and documents with this event.
    mention_count: int
    document_count: int
    weight: Share  # importance, 0..1
    quote: Annotated[Quote, INLINE]  # the most informative mention
    # The user's mark that added it, with the source that the user named; `None` for an event of the
    # documents.
    mark_id: str | None = None
    # By the words next to the date; of a deadline, its day may be computed from its rule.
    type: EventType | None = None

    @property
    def event_id(self) -> str:
        """Id for hiding it: its mark, or its date and the start of its chunk's id."""
        return self.mark_id or f"{self.value}@{self.quote.chunk_id[:8]}"

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.quote.citation


@dataclass(frozen=True, slots=True, repr=False)
class Timeline(Tabular[Event], Record):
    """Events by date."""

    JSON = ("collection", "start", "end", "total", "undated", "fiscal", "unread", "events")

    collection: str
    start: Annotated[str | None, FieldFormat(name="start_date")]
    end: Annotated[str | None, FieldFormat(name="end_date")]
    total: int  # number of events in the requested span
    events: tuple[Event, ...]  # in order of date; the most important ones if there are too many
    # Number of dates without a certain day, such as “5 August” without a year, or with several
    # readings. They are not among the events.
    undated: int
    # Number of fiscal periods whose days no text states. They are not among the events.
    fiscal: int = 0
    unread: int = 0  # number of documents without names or dates because of an error
    notes: tuple[str, ...] = ()  # sentences about events that the user's marks hide
    # Number of dates per month (`2024-03`), and per year for dates without a month (`2024`).
    periods: Annotated[tuple[tuple[str, int], ...], HIDDEN] = ()
    # Returns HTML for notebooks.
    draw: Annotated[Callable[[Any], str] | None, HIDDEN] = field(
        default=None, repr=False, compare=False
    )

    @property
    def left_out(self) -> str:
        """A sentence about omitted dates and periods, or empty."""
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
        """A sentence about documents whose errors leave gaps, or empty."""
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
