"""Access to stored rows by id: in reading order, orphaned rows, and all rows for DuckDB."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.base import schema
from casetrack.base.errors import CaseTrackError, CollectionDamaged, See
from casetrack.base.files import storage_errors
from casetrack.store import heads
from casetrack.store.checksums import COLUMN, damaged, require_intact, with_families
from casetrack.store.damage import reading
from casetrack.store.datasets import (
    CHUNKS,
    DOCUMENTS,
    any_of,
    conform,
    dimension_of,
    open_dataset,
    open_snapshot,
)
from casetrack.store.lock import write_lock
from casetrack.store.place import dataset_at, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
    from pathlib import Path

    import numpy as np
    import pyarrow as pa

    from casetrack.store.datasets import Snapshot

_TAKE_ROWS = 512
"""About 8 MB of chunks with all columns."""
_FEW = 256


@dataclass(frozen=True, slots=True)
class Rows:
    """Row ids of the chunks of documents in one version of ``chunks``.

    Attributes
    ----------
    ids
        Stable row ids, by document and ``chunk_index``; int64 (n,).
    starts
        Start in *ids* and number of rows, by revision.
    """

    chunks: Any
    ids: np.ndarray
    starts: dict[str, tuple[int, int]]

    @classmethod
    def of(cls, chunks: Any, counts: Mapping[str, int], /) -> Rows:
        """Locate the rows of revisions; *counts* has their numbers of chunks, in order."""
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
        present = np.bincount(rank, minlength=len(names))
        starts = np.cumsum(present) - present
        spans = zip(starts.tolist(), present.tolist(), strict=True)
        return cls(chunks, row[np.lexsort((place, rank))], dict(zip(counts, spans, strict=True)))

    def lacking(self, counts: Mapping[str, int], /) -> list[str]:
        """Return the revisions whose number of rows differs from *counts*."""
        return [r for r, count in counts.items() if self.starts[r][1] != count]

    def require(self, counts: Mapping[str, int], /) -> None:
        """Check that all rows exist."""
        lacking = self.lacking(counts)
        if lacking:
            raise CollectionDamaged(
                f"{len(lacking)} of {len(counts)} documents lack passages: {self.chunks.uri}",
                hint=f"Run {See('doctor')} to see which, then ingest their files again.",
            )

    def batches(self, revision: str | None = None, /) -> Iterator[pa.Table]:
        """Yield all rows, or those of one revision, in order and with the declared columns."""
        start, count = (0, len(self.ids)) if revision is None else self.starts[revision]
        layout = schema.table("chunks").arrow(dimension=dimension_of(self.chunks))
        have = set(self.chunks.schema.names)
        columns = [n for n in layout.names if n in have]
        for begin in range(start, start + count, _TAKE_ROWS):
            ids = self.ids[begin : min(begin + _TAKE_ROWS, start + count)].tolist()
            with reading(self.chunks.uri):
                taken = self.chunks._take_rows(ids, columns=columns)
            require_intact(taken, "chunks", "document_name", lacking={*layout.names} - have)
            yield conform(taken, layout)


# Rows that neither a document nor a journal names: they result from damage, never from a crash.

_TOGETHER = 500


def drop_orphan_rows(folder: Path, /) -> int:
    """Remove the rows of ``chunks`` without a document; return their number.

    The caller holds the write lock.
    """
    import pyarrow.compute as pc

    snapshot = open_snapshot(folder)
    before, dead = snapshot.chunks.count_rows(), set[str]()
    with storage_errors(dataset_at(folder, CHUNKS)):
        for batch in snapshot.chunks.scanner(columns=["revision"]).to_batches():
            dead.update(pc.unique(batch["revision"]).to_pylist())
        names = sorted(dead - snapshot.revisions.keys())
        for start in range(0, len(names), _TOGETHER):
            batch = names[start : start + _TOGETHER]
            open_dataset(folder, CHUNKS).delete(any_of("revision", batch))
    return int(before - open_dataset(folder, CHUNKS).count_rows())


def drop_files(folder: Path, numbers: Iterable[int], /, *, timeout: float) -> None:
    """Remove data files from ``chunks``, even with live rows; earlier states keep them."""
    import lance

    with write_lock(folder, timeout=timeout):
        dataset = open_dataset(folder, CHUNKS)
        still = {f.fragment_id for f in dataset.get_fragments()}
        gone = sorted(still.intersection(numbers))
        if gone:
            with storage_errors(dataset_at(folder, CHUNKS)):
                operation = lance.LanceOperation.Delete([], gone, "true")
                lance.LanceDataset.commit(
                    dataset_at(folder, CHUNKS),
                    operation,
                    read_version=dataset.version,
                    storage_options=place_of(folder).options,
                )
                heads.note(folder, open_dataset(folder, DOCUMENTS), open_dataset(folder, CHUNKS))


# Stored passages for DuckDB, read on demand and without damaged rows.

_KNOWN = (COLUMN, "revision")


@dataclass(frozen=True, slots=True)
class _Scanner:
    """A scanner for DuckDB; Arrow's reads ahead in threads that outlive Python."""

    reader: pa.RecordBatchReader

    def to_reader(self) -> pa.RecordBatchReader:
        return self.reader


def intact_chunks(
    snapshot: Snapshot,
    withheld: MutableMapping[str, str],
    failed: Callable[[CaseTrackError], None],
    /,
) -> Any:
    """Return the rows of ``chunks`` as a dataset that DuckDB can scan.

    It reads the columns and the condition through Lance, and compares every family of columns of
    which one is read (:mod:`casetrack.store.checksums`). Damaged rows are left out; rows that the
    condition excludes are not checked. *withheld* gets the document names of omitted live rows.
    *failed* gets the error that ended the reading, of which DuckDB passes on only the text.
    """
    import pyarrow as pa
    import pyarrow.dataset as ds

    stored = snapshot.chunks
    if COLUMN not in stored.schema.names:
        return stored
    lacking, live = snapshot.lacking, snapshot.revisions

    def compared(scanner: Any) -> Iterator[pa.Table]:
        with reading(stored.uri):
            for batch in scanner.to_batches():
                rows = pa.Table.from_batches([batch])
                wrong = damaged(rows, "chunks", lacking=lacking)
                if wrong.any():
                    for row in rows.filter(pa.array(wrong)).select(_KNOWN).to_pylist():
                        if row["revision"] in live:
                            name = snapshot.documents[live[row["revision"]]].name
                            withheld[str(row[COLUMN])] = name
                    rows = rows.filter(pa.array(~wrong))
                yield rows

    def intact(asked: list[str], scanner: Any) -> Iterator[pa.RecordBatch]:
        try:
            for rows in compared(scanner):
                yield from rows.select(asked).to_batches()
        except CaseTrackError as error:
            failed(error)
            raise

    class Intact(ds.Dataset):  # type: ignore[misc] # DuckDB checks the class, and calls two methods
        def __init__(self) -> None:
            pass

        @property
        def schema(self) -> pa.Schema:
            return stored.schema

        def scanner(self, columns: list[str] | None = None, **options: Any) -> _Scanner:
            asked = stored.schema.names if columns is None else columns
            needed = dict.fromkeys([*with_families(asked, "chunks"), *_KNOWN])
            present = [name for name in needed if name in stored.schema.names]
            scanner = stored.scanner(columns=present, **options)
            schema = pa.schema([stored.schema.field(name) for name in asked])
            return _Scanner(pa.RecordBatchReader.from_batches(schema, intact(asked, scanner)))

    return Intact()
