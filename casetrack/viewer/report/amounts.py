"""The largest sums of money in a collection, each at the place that names it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.answers.places import places_of, quotes_of
from casetrack.answers.rows import among, counted, document_ranks

if TYPE_CHECKING:
    from casetrack.answers.places import Place
    from casetrack.graph.graph import ContextGraph
    from casetrack.records.graph import Quote

MAX_CURRENCIES = 4


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum of money.

    Attributes
    ----------
    value, high
        In its currency; *high* is the upper end of a range.
    mention_count, document_count
        Places and documents that name it.
    quote
        The surest of these places.
    """

    value: float
    high: float | None
    mention_count: int
    document_count: int
    quote: Quote


@dataclass(frozen=True, slots=True)
class Amounts:
    """The largest sums in one currency, *total* of which are different.

    ``sums`` is empty for a currency that is only counted.

    Attributes
    ----------
    unit
        ISO 4217 code, a plain name such as ``dollar``, or ``None`` where no currency is named.
    """

    unit: str | None
    total: int
    sums: tuple[Sum, ...]


def largest_amounts(source: ContextGraph, /, *, limit: int) -> tuple[Amounts, ...]:
    """Return the largest sums by currency, since sums of different currencies do not compare.

    Parameters
    ----------
    limit
        At most so many of each currency.

    Returns
    -------
    tuple of Amounts
        The currency of most places first; last, what names no currency. Only the first
        :data:`MAX_CURRENCIES` have their sums listed; the others are counted.
    """
    table = counted(among(source.table("amounts"), "kind", ["money"]))
    places = places_of(table, document_ranks(source))
    rows = table.select(["entity_id", "unit", "value", "high"]).to_pylist()
    units = Counter(row["unit"] for row in rows)
    order = sorted(units, key=lambda u: (u is None, -units[u], u or ""))
    by_entity: dict[str, list[Place]] = {}
    for place in places:
        by_entity.setdefault(rows[place.row]["entity_id"], []).append(place)
    return tuple(
        _of_unit(source, unit, rows, by_entity, limit if rank < MAX_CURRENCIES else 0)
        for rank, unit in enumerate(order)
    )


def _of_unit(
    source: ContextGraph,
    unit: str | None,
    rows: list[dict[str, Any]],
    by_entity: dict[str, list[Place]],
    limit: int,
) -> Amounts:
    mine = {i: rows[own[0].row] for i, own in by_entity.items() if rows[own[0].row]["unit"] == unit}
    ranked = sorted(mine, key=lambda i: (-_size(mine[i]), i))
    chosen = ranked[:limit]
    # Of equally sure places the first in reading order.
    best = [max(by_entity[i], key=lambda p: p.confidence) for i in chosen]
    sums = tuple(
        Sum(
            mine[i]["value"],
            mine[i]["high"],
            len(by_entity[i]),
            len({p.document_id for p in by_entity[i]}),
            quote,
        )
        for i, quote in zip(chosen, quotes_of(source, best), strict=True)
    )
    return Amounts(unit, len(ranked), sums)


def _size(row: dict[str, Any]) -> float:
    return float(max(abs(row["value"]), abs(row["high"] or 0.0)))


__all__ = ["MAX_CURRENCIES", "Amounts", "Sum", "largest_amounts"]
