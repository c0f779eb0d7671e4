"""The chronology of a case: what happened when, who took part, and what says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from casetrack.base.records.graph.quote import Quote
from casetrack.base.records.graph.timeline import Dated
from casetrack.base.records.shape import INLINE, Record, Told
from casetrack.base.records.table import Tabular


@dataclass(frozen=True, slots=True)
class ChronologyEntry(Dated):
    """An event and its source.

    Attributes
    ----------
    event
        What happened: the reader's own words where there are some, else those of the document.
    document_says
        The words of the document, where the reader has own ones; else empty.
    who
        People and organisations that the words name, in their order.
    quote
        The place that says so.
    picked
        Whether the reader has taken it, or it is the reader's own.
    event_id
        What it is taken or left out by.
    """

    SHOWN = ("date", "event", "who", "citation")

    event: str
    document_says: str
    who: tuple[str, ...]
    quote: Annotated[Quote, INLINE]
    picked: bool
    event_id: str

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.quote.citation


@dataclass(frozen=True, slots=True, repr=False)
class Chronology(Tabular[ChronologyEntry], Record):
    """Events by date, with the reader's picks.

    Attributes
    ----------
    case
        Name of the case.
    total
        Events of the span that was asked for, with those that are not shown.
    entries
        In order of date.
    notes
        What is left out, in sentences.
    """

    JSON = ("case", "start", "end", "total")

    case: str
    start: Annotated[str | None, Told(name="start_date")]
    end: Annotated[str | None, Told(name="end_date")]
    total: int
    entries: tuple[ChronologyEntry, ...]
    notes: tuple[str, ...] = ()

    def _table(self) -> tuple[type[ChronologyEntry], Sequence[ChronologyEntry]]:
        return ChronologyEntry, self.entries

    def _heading(self) -> str:
        return f"{len(self.entries):,} of {self.total:,} events of {self.case}"
