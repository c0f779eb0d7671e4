"""What two documents say of a topic, side by side."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pyarrow.compute as pc

from casetrack.answers.changes import changes
from casetrack.answers.rows import (
    among,
    counted,
    document_ranks,
    entities_by_id,
    reference_of,
    shown,
)
from casetrack.errors import UsageError
from casetrack.records.graph import Comparison

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

    from casetrack.graph.graph import ContextGraph
    from casetrack.records import Chunk, Document
    from casetrack.records.graph import Changes, Entity, Reference

_MOST = 10
_KINDS = ("person", "organization", "location", "amount", "date")
_INSIDE = ("section",)

Passages = tuple[tuple["Chunk", float], ...]


def comparison(
    source: ContextGraph,
    document_a: Document,
    document_b: Document,
    topic: str,
    /,
    *,
    passages_a: Passages,
    passages_b: Passages,
    chunks_of: Callable[[Document], Sequence[Chunk]],
) -> Comparison:
    """Put side by side what two documents say of a topic.

    Parameters
    ----------
    passages_a, passages_b
        Passages of each on the topic, best first, with their scores.
    chunks_of
        Returns all chunks of a document; asked only where one is a version of the other.

    Raises
    ------
    UsageError
        The topic is empty, or both documents are the same.
    """
    if not topic.strip():
        raise UsageError("The topic is empty.", hint='Say what to compare, such as "payment".')
    if document_a.document_id == document_b.document_id:
        raise UsageError(f'Both are "{document_a.name}".', hint="Name two different documents.")
    shared, only_a, only_b = _entities(source, (document_a, document_b), (passages_a, passages_b))
    notes = tuple(
        f'No passage of {document.name} on "{shown(topic)}" was found.'
        for document, passages in ((document_a, passages_a), (document_b, passages_b))
        if not passages
    )
    return Comparison(
        document_a=document_a,
        document_b=document_b,
        topic=topic,
        passages_a=passages_a,
        passages_b=passages_b,
        shared_entities=shared,
        only_a=only_a,
        only_b=only_b,
        shared_references=_references(source, document_a, document_b),
        similarity=_similarity(source, document_a, document_b),
        changes=_changes(source, document_a, document_b, (*passages_a, *passages_b), chunks_of),
        notes=notes,
    )


def _entities(
    source: ContextGraph, documents: Sequence[Document], passages: Sequence[Passages]
) -> tuple[tuple[Entity, ...], tuple[Entity, ...], tuple[Entity, ...]]:
    """Return who, when and how much in the passages: in both documents, and in one alone."""
    table = among(source.table("mentions"), "kind", _KINDS)
    whole, on_topic = [], []
    for document, found in zip(documents, passages, strict=True):
        own = among(table, "document_id", [document.document_id])
        whole.append(set(pc.unique(own["entity_id"]).to_pylist()))
        own = among(own, "chunk_id", sorted({c.chunk_id for c, _ in found})) if found else own[:0]
        on_topic.append(Counter(own["entity_id"].to_pylist()))
    named = on_topic[0] + on_topic[1]
    in_both = whole[0] & whole[1]
    shared = sorted(
        (i for i in named if i in in_both),
        key=lambda i: (-min(on_topic[0][i], on_topic[1][i]), -named[i], i),
    )
    only = [
        sorted((i for i in on_topic[s] if i not in in_both), key=lambda i: (-on_topic[s][i], i))
        for s in (0, 1)
    ]
    chosen = [ids[:_MOST] for ids in (shared, *only)]
    known = entities_by_id(source, [i for ids in chosen for i in ids])
    first, second, third = (tuple(known[i] for i in ids) for ids in chosen)
    return first, second, third


def _references(source: ContextGraph, a: Document, b: Document) -> tuple[Reference, ...]:
    cited = counted(source.table("citations"))
    cited = cited.filter(cited["resolved"])
    ids = [_cited(cited, document) for document in (a, b)]
    table = among(source.table("references"), "reference_id", sorted(ids[0] & ids[1]))
    rows = [row for row in table.to_pylist() if row["type"] not in _INSIDE]
    rows.sort(key=lambda r: (-r["citation_count"], r["reference_id"]))
    return tuple(reference_of(row) for row in rows[:_MOST])


def _cited(cited: pa.Table, document: Document) -> set[str]:
    return set(among(cited, "document_id", [document.document_id])["reference_id"].to_pylist())


def _similarity(source: ContextGraph, a: Document, b: Document) -> float | None:
    ranks = document_ranks(source)
    vectors = source.document_vectors()
    one, other = (vectors[ranks[d.document_id]] for d in (a, b))
    if not one.any() or not other.any():
        return None
    return min(1.0, float(one @ other))


def _changes(
    source: ContextGraph,
    a: Document,
    b: Document,
    passages: Passages,
    chunks_of: Callable[[Document], Sequence[Chunk]],
) -> Changes | None:
    """Return the changes in these passages where one document is a version of the other."""
    edges = among(source.edges("document"), "type", ["version"])
    ids = [a.document_id, b.document_id]
    edges = among(among(edges, "source_id", ids), "target_id", ids)
    if edges.num_rows == 0:
        return None
    before, after = (a, b) if edges["source_id"][0].as_py() == a.document_id else (b, a)
    found = changes(source, before, after, chunks_of(before), chunks_of(after))
    on_topic = {chunk.chunk_id for chunk, _ in passages}
    kept = tuple(
        change
        for change in found.changes
        if any(q.chunk_id in on_topic for q in (change.before, change.after) if q is not None)
    )
    return type(found)(found.before, found.after, found.unchanged, kept)
