"""Sums of money, percentages and quantities, and where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, Self, TypedDict, cast

from casetrack.base.records.graph.entities import Quote
from casetrack.base.records.shape import INLINE, NO_COLUMN, Record, Share
from casetrack.base.records.table import Rows

if TYPE_CHECKING:
    from collections.abc import Iterable

AmountKind = Literal["money", "percent", "quantity"]
AMOUNT_KINDS: tuple[AmountKind, ...] = ("money", "percent", "quantity")
AmountSort = Literal["document", "value", "lowest"]
"""In reading order, the highest first, the lowest first."""


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

    @property
    def as_text(self) -> str:
        """Value and unit in words, such as ``1,250,000 GBP`` or ``5-7 percent``."""
        ends = (self.value,) if self.high is None else (self.value, self.high)
        value = "-".join(f"{end:,.15g}" for end in ends)
        return f"{value} {self.unit}" if self.unit else value


@dataclass(frozen=True, slots=True)
class AmountUnit(Record):
    """How many amounts there are of a unit, whatever a limit left out."""

    kind: AmountKind
    unit: str | None
    count: int

    def __str__(self) -> str:
        """Return it in words, such as ``GBP (12)``."""
        return f"{self.unit or 'no unit'} ({self.count:,})"


class AmountsFacts(TypedDict):
    """The JSON form of :class:`Amounts`."""

    total: int
    units: list[AmountUnit]
    notes: list[str]
    amounts: list[Amount]


class Amounts(Rows[Amount]):
    """Amounts at their places.

    Parameters
    ----------
    items
        The amounts.
    total
        How many there are, where these are the first of them.
    units
        How many there are of each unit.
    sort_by
        How they are ordered.

    Attributes
    ----------
    units
        How many there are of each unit; where there is no amount, all units that could be asked
        for.
    """

    units: tuple[AmountUnit, ...]
    _sort_by: AmountSort

    def __new__(
        cls,
        items: Iterable[Amount] = (),
        /,
        *,
        total: int | None = None,
        units: tuple[AmountUnit, ...] = (),
        sort_by: AmountSort = "document",
    ) -> Self:
        """Make it of records."""
        made = super().__new__(cls, items, of=Amount, total=total)
        made.units, made._sort_by = units, sort_by
        return made

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know of the order, and what else could be asked for where nothing was found."""
        listed = ", ".join(map(str, self.units))
        if not self:
            there = f"there are: {listed}" if self.units else "none was read from these documents"
            return (f"No such amount; of amounts {there}.",)
        if self._sort_by == "document" or len(self.units) == 1:
            return ()
        return (
            f"Units are not converted; each is ordered by itself, one after another: {listed}.",
        )

    def as_dict(self) -> AmountsFacts:
        """Return the JSON form: the amounts, and what is known of all there are."""
        found = {
            "total": self.total,
            "units": [unit.as_dict() for unit in self.units],
            "notes": list(self.notes),
            "amounts": [amount.as_dict() for amount in self],
        }
        return cast("AmountsFacts", found)
