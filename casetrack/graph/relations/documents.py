"""Edges between documents, of all types."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.graph.relations.edges import EVIDENCE, table_of
from casetrack.graph.relations.leads import Leads
from casetrack.graph.relations.overlap import semantic_edges, shared_edges
from casetrack.graph.relations.places import CONCEPT_KINDS, EXTERNAL_TYPES, cited, mentioned
from casetrack.graph.relations.replies import replies
from casetrack.graph.relations.titles import NUMBERED_KINDS
from casetrack.graph.relations.versions import version_edges
from casetrack.records.graph import Edge

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from casetrack.graph.graph import ContextGraph

SHARED_ENTITIES = 3
_AMENDING = frozenset({"amends", "supersedes"})


def document_edges(source: ContextGraph, /) -> pa.Table:
    """Return all edges between documents, in the columns of the table ``edges``.

    ``shared_entities``
        At least three persons, organisations, places or concepts of both.
    ``shared_references``
        At least one standard, law, case, report or other document that both refer to.
    ``semantic``
        Cosine of the documents' vectors of at least 0.75, the 20 nearest of each.
    ``explicit``
        One refers to the other. The weight is the confidence of the surest place.
    ``version``
        From the earlier version to the next one, see
        :func:`~casetrack.graph.relations.versions.version_edges`.
    ``response_to``
        From the answer to what it answers: mails, names such as "Reply to Notice of Claim", and
        places that say so.
    ``amends``
        From what amends or supersedes to what it changes: places that say so, and titles such as
        "Amendment No. 1 to the Lease".
    ``attachment``
        From what is attached to what it is attached to.

    There is one row per source, target and type; none is made where several documents might be
    meant.
    """
    leads = Leads(source)
    documents = leads.documents
    edges = [
        *shared_edges(
            documents, mentioned(source, CONCEPT_KINDS), "shared_entities", least=SHARED_ENTITIES
        ),
        *shared_edges(documents, cited(source, EXTERNAL_TYPES), "shared_references", least=1),
        *semantic_edges(documents, source.document_vectors()),
        *version_edges(leads),
        *_stated(source, leads),
    ]
    return table_of("document", edges)


@dataclass(frozen=True, slots=True)
class _Place:
    """A place that refers to another document."""

    source: int
    target: int
    chunk_id: str
    order: tuple[float, int, str]
    relationship: str
    confidence: float


def _stated(source: ContextGraph, leads: Leads) -> list[Edge]:
    """Return what places, names and the files themselves say: explicit, response_to and so on."""
    places: dict[tuple[int, int, str], list[_Place]] = defaultdict(list)
    for place in _places(source, leads):
        places[place.source, place.target, "explicit"].append(place)
        if place.relationship == "responds_to":
            places[place.source, place.target, "response_to"].append(place)
        elif place.relationship in _AMENDING:
            places[place.source, place.target, "amends"].append(place)
        elif place.relationship == "attaches":
            places[place.target, place.source, "attachment"].append(place)
    named = {(a, b, "response_to") for a, b in replies(leads)}
    named |= {(a, b, "amends") for a, b in _amending(leads)}
    named |= {
        (i, leads.position[d.parent_id], "attachment")
        for i, d in enumerate(leads.documents)
        if d.parent_id in leads.position
    }
    return [
        _edge(leads, key, places.get(key, []), key in named)
        for key in sorted(named | places.keys())
    ]


def _edge(leads: Leads, key: tuple[int, int, str], places: list[_Place], is_named: bool) -> Edge:
    a, b, type_ = key
    ordered = [p.chunk_id for p in sorted(places, key=lambda p: p.order)]
    evidence = tuple(dict.fromkeys(ordered))[:EVIDENCE] or leads.first_chunks(a)
    weight = 1.0 if is_named else max(p.confidence for p in places)
    return Edge(leads.id(a), leads.id(b), type_, weight, max(len(places), 1), evidence)


def _places(source: ContextGraph, leads: Leads) -> Iterable[_Place]:
    import pyarrow.compute as pc

    table = source.table("citations")
    kept = pc.and_(table["target_document_id"].is_valid(), pc.invert(table["repeated"]))
    names = ["document_id", "target_document_id", "chunk_id", "chunk_index", "relationship"]
    rows = table.filter(pc.and_(kept, table["resolved"])).select([*names, "confidence"])
    for row in rows.to_pylist():
        ends = leads.position[row["document_id"]], leads.position[row["target_document_id"]]
        if ends[0] != ends[1]:
            confidence = min(row["confidence"], 1.0)
            order = (-confidence, row["chunk_index"], row["chunk_id"])
            yield _Place(*ends, row["chunk_id"], order, row["relationship"], confidence)


def _amending(leads: Leads) -> Iterable[tuple[int, int]]:
    """Yield amendments whose name says what they amend, with the one document of that name."""
    for i in range(len(leads.documents)):
        found = set()
        for title in leads.catalogue.titles(i):
            if NUMBERED_KINDS.intersection(title.words[:3]) and "to" in title.words[:4]:
                rest = title.words[title.words.index("to") + 1 :]
                found.add(leads.catalogue.by_title(" ".join((*rest, *sorted(title.identifiers)))))
        found -= {None, i}
        if len(found) == 1 and (amended := found.pop()) is not None:
            yield i, amended
