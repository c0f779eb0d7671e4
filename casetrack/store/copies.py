"""Copies of the live rows of one state as separate datasets, and the check of such a copy."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from casetrack.base import schema
from casetrack.base.errors import CaseTrackError, CollectionDamaged
from casetrack.base.files import storage_errors
from casetrack.store.checksums import damaged, require_intact, stamped
from casetrack.store.damage import reading
from casetrack.store.datasets import (
    CHUNKS,
    DOCUMENTS,
    conform,
    dimension_of,
    marks,
    open_dataset,
    profile_of,
)
from casetrack.store.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from casetrack.base.records import CollectionInfo
    from casetrack.store.datasets import Snapshot

_ROWS_PER_FILE = 8192
_LEAST_BYTES = 16


def write_copy(
    snapshot: Snapshot, folder: Path, /, *, documents: pa.Table, step: Callable[[int], None]
) -> frozenset[str]:
    """Write the live rows of a state to new datasets; return the fingerprints of the vector models.

    *snapshot* must keep its files during the copy (see
    :func:`casetrack.store.reader_locks.locked_snapshot`). *step* gets the number of chunks written
    so far; its errors stop the copy.
    """
    import pyarrow.compute as pc

    counts = snapshot.documents.chunk_counts
    require_intact(snapshot.documents.table, "documents", "name")
    rows = Rows.of(snapshot.chunks, counts)
    rows.require(counts)
    layout = schema.table("chunks").arrow(dimension=snapshot.dimension)
    layout = layout.with_metadata(marks(snapshot.profile, snapshot.generation))
    models: set[str] = set()

    def live() -> Iterator[pa.RecordBatch]:
        done = 0
        for table in rows.batches():
            models.update(pc.unique(pc.list_flatten(table["embedders"])).to_pylist())
            done += table.num_rows
            step(done)
            yield from stamped(table, "chunks").cast(layout).to_batches()

    _write(folder / CHUNKS, live(), layout)
    ledger = schema.table("documents").arrow()
    rows_of_ledger = stamped(conform(documents, ledger), "documents").cast(ledger)
    _write(folder / DOCUMENTS, rows_of_ledger.to_batches(), ledger)
    return frozenset(models)


def _write(path: Path, batches: Any, layout: pa.Schema) -> None:
    import lance

    failed: list[Exception] = []

    def watched() -> Iterator[pa.RecordBatch]:
        try:
            yield from batches
        except Exception as error:
            failed.append(error)
            raise

    reader = pa.RecordBatchReader.from_batches(layout, watched())
    with storage_errors(path):
        try:
            lance.write_dataset(
                reader, path, enable_stable_row_ids=True, max_rows_per_file=_ROWS_PER_FILE
            )
        except Exception:
            if failed:
                # Lance would replace it by its own error.
                raise failed[0] from None
            raise


def check_copy(folder: Path, info: CollectionInfo, /) -> dict[str, int]:
    """Check an untrusted folder of datasets; return its ``documents``, ``pages`` and ``chunks``."""
    try:
        return _check(folder, info)
    except CaseTrackError as error:
        raise CollectionDamaged(error.message) from error
    except BaseException as error:
        # A panic of Lance is not an Exception.
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            raise CollectionDamaged(f"unreadable tables ({type(error).__name__})") from (error)
        raise


def _check(folder: Path, info: CollectionInfo) -> dict[str, int]:
    documents, chunks = open_dataset(folder, DOCUMENTS), open_dataset(folder, CHUNKS)
    for name, dataset in (("documents", documents), ("chunks", chunks)):
        _check_files(folder / f"{name}.lance", dataset)
        layout = schema.table(name, version=info.schema_version)
        # Columns added by later versions are empty in rows of an earlier one.
        needed = [c.name for c in layout.columns if not c.nullable]
        layout.check(dataset.schema, where=f"the table {name}", names=needed)
    marked = profile_of(chunks), dimension_of(chunks)
    if marked != (info.profile, info.dimension):
        raise CollectionDamaged(
            f"vectors of the profile {marked[0]} with {marked[1]} dimensions, but declares "
            f"{info.profile} with {info.dimension}"
        )
    with reading(documents.uri):
        ledger = documents.to_table()
    _check_ledger(ledger)
    _check_rows(ledger, "documents", "name")
    counts = dict(
        zip(ledger["revision"].to_pylist(), ledger["chunk_count"].to_pylist(), strict=True)
    )
    _check_chunks(chunks, counts)
    return {
        "documents": ledger.num_rows,
        "pages": sum(ledger["page_count"].to_pylist()),
        "chunks": sum(counts.values()),
        "originals": ledger.num_rows - ledger["original_copy"].null_count,
    }


def _check_files(path: Path, dataset: Any) -> None:
    """Refuse a table that reads files from elsewhere, or claims more rows than possible.

    Each row has a random id of 16 bytes that does not compress. So the size of the files limits the
    number of rows.
    """
    if dataset.base_paths():
        raise CollectionDamaged("a table that refers to other files of this machine")
    size = 0
    for fragment in dataset.get_fragments():
        for file in fragment.data_files():
            if "/" in file.path or "\\" in file.path or not (path / "data" / file.path).is_file():
                raise CollectionDamaged("a table without its data")
            size += (path / "data" / file.path).stat().st_size
    if dataset.count_rows() * _LEAST_BYTES > size:
        raise CollectionDamaged("more rows than its files can hold")


def _check_rows(rows: pa.Table, table: str, name: str) -> None:
    lacking = set(schema.table(table).names).difference(rows.column_names)
    wrong = rows[name].filter(pa.array(damaged(rows, table, lacking=lacking)))
    if len(wrong):
        raise CollectionDamaged(f"rows of {wrong[0]} that do not match their checksums")


def _check_ledger(ledger: pa.Table) -> None:
    for column in ("document_id", "revision"):
        values = ledger[column].to_pylist()
        if len(set(values)) != len(values):
            raise CollectionDamaged("the same document twice")
    for copy in ledger["original_copy"].drop_null().to_pylist():
        parts = copy.split("/")
        if len(parts) != 3 or parts[0] != "originals" or {"", ".", ".."} & set(parts):
            raise CollectionDamaged("a document whose copy is outside the collection")


def _check_chunks(chunks: Any, counts: dict[str, int]) -> None:
    numbers: Counter[str] = Counter()
    with reading(chunks.uri):
        for batch in chunks.scanner().to_batches():
            numbers.update(batch["revision"].to_pylist())
            _check_rows(pa.Table.from_batches([batch]), "chunks", "document_name")
    if numbers != Counter(counts):
        raise CollectionDamaged("passages that do not match its list of documents")
