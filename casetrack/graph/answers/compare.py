"""What two documents say of a topic, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.arguments import shown
from casetrack.base.errors import UsageError
from casetrack.base.records.graph import Comparison
from casetrack.graph.answers.changes import changes
from casetrack.graph.answers.rows import entity_of, reference_of
from casetrack.graph.answers.statements import ask

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from casetrack.base.records import Chunk, Document
    from casetrack.base.records.graph import Changes, Entity
    from casetrack.graph.graph import ContextGraph

Passages = tuple[tuple["Chunk", float], ...]


def comparison(
    graph: ContextGraph,
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
    asked, passages = _asked(document_a, document_b), (*passages_a, *passages_b)
    entities = _entities(graph, asked, passages)
    references = ask(graph, "compare-references", **asked).to_pylist()
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
        shared_entities=entities["both"],
        only_a=entities["a"],
        only_b=entities["b"],
        shared_references=tuple(map(reference_of, references)),
        similarity=_similarity(graph, document_a, document_b),
        changes=_changes(graph, document_a, document_b, passages, chunks_of),
        notes=notes,
    )


def _entities(
    graph: ContextGraph, asked: Mapping[str, str], passages: Passages
) -> dict[str, tuple[Entity, ...]]:
    """Return who, when, how much the passages name: ``both`` documents, only ``a``, only ``b``."""
    ids = sorted({chunk.chunk_id for chunk, _ in passages})
    rows = ask(graph, "compare-entities", **asked, chunk_ids=ids).to_pylist()
    return {
        held_by: tuple(entity_of(row) for row in rows if row["held_by"] == held_by)
        for held_by in ("both", "a", "b")
    }


def _similarity(graph: ContextGraph, a: Document, b: Document) -> float | None:
    ranks = {document.document_id: rank for rank, document in enumerate(graph.documents)}
    vectors = graph.document_vectors()
    one, other = (vectors[ranks[d.document_id]] for d in (a, b))
    if not one.any() or not other.any():
        return None
    return min(1.0, float(one @ other))


def _changes(
    graph: ContextGraph,
    a: Document,
    b: Document,
    passages: Passages,
    chunks_of: Callable[[Document], Sequence[Chunk]],
) -> Changes | None:
    """Return the changes in these passages where one document is a version of the other."""
    versions = ask(graph, "compare-versions", **_asked(a, b)).to_pylist()
    if not versions:
        return None
    before, after = (a, b) if versions[0]["earlier"] == a.document_id else (b, a)
    found = changes(graph, before, after, chunks_of(before), chunks_of(after))
    on_topic = {chunk.chunk_id for chunk, _ in passages}
    kept = tuple(
        change
        for change in found.changes
        if any(q.chunk_id in on_topic for q in (change.before, change.after) if q is not None)
    )
    return type(found)(found.before, found.after, found.unchanged, kept)


def _asked(a: Document, b: Document) -> dict[str, str]:
    return {"document_a": a.document_id, "document_b": b.document_id}
