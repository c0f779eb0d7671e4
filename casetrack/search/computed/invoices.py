"""The totals of invoices: one certain amount each, of one currency."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from casetrack.search.computed.parts import counted, spot

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from casetrack.base.records import Document
    from casetrack.base.records.search import ComputedAnswer
    from casetrack.search.computed.asked import AskedSet
    from casetrack.search.computed.parts import Source

_NOT_TOTAL = re.compile(
    r"\b(?:sub-?\s?total|net|netto\w*|zwischensumme|tax(?:es)?|vat|mwst|ust|hours?|qty|quantity|"
    r"discount|paid|previous|carried)\b(?!.*\b(?:incl|total (?:due|payable)))",
    re.IGNORECASE,
)
_LABELS = (
    re.compile(
        r"\b(?:grand total|invoice total|total (?:amount )?(?:due|payable|to pay|incl\w*)|"
        r"amount (?:due|payable)|gross total|total gross|gesamtbetrag|rechnungsbetrag|"
        r"bruttobetrag|endbetrag|zahlbetrag|zu zahlen\w*|total ttc)\b",
        re.IGNORECASE,
    ),
    re.compile(r"^\W*(?:total|total amount|gesamt|gesamtsumme|summe)\W*$", re.IGNORECASE),
)
"""Labels of an invoice's total, the most certain first."""
_TAX = re.compile(
    r"\b(?:tax(?:es)?|vat|gst|mwst|ust\w*|umsatzsteuer|steuerbetrag|tva|iva|btw)\b", re.IGNORECASE
)

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
    texts = dict(source.texts([p for each in sorted(ids) for p in source.places(each)]))
    totals = []
    for document_id in sorted(ids):
        own = [(row, _label(row, texts)) for row in rows if row["document_id"] == document_id]
        labelled = _with_tax(own)
        own = [(row, label) for row, label in own if not _NOT_TOTAL.search(label)]
        for pattern in _LABELS:
            labelled = labelled or [row for row, label in own if pattern.search(label)]
        is_one = len({(row["value"], row["unit"]) for row in labelled}) == 1
        if not is_one or labelled[0]["high"] is not None or labelled[0]["unit"] is None:
            return None
        totals.append(labelled[0])
    return totals


def _with_tax(rows: Sequence[tuple[dict[str, Any], str]]) -> list[dict[str, Any]]:
    """Return the rows of the largest amount that is the sum of another one and of a tax."""
    values = {row["value"] for row, _ in rows}
    taxes = {row["value"] for row, label in rows if _TAX.search(label)} - {0.0}
    gross = max((v for v in values for tax in taxes if round(v - tax, 2) in values), default=None)
    return [row for row, _ in rows if row["value"] == gross]


def _money(source: Source, ids: Iterable[str]) -> pa.Table:
    """Return the rows of ``amounts`` with money in some documents."""
    table = source.graph.table("amounts")
    inside = pc.is_in(table["document_id"], value_set=pa.array(sorted(ids), pa.string()))
    sure = pc.greater_equal(table["confidence"], _IS_MONEY)
    money = pc.and_(pc.equal(table["kind"], "money"), sure)
    return table.filter(pc.and_(pc.and_(inside, money), pc.invert(table["repeated"])))


def _label(row: dict[str, Any], texts: dict[str, str]) -> str:
    """Return the label of an amount: of its row, else the words before it on its line."""
    if row["row_label"]:
        return str(row["row_label"])
    text, start = texts.get(row["chunk_id"], ""), row["char_start"]
    return text[text.rfind("\n", 0, start) + 1 : start].strip(" :|\t")
