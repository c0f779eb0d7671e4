"""Rows of the table ``edges``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.base import schema
from casetrack.base.records.graph import RELATION_TYPES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from casetrack.base.records.graph import Edge
    from casetrack.graph.state_tables import StateTables

# Who is mentioned where, as numbers: what all relations are counted from.

CONCEPT_KINDS = ("person", "organization", "location", "concept")
"""Entities that connect: a date or a sum of money in two places need not be the same matter."""
EXTERNAL_TYPES = ("document", "report", "standard", "regulation", "rule", "constitution", "case")
"""References to something outside: sections and exhibits belong to their document, and a link in
the letterhead stands on every page."""
_LEVELS = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Places that name things, each counted once.

    Attributes
    ----------
    things
        Ids of entities or references, sorted.
    chunks
        Ids of the chunks that hold a place, in the order of documents and of reading.
    documents, indexes
        int32 [chunks], position of each one's document among the documents of the collection, and
        its own within that document.
    thing, chunk, start
        int64 [places], positions among *things* and *chunks*, and the first character; ordered by
        chunk, then start.
    confidence
        float64 [places].
    """

    things: tuple[str, ...]
    chunks: tuple[str, ...]
    documents: NDArray[np.int32]
    indexes: NDArray[np.int32]
    thing: NDArray[np.int64]
    chunk: NDArray[np.int64]
    start: NDArray[np.int64]
    confidence: NDArray[np.float64]

    def spread(self) -> NDArray[np.int64]:
        """Return int64 [things], in how many chunks each one stands."""
        pairs = distinct(self.thing * max(1, len(self.chunks)) + self.chunk)
        return np.bincount(pairs // max(1, len(self.chunks)), minlength=len(self.things))


def mentioned(source: StateTables, kinds: Collection[str], /) -> Places:
    """Return all places that mention an entity of these kinds."""
    import pyarrow.compute as pc

    table = source.table("mentions")
    kept = pc.and_(pc.is_in(table["kind"], _values(kinds)), pc.invert(table["repeated"]))
    return _places(source, table.filter(kept), "entity_id")


def cited(source: StateTables, types: Collection[str], /) -> Places:
    """Return all places that refer to something of these types, where it is certain to what."""
    import pyarrow.compute as pc

    table = source.table("citations")
    kept = pc.and_(pc.is_in(table["type"], _values(types)), pc.invert(table["repeated"]))
    return _places(source, table.filter(pc.and_(kept, table["resolved"])), "reference_id")


def together(first: Places, second: Places, /) -> Places:
    """Return the places of both, whose things have other ids."""
    things = (*first.things, *second.things)
    place = {
        chunk: (int(part.documents[i]), int(part.indexes[i]))
        for part in (first, second)
        for i, chunk in enumerate(part.chunks)
    }
    chunks = sorted(place, key=lambda chunk: (*place[chunk], chunk))
    position = {chunk: i for i, chunk in enumerate(chunks)}
    moved = [np.array([position[c] for c in p.chunks], np.int64) for p in (first, second)]
    order_of = np.array(sorted(range(len(things)), key=things.__getitem__), np.int64)
    rank = np.empty(len(things), np.int64)
    rank[order_of] = np.arange(len(things))
    thing = rank[np.concatenate([first.thing, second.thing + len(first.things)])]
    chunk = np.concatenate([moved[0][first.chunk], moved[1][second.chunk]])
    start = np.concatenate([first.start, second.start])
    order = np.lexsort((thing, start, chunk))
    where = np.array([place[c] for c in chunks], np.int32).reshape(-1, 2)
    return Places(
        tuple(sorted(things)),
        tuple(chunks),
        where[:, 0],
        where[:, 1],
        thing[order],
        chunk[order],
        start[order],
        np.concatenate([first.confidence, second.confidence])[order],
    )


def _values(names: Collection[str]) -> pa.Array:
    import pyarrow as pa

    return pa.array(sorted(names), pa.string())


def _places(source: StateTables, table: pa.Table, column: str) -> Places:
    things, thing = coded(table[column])
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
    """Return the different texts of a column, sorted, and each row's position among them."""
    import pyarrow as pa

    encoded = column.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    texts = encoded.dictionary.to_pylist()
    order = sorted(range(len(texts)), key=texts.__getitem__)
    rank = np.empty(len(texts), np.int64)
    rank[order] = np.arange(len(texts))
    return tuple(texts[i] for i in order), rank[encoded.indices.to_numpy().astype(np.int64)]


def pairs_within(group: NDArray[np.int64], /) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all pairs of rows of one group, the earlier one first.

    Parameters
    ----------
    group
        int64 [n], ascending.
    """
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
    """Return for each connection its rank among those of the end that values it more, from 0.

    The stronger goes first, in steps of about a millionth; then what leads to the thing with the
    smaller number.

    Parameters
    ----------
    ends
        int64 [n] each, ordered by the first, then the second; the first is the smaller one.
    strength
        float64 [n], 0..1.
    """
    n = len(strength)
    if not n:
        return np.empty(0, np.int64)
    levels = min(_LEVELS, (1 << 62) // ((int(ends[1].max()) + 1) * n))
    weakness = np.rint((1 - strength) * (levels - 1)).astype(np.int64)
    # Packed into one number they sort many times faster than as three. In this order of rows, those
    # of one end are ordered by the other end too.
    packed = np.sort(
        (np.concatenate(ends) * levels + np.tile(weakness, 2)) * n + np.tile(np.arange(n), 2)
    )
    here, row = packed // (levels * n), packed % n
    rank = np.full(n, n, np.int64)
    np.minimum.at(rank, row, np.arange(len(packed)) - np.searchsorted(here, here))
    return rank


def distinct(numbers: NDArray[np.int64], /) -> NDArray[np.int64]:
    """Return the different numbers, ascending; sorting is faster than NumPy's table of hashes."""
    found = np.sort(numbers)
    new = np.ones(len(found), bool)
    new[1:] = found[1:] != found[:-1]
    return found[new]


EVIDENCE = 5
DIRECTED = frozenset(RELATION_TYPES) - {
    *("shared_entities", "shared_references", "semantic", "same_thread")
}


@dataclass(frozen=True, slots=True)
class Words:
    """The words that show an edge, in the first chunk of its evidence, and what agrees.

    Attributes
    ----------
    text, start, end
        The words, and their place in the chunk's text; ``None`` where no words say it.
    basis
        What the edge rests on: date, title, parties, number, message id, ...
    position
        Which amendment or supplement of its contract the source is.
    """

    text: str | None = None
    start: int | None = None
    end: int | None = None
    basis: tuple[str, ...] = ()
    position: int | None = None


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
    """Return edges of one type between things of one kind, in the declared columns.

    Parameters
    ----------
    others
        Columns that only edges of this type have.
    """
    import pyarrow as pa

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
    """Return these edges in the declared columns, ordered by type, source and target.

    Parameters
    ----------
    kind
        What they connect.
    edges
        One for each source, target and type.
    words
        What shows them, by source, target and type, where that is known.
    """
    import pyarrow as pa

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

    Parameters
    ----------
    ids
        What *items* point to.
    groups
        int64 [n + 1], where each list begins among *items*, and the end of the last one.
    items
        Positions among *ids*.
    """
    import pyarrow as pa

    return pa.ListArray.from_arrays(groups.astype(np.int32), taken(ids, items))


def taken(ids: Sequence[str], items: NDArray[np.int64], /) -> pa.Array:
    """Return the ids at these positions."""
    import pyarrow as pa

    return pa.array(ids, pa.string()).take(pa.array(items))
