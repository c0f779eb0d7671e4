"""Rows of the table ``edges``, and the places from which relations are counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.base import schema
from casetrack.base.records.graph import RELATION_TYPES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.base.records.graph import Edge
    from casetrack.graph.state_tables import StateTables

# Places of mentions as arrays: the input of all relations.

CONCEPT_KINDS = ("person", "organization", "location", "concept")
"""Kinds that connect: equal dates or amounts need not concern the same matter."""
EXTERNAL_TYPES = ("document", "report", "standard", "regulation", "rule", "constitution", "case")
"""References to external things: sections, exhibits and links belong to their document."""
_LEVELS = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Places of entities or references ("things"), each counted once."""

    things: tuple[str, ...]  # Ids of entities or references, sorted
    chunks: tuple[str, ...]  # Ids of the chunks with a place, in reading order
    # int32 [chunks], position of the document, and of the chunk within it.
    documents: NDArray[np.int32]
    indexes: NDArray[np.int32]
    # int64 [places], positions in *things* and *chunks*, and the first character; ordered by chunk,
    # then start.
    thing: NDArray[np.int64]
    chunk: NDArray[np.int64]
    start: NDArray[np.int64]
    confidence: NDArray[np.float64]  # float64 [places]

    def spread(self) -> NDArray[np.int64]:
        """Return int64 [things], the number of chunks of each."""
        pairs = distinct(self.thing * max(1, len(self.chunks)) + self.chunk)
        return np.bincount(pairs // max(1, len(self.chunks)), minlength=len(self.things))


def mentioned(source: StateTables, kinds: Collection[str], /, *, listed: bool = True) -> Places:
    """Return all places that mention an entity of these kinds.

    Without *listed*, those in lists of a mail's recipients are left out.
    """
    table = _mentions(source, kinds)
    if not listed:
        role, chunk = (table[name].cast(pa.string()) for name in ("role", "chunk_id"))
        is_reader = pc.fill_null(pc.equal(role, "recipient"), False)
        counts = pc.value_counts(chunk.filter(is_reader))
        several = counts.field("values").filter(pc.greater(counts.field("counts"), 1))
        is_reader = pc.and_(is_reader, pc.is_in(chunk, several))
        is_copied = pc.fill_null(pc.equal(role, "copied in"), False)
        table = table.filter(pc.invert(pc.or_(is_reader, is_copied)))
    return _places(source, table)


def cited(source: StateTables, types: Collection[str], /) -> Places:
    """Return all resolved references of these types."""
    return _places(source, _citations(source, types))


def connected(source: StateTables, kinds: Collection[str], types: Collection[str], /) -> Places:
    """Return all places of entities of these kinds, and of resolved references of these types."""
    tables = (_mentions(source, kinds), _citations(source, types))
    plain = (pa.table({n: t[n].cast(form) for n, form in _PLACED.items()}) for t in tables)
    return _places(source, pa.concat_tables(plain))


_PLACED = dict.fromkeys(("thing", "document_id", "chunk_id"), pa.string()) | {
    "chunk_index": pa.int32(),
    "char_start": pa.int32(),
    "confidence": pa.float32(),
}


def _mentions(source: StateTables, kinds: Collection[str]) -> pa.Table:
    table = source.table("mentions").rename_columns({"entity_id": "thing"})
    return _own(table, table["kind"], kinds)


def _citations(source: StateTables, types: Collection[str]) -> pa.Table:
    table = source.table("citations").rename_columns({"reference_id": "thing"})
    table = table.filter(table["resolved"])
    return _own(table, table["type"], types)


def _own(table: pa.Table, kind: pa.ChunkedArray, kinds: Collection[str]) -> pa.Table:
    """Return the rows of some kinds that repeat no others."""
    is_wanted = pc.is_in(kind, pa.array(sorted(kinds), pa.string()))
    return table.filter(pc.and_(is_wanted, pc.invert(table["repeated"])))


def _places(source: StateTables, table: pa.Table) -> Places:
    things, thing = coded(table["thing"])
    names, chunk = coded(table["chunk_id"])
    first = np.full(len(names), -1, np.int64)
    first[chunk[::-1]] = np.arange(len(chunk))[::-1]
    document_ids, document = coded(table["document_id"])
    position = {d.document_id: i for i, d in enumerate(source.documents)}
    documents = np.array([position[d] for d in document_ids], np.int32)[document[first]]
    indexes = table["chunk_index"].to_numpy()[first].astype(np.int32)
    order = np.lexsort((np.arange(len(names)), indexes, documents))
    moved = np.empty(len(names), np.int64)
    moved[order] = np.arange(len(names))
    chunk = moved[chunk]
    start = table["char_start"].to_numpy().astype(np.int64)
    confidence = table["confidence"].to_numpy().astype(np.float64)
    rows = np.lexsort((confidence, thing, start, chunk))
    return Places(
        things,
        tuple(names[i] for i in order.tolist()),
        documents[order],
        indexes[order],
        thing[rows],
        chunk[rows],
        start[rows],
        confidence[rows],
    )


def coded(column: pa.ChunkedArray, /) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Return the distinct texts of a column, sorted, and each row's position among them."""
    encoded = column.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    texts = encoded.dictionary.to_pylist()
    order = sorted(range(len(texts)), key=texts.__getitem__)
    rank = np.empty(len(texts), np.int64)
    rank[order] = np.arange(len(texts))
    return tuple(texts[i] for i in order), rank[encoded.indices.to_numpy().astype(np.int64)]


def pairs_within(group: NDArray[np.int64], /) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all pairs of rows of one group, the earlier one first; *group* is ascending."""
    firsts, seconds = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    rows = np.arange(len(group))
    for step in range(1, len(group)):
        rows = rows[rows + step < len(group)]
        rows = rows[group[rows] == group[rows + step]]
        if not len(rows):
            break
        firsts.append(rows)
        seconds.append(rows + step)
    return np.concatenate(firsts), np.concatenate(seconds)


def strongest(
    ends: tuple[NDArray[np.int64], NDArray[np.int64]], strength: NDArray[np.float64], /
) -> NDArray[np.int64]:
    """Return for each connection its best rank (from 0) at one of its ends.

    Connections are ranked by strength in steps of about a millionth, then by the number of the
    other end. *ends* are int64 [n], ordered by the first, then the second, with the first smaller;
    *strength* is float64 [n], 0..1.
    """
    n = len(strength)
    if not n:
        return np.empty(0, np.int64)
    levels = min(_LEVELS, (1 << 62) // ((int(ends[1].max()) + 1) * n))
    weakness = np.rint((1 - strength) * (levels - 1)).astype(np.int64)
    # Packed into one number they sort many times faster than as three. In this order of rows, those
    # of one end are also ordered by the other end.
    packed = np.sort(
        (np.concatenate(ends) * levels + np.tile(weakness, 2)) * n + np.tile(np.arange(n), 2)
    )
    end, row = packed // (levels * n), packed % n
    rank = np.full(n, n, np.int64)
    np.minimum.at(rank, row, np.arange(len(packed)) - np.searchsorted(end, end))
    return rank


def distinct(numbers: NDArray[np.int64], /) -> NDArray[np.int64]:
    """Return the distinct numbers, ascending; sorting is faster than ``np.unique``."""
    ordered = np.sort(numbers)
    new = np.ones(len(ordered), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    return ordered[new]


EVIDENCE = 5
DIRECTED = frozenset(RELATION_TYPES) - {
    *("shared_entities", "shared_references", "semantic", "same_thread", "same_file")
}


@dataclass(frozen=True, slots=True)
class Words:
    """The text that shows an edge in the first chunk of its evidence, and the basis of the edge."""

    # The text and its span in the chunk; ``None`` if no text shows the edge.
    text: str | None = None
    start: int | None = None
    end: int | None = None
    # The matching properties: date, title, parties, number, message id, ...
    basis: tuple[str, ...] = ()
    position: int | None = None  # The number of the source as an amendment or supplement


def edge_table(
    kind: str,
    type_: str,
    /,
    *,
    source: pa.Array,
    target: pa.Array,
    weight: NDArray[np.float64],
    count: NDArray[np.int64],
    evidence: pa.ListArray,
    **others: NDArray[Any],
) -> pa.Table:
    """Return edges of one type in the declared columns; *others* are columns of this type only."""
    n = len(source)
    declared = schema.table("edges").arrow()
    columns: dict[str, Any] = {
        "source_id": source,
        "source_kind": pa.repeat(kind, n),
        "target_id": target,
        "target_kind": pa.repeat(kind, n),
        "type": pa.repeat(type_, n),
        "directed": pa.repeat(type_ in DIRECTED, n),
        "weight": pa.array(weight.astype(np.float32)),
        "count": pa.array(count.astype(np.int32)),
        "evidence": evidence.cast(declared.field("evidence").type),
    }
    for name, values in others.items():
        columns[name] = pa.array(values, declared.field(name).type)
    for name in set(declared.names) - columns.keys():
        columns[name] = pa.nulls(n, declared.field(name).type)
    return pa.table(columns).select(declared.names).cast(declared)


def table_of(
    kind: str, edges: Iterable[Edge], words: Mapping[tuple[str, str, str], Words], /
) -> pa.Table:
    """Return edges in the declared columns, ordered by type, source and target.

    *edges* has one edge per source, target and type; *words* is keyed by these three.
    """
    nothing = Words()
    rows = [
        {
            "source_id": e.source,
            "source_kind": kind,
            "target_id": e.target,
            "target_kind": kind,
            "type": e.type,
            "directed": e.type in DIRECTED,
            "weight": e.weight,
            "count": e.count,
            "evidence": list(e.evidence),
            "words": shown.text,
            "words_start": shown.start,
            "words_end": shown.end,
            "basis": list(shown.basis) or None,
            "position": shown.position,
        }
        for e in sorted(edges, key=lambda e: e.type)
        for shown in [words.get((e.source, e.target, e.type), nothing)]
    ]
    return pa.Table.from_pylist(rows, schema=schema.table("edges").arrow())


def lists(ids: Sequence[str], groups: NDArray[np.int64], items: NDArray[np.int64], /) -> pa.Array:
    """Return lists of ids.

    *items* are positions in *ids*; *groups* is int64 [n + 1], the start of each list in *items* and
    the end of the last one.
    """
    return pa.ListArray.from_arrays(groups.astype(np.int32), taken(ids, items))


def taken(ids: Sequence[str], items: NDArray[np.int64], /) -> pa.Array:
    """Return the ids at these positions."""
    return pa.array(ids, pa.string()).take(pa.array(items))
