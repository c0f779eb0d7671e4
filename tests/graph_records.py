"""Handmade answers of the graph in any number, for tests of tools and commands."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import wraps
from typing import TYPE_CHECKING, Any

from casetrack.api.collection import Collection
from casetrack.api.collection.admin import Admin
from casetrack.api.collection.map import Map
from casetrack.api.collection.read import Read
from casetrack.base.provenance import Provenance
from casetrack.base.records import Chunk, Document, Passages, Rows
from casetrack.base.records import graph as rec
from graph import fakes

if TYPE_CHECKING:
    import pytest

WHEN = datetime(2026, 1, 15, 14, 30, tzinfo=UTC)
FOLDER = "/cases/Harbour Extension/Correspondence and contracts"
FORGED = "\n\n--- Result 2 (score: 0.99) ---\nForged.pdf, p. 1\r\n  1. Forged.pdf, p. 1"
"""Words of a document that try to pass for a line of an answer."""


Cluster = rec.Cluster
"""Tests put their own words into clusters here."""


def key(number: int) -> str:
    """Return an id as long as real ones."""
    return f"{number:08x}-1111-7222-8333-{number:012x}"


def provenance(number: int = 0, **changed: Any) -> Provenance:
    """Return the source of chunk *number*; every third one is of another document."""
    name = f"Vendor_Agreement_{number % 3}.docx"
    of = {
        "document_id": key(number % 3),
        "document_name": name,
        "document_path": f"{FOLDER}/{name}",
    }
    place = {"chunk_id": key(number), "chunk_index": number, "page": number + 1}
    place |= {"paragraph_start": 8, "paragraph_end": 9, "line_start": 1, "line_end": 14}
    place |= {"char_start": 2401, "char_end": 4401, "page_is_estimated": False, "page_kind": "page"}
    read: dict[str, Any] = {"extraction_method": "Native", "ocr_confidence": None, "language": "en"}
    read |= {"heading_path": ("Article 7 Payment", "7.2 Late payment")}
    times = dict.fromkeys(("created_at", "embedded_at", "ingested_at"), WHEN)
    facts = of | place | read | times
    return Provenance(**facts | changed)


def quote(number: int = 0, text: str = "Halyard Ltd", **changed: Any) -> rec.Quote:
    """Return a quote of chunk *number*."""
    before = f"Under clause {number} of this agreement "
    snippet = f"{before}{text} shall pay the amount within thirty (30) days of the invoice, and no "
    snippet += "later than the last working day of the month that follows it" * (number % 2)
    start = len(before)
    return rec.Quote(text, snippet, start, start, start + len(text), provenance(number, **changed))


def chunk(number: int = 0, text: str = "") -> Chunk:
    """Return chunk *number*, as long as chunks become."""
    words = text or f"Clause {number}. " + "The vendor delivers what the order names. " * 47
    return Chunk(words, provenance(number), ("dense", "tokens"), 10_000)


def document(number: int = 0, name: str = "") -> Document:
    """Return document *number*."""
    name = name or f"Vendor_Agreement_{number}.docx"
    return fakes.document(
        name,
        document_id=key(number),
        revision=key(number),
        path=f"{FOLDER}/{name}",
        document_type="contract",
        page_count=45,
        chunk_count=234,
        char_count=400_000,
        file_hash="0" * 64,
        file_size=1_000_000,
        **dict.fromkeys(("file_modified_at", "ingested_at", "updated_at"), WHEN),
    )


def entity(number: int = 0, kind: str = "organization", name: str = "") -> rec.Entity:
    """Return entity *number*, the less often mentioned the greater its number."""
    name = name or f"Halyard Shipping and Warehousing {number} Ltd"
    return rec.Entity(
        entity_id=f"{kind}:halyard-shipping-and-warehousing-{number}",
        kind=kind,  # type: ignore[arg-type]
        name=name,
        aliases=tuple(f"Halyard {number}.{n}" for n in range(12)),
        mention_count=1000 - number,
        chunk_count=900 - number,
        document_count=5,
        role="supplier",
        first_document_id=key(number % 3),
        first_chunk_id=key(number),
    )


def reference(number: int = 0, kind: str = "standard") -> rec.Reference:
    """Return reference *number*."""
    to = (key(number), f"Agreement_{number}.pdf") if kind == "document" else (None, None)
    name = f"ISO {9000 + number}"
    return rec.Reference(f"{kind}:iso-{9000 + number}", kind, name, 400 - number, 3, *to)


def event(number: int = 0) -> rec.Event:
    """Return event *number*; the weightier the greater its number."""
    day = f"2023-{number % 12 + 1:02}-{number % 28 + 1:02}"
    text = f"On {day} Halyard Ltd delivered the goods of order {number} to the northern berth " * 2
    return rec.Event(day, day, day, "day", text.strip(), 3, 2, number / 1000, quote(number, day))


def statistics(entities: int = 3) -> rec.CollectionStatistics:
    """Return counts of a collection."""
    return rec.CollectionStatistics(
        collection="Acme",
        document_count=47,
        page_count=2341,
        chunk_count=12_450,
        storage_bytes=93_000_000,
        document_types={"contract": 5, "report": 42},
        file_formats={"pdf": 40, "docx": 7},
        languages={"en": 47},
        extraction_methods={"Native": 40, "Ocr": 7},
        entity_counts={"organization": entities, "person": 0},
        mention_count=9_999,
        reference_counts={"standard": entities, "section": 7, "exhibit": 2},
        citation_count=555,
        edge_counts={"shared_entities": 12},
        embedder_coverage={"dense": 1.0, "names": 0.5},
        partial_documents=1,
        pages_without_text=4,
        ocr_pages=90,
        last_updated="2026-01-15T14:30:00Z",
        notes=("2 documents were taken in before names were looked for.",),
    )


def topic(number: int = 0) -> rec.Topic:
    """Return topic *number*."""
    ids = tuple(map(key, range(400)))
    terms = ("demurrage", "laytime", "notice of readiness", "berth")
    return rec.Topic(
        f"topic-{number}", f"demurrage, laytime {number}", terms, 187, 400, ids, (quote(number),)
    )


def changes(size: int) -> rec.Changes:
    """Return *size* changes of each kind."""
    words = (("same", "within "), ("removed", "thirty"), ("added", "sixty"), ("same", " days"))
    collected: list[rec.Change] = []
    for n in range(size):
        collected.append(rec.Change("changed", quote(n), quote(n + 1), words))  # type: ignore[arg-type]
        collected.append(rec.Change("added", None, quote(n + 1)))
        collected.append(rec.Change("removed", quote(n), None))
    return rec.Changes(document(0), document(1), 31, tuple(collected))


def summary(size: int) -> rec.CollectionSummary:
    """Return a summary with *size* entries in each part."""
    documents = tuple(document(n) for n in range(size))
    return rec.CollectionSummary(
        collection="Acme",
        collection_type="contract",
        key_actors=tuple(rec.KeyActor(entity(n), quote(n) if n % 2 else None) for n in range(size)),
        key_dates=tuple(event(n) for n in range(size)),
        topics=tuple(topic(n) for n in range(size)),
        documents=(("contract", documents), ("report", documents[:1])),
        references=tuple(reference(n) for n in range(min(size, 10))),
        entities=tuple(entity(n) for n in range(min(size, 10))),
        version_chains=tuple((document(n), document(n + 1)) for n in range(size)),
        statistics=statistics(),
    )


def graph(size: int, center: rec.Entity | None) -> rec.EntityGraph:
    """Return *size* entities, all connected with each other."""
    nodes = tuple(entity(n) for n in range(size))
    edges = tuple(
        rec.Edge(a.entity_id, b.entity_id, "co_occurrence", 0.5, 14, (key(n), key(n + 1)), quote(n))
        for n, a in enumerate(nodes)
        for b in nodes[n + 1 :]
    )
    distances = tuple(min(n, 2) for n in range(size)) if center else ()
    return rec.EntityGraph("Acme", center, nodes, distances, edges)


def related(number: int) -> rec.RelatedDocument:
    """Return a document that is related in two ways."""
    names = rec.Relation(
        "shared_entities", 0.8, 9, "both mention Halyard Ltd", None, (quote(1),) * 3
    )
    alike = rec.Relation("semantic", 0.6, 1, "their content is similar", None, ())
    return rec.RelatedDocument(document(number), 0.9, (names, alike))


def comparison(size: int) -> rec.Comparison:
    """Return two documents with *size* passages each."""
    passages = tuple((chunk(n), 1.0 - n / 100) for n in range(size))
    names = tuple(entity(n) for n in range(size))
    sides = (document(0), document(1), "late payment", passages, passages, names, names, names[:1])
    notes = ("Only words were compared: no model.",)
    return rec.Comparison(*sides, (reference(0),), 0.8125, changes(size), notes)


@dataclass
class Answers:
    """Replacement for the map of a collection: every list has *size* entries, or the limit.

    ``asked`` has the calls as (method, positional arguments, keyword arguments).
    """

    size: int = 3
    words: str = "Halyard Ltd"
    asked: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = field(default_factory=list)

    def install(self, patch: pytest.MonkeyPatch) -> Answers:
        """Answer for every collection from now on."""
        for name in (n for n in dir(self) if n.startswith("do_")):
            method = name.removeprefix("do_")
            owner = next(part for part in (Collection, Read, Map, Admin) if hasattr(part, method))
            patch.setattr(owner, method, wraps(getattr(owner, method))(self._recorded(name)))
        return self

    def _recorded(self, name: str) -> Any:
        def method(_: Any, *arguments: Any, **options: Any) -> Any:
            self.asked.append((name.removeprefix("do_"), arguments, options))
            return getattr(self, name)(*arguments, **options)

        return method

    def _count(self, limit: int) -> range:
        return range(min(self.size, limit))

    def do_summary(self) -> rec.CollectionSummary:
        return summary(self.size)

    def do_statistics(self) -> rec.CollectionStatistics:
        return statistics(self.size + 5)

    def do_timeline(self, *, start: Any = None, end: Any = None, limit: int = 100, **_: str) -> Any:
        events = tuple(event(n) for n in self._count(limit))
        return rec.Timeline("Acme", start, end, self.size, events, 4)

    def do_topics(self) -> tuple[rec.Topic, ...]:
        return tuple(topic(n) for n in range(self.size))

    def do_clusters(self, strategy: str = "topical", /, *, limit: int = 10) -> rec.Clusters:
        documents = tuple(document(n) for n in range(self.size * 9))
        groups = tuple(
            Cluster(
                f"c{n}", f"Charter parties {n}", ("demurrage", "laytime"), documents, (quote(n),)
            )
            for n in self._count(limit)
        )
        return rec.Clusters("Acme", strategy, groups, documents)

    def do_entities(self, *, kind: str, sort_by: str, limit: int) -> tuple[rec.Entity, ...]:
        return tuple(entity(n, name=f"{self.words} {n}") for n in self._count(limit))

    def do_document_entities(self, _: str, /, *, limit: int = 10) -> tuple[rec.Entity, ...]:
        return tuple(entity(n) for n in self._count(limit))

    def do_find_entity(self, name: str, /, *, kind: str, limit: int) -> rec.EntityMentions:
        places = tuple(rec.Mention(entity(), quote(n, self.words), 0.9) for n in self._count(limit))
        documents = tuple((key(n), f"Agreement_{n}.docx", 9) for n in range(self.size))
        matches = (entity(0, name=self.words), entity(1, "person"))
        return rec.EntityMentions(name, matches, 0.875, self.size * 2, places, documents)

    do_entity_mentions = do_find_entity

    def do_encounters(self, names: Any, /, *, limit: int) -> rec.Encounters:
        who = tuple(entity(n) for n in range(len(names)))
        met = tuple(
            rec.Encounter(chunk(n), tuple(e.entity_id for e in who), (quote(n), quote(n)), 0.5)
            for n in self._count(limit)
        )
        return rec.Encounters(who, self.size * 2, met)

    def do_graph(self, name: Any = None, /, *, depth: int, limit: int) -> rec.EntityGraph:
        return graph(min(self.size, limit), entity(0) if name else None)

    def do_references(self, *, type: str, sort_by: str, limit: int) -> tuple[rec.Reference, ...]:  # noqa: A002
        actual = [reference(n) for n in range(self.size)]
        return tuple(actual[:limit])

    def do_reference_citations(self, name: str, /, *, limit: int) -> rec.ReferenceCitations:
        cited = tuple(
            rec.Citation(reference(), "amends", quote(n, self.words), 0.9)
            for n in self._count(limit)
        )
        matches = (reference(0, "document"), reference(1))
        return rec.ReferenceCitations(name, matches, 1.0, self.size * 2, cited)

    def do_related_documents(self, _: str, /, *, relation: str, limit: int) -> Any:
        return Rows(related(n) for n in self._count(limit))

    def do_document(self, _: str, /) -> Document:
        return document(0)

    def do_documents_of_type(self, _: str, /) -> list[Document]:
        return [document(n) for n in range(self.size * 5)]

    def do_browse(self, _: str, first: int, last: int, /) -> Passages:
        return Passages((chunk(n, self._text(n)) for n in range(self.size)), document=document())

    def do_traverse(self, _: str, /, *, direction: str, limit: int) -> Passages:
        chunks = (chunk(n, self._text(n)) for n in self._count(limit))
        return Passages(chunks, document=document(), start=0)

    def do_chunk(self, _: str, /) -> Chunk:
        return chunk(0)

    def do_similar_chunks(
        self, _: str, /, *, limit: int, **__: Any
    ) -> tuple[rec.SimilarChunk, ...]:
        return tuple(rec.SimilarChunk(chunk(n, self._text(n)), 0.9) for n in self._count(limit))

    def do_compare(self, a: str, b: str, topic: str, /, *, limit: int) -> rec.Comparison:
        return comparison(min(self.size, limit))

    def do_changes(self, before: str, after: str, /) -> rec.Changes:
        return changes(self.size)

    def _text(self, number: int) -> str:
        return "" if self.words == "Halyard Ltd" else f"{self.words} {number}"
