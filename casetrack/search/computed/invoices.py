"""The totals of invoices: one certain amount each, of one currency."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from casetrack.search.computed.parts import counted, of_card, spot

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from casetrack.base.records import Document
    from casetrack.base.records.search import ComputedAnswer
    from casetrack.search.computed.asked import AskedSet
    from casetrack.search.computed.parts import Source

_IS_MONEY = 0.65
"""Minimum confidence of a compared amount: others may be counts of things."""


def invoice_totals(
    source: Source, asked: AskedSet, documents: Sequence[Document], how: str, /
) -> ComputedAnswer | None:
    """Return the sum or extreme of the totals of invoices; ``None`` if one is not certain."""
    if any(d.document_type != "invoice" for d in documents):
        return None
    rows = _totals(source, {d.document_id for d in documents})
    if rows is None or len({row["unit"] for row in rows}) != 1:
        return None
    names = {d.document_id: d.name for d in documents}
    unit = rows[0]["unit"]
    rows.sort(key=lambda row: (-row["value"], names[row["document_id"]]))
    if asked.form == "extreme":
        best = rows[-1 if asked.lowest else 0]["value"]
        rows = [row for row in rows if row["value"] == best]
        text = f"{', '.join(names[r['document_id']] for r in rows)} ({best:,.15g} {unit})"
        how = f"totals of {counted(len(documents), 'invoice')} compared, all in {unit}: {how}"
    else:
        total = round(sum(row["value"] for row in rows), 2)
        text = f"{total:,.15g} {unit}"
        how = f"sum of the totals of {counted(len(rows), 'invoice')}, all in {unit}: {how}"
    parts = [(names[r["document_id"]], f"{r['value']:,.15g} {unit}", spot(r)) for r in rows]
    return source.answer(text, f"{how}; equal files count once", parts)


def _totals(source: Source, ids: set[str]) -> list[dict[str, Any]] | None:
    """Return the row of ``amounts`` with the total of each document; ``None`` if one has none."""
    rows = _money(source, ids).to_pylist()
    totals = []
    for document_id in sorted(ids):
        stated = of_card(source, source.state.snapshot.documents[document_id], "total")
        chunk_id, start, end = stated[2] if stated else ("", 0, 0)
        inside = (r for r in rows if r["chunk_id"] == chunk_id and start <= r["char_end"] <= end)
        row = next(inside, None)
        if row is None or row["high"] is not None or row["unit"] is None:
            return None
        totals.append(row)
    return totals


def _money(source: Source, ids: Iterable[str]) -> pa.Table:
    """Return the rows of ``amounts`` with money in some documents."""
    table = source.graph.table("amounts")
    inside = pc.is_in(table["document_id"], value_set=pa.array(sorted(ids), pa.string()))
    sure = pc.greater_equal(table["confidence"], _IS_MONEY)
    money = pc.and_(pc.equal(table["kind"], "money"), sure)
    return table.filter(pc.and_(pc.and_(inside, money), pc.invert(table["repeated"])))
