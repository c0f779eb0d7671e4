"""Sums of money, percentages and quantities with their positions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal, Self, TypedDict, cast

from casetrack.base.dataclass import dataclass
from casetrack.base.records.passages import Quote
from casetrack.base.records.shape import INLINE, NO_COLUMN, Record, Share
from casetrack.base.records.table import Rows

AmountKind = Literal["money", "percent", "quantity"]
AMOUNT_KINDS: tuple[AmountKind, ...] = ("money", "percent", "quantity")
AmountSort = Literal["document", "value", "lowest"]
"""Reading order, highest first, or lowest first."""


@dataclass(frozen=True, slots=True)
class Amount(Record):
    """A sum of money, a percentage or a quantity at its position."""

    SHOWN = ("value", "high", "unit", "row_label", "period", "snippet", "citation")

    kind: AmountKind
    # With sign and scale, also a table's scale ("in millions"); the lower end of a range.
    # Percentages as written.
    value: float
    high: float | None  # upper end of a range, else `None`
    # ISO 4217 code of a certain currency, else its plain name (`dollar`), `percent`, or the symbol
    # of the unit.
    unit: str | None
    entity_id: Annotated[str, NO_COLUMN]  # id of all spellings of this amount
    confidence: Share  # 0..1
    quote: Annotated[Quote, INLINE]
    # row_label, period: in a table, the label of the row and the time in the column's header ("Net
    # sales", "Year ended December 31, 2022"); else `None`.
    row_label: str | None = None
    period: str | None = None
    # first_day, last_day: days of that period, YYYY-MM-DD, if they follow from its text.
    first_day: str | None = None
    last_day: str | None = None
    # printed_value, scale: number as printed, and its factor, if a table states a scale.
    printed_value: float | None = None
    scale: float | None = None

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.quote.citation

    @property
    def as_text(self) -> str:
        """Value and unit, such as ``1,250,000 GBP`` or ``5-7 percent``."""
        ends = (self.value,) if self.high is None else (self.value, self.high)
        value = "-".join(f"{end:,.15g}" for end in ends)
        return f"{value} {self.unit}" if self.unit else value


@dataclass(frozen=True, slots=True)
class AmountUnit(Record):
    """Number of all amounts of a unit, independent of a limit."""

    kind: AmountKind
    unit: str | None
    count: int

    def __str__(self) -> str:
        """Return unit and count, such as ``GBP (12)``."""
        return f"{self.unit or 'no unit'} ({self.count:,})"


class AmountsFacts(TypedDict):
    """The JSON form of :class:`Amounts`."""

    total: int
    units: list[AmountUnit]
    notes: list[str]
    amounts: list[Amount]


class Amounts(Rows[Amount]):
    """Amounts at their positions.

    Parameters
    ----------
    total
        Number of all amounts, if *items* are the first of them.
    units
        Counts per unit; without any amount, all units of the collection.
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
        """Create it from records."""
        made = super().__new__(cls, items, of=Amount, total=total)
        made.units, made._sort_by = units, sort_by
        return made

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the order, and on the known units if there are no amounts."""
        listed = ", ".join(map(str, self.units))
        if not self:
            known = f"there are: {listed}" if self.units else "none was read from these documents"
            return (f"No such amount; of amounts {known}.",)
        if self._sort_by == "document" or len(self.units) == 1:
            return ()
        return (
            f"Units are not converted; each is ordered by itself, one after another: {listed}.",
        )

    def as_dict(self) -> AmountsFacts:
        """Return the JSON form: the amounts, and counts of all amounts."""
        content = {
            "total": self.total,
            "units": [unit.as_dict() for unit in self.units],
            "notes": list(self.notes),
            "amounts": [amount.as_dict() for amount in self],
        }
        return cast("AmountsFacts", content)
