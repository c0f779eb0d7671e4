"""A segment of the graph: the facts from the documents of some revisions, immutable and mapped.

Files of a segment folder, each an Arrow table:

``revisions``
    ``revision``, ascending, and ``start``, its first row in ``chunks``.
``chunks``
    ``chunk_id``, ``revision`` (row of ``revisions``), ``chunk_index``, ``page``, whether the chunk
    was searched for names (``named``) and for other facts (``extracted``), and whether the document
    could be read (``mapped``): after an error it lacks rows in other tables.
``entities``
    The entities of each document: ``revision``, ``kind``, ``key``, ``name``, ``spellings``,
    ``mention_count``, ``chunk_count``, ``roles``, ``first_chunk_id``, ``evidence`` (counts by kind
    of evidence for a name), ``addresses`` (of mail), ``defined`` (other names that the text
    defines).
``identities``
    The self-description of each document: ``revision``, ``page`` and the
    fields of :class:`casetrack.graph.identity.Identity`.
``mentions``, ``dates``, ``amounts``, ``citations``, ``claims``
    Places: ``chunk`` (row of ``chunks``), ``entity`` (row of ``entities``, -1 for none), and the
    facts at the place.
``lines``
    ``chunk``, span and ``digest`` of each line, see :mod:`casetrack.graph.repeats`.

A segment does not depend on other documents, so segments are merged by concatenation.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
import pyarrow as pa

from casetrack.base.dataclass import dataclass
from casetrack.store.index import arrays
from casetrack.store.index.arrays import as_numpy, with_column

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

# Segments as stored: Arrow tables about some revisions, memory-mapped. The layouts are in
# :mod:`casetrack.graph.segment` and :mod:`casetrack.editions.legal.views`; this part loads
# and writes them.

_MAPPED = frozenset({"revisions", "chunks", "citations"})
"""Tables that a search reads in place; the others are packed and take a quarter of the space."""
Layout: TypeAlias = Mapping[str, Mapping[str, pa.DataType]]
"""Columns of each table of a segment; ``revisions`` has ``revision``, ascending, and ``start``."""


@dataclass(frozen=True, slots=True)
class TableSegment:
    """The facts from the documents of some revisions."""

    revisions: tuple[str, ...]  # Ids, ascending
    # int64 [revisions + 1], first row of each revision in the table whose rows are counted.
    starts: np.ndarray
    tables: Mapping[str, pa.Table]

    @classmethod
    def of(cls, tables: Mapping[str, pa.Table], counted: str, /) -> Self:
        """Build a segment from tables; ``start`` counts rows of *counted*."""
        revisions = tables["revisions"]
        starts = np.append(as_numpy(revisions["start"]), tables[counted].num_rows)
        return cls(tuple(revisions["revision"].to_pylist()), starts, tables)

    @classmethod
    def load(cls, folder: Path, layout: Layout, counted: str, /) -> Self:
        """Map a saved segment; ``OSError`` or ``ValueError`` if it must be rebuilt."""
        stored: dict[str, Any] = {}
        for name, columns in layout.items():
            file = arrays.open_table(folder / f"{name}.arrow")
            if file.schema.names != list(columns):
                raise ValueError(f"{folder} has other columns in {name}")
            stored[name] = file.read_all() if name in _MAPPED else file
        return cls.of(_StoredTables(stored), counted)

    @property
    def size(self) -> int:
        """Number of rows in the table that ``starts`` counts."""
        return int(self.starts[-1])


class _StoredTables(UserDict[str, Any]):
    """Tables of files; a packed one is unpacked at each access, because readers copy its rows."""

    def __getitem__(self, name: str, /) -> pa.Table:
        stored = self.data[name]
        return stored if name in _MAPPED else stored.read_all()


def table_of(columns: Mapping[str, pa.DataType], rows: Sequence[Mapping[str, Any]], /) -> pa.Table:
    """Return rows as a table with these columns."""
    return pa.table(
        {name: pa.array([row[name] for row in rows], kind) for name, kind in columns.items()},
        schema=pa.schema(list(columns.items())),
    )


def rows_between(table: pa.Table, column: str, start: int, end: int, /) -> tuple[int, int]:
    """Return the half-open row range whose ascending *column* is in ``[start, end)``."""
    low, high = np.searchsorted(as_numpy(table[column]), [start, end])
    return int(low), int(high)


def save(segment: TableSegment, folder: Path, /) -> None:
    """Write a segment's files into the new folder *folder*."""
    folder.mkdir(parents=True)
    for name, table in segment.tables.items():
        write_table(table, folder / f"{name}.arrow", packed=name not in _MAPPED)


def write_table(table: pa.Table, path: Path, /, *, at: Path | None = None, packed: bool) -> None:
    """Write a table to a file, which can be mapped unless *packed*; *at* is its final path."""
    words = _with_used_words(table.combine_chunks())
    arrays.write_table(words, path, at=at, compression="zstd" if packed else None)


def _with_used_words(table: pa.Table) -> pa.Table:
    """Return a table whose dictionaries contain only values that its rows use."""
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            words = table.column(place).cast(field.type.value_type).combine_chunks()
            table = table.set_column(place, field, words.dictionary_encode().cast(field.type))
    return table


FORMAT = 33
"""Increased with every change of the layout or of the results of reading."""
COLUMNS = (
    *("chunk_id", "revision", "chunk_index", "page", "char_start", "char_end", "text"),
    *("heading_path", "mentions", "dates", "amounts", "citations"),
    *("paragraphs", "table_header", "page_header"),
)
"""Columns of ``chunks`` that a segment is built from."""

_TEXT = pa.dictionary(pa.int32(), pa.string())
_COUNTED = pa.list_(pa.struct([("text", pa.string()), ("count", pa.int32())]))
_EVIDENCE = pa.list_(pa.struct([("kind", pa.string()), ("count", pa.int32())]))
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
_DESCRIPTION: dict[str, pa.DataType] = {
    "kind": _TEXT,
    "title": pa.list_(pa.string()),
    "restated": pa.bool_(),
    "ordinal": pa.int32(),
    "dates": pa.list_(pa.string()),
    "numbers": pa.list_(pa.string()),
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
        "mapped": pa.bool_(),
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
        "evidence": _EVIDENCE,
        "addresses": pa.list_(pa.string()),
        "defined": pa.list_(pa.string()),
    },
    "mentions": {**_PLACE, "role": _TEXT, "found_by": _TEXT},
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
        "printed_value": pa.float64(),
        "scale": pa.float64(),
        "row_label": _TEXT,
        "period": _TEXT,
        "first_day": _TEXT,
        "last_day": _TEXT,
    },
    "citations": {
        **_PLACE,
        "type": _TEXT,
        "key": _TEXT,
        "name": _TEXT,
        "relationship": _TEXT,
        "resolved": pa.bool_(),
    },
    "identities": {
        "revision": pa.int32(),
        "page": pa.int32(),
        **_DESCRIPTION,
        "label": pa.string(),
        "parts": pa.list_(pa.string()),
        "digest": pa.string(),
    },
    "sayings": {**_PLACE, "says": _TEXT, **_DESCRIPTION},
    "lines": dict.fromkeys(("chunk", "char_start", "char_end", "digest"), pa.int32()),
}
"""Columns of each table of a segment."""
_PLACES = ("mentions", "dates", "amounts", "citations", "sayings", "lines")
_OF_REVISIONS = ("chunks", "entities", "identities")


class GraphSegment(TableSegment):
    """The facts from the documents of some revisions, counted in chunks; see the module."""

    __slots__ = ()


def merge(parts: Sequence[GraphSegment], live: Iterable[str], /) -> GraphSegment:
    """Concatenate the *live* revisions of segments, ordered by revision."""
    wanted = set(live)
    pieces = sorted(
        (revision, number, code)
        for number, part in enumerate(parts)
        for code, revision in enumerate(part.revisions)
        if revision in wanted
    )
    tables_of = [dict(part.tables) for part in parts]
    rows = {name: [pa.schema(kinds.items()).empty_table()] for name, kinds in LAYOUT.items()}
    chunk = entity = 0
    for new, (_, number, code) in enumerate(pieces):
        tables, (start, end) = tables_of[number], parts[number].starts[code : code + 2].tolist()
        first, last = rows_between(tables["entities"], "revision", code, code + 1)
        for name, table in tables.items():
            where = ("chunk", start, end) if name in _PLACES else ("revision", code, code + 1)
            low, high = where[1:] if name == "revisions" else rows_between(table, *where)
            cut = table.slice(low, high - low)
            rows[name].append(_moved(name, cut, new, chunk - start, entity - first))
        chunk, entity = chunk + end - start, entity + last - first
    joined = {
        name: pa.concat_tables(tables_of_name).unify_dictionaries().combine_chunks()
        for name, tables_of_name in rows.items()
    }
    return segment_of(joined)


def _moved(name: str, table: pa.Table, code: int, chunk: int, entity: int) -> pa.Table:
    """Return the rows of revision *code* with references to other rows shifted by these offsets."""
    if name == "revisions":
        return with_column(table, "start", as_numpy(table["start"]) + chunk)
    if name in _OF_REVISIONS:
        return with_column(table, "revision", np.full(table.num_rows, code, dtype=np.int32))
    table = with_column(table, "chunk", as_numpy(table["chunk"]) + np.int32(chunk))
    if name == "lines":
        return table
    named = as_numpy(table["entity"])
    return with_column(table, "entity", np.where(named < 0, named, named + np.int32(entity)))


def segment_of(tables: Mapping[str, pa.Table], /) -> GraphSegment:
    """Build a segment from its tables."""
    return GraphSegment.of(tables, "chunks")


def load(folder: Path, /) -> GraphSegment:
    """Map a saved segment; see :meth:`casetrack.graph.segment.TableSegment.load`."""
    return GraphSegment.load(folder, LAYOUT, "chunks")
