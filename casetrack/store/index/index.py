"""The search index of a collection at one moment: its segments and their live rows."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from casetrack.base.dataclass import dataclass, field
from casetrack.store.index import cells_build
from casetrack.store.index.arrays import as_numpy
from casetrack.store.index.scope import NO_ROWS, Place, Rows, both, by_segment
from casetrack.store.index.stored_segments import FORMAT, index_home, stored_segments

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from casetrack.store.datasets import Snapshot
    from casetrack.store.index.postings import Posting
    from casetrack.store.index.segment import Segment

_KNOWN = 256
"""Number of terms whose postings are cached."""
_FEW = 8
"""Documents are looked up individually if a segment has at least this many per document wanted."""

__all__ = ["FORMAT", "Index", "LiveSegment", "open_index"]


@dataclass(frozen=True)
class LiveSegment:
    """A segment and its live rows at one moment.

    Attributes
    ----------
    mask
        Live rows; ``None`` if all are.
    documents
        Document id per revision code; ``None`` for a dead revision.
    embedded
        Rows with a vector of the collection's models, including dead ones.
    """

    data: Segment
    mask: np.ndarray | None
    documents: tuple[str | None, ...]
    embedded: Rows

    @cached_property
    def _spans(self) -> dict[str, slice]:
        starts = self.data.starts.tolist()
        return {
            document: slice(starts[code], starts[code + 1])
            for code, document in enumerate(self.documents)
            if document is not None
        }

    def span_of(self, document_id: str, /) -> slice:
        """Return the live rows of a document: they are contiguous, mostly in one segment."""
        return self._spans.get(document_id, NO_ROWS)

    def rows_of(self, documents: Collection[str], /) -> Rows:
        """Return the live rows of several documents."""
        if len(documents) == 1:
            return self.span_of(next(iter(documents)))
        if len(documents) * _FEW > len(self.documents):
            among = np.fromiter((d in documents for d in self.documents), dtype=np.bool_)
            return np.repeat(among, np.diff(self.data.starts))
        chosen = np.zeros(self.data.size, dtype=np.bool_)
        for document in documents:
            chosen[self.span_of(document)] = True
        return chosen

    @cached_property
    def live_count(self) -> int:
        """Number of live rows."""
        return self.data.size if self.mask is None else int(self.mask.sum())

    @cached_property
    def embedded_count(self) -> int:
        """Live rows with a vector."""
        rows = both(self.embedded, self.mask)
        if rows is None:
            return self.data.size
        return rows.stop - rows.start if isinstance(rows, slice) else int(rows.sum())


@dataclass(frozen=True, slots=True)
class Index:
    """All live segments of a snapshot.

    Attributes
    ----------
    average_length
        Mean number of terms of a live chunk, for BM25.
    fingerprint
        Of the only model whose vectors count; ``None`` if all do.
    ranks
        Returns the ranks of the documents by id, for ties; ``None`` if only another process knows
        the documents.
    """

    segments: tuple[LiveSegment, ...]
    chunk_count: int
    average_length: float
    embedded_count: int
    dimension: int
    fingerprint: str | None = None
    ranks: Callable[[], Mapping[str, int]] | None = field(default=None, repr=False)
    _keys: dict[int, np.ndarray] = field(default_factory=dict, repr=False)
    _norms: dict[int, tuple[np.ndarray, float]] = field(default_factory=dict, repr=False)
    _postings: dict[str, list[Posting | None]] = field(default_factory=dict, repr=False)

    def postings(self, term: str, /) -> Sequence[Posting | None]:
        """Return the posting of a term in each segment; one search needs it about ten times."""
        known = self._postings.get(term)
        if known is None:
            known = [part.data.terms.find([term])[0] for part in self.segments]
            if len(self._postings) >= _KNOWN:
                self._postings.clear()
            self._postings[term] = known
        return known

    def norms(self, number: int, k1: float, b: float, /) -> tuple[np.ndarray, float]:
        """Return BM25's length normalisation of a segment's rows (float32), and its minimum."""
        if number not in self._norms:
            share = self.segments[number].data.column("length") / self.average_length
            norms = (k1 * (1.0 - b + b * share)).astype(np.float32)
            self._norms[number] = norms, float(norms.min())
        return self._norms[number]

    @property
    def has_sparse(self) -> bool:
        """Whether any chunk has a learned sparse vector."""
        return any(part.data.sparse.keys.num_rows for part in self.segments)

    def rows(self, documents: Collection[str] | None = None, /) -> list[Rows]:
        """Return the live rows per segment, optionally only those of some document ids."""
        if documents is None:
            return [part.mask for part in self.segments]
        return [part.rows_of(documents) for part in self.segments]

    def places(self, chunk_ids: Sequence[str], /) -> dict[str, Place]:
        """Return the places of the live chunks among *chunk_ids*."""
        import pyarrow.compute as pc

        wanted = pa.array(chunk_ids, pa.string())
        places: dict[str, Place] = {}
        for number, part in enumerate(self.segments):
            positions = pc.index_in(part.data.rows["chunk_id"], value_set=wanted)
            for row in np.flatnonzero(as_numpy(positions.is_valid())).tolist():
                if part.mask is None or part.mask[row]:
                    places[part.data.ids[row]] = (number, row)
        return places

    def texts(self, places: Collection[Place], /) -> dict[Place, str]:
        """Return the texts of the chunks at *places*."""
        by_place: dict[Place, str] = {}
        for number in {n for n, _ in places}:
            texts = self.segments[number].data.texts.take(r for n, r in places if n == number)
            by_place |= {(number, row): text for row, text in texts.items()}
        return by_place

    def column(self, number: int, name: str, rows: NDArray[np.intp], /) -> np.ndarray:
        """Return the values of a column at *rows* of segment *number*."""
        return np.asarray(self.segments[number].data.column(name)[rows])

    def document_at(self, place: Place, /) -> str:
        """Return the id of the document with the chunk at *place*; empty if it is not live."""
        part = self.segments[place[0]]
        return part.documents[int(part.data.column("revision")[place[1]])] or ""

    def row_ids(self, places: Sequence[Place], /) -> list[int]:
        """Return the stable row ids of the chunks at *places*."""
        return [int(self.segments[n].data.column("row_id")[row]) for n, row in places]

    def rows_at(self, places: Sequence[Place], columns: Sequence[str], /) -> list[dict[str, Any]]:
        """Return *columns* of a citation of the chunks at *places*, in their order."""
        rows: list[dict[str, Any]] = [{}] * len(places)
        for number, at, of_segment in by_segment(places):
            read = self.segments[number].data.places_of(of_segment, columns)
            for place, row in zip(at.tolist(), read, strict=True):
                rows[place] = row
        return rows

    def keys(self, places: Sequence[Place], /) -> NDArray[np.int64] | None:
        """Return the sort key of equal scores: path, then position; ``None`` if unknown."""
        if self.ranks is None:
            return None
        result = np.empty(len(places), dtype=np.int64)
        for number, at, rows in by_segment(places):
            part = self.segments[number]
            if number not in self._keys:
                ranks = self.ranks()
                known = [ranks.get(document or "", -1) for document in part.documents]
                self._keys[number] = np.array(known, dtype=np.int64) << 32
            codes = part.data.column("revision")[rows]
            result[at] = self._keys[number][codes] + part.data.column("chunk_index")[rows]
        return result

    def chunk_ids(self, places: Sequence[Place], /) -> list[str]:
        """Return the chunk ids at *places*."""
        return [self.segments[number].data.ids[row] for number, row in places]


def open_index(folder: Path, snapshot: Snapshot, /, *, fingerprint: str | None = None) -> Index:
    """Return the index of *snapshot*; with a *fingerprint*, only vectors of this model count."""
    home = index_home(folder)
    stored = stored_segments(home, snapshot, snapshot.dimension)
    ledger = snapshot.documents
    index = live_index(
        stored, ledger.revisions, snapshot.dimension, fingerprint, lambda: ledger.ranks
    )
    cells_build.request(home, stored, index.embedded_count * snapshot.dimension)
    return index


def live_index(
    stored: Sequence[Segment],
    live: Mapping[str, str],
    dimension: int,
    fingerprint: str | None = None,
    ranks: Callable[[], Mapping[str, int]] | None = None,
    /,
) -> Index:
    """Return the index of the segments *stored*."""
    parts, terms = [], 0
    for data in stored:
        documents = tuple(map(live.get, data.revisions))
        mask = None
        if None in documents:
            alive = np.array([d is not None for d in documents])
            mask = np.repeat(alive, np.diff(data.starts))
            terms += int(data.lengths[alive].sum())
        else:
            terms += int(data.lengths.sum())
        if data.size and (mask is None or mask.any()):
            parts.append(LiveSegment(data, mask, documents, embedded_in(data, fingerprint)))
    count = sum(part.live_count for part in parts)
    embedded = sum(part.embedded_count for part in parts)
    average = terms / count if count else 0.0
    if ranks is None:
        by_id = {document: rank for rank, document in enumerate(sorted(live.values()))}
        ranks = by_id.copy
    return Index(tuple(parts), count, average, embedded, dimension, fingerprint, ranks)


def embedded_in(data: Segment, fingerprint: str | None, /) -> Rows:
    """Return the rows with a vector, of the model *fingerprint* if it is given."""
    good = [fingerprint is None or fingerprint in names for names in data.embedders]
    if not any(good):
        return NO_ROWS
    has_vector = data.column("scale") > 0
    if not all(good):
        has_vector &= np.array(good)[data.column("embedder")]
    return None if has_vector.all() else has_vector
