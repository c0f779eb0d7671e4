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
        The number with its sign and scale; the lower end of a range. Percentages as written.
    high
        The upper end of a range, else ``None``.
    unit
        ISO 4217 code where the currency is certain, its plain name where it is not (``dollar``),
        ``percent``, or the symbol of the unit.
    entity_id
        What it has in common with other ways to write it.
    confidence
        How sure it is, 0..1.
    quote
        The words.
    """

    SHOWN = ("value", "high", "unit", "snippet", "citation")

    kind: AmountKind
    value: float
    high: float | None
    unit: str | None
    entity_id: Annotated[str, NO_COLUMN]
    confidence: Share
    quote: Annotated[Quote, INLINE]

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.quote.citation
