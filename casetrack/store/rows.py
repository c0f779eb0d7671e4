"""The rows of documents by stable row id, in reading order, read a few at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.base import schema
from casetrack.base.errors import CollectionDamaged
from casetrack.store.checksums import require_sound
from casetrack.store.damage import reading
from casetrack.store.datasets import any_of, conform, dimension_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np
    import pyarrow as pa

_TAKE_ROWS = 512
"""Some 8 MB of chunks with all their columns."""
_FEW = 256


@dataclass(frozen=True, slots=True)
class Rows:
    """Where the chunks of documents lie in one version of ``chunks``.

    Attributes
    ----------
    chunks
        The dataset at that version.
    ids
        Stable row ids, document by document and in the order of ``chunk_index``; int64 (n,).
    starts
        Where the rows of each revision begin in *ids*, and how many they are.
    """

    chunks: Any
    ids: np.ndarray
    starts: dict[str, tuple[int, int]]

    @classmethod
    def of(cls, chunks: Any, counts: Mapping[str, int], /) -> Rows:
        """Find the rows of revisions.

        Parameters
        ----------
        chunks
            A dataset of ``chunks``.
        counts
            Maps revisions, in the order wanted, to their numbers of chunks.
        """
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        names = pa.array(list(counts), pa.string())
        few = any_of("revision", counts) if 0 < len(counts) <= _FEW else None
        ranks, places, ids = [], [], []
        with reading(chunks.uri):
            columns = ["revision", "chunk_index"]
            scanner = chunks.scanner(columns=columns, filter=few, with_row_id=True)
            for batch in scanner.to_batches():
                rank = pc.index_in(batch["revision"], value_set=names)
                kept = batch.filter(rank.is_valid())
                ranks.append(rank.drop_null().to_numpy(zero_copy_only=False))
                places.append(kept["chunk_index"].to_numpy(zero_copy_only=False))
                ids.append(kept["_rowid"].to_numpy(zero_copy_only=False).astype(np.int64))
        empty = np.empty(0, np.int64)
        rank, place, row = (np.concatenate([empty, *a]) for a in (ranks, places, ids))
        found = np.bincount(rank, minlength=len(names))
        starts = np.cumsum(found) - found
        spans = zip(starts.tolist(), found.tolist(), strict=True)
        return cls(chunks, row[np.lexsort((place, rank))], dict(zip(counts, spans, strict=True)))

    def lacking(self, counts: Mapping[str, int], /) -> list[str]:
        """Return the revisions that do not have as many rows as *counts* says."""
        return [r for r, count in counts.items() if self.starts[r][1] != count]

    def require(self, counts: Mapping[str, int], /) -> None:
        """Check that all rows are there.

        Raises
        ------
        CollectionDamaged
            They are not.
        """
        lacking = self.lacking(counts)
        if lacking:
            raise CollectionDamaged(
                f"{len(lacking)} of {len(counts)} documents do not have all their passages: "
                f"{self.chunks.uri}",
                hint="Run `casetrack doctor` to see which; ingest those files again.",
            )

    def batches(self, revision: str | None = None, /) -> Iterator[pa.Table]:
        """Yield all rows, or those of one revision, in order and with the declared columns.

        Raises
        ------
        PassagesDamaged
            A row is not what was written.
        """
        start, count = (0, len(self.ids)) if revision is None else self.starts[revision]
        layout = schema.table("chunks").arrow(dimension=dimension_of(self.chunks))
        have = set(self.chunks.schema.names)
        columns = [n for n in layout.names if n in have]
        for begin in range(start, start + count, _TAKE_ROWS):
            ids = self.ids[begin : min(begin + _TAKE_ROWS, start + count)].tolist()
            with reading(self.chunks.uri):
                found = self.chunks._take_rows(ids, columns=columns)
            require_sound(found, "chunks", "document_name", lacking={*layout.names} - have)
            yield conform(found, layout)
