"""Amounts: sums of money, percentages and quantities, each at its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.answers.rows import one_of, quotes_of, total_of, up_to
from casetrack.answers.statements import ask
from casetrack.errors import UsageError
from casetrack.records import Rows
from casetrack.records.graph import AMOUNT_KINDS, Amount

if TYPE_CHECKING:
    from casetrack.graph.graph import ContextGraph
    from casetrack.records import Document

AMOUNT_SORTS = ("document", "value")
_MOST = 10_000


def amounts(
    graph: ContextGraph,
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
    rows = ask(
        graph,
        "amounts",
        kind=kind,
        unit=unit,
        least=least,
        most=most,
        document_id=None if document is None else document.document_id,
        sort_by=sort_by,
        limit=limit,
    ).to_pylist()
    found = (
        Amount(
            kind=row["kind"],
            value=row["value"],
            high=row["high"],
            unit=row["unit"],
            entity_id=row["entity_id"],
            confidence=row["confidence"],
            quote=quote,
            row_label=row["row_label"],
            period=row["period"],
            first_day=row["first_day"],
            last_day=row["last_day"],
            printed_value=row["printed_value"],
            scale=row["scale"],
        )
        for row, quote in zip(rows, quotes_of(graph, rows), strict=True)
    )
    return Rows(found, of=Amount, total=total_of(rows))
