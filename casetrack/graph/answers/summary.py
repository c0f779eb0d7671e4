"""A collection at a glance: who, when, about what, which documents, what they rest on."""

from __future__ import annotations

import sys
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
    """Return the collection at a glance.

    Parameters
    ----------
    storage_bytes
        Bytes of everything in its folder.
    """
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
        statistics=statistics(graph, storage_bytes=storage_bytes),
    )


def key_actors(graph: ContextGraph, /, *, limit: int = _KEY) -> tuple[KeyActor, ...]:
    """Return the people and organisations that matter most, each with a place that shows it.

    A name counts in every document that mentions it, with ``1 + ln`` of its places there, so that
    one in thirty documents goes before one that a single document repeats 400 times; and as what
    it is in that document: three times where the text says what it is (a party's term, a
    signature, the head of a mail, a definition), once where it has a tenth of the places of all
    people and firms there, else a quarter, as a name in passing. Courts, agencies and exchanges
    count a twentieth unless they have a role. The place is the surest that says its role, or,
    where none does, the first that gives its full name.
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
    """Return the documents by type, the largest first, ``other`` last."""
    known = {document.document_id: document for document in graph.documents}
    return tuple(
        (row["type"], tuple(known[i] for i in row["document_ids"]))
        for row in ask(graph, "documents-by-type").to_pylist()
    )


def version_chains(graph: ContextGraph, /) -> tuple[tuple[Document, ...], ...]:
    """Return documents that are versions of each other, the oldest first, the longest chain first.

    A document comes after all that are earlier versions of it; equally early ones by name.
    """
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
        # Where versions go round in a circle, the name decides.
        free = [i for i in left if not earlier[i] - set(order)] or left
        order.append(free[0])
        left.remove(free[0])
    return tuple(known[i] for i in order)
