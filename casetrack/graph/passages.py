"""Chunks of one state of a collection for the graph: vectors, texts and quotes."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.base.dataclass import dataclass, replace
from casetrack.base.errors import ChunkNotFound, See
from casetrack.base.records.graph import Quote
from casetrack.base.records.passages import SNIPPET_CHARS, widened
from casetrack.store.checksums import COLUMN, blanked
from casetrack.store.index.arrays import as_numpy
from casetrack.store.passages import COLUMNS, NARROW_COLUMNS, make_chunks, make_provenance, narrowed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.base.records import Chunk
    from casetrack.graph.tables import Live
    from casetrack.store.datasets import Snapshot
    from casetrack.store.index.index import Index

WITHHELD = f"(withheld: the stored text is damaged; run {See('doctor', repair=True)})"
"""Placeholder for the text of a damaged passage."""


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Vectors of many chunks or documents."""

    ids: tuple[str, ...]
    # int32 [n], position of each row's document in ``ContextGraph.documents``.
    documents: NDArray[np.int32]
    # int8 [n, dimension]; multiplied by its scale, a row has about unit length.
    codes: NDArray[np.int8]
    scales: NDArray[np.float32]  # float32 [n]; 0 if there is no vector


@dataclass(frozen=True)
class Passages:
    """The passages part of :class:`casetrack.graph.graph.ContextGraph`."""

    _live: Live
    _snapshot: Snapshot
    _index: Index

    # --- vectors ------------------------------------------------------------------------------

    @cached_property
    def _rows(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The search index segment of each chunk, and its row in that segment."""
        total = int(self._live.first_chunks[-1])
        numbers, rows = np.zeros(total, dtype=np.int32), np.zeros(total, dtype=np.int64)
        ranks = {d.document_id: rank for rank, d in enumerate(self._live.documents)}
        for number, part in enumerate(self._index.segments):
            for document, rank in ranks.items():
                span = part.span_of(document)
                if span.start == span.stop:
                    continue
                first = int(self._live.first_chunks[rank])
                index = part.data.column("chunk_index")[span]
                numbers[first + index] = number
                rows[first + index] = np.arange(span.start, span.stop)
        return numbers, rows

    def chunk_vectors(self) -> Vectors:
        """Return the vectors of all chunks, ordered by document and position."""
        return self._vectors

    @cached_property
    def _vectors(self) -> Vectors:
        numbers, rows = self._rows
        codes = np.zeros((len(rows), self._index.dimension), dtype=np.int8)
        scales = np.zeros(len(rows), dtype=np.float32)
        for number, part in enumerate(self._index.segments):
            rows_of_part = np.flatnonzero(numbers == number)
            codes[rows_of_part] = part.data.dense[rows[rows_of_part]]
            scales[rows_of_part] = part.data.column("scale")[rows[rows_of_part]]
        chunks = self._live.chunks
        return Vectors(
            tuple(chunks["chunk_id"].to_pylist()), as_numpy(chunks["document"]), codes, scales
        )

    def own_vectors(self) -> Vectors:
        """Return the vectors of all chunks, without those of repeated text."""
        vectors = self._vectors
        return replace(vectors, scales=np.where(self._live.own_shares > 0, vectors.scales, 0))

    def document_vectors(self) -> NDArray[np.float32]:
        """Return float32 [documents, dimension]: the mean of the chunks' vectors, unit length.

        A chunk counts with its own text; documents without any have zeros.
        """
        return self._document_vectors

    @cached_property
    def _document_vectors(self) -> NDArray[np.float32]:
        vectors = self._vectors
        means = np.zeros((len(self._live.documents), vectors.codes.shape[1]), dtype=np.float32)
        starts = self._live.first_chunks
        for rank in range(len(self._live.documents)):
            span = slice(int(starts[rank]), int(starts[rank + 1]))
            # Double precision, so that the order of summation does not change the result.
            weights = vectors.scales[span].astype(np.float64)
            means[rank] = weights * self._live.own_shares[span] @ vectors.codes[span]
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        np.divide(means, lengths, out=means, where=lengths > 0)
        return means

    # --- passages -----------------------------------------------------------------------------

    def phrases(self, chunk_ids: Sequence[str], /) -> list[list[str]]:
        """Return for each chunk the keys of its phrases, which are candidates for labels."""
        starts, keys = self._phrases
        return [
            keys[int(starts[i]) : int(starts[i + 1])].to_pylist()
            for i in self._positions(chunk_ids)
        ]

    @cached_property
    def _phrases(self) -> tuple[NDArray[np.int64], pa.Array]:
        """The first phrase of each chunk, and the phrases."""
        local_entities = self._live.locals
        every = np.arange(local_entities.num_rows, dtype=np.int32)
        concepts = pc.equal(local_entities["kind"], "concept").to_numpy(zero_copy_only=False)
        rows = self._live.places("mentions", np.where(concepts, every, -1).astype(np.int32))
        rows = rows.filter(
            pc.and_(pc.greater_equal(rows["entity"], 0), pc.invert(rows["boilerplate"]))
        )
        starts = np.searchsorted(as_numpy(rows["chunk"]), np.arange(self._live.chunks.num_rows + 1))
        return starts, local_entities["key"].combine_chunks().take(rows["entity"].combine_chunks())

    def _positions(self, chunk_ids: Sequence[str]) -> list[int]:
        """Return the positions of chunks among all; ``ChunkNotFound`` if one does not exist."""
        wanted = pa.array(list(chunk_ids), pa.string())
        indices = pc.index_in(wanted, value_set=self._live.chunks["chunk_id"].combine_chunks())
        places: list[int | None] = indices.to_pylist()
        for chunk_id, place in zip(chunk_ids, places, strict=True):
            if place is None:
                raise ChunkNotFound(chunk_id)
        return [place for place in places if place is not None]

    def _take(self, chunk_ids: Sequence[str], columns: Sequence[str]) -> pa.Table:
        """Return rows; a row with a wrong checksum has no text."""
        numbers, rows = self._rows
        ids = [
            int(self._index.segments[numbers[i]].data.column("row_id")[rows[i]])
            for i in self._positions(chunk_ids)
        ]
        table = self._snapshot.take(ids, [*columns, COLUMN], checked=False)
        return blanked(table, "chunks", lacking=self._snapshot.lacking)

    def chunks(self, chunk_ids: Sequence[str], /) -> list[Chunk]:
        """Return chunks by id, in this order; a chunk with a wrong checksum has no text."""
        if not chunk_ids:
            return []
        unique = list(dict.fromkeys(chunk_ids))
        by_id = {c.chunk_id: c for c in make_chunks(self._take(unique, COLUMNS), self._snapshot)}
        return [by_id[chunk_id] for chunk_id in chunk_ids]

    def quotes(self, places: Sequence[tuple[str, int, int]], /) -> list[Quote]:
        """Return quotes of places (chunk id, start and end in its text), in this order."""
        if not places:
            return []
        unique = list(dict.fromkeys(chunk_id for chunk_id, _, _ in places))
        rows = dict(zip(unique, self._take(unique, NARROW_COLUMNS).to_pylist(), strict=True))
        return [_quote(rows[i], self._snapshot, start, end) for i, start, end in places]


def _quote(row: Mapping[str, Any], snapshot: Snapshot, start: int, end: int) -> Quote:
    text = row["text"]
    if not text:
        return Quote("", WITHHELD, 0, start, end, make_provenance(row, snapshot))
    first, last = widened(text, start, end, max(0, SNIPPET_CHARS - (end - start)) // 2)
    snippet = text[first:last]
    return Quote(
        text=text[start:end],
        snippet=snippet,
        snippet_start=start - first,
        char_start=start,
        char_end=end,
        provenance=narrowed(row, snapshot, start, end),
    )
