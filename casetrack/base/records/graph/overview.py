"""Statistics and summary of a collection."""

from __future__ import annotations

from typing import Annotated, Any

from casetrack.base.dataclass import dataclass
from casetrack.base.records.cards import Card, Fact, Part, size_text
from casetrack.base.records.documents import NAMED, Document
from casetrack.base.records.graph.changes import Reference, Topic
from casetrack.base.records.graph.entities import Entity
from casetrack.base.records.graph.timeline import Event
from casetrack.base.records.passages import Quote
from casetrack.base.records.shape import INLINE, FieldFormat, Record


@dataclass(frozen=True, slots=True, repr=False)
class CollectionStatistics(Card):
    """Counts of a collection.

    Attributes
    ----------
    entity_counts, reference_counts
        Distinct entities by kind, and references by type.
    """

    collection: str
    document_count: int
    page_count: int
    chunk_count: int
    storage_bytes: int
    # document_types, file_formats, languages, extraction_methods: documents by each; `unknown` if
    # unknown.
    document_types: dict[str, int]
    file_formats: dict[str, int]
    languages: dict[str, int]
    extraction_methods: dict[str, int]
    entity_counts: dict[str, int]
    mention_count: int
    reference_counts: dict[str, int]
    citation_count: int
    # Edges between documents by type; the SQL view `edges` has those of entities and passages.
    edge_counts: dict[str, int]
    # Share of chunks with each output of the models, 0..1: dense, tokens, sparse, names.
    embedder_coverage: dict[str, float]
    partial_documents: int
    pages_without_text: int
    ocr_pages: int
    last_updated: str | None  # last addition or change of a document: ISO 8601 in UTC
    # Limits of the counts, such as documents of earlier versions without extracted names.
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
            ("updated", (self.last_updated or "").replace("T", " ").replace("Z", " UTC")),
            *(("note", note) for note in self.notes),
        ]


@dataclass(frozen=True, slots=True)
class KeyActor(Record):
    """An important person or organisation, with a quote about its role."""

    entity: Annotated[Entity, INLINE]
    quote: Annotated[Quote | None, FieldFormat(name="evidence")]


def _by_kind(documents: tuple[tuple[str, tuple[Document, ...]], ...]) -> list[dict[str, Any]]:
    return [
        {"document_type": kind, "count": len(members), "documents": [NAMED.of(d) for d in members]}
        for kind, members in documents
    ]


@dataclass(frozen=True, slots=True, repr=False)
class CollectionSummary(Card):
    """A summary of a collection."""

    collection: str
    collection_type: str
    key_actors: tuple[KeyActor, ...]  # most important people and organisations, with their roles
    key_dates: tuple[Event, ...]  # most important events, by date
    topics: tuple[Topic, ...]  # largest first
    # (document type, documents), largest first.
    documents: Annotated[tuple[tuple[str, tuple[Document, ...]], ...], FieldFormat(via=_by_kind)]
    # references, entities: most frequent ones; entities without dates and amounts.
    references: tuple[Reference, ...]
    entities: tuple[Entity, ...]
    # Documents that are versions of each other, oldest first.
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
            ("documents", {kind: len(members) for kind, members in self.documents}),
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
