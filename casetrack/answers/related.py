"""Documents that belong with a document, and why, in words and quotes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from casetrack.answers.evidence import Evidence
from casetrack.answers.rows import among, shown, up_to
from casetrack.errors import UsageError
from casetrack.records import Rows
from casetrack.records.graph import RELATION_TYPES, RelatedDocument, Relation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.graph.graph import ContextGraph
    from casetrack.records import Document
    from casetrack.records.graph import Quote

_MOST = 500
_QUOTES = 2
_OTHER_WORDS = {"version_chain": "version", "semantic_similar": "semantic"}
_SAYINGS = {
    ("explicit", True): "refers to it{times}",
    ("explicit", False): "is referred to by it{times}",
    ("version", True): "is an earlier version of it",
    ("version", False): "is a later version of it",
    ("response_to", True): "answers it",
    ("response_to", False): "is answered by it",
    ("amends", True): "amends it",
    ("amends", False): "is amended by it",
    ("attachment", True): "is attached to it",
    ("attachment", False): "has it attached",
}


def related_documents(
    source: ContextGraph, document: Document, relation: str = "all", /, *, limit: int | None = 10
) -> Rows[RelatedDocument]:
    """Return the documents that belong with a document, the strongest connection first.

    Several relations to the same document add up as independent evidence: ``1 - prod(1 - weight)``.

    Parameters
    ----------
    document
        The document in question.
    relation
        One of ``RELATION_TYPES``, or ``all``; ``version_chain`` and ``semantic_similar`` mean
        ``version`` and ``semantic``.
    limit
        1..500, or ``None`` for all.

    Raises
    ------
    UsageError
        An argument is not one of these.
    """
    relation = _OTHER_WORDS.get(relation, relation)
    if relation not in {"all", *RELATION_TYPES}:
        raise UsageError(
            f'relation "{shown(relation)}" is not known.',
            hint=f"Use one of: all, {', '.join(RELATION_TYPES)}.",
        )
    limit = up_to(limit, _MOST)
    types = RELATION_TYPES if relation == "all" else (relation,)
    edges = among(source.edges("document"), "type", types)
    own = document.document_id
    edges = edges.filter(
        pc.or_(pc.equal(edges["source_id"], own), pc.equal(edges["target_id"], own))
    )
    found: dict[str, list[dict[str, Any]]] = {}
    for row in edges.to_pylist():
        other = row["target_id"] if row["source_id"] == own else row["source_id"]
        found.setdefault(other, []).append(row)
    known = {d.document_id: d for d in source.documents}
    weights = {other: combined([r["weight"] for r in rows]) for other, rows in found.items()}
    ranked = sorted(
        (other for other in found if other in known and other != own),
        key=lambda i: (-weights[i], known[i].name, i),
    )
    best = {other: found[other] for other in ranked[:limit]}
    records = _records(source, document, best, known, weights)
    return Rows(records, of=RelatedDocument, total=len(ranked))


def combined(weights: Sequence[float], /) -> float:
    """Return the strength of several connections together, 0..1."""
    rest = 1.0
    for weight in weights:
        rest *= 1.0 - min(max(weight, 0.0), 1.0)
    return 1.0 - rest


def _records(
    source: ContextGraph,
    document: Document,
    found: Mapping[str, Sequence[Mapping[str, Any]]],
    known: Mapping[str, Document],
    weights: Mapping[str, float],
) -> tuple[RelatedDocument, ...]:
    evidence = Evidence(source, document.document_id, list(found))
    order = [(other, row) for other, rows in found.items() for row in _strongest(rows)]
    chosen = [evidence.places(other, row, _QUOTES) for other, row in order]
    flat = [place for places in chosen for place in places]
    quotes = iter(source.quotes(flat)) if flat else iter(())
    relations: dict[str, list[Relation]] = {other: [] for other in found}
    for (other, row), places in zip(order, chosen, strict=True):
        shown_quotes = tuple(next(quotes) for _ in places)
        relations[other].append(_relation(document, other, row, evidence, shown_quotes))
    return tuple(
        RelatedDocument(known[other], weights[other], tuple(relations[other])) for other in found
    )


def _strongest(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(rows, key=lambda r: (-r["weight"], RELATION_TYPES.index(r["type"])))


def _relation(
    document: Document,
    other: str,
    row: Mapping[str, Any],
    evidence: Evidence,
    quotes: tuple[Quote, ...],
) -> Relation:
    outgoing = row["source_id"] == document.document_id if row["directed"] else None
    return Relation(
        type=row["type"],
        weight=row["weight"],
        count=row["count"],
        description=_description(document, other, row, outgoing, evidence),
        outgoing=outgoing,
        quotes=quotes,
    )


def _description(
    document: Document,
    other: str,
    row: Mapping[str, Any],
    outgoing: bool | None,
    evidence: Evidence,
) -> str:
    if row["type"] == "semantic":
        return f"similar in content ({row['weight']:.2f})"
    if row["type"] == "shared_entities":
        return f"both mention {some_of(evidence.shared_entities(other), row['count'])}"
    if row["type"] == "shared_references":
        return f"both refer to {some_of(evidence.shared_references(other), row['count'])}"
    saying = _SAYINGS[row["type"], bool(outgoing)]
    times = "" if row["count"] < 2 else f" {row['count']} times"
    return f"{document.name} {saying.format(times=times)}"


def some_of(names: Sequence[str], count: int, /, *, most: int = 3) -> str:
    """Name the first of several things and how many more there are."""
    named = list(names[:most])
    more = max(count, len(names)) - len(named)
    if not named:
        return f"{count} of the same"
    if more > 0:
        return f"{', '.join(named)} and {more} more"
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
