"""Documents that are related to a document, with reasons and quotes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.base.arguments import one_of, within
from casetrack.base.errors import ChunkNotFound, See, UsageError
from casetrack.base.records import Rows
from casetrack.base.records.graph import RELATION_TYPES, RelatedDocument, Relation, SimilarChunk
from casetrack.base.records.shape import from_members
from casetrack.base.words import WordLists
from casetrack.graph.answers.rows import ask, total_of, up_to
from casetrack.graph.answers.statistics import representative_sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from casetrack.base.records import Document
    from casetrack.graph.graph import ContextGraph

_Row = dict[str, Any]
_MOST = 500
_QUOTES = 2
_IMPLIED_BASES = frozenset({"reference", "thread", "same mail", "file"})
"""Bases of an edge that its description already implies."""
_OTHER_WORDS = {"version_chain": "version", "semantic_similar": "semantic"}
_LISTS = WordLists(__file__)
_PHRASES = {
    is_outgoing: _LISTS.pairs(name) for is_outgoing, name in ((True, "to"), (False, "from"))
}


def related_documents(
    graph: ContextGraph, document: Document, relation: str = "all", /, *, limit: int | None = 10
) -> Rows[RelatedDocument]:
    """Return the documents that are related to a document, the strongest first.

    Several relations to one document add up as independent evidence: ``1 - prod(1 - weight)``.
    Arguments and errors as in ``Collection.map.related_documents``.
    """
    relation = _OTHER_WORDS.get(relation, relation)
    one_of("relation", relation, ("all", *RELATION_TYPES))
    limit = up_to(limit, _MOST)
    own = document.document_id
    rows = ask(graph, "related", document_id=own, relation=relation, limit=limit).to_pylist()
    known = {d.document_id: d for d in graph.documents}
    strengths: dict[str, float] = {}
    relations: dict[str, list[Relation]] = {}
    for row, relation_record in zip(rows, _relations(graph, document, rows), strict=True):
        strengths[row["document_id"]] = row["strength"]
        relations.setdefault(row["document_id"], []).append(relation_record)
    records = (
        RelatedDocument(known[other], strengths[other], tuple(own))
        for other, own in relations.items()
    )
    return Rows(records, of=RelatedDocument, total=total_of(rows))


def _relations(graph: ContextGraph, document: Document, rows: Sequence[_Row]) -> Iterator[Relation]:
    """Yield the relations of the rows, each with its quotes."""
    asked = {
        "document_id": document.document_id,
        "other_ids": list(dict.fromkeys(row["document_id"] for row in rows)),
    }
    shared: dict[tuple[str, str], list[str]] = {}
    for row in ask(graph, "related-shared", **asked).to_pylist():
        shared.setdefault((row["document_id"], row["type"]), []).append(row["name"])
    places = {
        (row["source_id"], row["target_id"], row["type"], row["chunk_id"]): row
        for row in ask(graph, "related-places", **asked).to_pylist()
    }
    chosen = [_places(graph, row, places) for row in rows]
    quotes = iter(graph.quotes([place for own in chosen for place in own]))
    for row, own in zip(rows, chosen, strict=True):
        names = shared.get((row["document_id"], row["type"]), [])
        yield from_members(
            Relation,
            row,
            description=_description(document, row, names),
            quotes=tuple(next(quotes) for _ in own),
        )


def _places(
    graph: ContextGraph, row: _Row, places: Mapping[tuple[str, str, str, str], _Row]
) -> list[tuple[str, int, int]]:
    """Return the places that show a relation, or a representative sentence if none is known."""
    if row["type"] == "semantic":
        return []
    spans = []
    for chunk_id in row["evidence"][:_QUOTES]:
        if row["words_start"] is not None and chunk_id == row["evidence"][0]:
            spans.append((chunk_id, row["words_start"], row["words_end"]))
            continue
        place = places.get((row["source_id"], row["target_id"], row["type"], chunk_id))
        if place is not None:
            spans.append((chunk_id, place["char_start"], place["char_end"]))
        else:
            text = graph.chunks([chunk_id])[0].text
            spans.append((chunk_id, *representative_sentence(text, ())))
    return spans


def _description(document: Document, row: _Row, shared: Sequence[str]) -> str:
    if row["type"] == "semantic":
        return f"similar in content ({row['weight']:.2f})"
    if row["type"] == "shared_entities":
        return f"both mention {some_of(shared, row['count'])}"
    if row["type"] == "shared_references":
        return f"both refer to {some_of(shared, row['count'])}"
    phrase = _PHRASES[bool(row["outgoing"])][row["type"]]
    times = "" if row["count"] < 2 else f" {row['count']} times"
    basis = [b for b in row["basis"] or () if b not in _IMPLIED_BASES]
    why = f" (by {some_of(basis, len(basis), most=5)})" if basis else ""
    number = f" as no. {row['position']}" if row["position"] is not None else ""
    return f"{document.name} {phrase.format(times=times)}{number}{why}"


def some_of(names: Sequence[str], count: int, /, *, most: int = 3) -> str:
    """List the first names and the number of others."""
    named = list(names[:most])
    more = max(count, len(names)) - len(named)
    if not named:
        return f"{count} of the same"
    if more > 0:
        return f"{', '.join(named)} and {more} more"
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"


# Passages that are similar in meaning to a passage.


_BLOCK = 8192


def similar_chunks(
    source: ContextGraph,
    chunk_id: str,
    /,
    *,
    exclude_same_document: bool = True,
    min_similarity: float = 0.6,
    limit: int | None = 10,
) -> Rows[SimilarChunk]:
    """Return the passages with the nearest vectors; see ``Collection.map.similar_chunks``."""
    limit = up_to(limit, _MOST)
    within("min_similarity", min_similarity, 0, 1)
    vectors = source.chunk_vectors()
    if chunk_id not in vectors.ids:
        raise ChunkNotFound(chunk_id)
    own = vectors.ids.index(chunk_id)
    if vectors.scales[own] == 0:
        raise UsageError(
            f"Passage {chunk_id} has no vector: it was added without a model.",
            hint=f"Run {See('models pull')} once while online, then {See('reindex')}.",
        )
    asked = vectors.codes[own].astype(np.float32) * vectors.scales[own]
    cosines = np.concatenate(
        [
            (vectors.codes[low : low + _BLOCK].astype(np.float32) @ asked)
            * vectors.scales[low : low + _BLOCK]
            for low in range(0, len(vectors.ids), _BLOCK)
        ]
    )
    fits = (cosines >= min_similarity) & (vectors.scales > 0)
    fits[own] = False
    if exclude_same_document:
        fits &= vectors.documents != vectors.documents[own]
    matches = np.flatnonzero(fits)
    # Equal similarities, such as copies, are ordered by document and position.
    best = sorted(matches.tolist(), key=lambda i: (-round(float(cosines[i]), 5), i))[:limit]
    chunks = source.chunks([vectors.ids[i] for i in best])
    records = (
        SimilarChunk(chunk, min(1.0, float(cosines[i])))
        for chunk, i in zip(chunks, best, strict=True)
    )
    return Rows(records, of=SimilarChunk, total=len(matches))
