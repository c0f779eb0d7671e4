"""The tables over all documents, assembled from the segments.

Repeated strings are dictionary-encoded; :func:`plain` converts a table to its declared types.
Rows are ordered by document (name, path and id) and position, so that the result does not depend on
how the segments were built.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.base import schema
from casetrack.base.dataclass import dataclass, field
from casetrack.graph.entities.text import same_spelling
from casetrack.graph.repeats import Lines
from casetrack.graph.segment import LAYOUT
from casetrack.store.index.arrays import as_numpy, one_chunk, with_column

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.base.records import Document
    from casetrack.graph.entities.merge import Merged
    from casetrack.graph.relations.mails import Mails
    from casetrack.graph.segment import GraphSegment

_OF_ITS_DOCUMENT = ("section", "exhibit")
"""Types of references whose meaning depends on the document."""
_PLACED = ("char_start", "char_end", "text", "repeated", "boilerplate")
_FEW = 80
"""Minimum length of own text, in code points, next to a longer repeated text."""


@dataclass(frozen=True)
class Live:
    """The live part of some segments."""

    documents: tuple[Document, ...]
    # Segments that contain the revisions of *documents*, and maybe others.
    segments: tuple[GraphSegment, ...]
    # Returns the stored table of a name, or builds and stores it.
    _kept: Callable[[str, Callable[[], pa.Table]], pa.Table]
    _repeats: dict[str, NDArray[np.bool_]] = field(default_factory=dict)

    @cached_property
    def _ranks(self) -> dict[str, int]:
        return {d.revision: rank for rank, d in enumerate(self.documents)}

    @cached_property
    def _documents_of(self) -> list[NDArray[np.int32]]:
        """Return for each segment the document of each revision, -1 for a dead one."""
        ranks_of_parts, taken = [], set[str]()
        for part in self.segments:
            ranks = np.full(len(part.revisions) + 1, -1, dtype=np.int32)
            for code, revision in enumerate(part.revisions):
                # Two programs may have built one revision at the same time: only one counts.
                if revision in self._ranks and revision not in taken:
                    ranks[code] = self._ranks[revision]
                    taken.add(revision)
            ranks_of_parts.append(ranks)
        return ranks_of_parts

    @cached_property
    def first_chunks(self) -> NDArray[np.int64]:
        """int64 [documents + 1], position of each document's first chunk among all chunks."""
        counts = [d.chunk_count for d in self.documents]
        return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)

    @cached_property
    def chunks(self) -> pa.Table:
        """All chunks: ``chunk_id``, ``document`` (position), ``chunk_index``, ``page``."""
        return self._by_document("chunks", "chunk_index")

    def _by_document(self, name: str, *order: str) -> pa.Table:
        """Return the live rows of all segments with ``document`` (position), in that order."""
        names = {n: t for n, t in LAYOUT[name].items() if n != "revision"}
        parts = [pa.schema([*names.items(), ("document", pa.int32())]).empty_table()]
        for part, ranks in zip(self.segments, self._documents_of, strict=True):
            table = part.tables[name]
            documents = ranks[as_numpy(table["revision"])]
            table = table.drop_columns("revision").append_column("document", pa.array(documents))
            parts.append(table.filter(pa.array(documents >= 0)))
        table = pa.concat_tables(parts).unify_dictionaries()
        rows = np.lexsort([as_numpy(table[column]) for column in (*order, "document")])
        return table.take(pa.array(rows)).combine_chunks()

    @cached_property
    def boilerplate(self) -> Lines:
        """The lines of texts that many documents repeat."""
        parts = [self._placed_rows(n, "lines") for n in range(len(self.segments))]
        table = pa.concat_tables(parts or [pa.schema(LAYOUT["lines"].items()).empty_table()])
        chunk, start, end, digest = (as_numpy(table[n]).astype(np.int64) for n in LAYOUT["lines"])
        document = as_numpy(self.chunks["document"])[chunk].astype(np.int64)
        order = np.lexsort([start, chunk])
        return Lines(*(c[order] for c in (document, chunk, start, end, digest))).boilerplate()

    @cached_property
    def own_shares(self) -> NDArray[np.float64]:
        """float64 [chunks], 0..1, share of text that no earlier document has; 0 if it is short."""
        lines = self.boilerplate
        later = lines.taken(lines.later())
        size = self.chunks.num_rows
        repeated = np.bincount(later.chunk, later.end - later.start, size)
        parts = [self._placed_rows(n, "lines") for n in range(len(self.segments))]
        whole = np.zeros(size)
        for part in parts:
            chunk, start, end, _ = (as_numpy(part[n]) for n in LAYOUT["lines"])
            # The head of a mail is never repeated.
            is_head = (start == 0) & np.isin(chunk, self.first_chunks)
            whole += np.bincount(chunk, np.where(is_head, 0, end - start), size)
        has_own = (whole - repeated >= _FEW) | (2 * repeated < np.maximum(whole, 1))
        has_own &= ~np.isin(as_numpy(self.chunks["document"]), self.copies)
        return np.where(has_own, np.maximum(1 - repeated / np.maximum(whole, 1), 0), 0)

    def _placed_rows(self, number: int, name: str) -> pa.Table:
        """Return the live rows of a segment's table, with ``chunk`` as position among all."""
        part, ranks = self.segments[number], self._documents_of[number]
        table, chunks = part.tables[name], part.tables["chunks"]
        chunk = as_numpy(table["chunk"])
        documents = ranks[as_numpy(chunks["revision"])][chunk]
        keep = documents >= 0
        index = as_numpy(chunks["chunk_index"])[chunk]
        placed = np.where(keep, self.first_chunks[documents] + index, 0).astype(np.int32)
        if "entity" in table.column_names:
            # The number among the document's entities, then among all entities.
            entity, (first, total) = as_numpy(table["entity"]), self._local_starts[number]
            own = total[documents] + entity - first[as_numpy(chunks["revision"])[chunk]]
            local = np.where(entity >= 0, own, -1).astype(np.int64)
            table = table.append_column("local", pa.array(local))
        return with_column(table, "chunk", placed).filter(pa.array(keep))

    @cached_property
    def locals(self) -> pa.Table:
        """The entities of each document in the form that is merged, ordered by document.

        Mentions in repeated text count with the first document that has it.
        """
        table, rows = self._locals, self._sorted("mentions")
        own = as_numpy(rows["local"])
        lost = self._again("mentions") & ~as_numpy(rows["repeated"]) & (own >= 0)
        counts = as_numpy(table["mention_count"]) - np.bincount(own[lost], minlength=len(table))
        return with_column(table, "mention_count", counts)

    @cached_property
    def _locals(self) -> pa.Table:
        table = self._by_document("entities")
        table = table.rename_columns({"document": "document_rank"})
        ids = pa.array([d.document_id for d in self.documents], pa.string())
        named = ids.take(table["document_rank"].combine_chunks())
        columns = {"document_id": named} | {
            n: table[n].cast(t) for n, t in _LOCALS.items() if n != "document_id"
        }
        return pa.table(columns)

    @cached_property
    def identities(self) -> pa.Table:
        """The self-descriptions of the documents with ``document`` (position), in that order."""
        return self._by_document("identities", "page")

    @cached_property
    def claims(self) -> pa.Table:
        """The documents' statements about others, with ``document`` (position), chunk and page."""
        rows = self._sorted("sayings")
        chunk = as_numpy(rows["chunk"])
        placed = self.chunks.take(pa.array(chunk))
        names = ("document", "chunk_id", "chunk_index", "page")
        kept = rows.drop_columns(["chunk", "entity", "local"])
        for name in names:
            kept = kept.append_column(name, placed[name])
        return kept

    def places(
        self, name: str, codes: NDArray[np.int32] | None = None, moved: pa.Table | None = None, /
    ) -> pa.Table:
        """Return a table of places with ``chunk`` as the position among all chunks.

        *name* is ``mentions``, ``dates``, ``amounts`` or ``citations``. *codes* has the entity of
        each row of :attr:`locals`; without it ``entity`` keeps its stored value. *moved* are
        spellings that belong to another entity, see :data:`casetrack.graph.entities.edits.MOVED`.
        ``boilerplate`` places are in a text that an earlier document has; they are ``repeated``.
        """
        table, others = self._sorted(name), _others(moved)
        if codes is not None:
            local = as_numpy(table["local"])
            known = np.where(local >= 0, codes[local] if len(codes) else -1, -1)
            for row in np.flatnonzero(np.isin(local, list(others))).tolist():
                spelled = same_spelling(table["text"][row].as_py())
                known[row] = others[int(local[row])].get(spelled, known[row])
            table = with_column(table, "entity", known)
        again = self._again(name)
        table = with_column(table, "repeated", as_numpy(table["repeated"]) | again)
        table = table.drop_columns("local")
        return table.append_column("boilerplate", pa.array(again))

    def _sorted(self, name: str) -> pa.Table:
        """Return the rows of a table of places in reading order, with ``local``, row of locals."""
        parts = [pa.schema([*LAYOUT[name].items(), ("local", pa.int64())]).empty_table()]
        parts += [self._placed_rows(number, name) for number in range(len(self.segments))]
        table = pa.concat_tables(parts).unify_dictionaries().combine_chunks()
        order = np.lexsort([as_numpy(table[n]) for n in ("char_end", "char_start", "chunk")])
        return table.take(pa.array(order)).combine_chunks()

    def _again(self, name: str) -> NDArray[np.bool_]:
        """Return for each sorted place whether an earlier document has it in the same text.

        So has the original of a copied mail, if it has the same entity or text at any place.
        """
        if name not in self._repeats:
            rows = self._sorted(name)
            what = as_numpy(one_chunk(rows["text"]).indices).astype(np.int64)
            if name == "mentions" and rows.num_rows:
                keys = pc.binary_join_element_wise(self._locals["kind"], self._locals["key"], ":")
                entities = keys.combine_chunks().dictionary_encode().indices
                what = as_numpy(entities)[as_numpy(rows["local"])].astype(np.int64)
            chunk, start = (as_numpy(rows[n]).astype(np.int64) for n in ("chunk", "char_start"))
            copied = np.isin(as_numpy(self.chunks["document"])[chunk], self.copies)
            again = copied & np.isin(what, what[~copied])
            self._repeats[name] = again | self.boilerplate.repeats(chunk, start, what)
        return self._repeats[name]

    @cached_property
    def copies(self) -> NDArray[np.int32]:
        """int32 [copies], positions of the documents that are copies of an earlier mail."""

        def found() -> pa.Table:
            copies = [copy for copy, _ in self.mails.copies()]
            return pa.table({"document": pa.array(copies, pa.int32())})

        return as_numpy(self._kept("copies", found)["document"])

    @cached_property
    def mails(self) -> Mails:
        """The mails with their replies, threads and copies."""
        from casetrack.graph.relations.mails import Mails

        identities, claims = self.identities, self.claims
        own = identities.filter(pc.equal(identities["kind"].cast(pa.string()), "mail"))
        quoted = claims.filter(
            pc.and_(
                pc.equal(claims["says"].cast(pa.string()), "quotes"), pc.invert(claims["repeated"])
            )
        )
        return Mails(self.documents, own.to_pylist(), quoted.to_pylist())

    @cached_property
    def _local_starts(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Return per segment the first entity of each revision, in the segment and among all."""
        total = np.searchsorted(
            as_numpy(self._locals["document_rank"]), np.arange(len(self.documents) + 1)
        )
        starts = []
        for part in self.segments:
            codes = as_numpy(part.tables["entities"]["revision"])
            own = np.searchsorted(codes, np.arange(len(part.revisions) + 1))
            starts.append((own.astype(np.int64), total.astype(np.int64)))
        return starts

    def placed(self, table: pa.Table, /) -> dict[str, pa.Array]:
        """Return the columns that locate each row of a table of places."""
        chunk = pa.array(as_numpy(table["chunk"]), pa.int32())
        documents = as_numpy(self.chunks["document"])[as_numpy(table["chunk"])]
        code = pa.array(documents, pa.int32())
        ids = pa.array([d.document_id for d in self.documents], pa.string())
        names = pa.array([d.name for d in self.documents], pa.string())
        chunk_ids = self.chunks["chunk_id"].combine_chunks()
        return {
            "document_id": pa.DictionaryArray.from_arrays(code, ids),
            "document_name": pa.DictionaryArray.from_arrays(code, names),
            "chunk_id": pa.DictionaryArray.from_arrays(chunk, chunk_ids),
            **{n: self.chunks[n].combine_chunks().take(chunk) for n in ("chunk_index", "page")},
            **{n: table[n].combine_chunks() for n in _PLACED},
        }


@dataclass(frozen=True, slots=True, eq=False)
class Entities:
    """The entities of all documents, and their places."""

    table: pa.Table
    # The row of ``table`` for each row of :attr:`Live.locals`, -1 for none.
    codes: NDArray[np.int32]
    # See :class:`casetrack.graph.entities.merge.Merged`; ``None`` without edits by the user.
    moved: pa.Table | None = None
    outcomes: pa.Table | None = None


def _others(moved: pa.Table | None) -> dict[int, dict[str, int]]:
    """Return the spellings of each local entity that belong to another entity."""
    others: dict[int, dict[str, int]] = {}
    for row in moved.to_pylist() if moved is not None else ():
        others.setdefault(row["local"], {})[row["text"]] = row["entity"]
    return others


def counted(live: Live, merged: Merged, /) -> pa.Table:
    """Return the table ``entities`` with the columns that depend on places."""
    from casetrack.graph.entities.merge import with_chunk_counts

    places = live.places("mentions", merged.codes, merged.moved)
    places = places.filter(
        pc.and_(pc.greater_equal(places["entity"], 0), pc.invert(places["boilerplate"]))
    )
    entity, chunk = as_numpy(places["entity"]), as_numpy(places["chunk"])
    table = with_chunk_counts(merged.entities, entity, chunk)
    if not merged.moved.num_rows:
        return table
    # An entity that was split off starts at another place than the original.
    first = np.full(table.num_rows, -1, dtype=np.int64)
    first[entity[::-1]] = chunk[::-1]
    known = pa.array(first, mask=first < 0)
    ids = pa.array([d.document_id for d in live.documents], pa.string())
    begins = {
        "first_chunk_id": live.chunks["chunk_id"].combine_chunks().take(known),
        "first_document_id": ids.take(live.chunks["document"].combine_chunks().take(known)),
    }
    for name, column in begins.items():
        table = with_column(table, name, pc.coalesce(column, table[name].combine_chunks()))
    return table


_LOCALS: dict[str, pa.DataType] = {
    "document_id": pa.string(),
    "document_rank": pa.int32(),
    "kind": pa.string(),
    "key": pa.string(),
    "name": pa.string(),
    "spellings": LAYOUT["entities"]["spellings"],
    "mention_count": pa.int32(),
    "chunk_count": pa.int32(),
    "roles": LAYOUT["entities"]["roles"],
    "first_chunk_id": pa.string(),
    "evidence": LAYOUT["entities"]["evidence"],
    "addresses": LAYOUT["entities"]["addresses"],
    "defined": LAYOUT["entities"]["defined"],
}


def facts(name: str, live: Live, entities: Entities, /) -> pa.Table:
    """Return the table ``mentions``, ``dates`` or ``amounts``."""
    rows = live.places(name, entities.codes, entities.moved if name == "mentions" else None)
    if name != "dates":
        rows = rows.filter(pc.greater_equal(rows["entity"], 0))
    names = [n for n in schema.table(name).names if n in rows.column_names]
    own = {n: rows[n].combine_chunks() for n in names}
    return _arranged(name, {**_of_entity(rows, entities.table), **own, **live.placed(rows)})


def _of_entity(rows: pa.Table, entities: pa.Table) -> dict[str, pa.Array]:
    code = as_numpy(rows["entity"])
    index = pa.array(np.maximum(code, 0), pa.int32(), mask=code < 0)
    return {
        n: pa.DictionaryArray.from_arrays(index, entities[n].combine_chunks())
        for n in ("entity_id", "kind", "name")
    }


def citations(live: Live, /) -> pa.Table:
    """Return the table ``citations`` without its targets."""
    rows = live.places("citations")
    places = live.placed(rows)
    kinds, keys = rows["type"].cast(pa.string()), rows["key"].cast(pa.string())
    own = pc.is_in(kinds, value_set=pa.array(_OF_ITS_DOCUMENT))
    inside = pc.binary_join_element_wise(keys, places["document_id"].cast(pa.string()), "@")
    names = ("type", "name", "relationship", "resolved", "confidence")
    return _arranged(
        "citations",
        {
            **places,
            "reference_id": pc.if_else(own, inside, keys).combine_chunks().dictionary_encode(),
            **{n: rows[n].combine_chunks() for n in names},
            "target_document_id": pa.nulls(rows.num_rows, pa.string()),
        },
    )


def references(citations: pa.Table, /) -> tuple[pa.Table, dict[str, list[str]]]:
    """Return the table ``references`` without targets, and the spellings of each reference."""
    counted = citations.filter(
        pc.and_(citations["resolved"], pc.invert(citations["repeated"]))
    ).select(["reference_id", "type", "name", "text", "chunk_id", "document_id"])
    counted = pa.table({n: counted[n].cast(pa.string()) for n in counted.column_names})
    groups = counted.group_by("reference_id").aggregate(
        [([], "count_all"), ("chunk_id", "count_distinct"), ("document_id", "count_distinct")]
    )
    named = counted.group_by(["reference_id", "type", "name"]).aggregate([([], "count_all")])
    best: dict[str, tuple[int, str, str]] = {}
    spellings: dict[str, list[str]] = {}
    for row in named.to_pylist():
        rank = (-row["count_all"], row["name"], row["type"])
        reference = row["reference_id"]
        best[reference] = min(best.get(reference, rank), rank)
        spellings.setdefault(reference, []).append(row["name"])
    for row in counted.group_by(["reference_id", "text"]).aggregate([]).to_pylist():
        spellings[row["reference_id"]].append(row["text"])
    ids, counts = groups["reference_id"].to_pylist(), groups["count_all"].to_pylist()
    first: dict[str, int] = {}
    for place, reference in enumerate(counted["reference_id"].to_pylist()):
        first.setdefault(reference, place)
    table = pa.table(
        {
            "reference_id": pa.array(ids, pa.string()),
            "type": pa.array([best[i][2] for i in ids], pa.string()),
            "name": pa.array([best[i][1] for i in ids], pa.string()),
            "citation_count": groups["count_all"].cast(pa.int32()),
            "chunk_count": groups["chunk_id_count_distinct"].cast(pa.int32()),
            "document_count": groups["document_id_count_distinct"].cast(pa.int32()),
            "target_document_id": pa.nulls(len(ids), pa.string()),
            "target_document_name": pa.nulls(len(ids), pa.string()),
        }
    )
    # The document id after "@" is random, so it must not affect the order.
    keys = [(-n, i.partition("@")[0], first[i]) for n, i in zip(counts, ids, strict=True)]
    table = table.take(pa.array(sorted(range(len(ids)), key=keys.__getitem__), pa.int64()))
    return _arranged("references", table), {k: sorted(set(v)) for k, v in spellings.items()}


def with_targets(
    table: pa.Table, targets: Mapping[str, str], documents: Sequence[Document], /
) -> pa.Table:
    """Return ``references`` or ``citations`` with the ids of their target documents."""
    ids = [targets.get(i) for i in table["reference_id"].to_pylist()]
    names = {d.document_id: d.name for d in documents}
    columns: dict[str, Any] = {n: table[n] for n in table.column_names}
    columns["target_document_id"] = pa.array(ids, pa.string())
    if "target_document_name" in columns:
        columns["target_document_name"] = pa.array([names.get(i or "") for i in ids], pa.string())
    return pa.table(columns)


def plain(name: str, table: pa.Table, /) -> pa.Table:
    """Return a table with its declared types, without dictionaries."""
    declared = schema.table(name).arrow()
    return pa.table({f.name: table[f.name].cast(f.type) for f in declared}, schema=declared)


def encoded(table: pa.Table, /) -> pa.Table:
    """Return a table whose texts and lists of texts are dictionary-encoded: a third of the size."""
    return pa.table({name: _encoded(one_chunk(table[name])) for name in table.column_names})


def with_lists(table: pa.Table, /) -> pa.Table:
    """Return an :func:`encoded` table with plain lists: DuckDB reads no empty encoded ones."""
    columns = {}
    for name in table.column_names:
        column = table[name]
        if pa.types.is_list(column.type) and pa.types.is_dictionary(column.type.value_type):
            column = column.cast(pa.list_(column.type.value_type.value_type))
        columns[name] = column
    return pa.table(columns)


def _encoded(column: pa.Array) -> pa.Array:
    if pa.types.is_string(column.type):
        return column.dictionary_encode()
    if pa.types.is_list(column.type) and pa.types.is_string(column.type.value_type):
        texts = column.values.dictionary_encode()
        return pa.ListArray.from_arrays(column.offsets, texts, mask=column.is_null())
    return column


def _arranged(name: str, columns: Mapping[str, Any] | pa.Table) -> pa.Table:
    return pa.table({n: columns[n] for n in schema.table(name).names})
