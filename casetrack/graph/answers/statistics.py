"""Counts of a collection, its topics, and representative quotes of groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.provenance import iso_utc
from casetrack.base.records.graph import ENTITY_KINDS, CollectionStatistics, Topic
from casetrack.base.records.shape import from_members
from casetrack.graph.answers.rows import ask
from casetrack.graph.answers.sentence import sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.records.graph import Quote
    from casetrack.graph.graph import ContextGraph

# Quotes that represent a group of passages.

_LONGEST = 300


def typical_quotes(
    source: ContextGraph, wanted: Sequence[tuple[Sequence[str], Sequence[str]]], /
) -> list[tuple[Quote, ...]]:
    """Return for each group the most representative sentence of each of its chunks.

    *wanted* has for each group its chunk ids and its terms, the most distinctive first.
    """
    ids = list(dict.fromkeys(i for chunk_ids, _ in wanted for i in chunk_ids))
    texts = {c.chunk_id: c.text for c in source.chunks(ids)} if ids else {}
    places = [
        (chunk_id, *representative_sentence(texts[chunk_id], terms))
        for chunk_ids, terms in wanted
        for chunk_id in chunk_ids
    ]
    quotes = iter(source.quotes(places)) if places else iter(())
    return [tuple(next(quotes) for _ in chunk_ids) for chunk_ids, _ in wanted]


def representative_sentence(text: str, terms: Sequence[str], /) -> tuple[int, int]:
    """Return the span of the sentence that contains most of *terms*, the first if equal."""
    words = [word.casefold() for term in terms for word in term.split()]
    best, best_score = (0, min(len(text), _LONGEST)), -1.0
    for start, end in sentences(text):
        sentence = text[start:end].casefold()
        score = float(sum(1 / (1 + i) ** 0.5 for i, w in enumerate(words) if w in sentence))
        # A heading or fragment has little information, and a very long sentence matches any terms.
        score *= min(len(sentence), 60) / 60 * min(1.0, 250 / max(len(sentence), 1))
        if score > best_score + 1e-9:
            best, best_score = (start, min(end, start + _LONGEST)), score
    return best


# The topics of a collection with representative quotes.

_MOST = 15
_SHOWN_QUOTES = 3


def topic_records(graph: ContextGraph, /, *, limit: int = _MOST) -> tuple[Topic, ...]:
    """Return the topics, each with a few representative quotes."""
    rows = ask(graph, "topics", limit=limit).to_pylist()
    wanted = [(r["chunk_ids"][:_SHOWN_QUOTES], r["terms"]) for r in rows]
    quotes = typical_quotes(graph, wanted)
    return tuple(
        from_members(
            Topic,
            row,
            terms=tuple(row["terms"]),
            document_ids=tuple(row["document_ids"]),
            quotes=topic_quotes,
        )
        for row, topic_quotes in zip(rows, quotes, strict=True)
    )


def statistics(graph: ContextGraph, /, *, storage_bytes: int) -> CollectionStatistics:
    """Count the content of a collection; *storage_bytes* is the size of its folder."""
    counts: dict[str, dict[str | None, int]] = {}
    for row in ask(graph, "statistics").to_pylist():
        counts.setdefault(row["measure"], {})[row["value"]] = row["count"]

    def one(measure: str) -> int:
        return counts[measure][None]

    def each(measure: str) -> dict[str, int]:
        return {str(value): count for value, count in counts.get(measure, {}).items()}

    kinds, coverage = each("entity kind"), graph.coverage
    partial, chunks = one("documents read in part"), one("chunks")
    return CollectionStatistics(
        collection=graph.info.name,
        document_count=one("documents"),
        page_count=one("pages"),
        chunk_count=chunks,
        storage_bytes=storage_bytes,
        document_types=each("document type"),
        file_formats=each("file format"),
        languages=each("language"),
        extraction_methods=each("extraction method"),
        entity_counts={kind: kinds.get(kind, 0) for kind in ENTITY_KINDS},
        mention_count=one("mentions"),
        reference_counts=each("reference type"),
        citation_count=one("citations"),
        edge_counts=each("edge type"),
        embedder_coverage=coverage,
        partial_documents=partial,
        pages_without_text=one("pages without text"),
        ocr_pages=one("pages read by OCR"),
        last_updated=iso_utc(max((d.updated_at for d in graph.documents), default=None)),
        notes=(
            *graph.notes,
            *_notes(partial, coverage["dense"], chunks, each("edge type").get("copy", 0)),
        ),
    )


def _notes(partial: int, dense: float, chunks: int, copies: int) -> list[str]:
    notes = []
    if copies:
        notes.append(
            "1 mail is a copy of another and counts once with it."
            if copies == 1
            else f"{copies:,} mails are copies of others and count once."
        )
    if partial:
        some = "1 document was" if partial == 1 else f"{partial} documents were"
        notes.append(f"{some} read only in part; the unread content is not counted.")
    if chunks and dense < 1:
        notes.append(
            f"{round((1 - dense) * chunks)} of {chunks} passages have no vector; "
            "they are not compared by meaning."
        )
    return notes
