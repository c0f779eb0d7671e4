"""A segment: immutable, memory-mapped postings and vectors of some revisions.

Files of a segment folder:

``revisions.arrow``
    One row per revision, ascending: ``revision``, ``start`` (first of its contiguous rows),
    ``length`` (terms with repetitions of all its rows). Totals are computed from here, without
    reading all rows when a segment is opened.
``rows.arrow``
    One row per chunk, ordered by revision and position: ``chunk_id``, ``row_id`` (stable id in
    Lance), ``revision`` (code into ``revisions``), ``chunk_index``, ``length`` (terms with
    repetitions), ``figures`` (percent of these terms that are numbers), ``embedder`` (code into
    ``embedders``), ``scale`` (of its vector; 0 for none), ``text_key`` (64 bits of its
    text; see :func:`casetrack.store.index.segment.text_keys`).
``embedders.arrow``
    Distinct lists of model fingerprints that rows refer to.
``terms_keys.arrow``, ``terms.arrow``
    Postings of the index terms with term frequencies; see :mod:`casetrack.store.index.postings`.
``sparse_keys.arrow``, ``sparse.arrow``
    Postings of the learned sparse vectors, weights as float16.
``places.arrow``
    The columns of ``chunks`` that make a citation, by row, and their checksums.
``texts.bin``
    The texts, see :class:`TextStore`: a keyword search reads nothing from Lance.
``dense.bin``
    int8 matrix, one row per chunk; times ``scale`` it has unit length. Zeros without a
    vector. See :mod:`casetrack.store.index.postings`.
``cells.bin``
    Only in a large collection, built later: see :mod:`casetrack.store.index.postings`.

Term frequencies are stored instead of final weights: lengths and document frequencies change with
every document, and a search must not depend on the order in which documents were added.
"""

from __future__ import annotations

import functools
import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from casetrack.base import schema
from casetrack.base.dataclass import dataclass, field
from casetrack.store.checksums import COLUMN as CHECKSUM
from casetrack.store.index.arrays import (
    Strings,
    as_numpy,
    map_arrays,
    one_chunk,
    read_table,
    reader,
    save_arrays,
    write_table,
)
from casetrack.store.index.postings import CellFile, Postings, build_postings, narrow, quantize
from casetrack.store.passages import MARK_COLUMNS, PLACE_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from casetrack.store.index.arrays import Reader

# The texts of a segment's chunks: compressed in small blocks, mapped into memory, read by row.

ROWS = 8
"""Texts per block: larger blocks take less disk space and more time."""
_LEVEL = 9


@dataclass(frozen=True, slots=True)
class TextStore:
    """Texts by row.

    Attributes
    ----------
    packed
        uint8, the concatenated compressed blocks.
    blocks
        int64 [blocks + 1], start of each block in *packed*.
    ends
        uint32 [rows], end of each text in its decompressed block, in bytes.
    """

    packed: NDArray[np.uint8] = field(repr=False)
    blocks: NDArray[np.int64] = field(repr=False)
    ends: NDArray[np.uint32] = field(repr=False)

    @classmethod
    def of(cls, texts: pa.ChunkedArray | pa.Array, /) -> TextStore:
        """Pack a column of strings; null becomes the empty text."""
        encoded = [text.encode("utf-8") for text in one_chunk(texts).fill_null("").to_pylist()]
        ends = np.empty(len(encoded), dtype=np.uint32)
        blocks, packed = [0], list[bytes]()
        for start in range(0, len(encoded), ROWS):
            block = encoded[start : start + ROWS]
            ends[start : start + ROWS] = np.cumsum([len(text) for text in block])
            packed.append(_codec().compress(b"".join(block), asbytes=True))
            blocks.append(blocks[-1] + len(packed[-1]))
        joined = np.frombuffer(b"".join(packed), dtype=np.uint8)
        return cls(joined, np.array(blocks, dtype=np.int64), ends)

    def __len__(self) -> int:
        return len(self.ends)

    def take(self, rows: Iterable[int], /) -> dict[int, str]:
        """Return the texts of *rows*."""
        texts = dict[int, str]()
        unpacked = dict[int, memoryview]()
        for row in rows:
            number, place = divmod(row, ROWS)
            if number not in unpacked:
                unpacked[number] = self._unpack(number)
            start = int(self.ends[row - 1]) if place else 0
            texts[row] = str(unpacked[number][start : int(self.ends[row])], "utf-8")
        return texts

    def _unpack(self, number: int) -> memoryview:
        start, end = self.blocks[number : number + 2].tolist()
        last = min(len(self.ends), (number + 1) * ROWS) - 1
        size = int(self.ends[last])
        return memoryview(_codec().decompress(pa.py_buffer(self.packed[start:end]), size))

    def save(self, path: Path, /) -> None:
        """Write the texts to the new file *path*."""
        arrays: dict[str, np.ndarray] = {
            "packed": self.packed,
            "blocks": self.blocks,
            "ends": self.ends,
        }
        save_arrays(path, arrays)

    @classmethod
    def load(cls, path: Path, /) -> TextStore:
        """Map saved texts into memory."""
        arrays = map_arrays(path)
        return cls(arrays["packed"], arrays["blocks"], arrays["ends"])


@functools.cache
def _codec() -> pa.Codec:
    # It decompresses six times as fast as zstd, and takes a third more disk space.
    return pa.Codec("lz4_raw", compression_level=_LEVEL)


def text_keys(texts: pa.ChunkedArray | pa.Array, /) -> NDArray[np.uint64]:
    """Return 64 bits of each text, ignoring white space and case."""
    keys = [
        hashlib.blake2b("".join(text.casefold().split()).encode("utf-8"), digest_size=8).digest()
        for text in one_chunk(texts).fill_null("").to_pylist()
    ]
    return np.frombuffer(b"".join(keys), dtype="<u8").astype(np.uint64)


_DENSE = "dense.bin"
_INDEXED = (
    *("chunk_id", "revision", "chunk_index", "text", "terms", "term_counts", "term_total"),
    *("dense", "embedders"),
)
_SPARSE = ("sparse_terms", "sparse_weights")
_PLACES = (*PLACE_COLUMNS, *MARK_COLUMNS, CHECKSUM)
COLUMNS = tuple(dict.fromkeys([*_INDEXED, *_SPARSE, *_PLACES]))
"""Columns of ``chunks`` that a segment needs; those of sparse vectors are optional."""

_NUMBER = r"^[0-9]+(\.[0-9]+)?$"
_TABLES = ("revisions", "rows", "embedders", "terms_keys", "terms", "sparse_keys", "sparse")
FILES = (*(f"{name}.arrow" for name in (*_TABLES, "places")), _DENSE, "texts.bin")
"""Names of the files of a segment, without its cells."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Segment:
    """Postings and vectors of some revisions; see the module for the layout.

    Attributes
    ----------
    revisions
        Ids, ascending.
    starts, lengths
        int64 [revisions + 1] and [revisions]: first row and number of terms of each revision.
    embedders
        Lists of model fingerprints that ``embedder`` refers to.
    dense
        int8 [rows, dimension].
    cells
        Its vectors by cell, once they are built.
    folder
        Its folder; ``None`` while it is in memory only.
    """

    revisions: tuple[str, ...]
    starts: np.ndarray = field(repr=False)
    lengths: np.ndarray = field(repr=False)
    embedders: tuple[tuple[str, ...], ...]
    rows: pa.Table = field(repr=False)
    terms: Postings = field(repr=False)
    sparse: Postings = field(repr=False)
    places: pa.Table = field(repr=False)
    texts: TextStore = field(repr=False)
    dense: np.ndarray = field(repr=False)
    ids: Strings = field(repr=False)
    cells: CellFile
    folder: Path | None = None
    _cache: dict[str, np.ndarray] = field(default_factory=dict, repr=False)
    _readers: dict[str, Reader] = field(default_factory=dict, repr=False)

    @property
    def size(self) -> int:
        """Number of chunks."""
        return int(self.rows.num_rows)

    @property
    def dimension(self) -> int:
        """Length of the dense vectors."""
        return int(self.dense.shape[1])

    def column(self, name: str, /) -> np.ndarray:
        """Return a column of ``rows``, or of ``places``, as a NumPy array without a copy."""
        if name not in self._cache:
            table = self.rows if name in self.rows.column_names else self.places
            self._cache[name] = as_numpy(table[name])
        return self._cache[name]

    @property
    def first_on_page(self) -> np.ndarray:
        """For every row the first row of its page."""
        if "first_on_page" not in self._cache:
            page, revision = as_numpy(self.places["page"]), self.column("revision")
            starts = np.ones(self.size, dtype=np.bool_)
            starts[1:] = (page[1:] != page[:-1]) | (revision[1:] != revision[:-1])
            numbers = np.where(starts, np.arange(self.size, dtype=np.int32), 0)
            self._cache["first_on_page"] = np.maximum.accumulate(numbers)
        return self._cache["first_on_page"]

    def chunk_ids(self, positions: Iterable[int], /) -> list[str]:
        """Return the chunk ids at *positions*."""
        return [self.ids[int(position)] for position in positions]

    def places_of(
        self, positions: Sequence[int] | NDArray[np.intp], columns: Sequence[str], /
    ) -> list[dict[str, Any]]:
        """Return *columns* of ``places`` at *positions*."""
        at = np.asarray(positions, dtype=np.intp)
        values = [self._reader(name)(at) for name in columns]
        return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]

    def _reader(self, name: str) -> Reader:
        if name not in self._readers:
            self._readers[name] = reader(self.places[name])
        return self._readers[name]


def build(table: pa.Table, /) -> Segment:
    """Build a segment from rows of ``chunks`` with the columns ``COLUMNS`` and ``_rowid``."""
    table = _in_order(table)
    dense, scales = quantize(_matrix(one_chunk(table["dense"])))
    table = table.drop_columns("dense")
    revision = one_chunk(table["revision"]).dictionary_encode()
    embedder = _joined(one_chunk(table["embedders"])).dictionary_encode()
    codes = as_numpy(revision.indices.cast(pa.int32()))
    lengths = as_numpy(table["term_total"])
    starts = np.searchsorted(codes, np.arange(len(revision.dictionary) + 1))
    terms = _term_postings(table)
    rows = {
        "chunk_id": table["chunk_id"],
        "row_id": table["_rowid"].cast(pa.int64()),
        "revision": codes,
        "chunk_index": table["chunk_index"],
        "length": lengths,
        "figures": _figures(terms, lengths),
        "embedder": as_numpy(embedder.indices).astype(np.int16),
        "scale": scales,
        "text_key": text_keys(table["text"]),
    }
    tables = {
        "revisions": _revisions(revision.dictionary, starts, lengths),
        "rows": pa.table(rows),
        "embedders": pa.table({"embedder": embedder.dictionary}),
        **_tables("terms", terms),
        **_tables("sparse", _sparse_postings(table)),
        "places": _places(table),
    }
    return _segment(tables, dense, TextStore.of(table["text"]), None)


def _places(table: pa.Table) -> pa.Table:
    """Return the columns of a citation; those missing in older collections are null."""
    declared = schema.table("chunks").arrow(_PLACES)
    known = table.schema.names
    return pa.table(
        {
            name: table[name]
            if name in known
            else pa.nulls(table.num_rows, declared.field(name).type)
            for name in _PLACES
        }
    )


def _revisions(names: pa.Array, starts: np.ndarray, lengths: np.ndarray) -> pa.Table:
    totals = np.empty(0, dtype=np.int64)
    if len(names):
        totals = np.add.reduceat(lengths, starts[:-1], dtype=np.int64)
    columns = {"revision": names, "start": starts[:-1], "length": totals}
    return pa.table(columns)


def _in_order(table: pa.Table) -> pa.Table:
    """Order rows by revision and position; mostly they already are."""
    import pyarrow.compute as pc

    keys = [("revision", "ascending"), ("chunk_index", "ascending")]
    order = as_numpy(pc.sort_indices(table, sort_keys=keys))
    if np.array_equal(order, np.arange(len(order))):
        return table.combine_chunks()
    return table.take(pa.array(order)).combine_chunks()


def _joined(lists: pa.ListArray) -> pa.Array:
    import pyarrow.compute as pc

    return pc.binary_join(lists.cast(pa.list_(pa.string())).fill_null([]), " ")


def _term_postings(table: pa.Table) -> Postings:
    counts = as_numpy(one_chunk(table["term_counts"]).flatten())
    return build_postings(one_chunk(table["terms"]), narrow(counts), table.num_rows)


def _figures(terms: Postings, lengths: np.ndarray) -> np.ndarray:
    """Return the share of numbers among the terms of each row, in percent (uint8)."""
    import pyarrow.compute as pc

    are_numbers = as_numpy(pc.match_substring_regex(one_chunk(terms.keys["key"]), _NUMBER))
    chosen = np.repeat(are_numbers, terms.counts)
    rows, values = terms.rows[chosen], terms.values[chosen]
    numbers = np.bincount(rows, weights=values, minlength=len(lengths))
    percent: np.ndarray = np.rint(100.0 * numbers / np.maximum(lengths, 1)).astype(np.uint8)
    return percent


def _sparse_postings(table: pa.Table) -> Postings:
    if not set(_SPARSE) <= set(table.column_names):
        none = pa.nulls(table.num_rows, pa.list_(pa.int32()))
        return build_postings(none, np.empty(0, dtype=np.float16), table.num_rows)
    weights = as_numpy(one_chunk(table["sparse_weights"]).flatten()).astype(np.float16)
    return build_postings(one_chunk(table["sparse_terms"]), weights, table.num_rows)


def _tables(name: str, postings: Postings) -> dict[str, pa.Table]:
    return {f"{name}_keys": postings.keys, name: postings.entries}


def _matrix(vectors: pa.FixedSizeListArray) -> np.ndarray:
    dimension = vectors.type.list_size
    # A null list still occupies its range of the flat values.
    flat = as_numpy(vectors.values.slice(vectors.offset * dimension, len(vectors) * dimension))
    matrix = flat.reshape(-1, dimension).astype(np.float32, copy=False)
    if vectors.null_count:
        matrix = np.where(as_numpy(vectors.is_valid())[:, None], matrix, np.float32(0.0))
    return matrix


def _segment(
    tables: dict[str, pa.Table], dense: np.ndarray, texts: TextStore, folder: Path | None
) -> Segment:
    revisions, rows = tables["revisions"], tables["rows"]
    return Segment(
        revisions=tuple(revisions["revision"].to_pylist()),
        starts=np.append(as_numpy(revisions["start"]), rows.num_rows),
        lengths=as_numpy(revisions["length"]),
        embedders=tuple(tuple(e.split()) for e in tables["embedders"]["embedder"].to_pylist()),
        rows=rows,
        terms=Postings.of(tables["terms_keys"], tables["terms"]),
        sparse=Postings.of(tables["sparse_keys"], tables["sparse"]),
        places=tables["places"],
        texts=texts,
        dense=dense,
        ids=Strings.of(rows["chunk_id"]),
        cells=CellFile(folder),
        folder=folder,
    )


def save(segment: Segment, folder: Path, /) -> None:
    """Write the segment's files to the new folder *folder*."""
    folder.mkdir(parents=True)
    revisions = pa.table(
        {
            "revision": pa.array(segment.revisions, pa.string()),
            "start": segment.starts[:-1],
            "length": segment.lengths,
        }
    )
    embedders = pa.array([" ".join(e) for e in segment.embedders], pa.string())
    tables = {
        "revisions": revisions,
        "rows": segment.rows,
        "embedders": pa.table({"embedder": embedders}),
        **_tables("terms", segment.terms),
        **_tables("sparse", segment.sparse),
        "places": segment.places,
    }
    for name, table in tables.items():
        write_table(table.combine_chunks(), folder / f"{name}.arrow")
    save_arrays(folder / _DENSE, {"dense": segment.dense})
    segment.texts.save(folder / "texts.bin")


def load(folder: Path, /) -> Segment:
    """Verify a saved segment, and map it into memory."""
    tables = {name: _mapped(folder / f"{name}.arrow") for name in (*_TABLES, "places")}
    dense = map_arrays(folder / _DENSE)["dense"]
    texts = TextStore.load(folder / "texts.bin")
    rows = tables["rows"].num_rows
    if not len(dense) == len(texts) == rows == tables["places"].num_rows:
        raise ValueError(f"{folder} has files of different lengths")
    return _segment(tables, dense, texts, folder)


def _mapped(path: Path) -> pa.Table:
    table = read_table(path)
    return table if table.num_rows else table.combine_chunks()
