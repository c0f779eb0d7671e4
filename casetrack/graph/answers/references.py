"""References: what the documents refer to, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.arguments import shown
from casetrack.base.records import Rows
from casetrack.base.records.graph import Citation, Reference, ReferenceCitations
from casetrack.base.records.graph.references import REFERENCE_SORTS, REFERENCE_TYPES
from casetrack.graph.answers.lookup import match_references
from casetrack.graph.answers.rows import one_of, quotes_of, reference_of, total_of, up_to
from casetrack.graph.answers.statements import ask

if TYPE_CHECKING:
    from casetrack.graph.graph import ContextGraph

_MATCHES = 5
_MOST = 500
_MOST_PLACES = 1000


def references(
    graph: ContextGraph,
    /,
    *,
    type: str = "all",  # noqa: A002 - the word that users know
    sort_by: str = "citations",
    named: str | None = None,
    there: bool | None = None,
    skip: int = 0,
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
    named
        Only those with this in their name, letter case aside.
    there
        ``True`` for documents of the collection, ``False`` for what is not in it.
    skip
        So many are left out at the start.
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
    asked = {"named": named, "there": there, "skip": skip, "limit": limit}
    rows = ask(graph, "references", type=type, sort_by=sort_by, **asked).to_pylist()
    return Rows(map(reference_of, rows), of=Reference, total=total_of(rows))


def reference_citations(
    graph: ContextGraph, name: str, /, *, limit: int | None = 20
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
    matches = match_references(graph, name, limit=_MATCHES)
    reference, score = matches[0]
    rows = ask(
        graph, "reference-places", reference_id=reference.reference_id, limit=limit
    ).to_pylist()
    return ReferenceCitations(
        query=shown(name),
        matches=tuple(r for r, _ in matches),
        score=score,
        total=total_of(rows),
        citations=tuple(
            Citation(reference, row["relationship"], quote, row["confidence"])
            for row, quote in zip(rows, quotes_of(graph, rows), strict=True)
        ),
    )
