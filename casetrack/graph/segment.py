"""A segment of the graph: what the documents of some revisions say, immutable and mapped.

Files of a segment folder, each an Arrow table:

``revisions``
    ``revision``, ascending, and ``start``, the first of its rows in ``chunks``.
``chunks``
    ``chunk_id``, ``revision`` (row of ``revisions``), ``chunk_index``, ``page``, and whether names
    (``named``) and all else (``extracted``) have been looked for.
``entities``
    What each document calls one thing: ``revision``, ``kind``, ``key``, ``name``, ``spellings``,
    ``mention_count``, ``chunk_count``, ``roles``, ``first_chunk_id``.
``mentions``, ``dates``, ``amounts``, ``citations``
    Places: ``chunk`` (row of ``chunks``), ``entity`` (row of ``entities``, -1 for none), and what
    was found there.

Nothing in it depends on other documents, so segments are merged by laying them end to end.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from casetrack.extract.spans import AmountSpan, DateSpan, NameSpan, ReferenceSpan
from casetrack.graph.document import read_document
from casetrack.graph.document.facts import ChunkFacts, DocumentFacts
from casetrack.views.columns import as_numpy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from casetrack.graph.document.facts import (
        DocumentGraph,
        LocalAmount,
        LocalCitation,
        LocalDate,
    )
    from casetrack.records import Document

FORMAT = 3
"""Raised with the layout, and whenever a document would be read in another way."""
COLUMNS = (
    *("chunk_id", "revision", "chunk_index", "page", "char_start", "char_end", "text"),
    *("heading_path", "mentions", "dates", "amounts", "citations"),
)
"""Columns of ``chunks`` that a segment is made of."""

_TEXT = pa.dictionary(pa.int32(), pa.string())
_COUNTED = pa.list_(pa.struct([("text", pa.string()), ("count", pa.int32())]))
_ROLES = pa.list_(pa.struct([("role", pa.string()), ("count", pa.int32())]))
_PLACE: dict[str, pa.DataType] = {
    "chunk": pa.int32(),
    "entity": pa.int32(),
    "char_start": pa.int32(),
    "char_end": pa.int32(),
    "text": _TEXT,
    "repeated": pa.bool_(),
    "confidence": pa.float32(),
}
LAYOUT: dict[str, dict[str, pa.DataType]] = {
    "revisions": {"revision": pa.string(), "start": pa.int64()},
    "chunks": {
        "chunk_id": pa.string(),
        "revision": pa.int32(),
        "chunk_index": pa.int32(),
        "page": pa.int32(),
        "named": pa.bool_(),
        "extracted": pa.bool_(),
    },
    "entities": {
        "revision": pa.int32(),
        "kind": _TEXT,
        "key": pa.string(),
        "name": pa.string(),
        "spellings": _COUNTED,
        "mention_count": pa.int32(),
        "chunk_count": pa.int32(),
        "roles": _ROLES,
        "first_chunk_id": pa.string(),
    },
    "mentions": {**_PLACE, "role": _TEXT},
    "dates": {
        **_PLACE,
        "kind": _TEXT,
        "value": _TEXT,
        "first_day": _TEXT,
        "last_day": _TEXT,
        "precision": _TEXT,
        "readings": pa.list_(pa.string()),
        "read_by": _TEXT,
    },
    "amounts": {
        **_PLACE,
        "kind": _TEXT,
        "value": pa.float64(),
        "high": pa.float64(),
        "unit": _TEXT,
    },
    "citations": {
        **_PLACE,
        "type": _TEXT,
        "key": _TEXT,
        "name": _TEXT,
        "relationship": _TEXT,
        "resolved": pa.bool_(),
    },
}
"""Columns of each table of a segment."""
_PLACES = ("mentions", "dates", "amounts", "citations")


@dataclass(frozen=True, slots=True)
class GraphSegment:
    """What the documents of some revisions say; see the module for the layout.

    Attributes
    ----------
    revisions
        Ids, ascending.
    starts
        int64 [revisions + 1], first row of each revision in ``chunks``.
    tables
        The tables by name.
    """

    revisions: tuple[str, ...]
    starts: np.ndarray
    tables: Mapping[str, pa.Table]

    @property
    def size(self) -> int:
        """Number of chunks."""
        return int(self.tables["chunks"].num_rows)


def build(rows: pa.Table, documents: Mapping[str, Document], /) -> GraphSegment:
    """Read documents.

    Parameters
    ----------
    rows
        All rows of some revisions, with ``COLUMNS``.
    documents
        Documents by revision.
    """
    rows = rows.sort_by([("revision", "ascending"), ("chunk_index", "ascending")])
    values = {name: rows[name].to_pylist() for name in COLUMNS}
    maker = _Maker()
    at = 0
    while at < rows.num_rows:
        revision = values["revision"][at]
        end = at
        while end < rows.num_rows and values["revision"][end] == revision:
            end += 1
        chunks = [_chunk({n: values[n][i] for n in COLUMNS}) for i in range(at, end)]
        looked = [
            (values["mentions"][i] is not None, values["dates"][i] is not None)
            for i in range(at, end)
        ]
        maker.add(revision, chunks, looked, read_document(_facts(documents[revision]), chunks))
        at = end
    return _segment(maker.tables())


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
        dates=tuple(_date(d) for d in row["dates"] or ()),
        amounts=tuple(AmountSpan(**a) for a in row["amounts"] or ()),
        citations=tuple(ReferenceSpan(**c) for c in row["citations"] or ()),
    )


def _date(row: Mapping[str, Any]) -> DateSpan:
    return DateSpan(**{**row, "readings": tuple(row["readings"] or ())})


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
    ) -> None:
        """Add a document; *looked*: whether each chunk was searched for names, and for the rest."""
        rows = self._rows
        code, chunk, entity = (len(rows[n]) for n in ("revisions", "chunks", "entities"))
        rows["revisions"].append({"revision": revision, "start": chunk})
        for facts, (named, extracted) in zip(chunks, looked, strict=True):
            rows["chunks"].append(
                {
                    "chunk_id": facts.chunk_id,
                    "revision": code,
                    "chunk_index": facts.chunk_index,
                    "page": facts.page,
                    "named": named,
                    "extracted": extracted,
                }
            )
        for found in graph.entities:
            rows["entities"].append(
                {
                    "revision": code,
                    "kind": found.kind,
                    "key": found.key,
                    "name": found.name,
                    "spellings": [{"text": t, "count": n} for t, n in found.spellings],
                    "mention_count": found.mention_count,
                    "chunk_count": found.chunk_count,
                    "roles": [{"role": r, "count": n} for r, n in found.roles],
                    "first_chunk_id": chunks[found.first_chunk].chunk_id,
                }
            )
        # In the order of their chunks, so that a document's are found by its chunks.
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
                }
            )
        self._add_spans(graph, chunk, entity)

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
            )
        names = ("type", "key", "name", "relationship", "resolved")
        for cited in sorted(graph.citations, key=_order):
            self._rows["citations"].append(
                _place(cited.span, chunk + cited.chunk, -1, repeated=cited.repeated)
                | {n: getattr(cited.span, n) for n in names}
            )

    def tables(self) -> dict[str, pa.Table]:
        """Return what was collected."""
        return {name: _table(name, rows) for name, rows in self._rows.items()}


def _order(found: LocalDate | LocalAmount | LocalCitation) -> tuple[int, int]:
    return found.chunk, found.span.start


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


def _table(name: str, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    layout = LAYOUT[name]
    return pa.table(
        {c: pa.array([row[c] for row in rows], kind) for c, kind in layout.items()},
        schema=pa.schema(list(layout.items())),
    )


def merge(parts: Sequence[GraphSegment], live: Iterable[str], /) -> GraphSegment:
    """Lay segments end to end, without what is not *live*; revisions are ordered anew."""
    wanted = set(live)
    pieces = sorted(
        (revision, number, code)
        for number, part in enumerate(parts)
        for code, revision in enumerate(part.revisions)
        if revision in wanted
    )
    cut = [_cut(parts[number], code) for _, number, code in pieces]
    rows: dict[str, list[pa.Table]] = {name: [] for name in LAYOUT}
    chunk = entity = 0
    for code, tables in enumerate(cut):
        chunks, entities = tables["chunks"].num_rows, tables["entities"].num_rows
        for name, table in tables.items():
            rows[name].append(_moved(name, table, code, chunk, entity))
        chunk, entity = chunk + chunks, entity + entities
    joined = {
        name: pa.concat_tables(found).unify_dictionaries().combine_chunks()
        if found
        else _table(name, [])
        for name, found in rows.items()
    }
    return _segment(joined)


def _cut(part: GraphSegment, code: int) -> dict[str, pa.Table]:
    """Return the rows of one revision; chunks and entities are numbered from 0."""
    start, end = int(part.starts[code]), int(part.starts[code + 1])
    entities = as_numpy(part.tables["entities"]["revision"])
    first, last = (int(i) for i in np.searchsorted(entities, [code, code + 1]))
    found = {
        "revisions": part.tables["revisions"].slice(code, 1),
        "chunks": part.tables["chunks"].slice(start, end - start),
        "entities": part.tables["entities"].slice(first, last - first),
    }
    for name in _PLACES:
        low, high = (
            int(i) for i in np.searchsorted(as_numpy(part.tables[name]["chunk"]), [start, end])
        )
        places = part.tables[name].slice(low, high - low)
        found[name] = _moved(name, places, 0, -start, -first)
    return found


def _moved(name: str, table: pa.Table, code: int, chunk: int, entity: int) -> pa.Table:
    """Return rows of a table with the numbers of other tables' rows moved on."""
    if name == "revisions":
        return _with(table, "start", np.full(table.num_rows, chunk, dtype=np.int64))
    if name in {"chunks", "entities"}:
        return _with(table, "revision", np.full(table.num_rows, code, dtype=np.int32))
    table = _with(table, "chunk", as_numpy(table["chunk"]) + np.int32(chunk))
    named = as_numpy(table["entity"])
    return _with(table, "entity", np.where(named < 0, named, named + np.int32(entity)))


def _with(table: pa.Table, name: str, values: np.ndarray) -> pa.Table:
    place = table.schema.get_field_index(name)
    field = table.schema.field(place)
    return table.set_column(place, field, pa.array(values, field.type))


def _segment(tables: Mapping[str, pa.Table]) -> GraphSegment:
    revisions = tables["revisions"]
    starts = np.append(as_numpy(revisions["start"]), tables["chunks"].num_rows)
    return GraphSegment(tuple(revisions["revision"].to_pylist()), starts, tables)


def save(segment: GraphSegment, folder: Path, /) -> None:
    """Write the segment's files into the new folder *folder*.

    Raises
    ------
    OSError
        They cannot be written.
    """
    folder.mkdir(parents=True)
    for name, table in segment.tables.items():
        write_table(table, folder / f"{name}.arrow")


def load(folder: Path, /) -> GraphSegment:
    """Map a saved segment.

    Raises
    ------
    OSError, ValueError
        A file is missing or damaged; the view is then rebuilt.
    """
    tables = {name: read_table(folder / f"{name}.arrow") for name in LAYOUT}
    for name, table in tables.items():
        if table.schema.names != list(LAYOUT[name]):
            raise ValueError(f"{folder} has other columns in {name}")
    return _segment(tables)


def write_table(table: pa.Table, path: Path, /) -> None:
    """Write a table into a file that can be mapped."""
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table.unify_dictionaries().combine_chunks())


def read_table(path: Path, /) -> pa.Table:
    """Map a table that was written by :func:`write_table`.

    Raises
    ------
    OSError, ValueError
        The file is missing or damaged.
    """
    with pa.memory_map(str(path)) as source:
        return pa.ipc.open_file(source).read_all()
