"""Sums of money, percentages and quantities, and where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from casetrack.records.graph.quote import Quote
from casetrack.records.shape import INLINE, NO_COLUMN, Record, Share

AmountKind = Literal["money", "percent", "quantity"]
AMOUNT_KINDS: tuple[AmountKind, ...] = ("money", "percent", "quantity")


@dataclass(frozen=True, slots=True)
class Amount(Record):
    """A sum of money, a percentage or a quantity at its place.

    Attributes
    ----------
    value
        The number with its sign and scale, also that which its table states ("in millions"); the
        lower end of a range. Percentages as written.
    high
        The upper end of a range, else ``None``.
    unit
        ISO 4217 code where the currency is certain, its plain name where it is not (``dollar``),
        ``percent``, or the symbol of the unit.
    row_label, period
        In a table, the words of its row and what the head of its column says of time ("Net sales",
        "Year ended December 31, 2022"); else ``None``.
    first_day, last_day
        Days of that period, YYYY-MM-DD, as far as its words settle them.
    printed_value, scale
        The number as printed and what it was multiplied by, where a table states a scale.
    entity_id
        What it has in common with other ways to write it.
    confidence
        How sure it is, 0..1.
    quote
        The words.
    """

    SHOWN = ("value", "high", "unit", "row_label", "period", "snippet", "citation")

    kind: AmountKind
    value: float
    high: float | None
    unit: str | None
    entity_id: Annotated[str, NO_COLUMN]
    confidence: Share
    quote: Annotated[Quote, INLINE]
    row_label: str | None = None
    period: str | None = None
    first_day: str | None = None
    last_day: str | None = None
    printed_value: float | None = None
    scale: float | None = None

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.quote.citation
