"""A collection at a glance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from casetrack.base.records.cards import Card, Fact, Part, size_text
from casetrack.base.records.documents import NAMED, Document
from casetrack.base.records.graph.changes import Reference, Topic
from casetrack.base.records.graph.entities import Entity, Quote
from casetrack.base.records.graph.timeline import Event
from casetrack.base.records.shape import INLINE, FieldFormat, Record


@dataclass(frozen=True, slots=True, repr=False)
class CollectionStatistics(Card):
    """Counts of a collection.

    Attributes
    ----------
    document_types, file_formats, languages, extraction_methods
        Documents by each; ``unknown`` where it is not known.
    entity_counts, reference_counts
        Distinct entities by kind, and references by type.
    edge_counts
        Edges between documents by type; those of entities and passages stand in the SQL view
        ``edges``.
    last_updated
        When a document came in or changed last: ISO 8601 in UTC.
    embedder_coverage
        Share of chunks with each output of the models, 0..1: dense, tokens, sparse, names.
    notes
        What the numbers do not show, such as documents taken in before names were looked for.
    """

    collection: str
    document_count: int
    page_count: int
    chunk_count: int
    storage_bytes: int
    document_types: dict[str, int]
    file_formats: dict[str, int]
    languages: dict[str, int]
    extraction_methods: dict[str, int]
    entity_counts: dict[str, int]
    mention_count: int
    reference_counts: dict[str, int]
    citation_count: int
    edge_counts: dict[str, int]
    embedder_coverage: dict[str, float]
    partial_documents: int
    pages_without_text: int
    ocr_pages: int
    last_updated: str | None
    notes: tuple[str, ...] = ()

    def _title(self) -> str:
        return self.collection

    def _facts(self) -> list[Fact]:
        counts = ("document_count", "page_count", "chunk_count")
        by_kind = ("document_types", "file_formats", "languages", "extraction_methods")
        shares = (f"{name} {share:.0%}" for name, share in self.embedder_coverage.items())
        return [
            *((name.removesuffix("_count") + "s", getattr(self, name)) for name in counts),
            *((name, getattr(self, name)) for name in by_kind),
            ("entities", self.entity_counts),
            ("mentions", self.mention_count),
            ("references", self.reference_counts),
            ("citations", self.citation_count),
            ("connections of documents", self.edge_counts),
            ("models", tuple(shares)),
            ("documents read in part", self.partial_documents),
            ("pages without text", self.pages_without_text),
            ("pages recognised from pictures", self.ocr_pages),
            ("on disk", size_text(self.storage_bytes)),
            ("updated", self.last_updated),
            *(("note", note) for note in self.notes),
        ]


@dataclass(frozen=True, slots=True)
class KeyActor(Record):
    """Somebody who matters in a collection, with the place that says who it is."""

    entity: Annotated[Entity, INLINE]
    quote: Annotated[Quote | None, FieldFormat(name="evidence")]


def _by_kind(documents: tuple[tuple[str, tuple[Document, ...]], ...]) -> list[dict[str, Any]]:
    return [
        {"document_type": kind, "count": len(found), "documents": [NAMED.of(d) for d in found]}
        for kind, found in documents
    ]


@dataclass(frozen=True, slots=True, repr=False)
class CollectionSummary(Card):
    """A collection at a glance: the first thing to read.

    Attributes
    ----------
    key_actors
        People and organisations that matter most, with their roles.
    key_dates
        Events that stand out, in order of date.
    topics
        What the passages are about, the largest first.
    documents
        Documents by kind, the largest kind first: (kind, documents).
    references
        What is referred to most.
    entities
        What is mentioned most, of every kind but dates and amounts.
    version_chains
        Documents that are versions of each other, the oldest first.
    """

    collection: str
    collection_type: str
    key_actors: tuple[KeyActor, ...]
    key_dates: tuple[Event, ...]
    topics: tuple[Topic, ...]
    documents: Annotated[tuple[tuple[str, tuple[Document, ...]], ...], FieldFormat(via=_by_kind)]
    references: tuple[Reference, ...]
    entities: tuple[Entity, ...]
    version_chains: tuple[tuple[Annotated[Document, NAMED], ...], ...]
    statistics: CollectionStatistics

    def _title(self) -> str:
        counts = self.statistics
        return (
            f"{self.collection}: {counts.document_count:,} documents, {counts.page_count:,} pages"
        )

    def _facts(self) -> list[Fact]:
        return [
            ("key actors", tuple(a.entity.name for a in self.key_actors)),
            ("key dates", tuple(e.date for e in self.key_dates)),
            ("topics", "; ".join(t.label for t in self.topics)),
            ("documents", {kind: len(found) for kind, found in self.documents}),
            ("references", tuple(r.name for r in self.references)),
            ("versions", "; ".join(_chain(chain) for chain in self.version_chains)),
            *(("note", note) for note in self.statistics.notes),
        ]

    def _parts(self) -> list[Part]:
        return [
            ("Key actors", [_actor(a) for a in self.key_actors]),
            (
                "Key dates",
                [
                    {"date": e.date, "what": e.description, "citation": e.citation}
                    for e in self.key_dates
                ],
            ),
        ]


def _actor(actor: KeyActor) -> dict[str, Any]:
    entity = actor.entity
    return {
        "name": entity.name,
        "kind": entity.kind,
        "role": entity.role,
        "mentions": entity.mention_count,
        "citation": actor.quote.citation if actor.quote else None,
    }


def _chain(chain: tuple[Document, ...]) -> str:
    return " \u2192 ".join(document.name for document in chain)
