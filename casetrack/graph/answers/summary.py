"""Overview of a collection: actors, dates, topics, documents and references."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from casetrack.base.records.graph import CollectionSummary, KeyActor
from casetrack.graph.answers.amounts import references
from casetrack.graph.answers.rows import ask, entity_of, quotes_of
from casetrack.graph.answers.statistics import statistics, topic_records
from casetrack.graph.answers.timeline import timeline

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.base.records import Document
    from casetrack.graph.graph import ContextGraph

_KEY = 10
_DATES = 12
_TOPICS = 8
_REFERENCES = 8


def summary(graph: ContextGraph, /, *, storage_bytes: int) -> CollectionSummary:
    """Return the overview of a collection; *storage_bytes* is the size of its folder."""
    made = graph.once(_summary)
    return replace(made, statistics=replace(made.statistics, storage_bytes=storage_bytes))


def _summary(graph: ContextGraph) -> CollectionSummary:
    key = ask(graph, "key-entities", limit=_KEY).to_pylist()
    return CollectionSummary(
        collection=graph.info.name,
        collection_type=graph.info.type,
        key_actors=_actors(graph, key, _KEY),
        key_dates=timeline(graph, limit=_DATES).events,
        topics=topic_records(graph, limit=_TOPICS),
        documents=documents_by_type(graph),
        references=references(graph, limit=_REFERENCES),
        entities=tuple(entity_of(row) for row in key if row["rank"] <= _KEY),
        version_chains=version_chains(graph),
        statistics=statistics(graph, storage_bytes=0),
    )


def key_actors(graph: ContextGraph, /, *, limit: int = _KEY) -> tuple[KeyActor, ...]:
    """Return the most important people and organisations, each with a representative quote.

    A name counts in each document with ``1 + ln`` of its mentions; all mails count as one document
    with the number of mails. The factor is 4 for the issuer of a report or release, 3 for another
    name on the document's card or with a stated role (a party's term, a signature, a mail head),
    half of that for a role in a document with an issuer, 2 for a defined name, 1 with at least a
    tenth of all mentions of people and firms, else 1/4.
    Courts and agencies without another role count 1/20. The quote is the first one that states the
    role, defined ones first, else the first full name.
    """
    return _actors(graph, ask(graph, "key-entities", limit=limit).to_pylist(), limit)


def _actors(
    graph: ContextGraph, key: Sequence[Mapping[str, Any]], limit: int
) -> tuple[KeyActor, ...]:
    rows = [row for row in key if (row["actor_rank"] or sys.maxsize) <= limit]
    placed = [row for row in rows if row["chunk_id"] is not None]
    quotes = {
        row["entity_id"]: quote for row, quote in zip(placed, quotes_of(graph, placed), strict=True)
    }
    return tuple(KeyActor(entity_of(row), quotes.get(row["entity_id"])) for row in rows)


def documents_by_type(graph: ContextGraph, /) -> tuple[tuple[str, tuple[Document, ...]], ...]:
    """Return the documents by type, the largest type first, ``other`` last."""
    known = {document.document_id: document for document in graph.documents}
    return tuple(
        (row["type"], tuple(known[i] for i in row["document_ids"]))
        for row in ask(graph, "documents-by-type").to_pylist()
    )


def version_chains(graph: ContextGraph, /) -> tuple[tuple[Document, ...], ...]:
    """Return chains of versions, longest first; each document comes after its earlier versions."""
    known = {d.document_id: d for d in graph.documents}
    chains = []
    for row in ask(graph, "version-families").to_pylist():
        earlier: dict[str, set[str]] = {}
        for pair in row["pairs"]:
            earlier.setdefault(pair["later"], set()).add(pair["earlier"])
            earlier.setdefault(pair["earlier"], set())
        chains.append(_oldest_first(earlier, known))
    return tuple(sorted(chains, key=lambda c: (-len(c), c[0].name, c[0].path)))


def _oldest_first(
    earlier: Mapping[str, set[str]], known: Mapping[str, Document]
) -> tuple[Document, ...]:
    order: list[str] = []
    left = sorted(earlier, key=lambda i: (known[i].name, known[i].path))
    while left:
        # If versions form a cycle, the name decides.
        free = [i for i in left if not earlier[i] - set(order)] or left
        order.append(free[0])
        left.remove(free[0])
    return tuple(known[i] for i in order)
