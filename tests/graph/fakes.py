"""A handmade graph: input is marked texts, output is the tables of the graph.

A text marks its places with ``[[id|words]]``, where the id is that of an entity
(``person:ada-lee``, ``date:2024-03-12``, ``amount:GBP:500``, ``concept:rent``) or, after ``ref``,
that of a reference (``ref standard:iso-9001``). A role or a relationship may follow after ``;``. A
date that cannot be read is ``[[date?|03/04/2024]]``.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.base import schema
from casetrack.base.provenance import Provenance
from casetrack.base.records import Chunk, CollectionInfo, Document
from casetrack.base.records.graph import Quote
from casetrack.base.records.graph.entities import NAME_KINDS
from casetrack.extract.card.cover import Cover
from casetrack.extract.card.read import card_columns
from casetrack.extract.papers.text import TextPage
from casetrack.graph.document.facts import ChunkFacts, DocumentFacts
from casetrack.graph.identity import read_identities
from casetrack.graph.passages import Vectors
from casetrack.graph.relations.document_links import DocumentLinker
from casetrack.graph.relations.edges import DIRECTED
from casetrack.graph.relations.mails import Mails
from casetrack.graph.relations.targets import Catalogue
from casetrack.store.session import _ledger_table
from casetrack.store.sql.trusted import OwnSql

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.base.records.marks import PlacedMark
    from casetrack.base.sql.catalog import GraphView

NOW = datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)
DIMENSION = 32
_MARK = re.compile(r"\[\[([^|\]]+)\|([^\]]*)\]\]")
_LAST_DAYS = {"01": 31, "02": 29, "04": 30, "06": 30, "09": 30, "11": 30}


@dataclass
class Written:
    """A document to be: its chunks as marked texts."""

    name: str
    chunks: list[str]
    type: str | None = None
    repeated: set[tuple[int, str]] = field(default_factory=set)


def document(name: str, **changed: Any) -> Document:
    nothing = dict.fromkeys(("document_type", "title", "author", "original_copy"))
    ones = dict.fromkeys(("page_count", "chunk_count", "char_count", "file_size"), 1)
    times = dict.fromkeys(("file_modified_at", "ingested_at", "updated_at"), NOW)
    ids = {"document_id": f"id-{name}", "revision": f"rev-{name}", "name": name}
    read = {"language": "en", "pages_without_text": 0, "extraction_method": "Native"}
    read |= {"pipeline": "standard", "pipeline_fingerprint": "f", "warnings": (), "file_hash": "0"}
    place = {"path": f"files/{name}", "format": name.rpartition(".")[2]}
    return Document(**{**nothing, **ones, **times, **ids, **read, **place, **changed})


def direction(word: str) -> NDArray[np.float32]:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
    return np.random.default_rng(seed).standard_normal(DIMENSION).astype(np.float32)


class HandMadeGraph:
    """A :class:`casetrack.graph.graph.ContextGraph` over marked texts; every word has a vector."""

    def __init__(
        self,
        written: Sequence[Written],
        *,
        edges: Sequence[Mapping[str, Any]] = (),
        vectors: bool = True,
    ) -> None:
        self.info = CollectionInfo(
            "c1", "Case", "contract", "active", None, None, (), "pro", 4, "standard", "mini",
            DIMENSION, NOW, NOW,
        )  # fmt: skip
        self._written = sorted(written, key=lambda w: w.name)
        self._has_vectors = vectors
        self._chunks: dict[str, Chunk] = {}
        self._rows: dict[str, list[dict[str, Any]]] = {
            name: [] for name in ("mentions", "dates", "amounts", "citations")
        }
        self.documents = tuple(
            document(w.name, document_type=w.type, chunk_count=len(w.chunks)) for w in self._written
        )
        for number, one in enumerate(self._written):
            self._take(number, one)
        self._entities = self._make_entities()
        self._tables = {name: _table(name, rows) for name, rows in self._rows.items()}
        self._tables["entities"] = _table("entities", list(self._entities.values()))
        self._tables["references"] = _table("references", self._make_references())
        self._tables["edges"] = _table("edges", [*self._co_occurrences(), *map(edge, edges)])
        self._tables["topics"] = _table("topics", [])
        for name in ("marks", "authorities", "authority_cites", "record_cites", "quotations"):
            self._tables[name] = _table(name, [])
        self.marks: tuple[PlacedMark, ...] = ()
        self.unread = 0

    def table(self, name: GraphView, /) -> pa.Table:
        return self._tables[name]

    def edges(self, kind: str, /) -> pa.Table:
        table = self._tables["edges"]
        return table.filter(pc.equal(table["source_kind"], kind))

    def nodes(self) -> pa.Table:
        rows = self._tables["edges"].to_pylist()
        ids = sorted({row[end] for row in rows for end in ("source_id", "target_id")})
        return pa.table({"id": pa.array(ids, pa.string()), "place": range(len(ids))})

    def set_table(self, name: str, table: pa.Table) -> None:
        self._tables[name] = table
        self.__dict__.pop("_own_sql", None)

    def set_column(self, name: str, column: str, values: Sequence[object]) -> None:
        """Give a column of a table other values; those of a shorter list again and again."""
        table = self._tables[name]
        at = table.schema.get_field_index(column)
        given = [values[i % len(values)] for i in range(table.num_rows)]
        field_ = table.schema.field(at)
        self.set_table(name, table.set_column(at, field_, pa.array(given, field_.type)))

    @property
    def coverage(self) -> dict[str, float]:
        scales = self.chunk_vectors().scales
        return {"dense": float(np.mean(scales > 0)) if len(scales) else 0.0, "names": 1.0}

    @property
    def notes(self) -> tuple[str, ...]:
        return ("A note.",)

    def sql(self, statement: str, params: Mapping[str, Any] | None = None, /) -> pa.Table:
        return self._own_sql.run(statement, params)

    @cached_property
    def _own_sql(self) -> OwnSql:
        return OwnSql(lambda: _ledger_table(list(self.documents)), self)

    @property
    def catalogue(self) -> Catalogue:
        return Catalogue(self.documents)

    @property
    def linker(self) -> DocumentLinker:
        """Return the linker for the texts and the ledger, without parties."""
        identities, sayings = self._said
        nobody = [frozenset[str]() for _ in self.documents]
        return DocumentLinker.of(self.catalogue, identities, sayings, (nobody, nobody), self.mails)

    owners: ClassVar[dict[str, tuple[str, str]]] = {}
    copies: ClassVar[NDArray[np.int32]] = np.empty(0, np.int32)

    def once(self, make: Callable[[Any], Any], /) -> Any:
        return make(self)

    @property
    def mails(self) -> Mails:
        identities, sayings = self._said
        return Mails(self.documents, identities, [s for s in sayings if s["says"] == "quotes"])

    @property
    def _said(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        identities, sayings = [], []
        for i, of in enumerate(self.documents):
            chunks = self.chunks_of(of)
            facts = DocumentFacts(**{f.name: getattr(of, f.name) for f in fields(DocumentFacts)})
            cover = Cover([TextPage(1, "\n".join(chunk.text for chunk in chunks))])
            facts = replace(facts, card=card_columns(cover, "filing")["card"])
            own, others = read_identities(facts, [_facts(chunk) for chunk in chunks])
            identities += [asdict(one.description) | asdict(one) | {"document": i} for one in own]
            for messages in others:
                place = chunks[messages.chunk]
                where = {"document": i, "chunk_id": place.chunk_id, "chunk_index": messages.chunk}
                where |= {"page": 1, "char_start": messages.start, "char_end": messages.end}
                where |= {"text": place.text[messages.start : messages.end]}
                sayings.append(asdict(messages.of) | asdict(messages) | where)
        return identities, sayings

    def chunk_vectors(self) -> Vectors:
        ids = list(self._chunks)
        rows = np.zeros((len(ids), DIMENSION), dtype=np.float32)
        for i, chunk in enumerate(self._chunks.values()):
            if self._has_vectors:
                rows[i] = sum(direction(w) for w in re.findall(r"\w+", chunk.text.casefold()))
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        scales = np.abs(rows).max(axis=1) / 127
        codes = np.rint(rows / np.maximum(scales, 1e-9)[:, None]).astype(np.int8)
        ranks = {d.document_id: i for i, d in enumerate(self.documents)}
        owners = [ranks[c.provenance.document_id] for c in self._chunks.values()]
        return Vectors(
            tuple(ids), np.array(owners, dtype=np.int32), codes, scales.astype(np.float32)
        )

    own_vectors = chunk_vectors

    def document_vectors(self) -> NDArray[np.float32]:
        vectors = self.chunk_vectors()
        rows = vectors.codes * vectors.scales[:, None]
        means = np.zeros((len(self.documents), DIMENSION), dtype=np.float32)
        np.add.at(means, vectors.documents, rows.astype(np.float32))
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        return np.divide(means, lengths, out=np.zeros_like(means), where=lengths > 0)

    def phrases(self, chunk_ids: Sequence[str], /) -> list[list[str]]:
        held: dict[str, list[str]] = {}
        for row in self._rows["mentions"]:
            if row["kind"] == "concept":
                held.setdefault(row["chunk_id"], []).append(row["entity_id"].partition(":")[2])
        return [held.get(i, []) for i in chunk_ids]

    def chunks(self, chunk_ids: Sequence[str], /) -> list[Chunk]:
        return [self._chunks[i] for i in chunk_ids]

    def quotes(self, places: Sequence[tuple[str, int, int]], /) -> list[Quote]:
        return [self._quote(*place) for place in places]

    def chunk_ids(self, name: str) -> list[str]:
        return [i for i, c in self._chunks.items() if c.provenance.document_name == name]

    def chunks_of(self, of: Document) -> list[Chunk]:
        return self.chunks(self.chunk_ids(of.name))

    def document(self, name: str) -> Document:
        return next(d for d in self.documents if d.name == name)

    # --- how it is made ----------------------------------------------------------------------

    def _quote(self, chunk_id: str, start: int, end: int) -> Quote:
        chunk = self._chunks[chunk_id]
        assert 0 <= start < end <= len(chunk.text)
        low, high = max(0, start - 60), min(len(chunk.text), end + 60)
        snippet = chunk.text[low:high]
        return Quote(chunk.text[start:end], snippet, start - low, start, end, chunk.provenance)

    def _take(self, number: int, written: Written) -> None:
        offset = 0
        for index, marked in enumerate(written.chunks):
            text, places = _read(marked)
            chunk = _chunk(written, f"{number:03}-{index:03}", index, text, offset)
            self._chunks[chunk.chunk_id] = chunk
            offset += len(text) + 1
            for thing, note, start, end in places:
                of = {"document_id": f"id-{written.name}", "document_name": written.name}
                at = {"chunk_id": chunk.chunk_id, "chunk_index": index, "page": 1}
                span = {"char_start": start, "char_end": end, "text": text[start:end]}
                again = (index, text[start:end]) in written.repeated
                span |= {"repeated": again, "boilerplate": False}
                row = {**of, **at, **span, "confidence": 0.9}
                self._place(row, thing, note)

    def _place(self, row: dict[str, Any], thing: str, note: str | None) -> None:
        if thing.startswith("ref "):
            reference = thing.removeprefix("ref ")
            cited = {"reference_id": reference, "type": reference.partition(":")[0]}
            cited |= {"name": row["text"], "relationship": note or "cites"}
            cited |= {"resolved": note != "open", "target_document_id": _target(reference)}
            self._rows["citations"].append(row | cited)
            return
        kind, _, key = thing.partition(":")
        if kind in {"date", "date?"}:
            self._rows["dates"].append(row | _date(key))
        if kind == "amount":
            unit, _, value = key.rpartition(":")
            money = {"kind": "money", "value": float(value), "high": None, "unit": unit}
            self._rows["amounts"].append(row | money | {"entity_id": thing})
        if kind != "date?":
            result = "tagged" if kind in NAME_KINDS else None
            named = {"entity_id": thing, "kind": kind, "name": "", "role": note, "found_by": result}
            self._rows["mentions"].append(row | named)

    def _make_entities(self) -> dict[str, dict[str, Any]]:
        places: dict[str, list[dict[str, Any]]] = {}
        for row in self._rows["mentions"]:
            places.setdefault(row["entity_id"], []).append(row)
        entities = {}
        for entity_id, rows in sorted(places.items()):
            counting = [r for r in rows if not r["repeated"]]
            names = Counter(r["text"] for r in counting)
            fullest = max(names, key=lambda n: (len(n), n))
            roles = Counter(r["role"] for r in counting if r["role"])
            of = {"entity_id": entity_id, "kind": rows[0]["kind"], "name": fullest}
            of |= {"aliases": [n for n, _ in names.most_common() if n != fullest]}
            of |= {"role": roles.most_common(1)[0][0] if roles else None}
            first = {f"first_{name}": rows[0][name] for name in ("document_id", "chunk_id")}
            entities[entity_id] = of | first | _counts(rows) | {"mention_count": len(counting)}
            for row in rows:
                row["name"] = fullest
        return entities

    def _make_references(self) -> list[dict[str, Any]]:
        places: dict[str, list[dict[str, Any]]] = {}
        for row in self._rows["citations"]:
            if row["resolved"]:
                places.setdefault(row["reference_id"], []).append(row)
        collected = []
        for reference, rows in sorted(places.items()):
            name = Counter(r["text"] for r in rows).most_common(1)[0][0]
            of = {"reference_id": reference, "type": rows[0]["type"], "name": name}
            target = _target(reference)
            of |= {"citation_count": len(rows), "target_document_id": target}
            of |= {"target_document_name": target and target.removeprefix("id-")}
            collected.append(of | _counts(rows))
        return collected

    def _co_occurrences(self) -> list[dict[str, Any]]:
        held: dict[str, set[str]] = {}
        named: dict[str, set[str]] = {}
        for row in self._rows["mentions"]:
            if row["kind"] in (*NAME_KINDS, "concept") and not row["repeated"]:
                named.setdefault(row["chunk_id"], set()).add(row["entity_id"])
            if row["kind"] in {"person", "organization", "location"}:
                held.setdefault(row["chunk_id"], set()).add(row["entity_id"])
        chunks: dict[tuple[str, str], list[str]] = {}
        for chunk_id, ids in held.items():
            for pair in combinations(sorted(ids), 2):
                chunks.setdefault(pair, []).append(chunk_id)
        return [
            edge({"source": a, "target": b, "type": "co_occurrence", "evidence": each[:5],
                  "weight": len(each) / (len(each) + 1), "count": len(each),
                  **_passages(each[:5], named)})
            for (a, b), each in sorted(chunks.items())
        ]  # fmt: skip


def _counts(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {f"{of}_count": len({r[f"{of}_id"] for r in rows}) for of in ("chunk", "document")}


def _passages(evidence: Sequence[str], named: Mapping[str, set[str]]) -> dict[str, Any]:
    shown = [c for c in evidence if c in named]
    share = sum(1 / max(len(named[c]) - 1, 1) for c in shown) / max(len(shown), 1)
    return {"documents": len({c.partition("-")[0] for c in shown}), "passage_share": share}


def edge(given: Mapping[str, Any]) -> dict[str, Any]:
    kinds = {"co_occurrence": "entity", "similar": "chunk", "coreference": "chunk"}
    kind = kinds.get(given["type"], "document")
    usual = {"weight": 0.5, "count": 1, "evidence": (), "documents": None, "passage_share": None}
    ends = {"source_id": given["source"], "source_kind": kind}
    ends |= {"target_id": given["target"], "target_kind": kind}
    messages = {name: given.get(name, value) for name, value in usual.items()}
    return {**ends, **messages, "type": given["type"], "directed": given["type"] in DIRECTED}


def _facts(chunk: Chunk) -> ChunkFacts:
    at = chunk.provenance
    span = (at.char_start, at.char_end)
    return ChunkFacts(chunk.chunk_id, at.chunk_index, 1, *span, chunk.text, (), (), (), (), ())


def _table(name: str, rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=schema.table(name).arrow())


def _target(reference: str) -> str | None:
    kind, _, name = reference.partition(":")
    return f"id-{name.rpartition(':')[2]}" if kind == "document" and "." in name else None


def _read(marked: str) -> tuple[str, list[tuple[str, str | None, int, int]]]:
    text, places, last = "", [], 0
    for mark in _MARK.finditer(marked):
        text += marked[last : mark.start()]
        thing, _, note = mark[1].partition(";")
        places.append((thing, note or None, len(text), len(text) + len(mark[2])))
        text += mark[2]
        last = mark.end()
    return text + marked[last:], places


def _date(value: str) -> dict[str, Any]:
    if not value:
        empty = dict.fromkeys(("value", "first_day", "last_day", "precision", "entity_id"))
        return empty | {"kind": "ambiguous", "readings": ["2024-03-04"], "read_by": None}
    if "Q" in value:  # of a fiscal year with unknown months
        days = dict.fromkeys(("first_day", "last_day", "read_by"))
        message = {"value": value, "precision": "quarter", "entity_id": f"date:{value}"}
        return days | message | {"kind": "absolute", "readings": []}
    precision = {4: "year", 7: "month", 10: "day"}[len(value)]
    last_day = _LAST_DAYS.get(value[5:7], 31) if precision == "month" else 31
    last = value if precision == "day" else f"{(value + '-12')[:7]}-{last_day}"
    days = {"first_day": value + "-01-01"[len(value) - 4 :], "last_day": last, "read_by": None}
    message = {"value": value, "precision": precision, "entity_id": f"date:{value}"}
    return days | message | {"kind": "absolute", "readings": []}


def _chunk(written: Written, chunk_id: str, index: int, text: str, offset: int) -> Chunk:
    lines = ("paragraph_start", "paragraph_end", "line_start", "line_end")
    provenance = Provenance(
        document_id=f"id-{written.name}",
        document_name=written.name,
        document_path=f"files/{written.name}",
        chunk_id=chunk_id,
        chunk_index=index,
        page=1,
        page_is_estimated=False,
        char_start=offset,
        char_end=offset + len(text),
        extraction_method="Native",
        ocr_confidence=None,
        heading_path=(),
        **dict.fromkeys(lines, index + 1),
        **dict.fromkeys(("created_at", "embedded_at", "ingested_at"), NOW),
    )
    return Chunk(text, provenance, ("words",), len(written.chunks))
