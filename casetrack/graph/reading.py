"""Builds a graph segment from stored chunks: reads each document and collects its rows."""

from __future__ import annotations

import itertools
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any

from casetrack.extract.spans import AmountSpan, DateSpan, NameSpan, ReferenceSpan
from casetrack.graph.document import read_document
from casetrack.graph.document.facts import ChunkFacts, DocumentFacts, DocumentGraph
from casetrack.graph.repeats import lines_of
from casetrack.graph.segment import COLUMNS, LAYOUT, segment_of, table_of
from casetrack.ingest.steps.base import attempt, collect_failures

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from casetrack.base.records import Document
    from casetrack.graph.document.facts import LocalAmount, LocalCitation, LocalDate, TableSum
    from casetrack.graph.identity import Claim, Description, Identity
    from casetrack.graph.segment import GraphSegment

_NOTHING = DocumentGraph((), (), (), (), ())
_AT_ONCE = 256
"""Maximum number of rows that are Python objects at the same time."""


def build(rows: pa.Table, documents: Mapping[str, Document], /) -> GraphSegment:
    """Read documents into a segment, from all rows of some revisions; documents are by revision."""
    from casetrack.graph.identity import read_identities

    rows = rows.sort_by([("revision", "ascending"), ("chunk_index", "ascending")])
    # Collections of earlier versions lack columns; their values are unknown.
    nothing = dict.fromkeys(COLUMNS)
    stored = rows.select([name for name in COLUMNS if name in rows.column_names])
    maker = _Maker()
    for revision, group in itertools.groupby(_in_parts(stored), key=lambda row: row["revision"]):
        chunks, looked = list[ChunkFacts](), list[tuple[bool, bool]]()
        for row in group:
            chunks.append(_chunk(nothing | row))
            looked.append((row.get("mentions") is not None, row.get("dates") is not None))
        facts = _facts(documents[revision])
        with collect_failures(documents[revision].path) as failures:
            graph = attempt("map", partial(read_document, facts, chunks), _NOTHING)
            linker = attempt("map", partial(read_identities, facts, chunks), ((), ()))
        maker.add(revision, chunks, looked, graph, mapped=not failures.counts)
        maker.add_claims(chunks, *linker)
    return segment_of(maker.tables())


def _in_parts(rows: pa.Table) -> Iterator[dict[str, Any]]:
    """Yield rows one by one; only one batch is in memory as Python objects."""
    for batch in rows.to_batches(max_chunksize=_AT_ONCE):
        yield from batch.to_pylist()


def _facts(document: Document) -> DocumentFacts:
    return DocumentFacts(**{f.name: getattr(document, f.name) for f in fields(DocumentFacts)})


def _chunk(row: Mapping[str, Any]) -> ChunkFacts:
    return ChunkFacts(
        chunk_id=row["chunk_id"],
        chunk_index=row["chunk_index"],
        page=row["page"],
        char_start=row["char_start"],
        char_end=row["char_end"],
        text=row["text"],
        heading_path=tuple(row["heading_path"] or ()),
        names=tuple(NameSpan(**m) for m in row["mentions"] or () if not m["is_role"]),
        dates=tuple(
            DateSpan(**d | {"readings": tuple(d["readings"] or ())}) for d in row["dates"] or ()
        ),
        amounts=tuple(AmountSpan(**a) for a in row["amounts"] or ()),
        citations=tuple(ReferenceSpan(**c) for c in row["citations"] or ()),
        tables=tuple(
            (p["start"], p["end"]) for p in row["paragraphs"] or () if p["kind"] == "table"
        ),
        table_header=row["table_header"],
        page_header=row["page_header"],
    )


class _Maker:
    """Collects the rows of a segment, document by document."""

    def __init__(self) -> None:
        self._rows: dict[str, list[dict[str, Any]]] = {name: [] for name in LAYOUT}

    def add(
        self,
        revision: str,
        chunks: Sequence[ChunkFacts],
        looked: Sequence[tuple[bool, bool]],
        graph: DocumentGraph,
        *,
        mapped: bool,
    ) -> None:
        """Add a document; *looked* has (searched for names, searched for other facts) per chunk."""
        rows = self._rows
        code, chunk, entity = (len(rows[n]) for n in ("revisions", "chunks", "entities"))
        rows["revisions"].append({"revision": revision, "start": chunk})
        rows["lines"] += [
            dict(zip(LAYOUT["lines"], (chunk + at, *line), strict=True))
            for at, *line in lines_of(chunks)
        ]
        for facts, (named, extracted) in zip(chunks, looked, strict=True):
            rows["chunks"].append(
                {
                    "chunk_id": facts.chunk_id,
                    "revision": code,
                    "chunk_index": facts.chunk_index,
                    "page": facts.page,
                    "named": named,
                    "extracted": extracted,
                    "mapped": mapped,
                }
            )
        for entity_facts in graph.entities:
            rows["entities"].append(
                {
                    "revision": code,
                    "kind": entity_facts.kind,
                    "key": entity_facts.key,
                    "name": entity_facts.name,
                    "spellings": [{"text": t, "count": n} for t, n in entity_facts.spellings],
                    "mention_count": entity_facts.mention_count,
                    "chunk_count": entity_facts.chunk_count,
                    "roles": [{"role": r, "count": n} for r, n in entity_facts.roles],
                    "first_chunk_id": chunks[entity_facts.first_chunk].chunk_id,
                    "evidence": [{"kind": k, "count": n} for k, n in entity_facts.evidence],
                    "addresses": list(entity_facts.addresses),
                    "defined": list(entity_facts.defined),
                }
            )
        # In chunk order, so that the mentions of a document can be found by its chunks.
        for m in sorted(graph.mentions, key=lambda m: (m.chunk, m.start, m.end)):
            rows["mentions"].append(
                {
                    "chunk": chunk + m.chunk,
                    "entity": entity + m.entity,
                    "char_start": m.start,
                    "char_end": m.end,
                    "text": chunks[m.chunk].text[m.start : m.end],
                    "repeated": m.repeated,
                    "confidence": m.confidence,
                    "role": m.role,
                    "found_by": m.found_by,
                }
            )
        self._add_spans(graph, chunk, entity)

    def add_claims(
        self, chunks: Sequence[ChunkFacts], identities: Sequence[Identity], claims: Sequence[Claim]
    ) -> None:
        """Add the identities of the last added document and its claims about other documents."""
        code = len(self._rows["revisions"]) - 1
        first = self._rows["revisions"][-1]["start"]
        for identity in identities:
            self._rows["identities"].append(
                {"revision": code, **_described(identity.description)}
                | {n: getattr(identity, n) for n in ("page", "label", "parts", "digest")}
            )
        for saying in claims:
            self._rows["sayings"].append(
                {
                    "chunk": first + saying.chunk,
                    "entity": -1,
                    "char_start": saying.start,
                    "char_end": saying.end,
                    "text": chunks[saying.chunk].text[saying.start : saying.end],
                    "repeated": saying.repeated,
                    "confidence": saying.confidence,
                    "says": saying.says,
                    **_described(saying.of),
                }
            )

    def _add_spans(self, graph: DocumentGraph, chunk: int, entity: int) -> None:
        for date in sorted(graph.dates, key=_order):
            number = -1 if date.entity is None else entity + date.entity
            self._rows["dates"].append(
                _place(date.span, chunk + date.chunk, number, repeated=date.repeated)
                | {
                    "kind": date.span.kind,
                    "value": date.span.value,
                    "first_day": date.span.first,
                    "last_day": date.span.last,
                    "precision": date.span.precision,
                    "readings": list(date.span.readings),
                    "read_by": date.read_by,
                }
            )
        for amount in sorted(graph.amounts, key=_order):
            self._rows["amounts"].append(
                _place(
                    amount.span,
                    chunk + amount.chunk,
                    entity + amount.entity,
                    repeated=amount.repeated,
                )
                | {n: getattr(amount.span, n) for n in ("kind", "value", "high", "unit")}
                | _of_cell(amount.cell)
            )
        names = ("type", "key", "name", "relationship", "resolved")
        for cited in sorted(graph.citations, key=_order):
            self._rows["citations"].append(
                _place(cited.span, chunk + cited.chunk, -1, repeated=cited.repeated)
                | {n: getattr(cited.span, n) for n in names}
            )

    def tables(self) -> dict[str, pa.Table]:
        """Return the collected tables."""
        return {name: table_of(LAYOUT[name], rows) for name, rows in self._rows.items()}


def _of_cell(cell: TableSum | None) -> dict[str, Any]:
    names = ("printed_value", "scale", "row_label", "period", "first_day", "last_day")
    if cell is None:
        return dict.fromkeys(names)
    scaled = (cell.printed, cell.factor) if cell.factor != 1 else (None, None)
    days = (day and day.isoformat() for day in (cell.first, cell.last))
    return dict(zip(names, (*scaled, cell.row_label, cell.period, *days), strict=True))


def _order(item: LocalDate | LocalAmount | LocalCitation) -> tuple[int, int]:
    return item.chunk, item.span.start


def _described(description: Description) -> dict[str, Any]:
    return {f.name: getattr(description, f.name) for f in fields(description)}


def _place(
    span: DateSpan | AmountSpan | ReferenceSpan, chunk: int, entity: int, *, repeated: bool
) -> dict[str, Any]:
    return {
        "chunk": chunk,
        "entity": entity,
        "char_start": span.start,
        "char_end": span.end,
        "text": span.text,
        "repeated": repeated,
        "confidence": span.confidence,
    }
