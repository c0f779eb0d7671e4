"""A segment: immutable, memory-mapped postings and vectors of some revisions.

Files of a segment folder:

``rows.arrow``
    One row per chunk, ordered by revision and position: ``chunk_id``, ``row_id`` (stable id in
    Lance), ``revision`` (code into ``revisions``), ``chunk_index``, ``length`` (terms with
    repetitions), ``embedded`` (whether it has a vector).
``terms.arrow``
    ``term`` (sorted), ``offset`` (first posting), ``count`` (postings of the term).
``postings.arrow``
    ``row`` (position in ``rows``, ascending within a term) and ``tf`` (term frequency, as float32,
    which is what the arithmetic needs).
``places.arrow``
    The columns of ``chunks`` that make a citation, row by row: a search result then needs nothing
    but its text from Lance.
``dense.npy``
    float32 matrix, one row per chunk, unit length; zeros where there is no vector.

Term frequencies are stored, not finished weights: lengths and document frequencies change with
every document, and a search must not depend on the order in which documents came.
"""

from __future__ import annotations

import bisect
import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.store.passages import PLACE_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_INDEXED = ("chunk_id", "revision", "chunk_index", "terms", "term_counts", "term_total", "dense")
COLUMNS = tuple(dict.fromkeys([*_INDEXED, *PLACE_COLUMNS]))
"""Columns of ``chunks`` that a segment is made of."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Postings and vectors of some revisions; see the module for the layout."""

    revisions: tuple[str, ...]
    rows: pa.Table
    terms: pa.Table
    postings: pa.Table
    places: pa.Table
    dense: np.ndarray = field(repr=False)
    _cache: dict[str, np.ndarray] = field(default_factory=dict, repr=False)

    @property
    def size(self) -> int:
        """Number of chunks."""
        return int(self.rows.num_rows)

    def column(self, name: str, /) -> np.ndarray:
        """Return a column of ``rows``, ``postings`` or ``terms`` as a NumPy array, zero-copy."""
        if name not in self._cache:
            for table in (self.rows, self.postings, self.terms):
                if name in table.column_names:
                    self._cache[name] = _numpy(table[name])
        return self._cache[name]

    def chunk_ids(self, positions: np.ndarray, /) -> list[str]:
        """Return the chunk ids at *positions*."""
        ids: list[str] = self.rows["chunk_id"].take(pa.array(positions)).to_pylist()
        return ids

    def places_of(
        self, positions: Sequence[int], columns: Sequence[str], /
    ) -> list[dict[str, Any]]:
        """Return *columns* of ``places`` at *positions*."""
        chosen = self.places.select(list(columns)).take(pa.array(positions))
        rows: list[dict[str, Any]] = chosen.to_pylist()
        return rows

    def postings_of(self, term: str, /) -> tuple[np.ndarray, np.ndarray]:
        """Return ``(rows, tf)`` of a term; empty arrays where it does not occur."""
        i = bisect.bisect_left(_Lookup(self.terms["term"].chunk(0)), term) if self.size else 0
        if i >= self.terms.num_rows or self.terms["term"][i].as_py() != term:
            return _EMPTY, _EMPTY
        start = int(self.column("offset")[i])
        end = start + int(self.column("count")[i])
        return self.column("row")[start:end], self.column("tf")[start:end]


_EMPTY = np.empty(0, dtype=np.int32)


@dataclass(frozen=True, slots=True)
class _Lookup:
    """Makes an Arrow string array a sequence for ``bisect`` without converting it."""

    array: pa.StringArray

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, index: int) -> str:
        value: str = self.array[index].as_py()
        return value


def build(table: pa.Table, /) -> Segment:
    """Make a segment from rows of ``chunks`` with the columns ``COLUMNS`` and ``_rowid``."""
    table = table.combine_chunks().sort_by(
        [("revision", "ascending"), ("chunk_index", "ascending")]
    )
    revision = table["revision"].combine_chunks().dictionary_encode()
    dense = _matrix(table["dense"].combine_chunks())
    embedded = table["dense"].combine_chunks().is_valid()
    rows = pa.table(
        {
            "chunk_id": table["chunk_id"],
            "row_id": table["_rowid"].cast(pa.int64()),
            "revision": revision.indices.cast(pa.int32())
            if len(revision)
            else pa.array([], pa.int32()),
            "chunk_index": table["chunk_index"],
            "length": table["term_total"],
            "embedded": embedded.cast(pa.int8()),
        }
    ).combine_chunks()
    terms, postings = _postings(table)
    places = table.select(list(PLACE_COLUMNS)).combine_chunks()
    return Segment(tuple(revision.dictionary.to_pylist()), rows, terms, postings, places, dense)


def _postings(table: pa.Table) -> tuple[pa.Table, pa.Table]:
    lists = table["terms"].combine_chunks()
    flat = lists.flatten().dictionary_encode()
    rows = _numpy(pc.list_parent_indices(lists)).astype(np.int32)
    tf = _numpy(table["term_counts"].combine_chunks().flatten())
    # Codes follow first appearance; rank them by the term's own order.
    words = flat.dictionary
    order = np.asarray(pc.sort_indices(words))
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    ranks = rank[_numpy(flat.indices)] if len(words) else np.empty(0, dtype=np.int32)
    by_term = np.argsort(ranks, kind="stable")
    counts = np.bincount(ranks, minlength=len(words)).astype(np.int32)
    offsets = np.zeros(len(words), dtype=np.int64)
    np.cumsum(counts[:-1], out=offsets[1:])
    terms = pa.table({"term": words.take(pa.array(order)), "offset": offsets, "count": counts})
    return terms, pa.table({"row": rows[by_term], "tf": tf[by_term].astype(np.float32)})


def _matrix(vectors: pa.FixedSizeListArray) -> np.ndarray:
    dimension = vectors.type.list_size
    # A null list still takes its place in the flat values, whatever stands there.
    flat = _numpy(pa.concat_arrays([vectors.values.slice(vectors.offset * dimension)]))
    matrix = flat[: len(vectors) * dimension].reshape(-1, dimension).astype(np.float32)
    matrix[~_numpy(vectors.is_valid())] = 0.0
    return _unit(matrix)


def _unit(matrix: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / np.where(norms > 0, norms, 1.0).astype(np.float32)


def _numpy(array: Any) -> np.ndarray:
    combined = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    if isinstance(combined, pa.ChunkedArray):  # an empty column has no chunk to combine to
        combined = combined.chunk(0) if combined.num_chunks else pa.array([], combined.type)
    values: np.ndarray = combined.to_numpy(zero_copy_only=False)
    return values


def save(segment: Segment, folder: Path, /) -> None:
    """Write the segment's files into the new folder *folder*."""
    folder.mkdir(parents=True)
    revisions = pa.table({"revision": pa.array(segment.revisions, pa.string())})
    tables = {"revisions": revisions, "rows": segment.rows, "terms": segment.terms}
    tables |= {"postings": segment.postings, "places": segment.places}
    for name, table in tables.items():
        path = str(folder / f"{name}.arrow")
        with pa.OSFile(path, "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table.combine_chunks())
    np.save(folder / "dense.npy", segment.dense)


def load(folder: Path, /) -> Segment:
    """Map a saved segment into memory; nothing is read before it is used.

    Raises
    ------
    OSError, ValueError, EOFError
        A file is missing or damaged; the view is then rebuilt.
    """
    names = ("revisions", "rows", "terms", "postings", "places")
    revisions, rows, terms, postings, places = (_mapped(folder / f"{n}.arrow") for n in names)
    dense = np.load(folder / "dense.npy", mmap_mode="r") if rows.num_rows else _no_vectors()
    if not len(dense) == rows.num_rows == places.num_rows:
        raise ValueError(f"{folder} has files of different lengths")
    codes = tuple(revisions["revision"].to_pylist())
    return Segment(codes, rows, terms, postings, places, dense)


def _mapped(path: Path) -> pa.Table:
    with pa.memory_map(str(path)) as source:
        table = pa.ipc.open_file(source).read_all()
    return table if table.num_rows else table.combine_chunks()


@functools.cache
def _no_vectors() -> np.ndarray:
    return np.empty((0, 384), dtype=np.float32)
