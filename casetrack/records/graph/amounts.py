"""Sums of money, percentages and quantities, and where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from casetrack.records.graph.quote import Quote

AmountKind = Literal["money", "percent", "quantity"]
AMOUNT_KINDS: tuple[AmountKind, ...] = ("money", "percent", "quantity")


@dataclass(frozen=True, slots=True)
class Amount:
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

    kind: AmountKind
    value: float
    high: float | None
    unit: str | None
    entity_id: str
    confidence: float
    quote: Quote

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.quote.citation

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "kind": self.kind,
            "value": self.value,
            "high": self.high,
            "unit": self.unit,
            "entity_id": self.entity_id,
            "confidence": round(self.confidence, 4),
            **self.quote.as_dict(),
        }
