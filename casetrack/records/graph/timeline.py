"""Events by date."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from casetrack.records.table import Tabular

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from casetrack.records.graph.quote import Quote


@dataclass(frozen=True, slots=True)
class Event:
    """A date and what the text says of it.

    Attributes
    ----------
    value
        ISO 8601 with its precision, see the table ``dates``.
    first, last
        First and last day that it covers, ``YYYY-MM-DD``.
    description
        The sentence that holds the date, shortened on whole words where it is long.
    mention_count, document_count
        Places and documents that say so of this date.
    quote
        The place that says most.
    weight
        How much it stands out, 0..1.
    """

    value: str
    first: str
    last: str
    precision: str
    description: str
    mention_count: int
    document_count: int
    weight: float
    quote: Quote

    @property
    def date(self) -> str:
        """The date as its column in tables is called; the same as *value*."""
        return self.value

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.quote.citation

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "date": self.value,
            "first": self.first,
            "last": self.last,
            "precision": self.precision,
            "description": self.description,
            "mention_count": self.mention_count,
            "document_count": self.document_count,
            "weight": round(self.weight, 4),
            **self.quote.as_dict(),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Timeline(Tabular[Event]):
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
    draw
        Draws it as HTML, for notebooks.
    """

    collection: str
    start: str | None
    end: str | None
    total: int
    events: tuple[Event, ...]
    undated: int
    draw: Callable[[Timeline], str] | None = field(default=None, repr=False, compare=False)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "collection": self.collection,
            "start_date": self.start,
            "end_date": self.end,
            "total": self.total,
            "undated": self.undated,
            "events": [e.as_dict() for e in self.events],
        }

    def _table(self) -> tuple[type[Event], Sequence[Event]]:
        return Event, self.events

    def _heading(self) -> str:
        return f"{len(self.events):,} of {self.total:,} events in {self.collection}"

    def _repr_html_(self) -> str | None:
        return self.draw(self) if self.draw is not None else Tabular._repr_html_(self)
