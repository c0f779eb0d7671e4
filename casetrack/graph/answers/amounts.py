"""Amounts and references in the documents, each with its place."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast, get_args

from casetrack.base.arguments import in_order, one_of, shown
from casetrack.base.records import Rows
from casetrack.base.records.graph import (
    AMOUNT_KINDS,
    Amount,
    Amounts,
    AmountSort,
    AmountUnit,
    Citation,
    Reference,
    ReferenceCitations,
)
from casetrack.base.records.graph.changes import REFERENCE_SORTS, REFERENCE_TYPES
from casetrack.base.records.shape import from_members
from casetrack.extract.days import LONGEST, is_all
from casetrack.graph.answers.lookup import match_references
from casetrack.graph.answers.rows import ask, quotes_of, reference_of, total_of, up_to

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.base.records import Document
    from casetrack.graph.graph import ContextGraph

AMOUNT_SORTS: tuple[AmountSort, ...] = get_args(AmountSort)
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
) -> Amounts:
    """Return amounts; if nothing matches, ``units`` counts all; see ``Collection.map.amounts``."""
    one_of("kind", kind, ("all", *AMOUNT_KINDS))
    one_of("sort_by", sort_by, AMOUNT_SORTS)
    limit = up_to(limit, _MOST)
    in_order(("least", least), ("most", most), "is larger than")
    units = None if unit is None else _units(graph, unit)
    document_id = None if document is None else document.document_id

    def asked(**values: Any) -> list[dict[str, Any]]:
        every: dict[str, Any] = {"kind": "all", "unit": None, "least": None, "most": None}
        rows: list[dict[str, Any]] = ask(graph, "amounts", **(every | values)).to_pylist()
        return rows

    rows = asked(
        kind=kind,
        unit=None if units is None else ",".join(units),
        least=least,
        most=most,
        document_id=document_id,
        sort_by=sort_by,
        limit=limit,
    )
    counted = rows[:1] or asked(document_id=document_id, sort_by=sort_by, limit=1)
    records = (
        from_members(Amount, row, quote=quote)
        for row, quote in zip(rows, quotes_of(graph, rows), strict=True)
    )
    return Amounts(
        records, total=total_of(rows), units=_counts(counted), sort_by=cast("AmountSort", sort_by)
    )


def _counts(rows: Sequence[Mapping[str, Any]]) -> tuple[AmountUnit, ...]:
    return tuple(AmountUnit(**each) for row in rows for each in row["units"])


def _units(graph: ContextGraph, typed: str) -> list[str]:
    """Return the known units that a typed unit is or may be; itself if none matches."""
    from casetrack.extract.amounts.money import same_money

    asked = unit_of(typed)
    known = {u for u in graph.table("amounts")["unit"].unique().to_pylist() if u is not None}
    return sorted(u for u in known if u.casefold() == asked.casefold() or same_money(u, asked)) or [
        asked
    ]


def unit_of(typed: str, /) -> str:
    """Return the canonical unit of a typed unit; unknown units are returned unchanged.

    >>> unit_of("£"), unit_of("usd"), unit_of("per cent"), unit_of("kilograms"), unit_of("widgets")
    ('GBP', 'USD', 'percent', 'kg', 'widgets')
    """
    from casetrack.extract.amounts import find_amounts

    text = typed.strip()
    if len(text) > LONGEST:
        return text
    for form in (f"{text}1", f"1 {text}", f"1{text}", f"{text.upper()} 1"):
        for amount in find_amounts(form):
            if amount.unit is not None and is_all(form, amount.start, amount.end):
                return amount.unit
    return text


# References: the documents' references and their places.

_MATCHES = 5
_REFERENCES_MOST = 500
_MOST_PLACES = 1000


def references(
    graph: ContextGraph,
    /,
    *,
    type: str = "all",  # noqa: A002 - the word that users know
    sort_by: str = "citations",
    named: str | None = None,
    in_collection: bool | None = None,
    skip: int = 0,
    limit: int | None = 50,
) -> Rows[Reference]:
    """Return the references in the documents; see ``Collection.map.references``."""
    one_of("type", type, ("all", *REFERENCE_TYPES))
    one_of("sort_by", sort_by, REFERENCE_SORTS)
    limit = up_to(limit, _REFERENCES_MOST)
    asked = {"named": named, "there": in_collection, "skip": skip, "limit": limit}
    rows = ask(graph, "references", type=type, sort_by=sort_by, **asked).to_pylist()
    return Rows(map(reference_of, rows), of=Reference, total=total_of(rows))


def reference_citations(
    graph: ContextGraph, name: str, /, *, limit: int | None = 20
) -> ReferenceCitations:
    """Return the places of a reference, spread over the documents.

    The most informative place of each document comes first: one with a relationship (amends,
    answers, supersedes) before a plain citation. Errors as in
    ``Collection.map.reference_citations``.
    """
    limit = up_to(limit, _MOST_PLACES)
    matches = match_references(graph, name, limit=_MATCHES)
    reference, score = matches[0]
    rows = ask(
        graph, "reference-places", reference_id=reference.reference_id, limit=limit
    ).to_pylist()
    return ReferenceCitations(
        query=shown(name),
        matches=tuple(_placed(graph, r) for r, _ in matches),
        score=score,
        total=total_of(rows),
        citations=tuple(
            Citation(reference, row["relationship"], quote, row["confidence"])
            for row, quote in zip(rows, quotes_of(graph, rows), strict=True)
        ),
    )


def _placed(graph: ContextGraph, reference: Reference) -> Reference:
    """Return a section or exhibit with its document, whose id ends its own id; others unchanged."""
    holder = reference.reference_id.rpartition("@")[2]
    name = next((d.name for d in graph.documents if d.document_id == holder), None)
    return reference if name is None else replace(reference, target_document=name)
