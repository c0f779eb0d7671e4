"""Amounts: sums of money, percentages and quantities, each at its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.compute as pc

from casetrack.answers.places import places_of, quotes_of
from casetrack.answers.rows import among, counted, document_ranks, one_of, up_to
from casetrack.errors import UsageError
from casetrack.records import Rows
from casetrack.records.graph import AMOUNT_KINDS, Amount

if TYPE_CHECKING:
    import pyarrow as pa

    from casetrack.graph.graph import ContextGraph
    from casetrack.records import Document

AMOUNT_SORTS = ("document", "value")
_MOST = 10_000


def amounts(
    source: ContextGraph,
    /,
    *,
    kind: str = "all",
    unit: str | None = None,
    least: float | None = None,
    most: float | None = None,
    document: Document | None = None,
    sort_by: str = "document",
    limit: int | None = 100,
) -> Rows[Amount]:
    """Return amounts with the words that say them.

    Parameters
    ----------
    kind
        One of ``AMOUNT_KINDS``, or ``all``.
    unit
        Only this unit, letter case aside: ``EUR``, ``percent``, ``kg``.
    least, most
        Only values in this span, both included; a range counts when it touches the span.
    document
        Only those in it.
    sort_by
        ``document`` for reading order, or ``value``, the highest first.
    limit
        1..10,000, or ``None`` for all.

    Raises
    ------
    UsageError
        An argument is not one of these, or *least* is above *most*.
    """
    one_of("kind", kind, ("all", *AMOUNT_KINDS))
    one_of("sort_by", sort_by, AMOUNT_SORTS)
    limit = up_to(limit, _MOST)
    if least is not None and most is not None and least > most:
        raise UsageError(f"least is {least:g}, above most, {most:g}.", hint="Swap the two.")
    table = _wanted(counted(source.table("amounts")), kind, unit, least, most)
    if document is not None:
        table = among(table, "document_id", [document.document_id])
    columns = {name: table[name].to_pylist() for name in ("kind", "value", "high", "unit")}
    ids = table["entity_id"].to_pylist()
    places = places_of(table, document_ranks(source))
    if sort_by == "value":
        places.sort(key=lambda p: (-columns["value"][p.row], p.order))
    total, places = len(places), places[:limit]
    found = (
        Amount(
            kind=columns["kind"][place.row],
            value=columns["value"][place.row],
            high=columns["high"][place.row],
            unit=columns["unit"][place.row],
            entity_id=ids[place.row],
            confidence=place.confidence,
            quote=quote,
        )
        for place, quote in zip(places, quotes_of(source, places), strict=True)
    )
    return Rows(found, of=Amount, total=total)


def _wanted(
    table: pa.Table, kind: str, unit: str | None, least: float | None, most: float | None
) -> pa.Table:
    if kind != "all":
        table = among(table, "kind", [kind])
    if unit is not None:
        table = table.filter(pc.equal(pc.utf8_lower(table["unit"]), unit.strip().lower()))
    if least is not None:
        highest = pc.coalesce(table["high"], table["value"])
        table = table.filter(pc.greater_equal(highest, least))
    if most is not None:
        table = table.filter(pc.less_equal(table["value"], most))
    return table
