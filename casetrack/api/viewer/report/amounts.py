"""The largest sums of money in a collection, each at the place that names it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from casetrack.graph.answers.rows import quotes_of
from casetrack.graph.answers.statements import ask

if TYPE_CHECKING:
    from casetrack.base.records.graph import Quote
    from casetrack.graph.graph import ContextGraph


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
    label
        What the sum is of and for when, as the row and the column of its table say, such as
        ``Net sales, Year ended December 31, 2022``; empty where no table does.
    scale
        What its table multiplies the printed number by, such as 1e6 for "in millions"; else 1.
    """

    value: float
    high: float | None
    mention_count: int
    document_count: int
    quote: Quote
    label: str = ""
    scale: float = 1.0


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


def largest_amounts(graph: ContextGraph, /, *, limit: int) -> tuple[Amounts, ...]:
    """Return the largest sums by currency, since sums of different currencies do not compare.

    Parameters
    ----------
    limit
        At most so many of each currency.

    Returns
    -------
    tuple of Amounts
        The currency of most places first; last, what names no currency. Only the first four have
        their sums listed; the others are counted.
    """
    rows = ask(graph, "largest-amounts", limit=limit).to_pylist()
    quotes = iter(quotes_of(graph, [row for row in rows if row["chunk_id"] is not None]))
    found = []
    for unit, group in groupby(rows, key=lambda row: row["unit"]):
        own = list(group)
        sums = tuple(
            Sum(
                row["value"],
                row["high"],
                row["mention_count"],
                row["document_count"],
                next(quotes),
                ", ".join(filter(None, (row["row_label"], row["period"]))),
                row["scale"] or 1.0,
            )
            for row in own
            if row["chunk_id"] is not None
        )
        found.append(Amounts(unit, own[0]["total"], sums))
    return tuple(found)
