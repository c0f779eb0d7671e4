"""How every record looks as a row of a table: its columns, their types, and what a page shows.

Columns have the names of the SQL views where both hold the same; where a passage stands is told as
in JSON (``document``, ``page``, ``line_start`` and so on).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, fields
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

from casetrack.records.collections import CollectionEntry
from casetrack.records.documents import Document, Page
from casetrack.records.graph import (
    Amount,
    Change,
    Citation,
    Edge,
    Encounter,
    Entity,
    Event,
    Mention,
    Reference,
    RelatedDocument,
    SimilarChunk,
    Topic,
)
from casetrack.records.graph.changes import ComparedPassage
from casetrack.records.graph.connections import ClusterMember
from casetrack.records.health import DocumentHealth
from casetrack.records.index_status import DocumentIndex
from casetrack.records.passages import Chunk
from casetrack.records.reports import Check, FileOutcome
from casetrack.records.search import SearchResult
from casetrack.records.snapshots import SnapshotInfo
from casetrack.records.sync import SyncChange

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa

    from casetrack.provenance import Provenance
    from casetrack.records.graph import Quote

Kind = Literal["text", "whole", "number", "flag", "time", "day", "texts"]
_OF_ANNOTATION: dict[str, Kind] = {
    "int": "whole",
    "float": "number",
    "bool": "flag",
    "datetime": "time",
    "tuple[str, ...]": "texts",
}


def _of(**kinds: Kind) -> dict[str, Kind]:
    return kinds


SOURCE = _of(
    document="text",
    document_path="text",
    document_id="text",
    chunk_id="text",
    chunk_index="whole",
    page="whole",
    page_kind="text",
    page_is_estimated="flag",
    paragraph_start="whole",
    paragraph_end="whole",
    line_start="whole",
    line_end="whole",
    char_start="whole",
    char_end="whole",
    heading_path="texts",
    table_header="text",
    sheet_name="text",
    row_range="text",
    column_range="text",
    language="text",
    extraction_method="text",
    ocr_confidence="number",
    ocr_warning="text",
    chunk_created_at="time",
    chunk_embedded_at="time",
    document_ingested_at="time",
)
"""The columns of :meth:`casetrack.provenance.Provenance.source`, with moments as moments."""
QUOTE = _of(text="text", snippet="text", citation="text") | SOURCE


@dataclass(frozen=True, slots=True)
class Layout:
    """A record as a row.

    Attributes
    ----------
    kinds
        The columns in order, with what they hold.
    row
        Makes the row of a record; keys that are no column are left out.
    shown
        The columns that a notebook shows.
    """

    kinds: Mapping[str, Kind]
    row: Callable[[Any], dict[str, Any]]
    shown: tuple[str, ...]

    def arrow(self) -> pa.Schema:
        """Return the columns as an Arrow schema."""
        import pyarrow as pa

        types = {
            "text": pa.string(),
            "whole": pa.int64(),
            "number": pa.float64(),
            "flag": pa.bool_(),
            "time": pa.timestamp("us", tz="UTC"),
            "day": pa.date32(),
            "texts": pa.list_(pa.string()),
        }
        return pa.schema([(name, types[kind]) for name, kind in self.kinds.items()])


def layout_of(record: type[Any], /) -> Layout:
    """Return how records of a class look as rows."""
    return _layouts()[record]


def _fields(record: type[Any], *, without: tuple[str, ...] = ()) -> dict[str, Kind]:
    """Return the plain fields of a record as columns."""
    return {
        f.name: _OF_ANNOTATION.get(str(f.type).removesuffix(" | None"), "text")
        for f in fields(record)
        if f.name not in without
    }


def _plain(record: type[Any], *shown: str, without: tuple[str, ...] = ()) -> Layout:
    """Return the layout of a record that has nothing but plain fields."""
    kinds = _fields(record, without=without)
    names = tuple(kinds)

    def row(item: Any) -> dict[str, Any]:
        return {name: getattr(item, name) for name in names}

    return Layout(kinds, row, shown)


def _source(place: Provenance) -> dict[str, Any]:
    return place.source() | {
        "chunk_created_at": place.created_at,
        "chunk_embedded_at": place.embedded_at,
        "document_ingested_at": place.ingested_at,
    }


def _quoted(quote: Quote) -> dict[str, Any]:
    return {
        "text": quote.text,
        "snippet": quote.snippet,
        "citation": quote.citation,
    } | _source(quote.provenance)


def _no_quote(quote: Quote | None) -> dict[str, Any]:
    return {} if quote is None else _quoted(quote)


def _passage(chunk: Chunk) -> dict[str, Any]:
    return {"text": chunk.text, "citation": chunk.citation} | _source(chunk.provenance)


_PASSAGE = _of(text="text", citation="text") | SOURCE


@functools.cache
def _layouts() -> dict[type[Any], Layout]:
    return {
        **_stored(),
        **_found(),
        **_related(),
        **_reported(),
    }


def _stored() -> dict[type[Any], Layout]:
    document = _plain(Document, "name", "format", "document_type", "page_count", "chunk_count",
                      "extraction_method", "ingested_at", without=("properties",))  # fmt: skip
    return {
        CollectionEntry: _plain(
            CollectionEntry, "name", "status", "type", "documents", "pages", "profile",
            "updated_at", "problem",
        ),
        Document: document,
        Page: Layout(
            _of(document_id="text", document_name="text", page="whole",
                page_kind="text", citation="text", text="text", chunk_count="whole",
                char_count="whole", extraction_method="text", ocr_confidence="number",),
            lambda p: {
                "document_id": p.provenance.document_id,
                "document_name": p.provenance.document_name,
                "page": p.page,
                "page_kind": p.provenance.page_kind or "page",
                "citation": p.citation,
                "text": p.text,
                "chunk_count": p.chunk_count,
                "char_count": p.char_count,
                "extraction_method": p.provenance.extraction_method,
                "ocr_confidence": p.provenance.ocr_confidence,
            },
            ("page", "citation", "text", "extraction_method", "ocr_confidence"),
        ),
        Chunk: Layout(_PASSAGE, _passage, ("citation", "text")),
        SnapshotInfo: _plain(SnapshotInfo, "name", "number", "created_at", "documents", "pages"),
    }  # fmt: skip


def _found() -> dict[type[Any], Layout]:
    return {
        SearchResult: Layout(
            _of(rank="whole", score="number")
            | _PASSAGE
            | _of(context_before="text", context_after="text"),
            lambda r: {
                "rank": r.rank,
                "score": r.score,
                "text": r.text,
                "citation": r.citation,
                **_source(r.provenance),
                "context_before": r.context_before,
                "context_after": r.context_after,
            },
            ("rank", "score", "citation", "text"),
        ),
        Entity: _plain(
            Entity, "kind", "name", "role", "mention_count", "document_count", "aliases"
        ),
        Mention: Layout(
            _of(entity_id="text", kind="text", name="text", confidence="number") | QUOTE,
            lambda m: {
                "entity_id": m.entity.entity_id,
                "kind": m.entity.kind,
                "name": m.entity.name,
                "confidence": m.confidence,
                **_quoted(m.quote),
            },
            ("text", "snippet", "citation"),
        ),
        Event: Layout(
            _of(date="text", first="day", last="day", precision="text",
                description="text", mention_count="whole", document_count="whole",
                weight="number",)
            | QUOTE,
            lambda e: {
                **e.as_dict(),
                "first": date.fromisoformat(e.first),
                "last": date.fromisoformat(e.last),
                "weight": e.weight,
                **_quoted(e.quote),
            },
            ("date", "description", "citation"),
        ),
        Amount: Layout(
            _of(kind="text", value="number", high="number", unit="text",
                confidence="number",)
            | QUOTE,
            lambda a: {
                "kind": a.kind,
                "value": a.value,
                "high": a.high,
                "unit": a.unit,
                "confidence": a.confidence,
                **_quoted(a.quote),
            },
            ("value", "high", "unit", "snippet", "citation"),
        ),
        Reference: _plain(
            Reference, "type", "name", "citation_count", "document_count", "target_document"
        ),
        Citation: Layout(
            _of(reference_id="text", type="text", name="text", relationship="text",
             confidence="number") | QUOTE,
            lambda c: {
                "reference_id": c.reference.reference_id,
                "type": c.reference.type,
                "name": c.reference.name,
                "relationship": c.relationship,
                "confidence": c.confidence,
                **_quoted(c.quote),
            },
            ("relationship", "snippet", "citation"),
        ),
        Topic: _plain(
            Topic, "label", "terms", "chunk_count", "document_count", without=("quotes",)
        ),
    }  # fmt: skip


def _related() -> dict[type[Any], Layout]:
    return {
        RelatedDocument: Layout(
            _of(document_id="text", document="text", document_type="text", path="text",
             weight="number", relations="texts", reasons="texts", citation="text"),
            lambda r: {
                "document_id": r.document.document_id,
                "document": r.document.name,
                "document_type": r.document.document_type,
                "path": r.document.path,
                "weight": r.weight,
                "relations": [found.type for found in r.relations],
                "reasons": [found.description for found in r.relations],
                "citation": next(
                    (q.citation for found in r.relations for q in found.quotes), None
                ),
            },
            ("document", "weight", "reasons", "citation"),
        ),
        SimilarChunk: Layout(
            _of(similarity="number") | _PASSAGE,
            lambda s: {"similarity": s.similarity, **_passage(s.chunk)},
            ("similarity", "citation", "text"),
        ),
        Encounter: Layout(
            _of(score="number", entities="texts") | _PASSAGE,
            lambda e: {"score": e.score, "entities": e.entities, **_passage(e.chunk)},
            ("score", "entities", "citation", "text"),
        ),
        Edge: Layout(
            _of(source="text", target="text", type="text", weight="number",
             count="whole", evidence="texts", text="text", snippet="text",
             citation="text"),
            lambda e: {
                "source": e.source,
                "target": e.target,
                "type": e.type,
                "weight": e.weight,
                "count": e.count,
                "evidence": e.evidence,
                **_no_quote(e.quote),
            },
            ("source", "target", "type", "weight", "count", "citation"),
        ),
        ClusterMember: _plain(ClusterMember, "cluster", "document", "document_type", "shared"),
        ComparedPassage: Layout(
            _of(side="text", score="number") | _PASSAGE,
            lambda p: {"side": p.side, "score": p.score, **_passage(p.chunk)},
            ("side", "score", "citation", "text"),
        ),
        Change: Layout(
            _of(kind="text", before="text", before_citation="text", after="text",
             after_citation="text"),
            lambda c: {
                "kind": c.kind,
                "before": c.before.text if c.before else None,
                "before_citation": c.before.citation if c.before else None,
                "after": c.after.text if c.after else None,
                "after_citation": c.after.citation if c.after else None,
            },
            ("kind", "before", "before_citation", "after", "after_citation"),
        ),
    }  # fmt: skip


def _health() -> Layout:
    plain = _plain(DocumentHealth, without=("bare_pages",))
    shown = ("name", "format", "pages", "pages_without_text", "ocr_pages", "ocr_confidence", "why")
    kinds = {**plain.kinds} | _of(why="text")
    return Layout(kinds, lambda d: plain.row(d) | {"why": d.why}, shown)


def _reported() -> dict[type[Any], Layout]:
    return {
        FileOutcome: _plain(FileOutcome, "status", "path", "pages", "chunks", "message", "hint"),
        SyncChange: _plain(SyncChange, "kind", "path", "previous_path", "message", "hint"),
        Check: _plain(Check, "ok", "name", "detail", "remedy"),
        DocumentHealth: _health(),
        DocumentIndex: Layout(
            _of(document_id="text", name="text", path="text", chunks="whole",
             source="text", problems="texts", reason="text", action="text",
             dense="whole", sparse="whole", tokens="whole", terms="whole",
             names="whole"),
            lambda d: {
                "document_id": d.document_id,
                "name": d.name,
                "path": d.path,
                "chunks": d.chunks,
                "source": d.source,
                "problems": d.problems,
                "reason": d.reason,
                "action": d.action,
                **d.coverage,
            },
            ("name", "chunks", "source", "reason", "action"),
        ),
    }  # fmt: skip
