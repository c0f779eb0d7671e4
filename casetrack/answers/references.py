"""References: what the documents refer to, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.compute as pc

from casetrack.answers.entities import in_order
from casetrack.answers.lookup import match_references
from casetrack.answers.places import places_of, quotes_of, spread
from casetrack.answers.rows import (
    among,
    counted,
    document_ranks,
    one_of,
    reference_of,
    shown,
    up_to,
)
from casetrack.records import Rows
from casetrack.records.graph import Citation, Reference, ReferenceCitations

if TYPE_CHECKING:
    from casetrack.graph.graph import ContextGraph

REFERENCE_TYPES = (
    "document",
    "report",
    "standard",
    "regulation",
    "case",
    "exhibit",
    "section",
    "link",
)
REFERENCE_SORTS = ("citations", "documents", "name")
_INSIDE = ("section", "exhibit")
_MATCHES = 5
_MOST = 500
_MOST_PLACES = 1000
_TELLING = {"cites": 0.0, "discusses": 0.0}


def references(
    source: ContextGraph,
    /,
    *,
    type: str = "all",  # noqa: A002 - the word that users know
    sort_by: str = "citations",
    limit: int | None = 50,
) -> Rows[Reference]:
    """Return what the documents refer to.

    Parameters
    ----------
    type
        One of ``REFERENCE_TYPES``, or ``all`` that lead out of a document: all but sections and
        exhibits.
    sort_by
        ``citations`` or ``documents``, most first, or ``name``.
    limit
        1..500, or ``None`` for all.

    Raises
    ------
    UsageError
        An argument is not one of these.
    """
    one_of("reference_type", type, ("all", *REFERENCE_TYPES))
    one_of("sort_by", sort_by, REFERENCE_SORTS)
    limit = up_to(limit, _MOST)
    table = source.table("references")
    table = table.filter(pc.greater(table["citation_count"], 0))
    outside = [t for t in REFERENCE_TYPES if t not in _INSIDE]
    table = among(table, "type", outside if type == "all" else [type])
    rows = in_order(table, sort_by, limit, "citation_count")
    return Rows(map(reference_of, rows), of=Reference, total=table.num_rows)


def reference_citations(
    source: ContextGraph, name: str, /, *, limit: int | None = 20
) -> ReferenceCitations:
    """Return where something is referred to, spread over the documents.

    The most telling place of each document comes first: one that says what the document does with
    it (amends, answers, supersedes) before one that only names it.

    Raises
    ------
    ReferenceNotFound
        *name* fits nothing.
    UsageError
        *name* is empty, or *limit* is neither in 1..1000 nor ``None``.
    """
    limit = up_to(limit, _MOST_PLACES)
    matches = match_references(source, name, limit=_MATCHES)
    reference, score = matches[0]
    table = counted(among(source.table("citations"), "reference_id", [reference.reference_id]))
    table = table.filter(table["resolved"])
    places = places_of(table, document_ranks(source))
    relationships = table["relationship"].to_pylist()
    telling = {p.row: _TELLING.get(relationships[p.row], 1.0) + p.confidence for p in places}
    chosen = spread(places, telling, limit)
    return ReferenceCitations(
        query=shown(name),
        matches=tuple(r for r, _ in matches),
        score=score,
        total=len(places),
        citations=tuple(
            Citation(reference, relationships[place.row], quote, place.confidence)
            for place, quote in zip(chosen, quotes_of(source, chosen), strict=True)
        ),
    )
