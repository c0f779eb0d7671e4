"""Commits to the two datasets, each made once and only by the current writer.

Lance guarantees this in a local folder. Object storage needs two more steps. Before a commit, and
after opening its base version, the writer confirms its lease (see :mod:`casetrack.store.lock`). If
the response of a commit is lost, it may have succeeded: the dataset is checked before a retry.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from casetrack.base import schema
from casetrack.base.errors import ObjectStorageError, SchemaError, See, StorageError, WriterReplaced
from casetrack.base.files import storage_errors
from casetrack.base.objects.service import fault_of
from casetrack.store import lock
from casetrack.store.checksums import stamped
from casetrack.store.datasets import CHUNKS, DOCUMENTS, open_dataset
from casetrack.store.place import dataset_at, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import pyarrow as pa

_TRIES = 5
_FIRST_SECONDS = 0.5
_LATER = {"busy", "unreachable"}
_OVERTAKEN = "concurrent transaction Restore"


def append(folder: Path, fragments: Sequence[Any], /) -> None:
    """Append written fragments to the chunks; the caller holds the write lock."""
    import lance

    place = place_of(folder)

    def commit(dataset: Any) -> None:
        lance.LanceDataset.commit(
            place.dataset(CHUNKS),
            lance.LanceOperation.Append(fragments),
            read_version=dataset.version,
            storage_options=place.options,
        )

    _do(folder, CHUNKS, commit, _committed(fragments))


def switch(folder: Path, rows: pa.Table, gone: str | None = None, /) -> None:
    """Replace or add rows of the ledger, and remove others that match the SQL condition *gone*."""

    def commit(ledger: Any) -> None:
        upsert = ledger.merge_insert("document_id").when_matched_update_all()
        upsert = upsert.when_not_matched_insert_all()
        if gone is not None:
            upsert = upsert.when_not_matched_by_source_delete(gone)
        upsert.execute(rows)

    _do(folder, DOCUMENTS, commit)


def remove(folder: Path, name: str, condition: str, /) -> None:
    """Remove the rows of a dataset that match an SQL condition; see :func:`append`."""
    _do(folder, name, lambda dataset: dataset.delete(condition))


def replace(folder: Path, fragments: Sequence[Any], layout: pa.Schema, base: int, /) -> None:
    """Replace all chunks, whose newest version is *base*, by written fragments."""
    import lance

    place = place_of(folder)

    def commit(dataset: Any) -> None:
        if dataset.version != base:
            raise StorageError(
                f"The passages at {place.uri} were changed while they were recomputed.",
                hint="Run the command again; finished model outputs are kept.",
            )
        lance.LanceDataset.commit(
            place.dataset(CHUNKS),
            lance.LanceOperation.Overwrite(layout, fragments),
            read_version=base,
            storage_options=place.options,
            # Otherwise Lance would let it pass any other commit.
            max_retries=0,
        )

    _do(folder, CHUNKS, commit, _committed(fragments))


def _committed(fragments: Sequence[Any]) -> Callable[[Any], bool]:
    """Return a function whether a dataset has files of some fragments."""
    wanted = {file.path for part in fragments for file in part.files}

    def is_done(dataset: Any) -> bool:
        paths = (f.path for part in dataset.get_fragments() for f in part.metadata.files)
        return not wanted.isdisjoint(paths)

    return is_done


def _do(
    folder: Path,
    name: str,
    commit: Callable[[Any], object],
    is_done: Callable[[Any], bool] | None = None,
) -> None:
    """Commit to a dataset; a commit that can safely be repeated has no *is_done*."""
    where, left, seconds = dataset_at(folder, name), _TRIES, _FIRST_SECONDS
    while True:
        left -= 1
        dataset = open_dataset(folder, name)
        if left < _TRIES - 1 and is_done is not None and is_done(dataset):
            return
        lock.confirm(folder)
        try:
            with storage_errors(where):
                commit(dataset)
            return
        except StorageError as error:
            cause = error.__cause__ or error
            if _OVERTAKEN in str(cause):
                raise WriterReplaced(place_of(folder).uri) from error
            is_elsewhere = isinstance(error, ObjectStorageError)
            if not is_elsewhere or fault_of(cause).kind not in _LATER or not left:
                raise
        time.sleep(seconds)
        seconds *= 2


# Rows of ``chunks`` as files of their dataset, invisible until a session commits them. Other
# processes, even on other machines, may write such files for the writer: they return the metadata
# that a commit needs, not the rows.

_CHUNKS = "chunks.lance"


def rows_of_chunks(table: pa.Table, dimension: int, /) -> pa.Table:
    """Return a table as rows of ``chunks`` with vectors of this length."""
    declared = schema.table("chunks")
    declared.check(table.schema, where="storing chunks")
    length = table.schema.field("dense").type.list_size
    if length != dimension:
        raise SchemaError(
            f"Vectors with {length} dimensions do not fit this collection, which uses {dimension}.",
            hint=f"Change the models of the whole collection with {See('reindex')}.",
        )
    return table.select(list(declared.names)).cast(declared.arrow(dimension=dimension))


def write_files(folder: Path, tables: Sequence[pa.Table], /) -> list[Any]:
    """Write results of :func:`rows_of_chunks` with checksums; return the fragments for a commit."""
    import pyarrow as pa
    from lance.fragment import write_fragments

    table = stamped(pa.concat_tables(tables), "chunks")
    place = place_of(folder)
    where = place.dataset(_CHUNKS)
    with storage_errors(where):
        fragments: list[Any] = write_fragments(
            table, where, mode="append", storage_options=place.options
        )
    return fragments


def packed(fragments: Sequence[Any], /) -> bytes:
    """Serialize fragments for another machine; see :func:`unpacked`."""
    return json.dumps([fragment.to_json() for fragment in fragments]).encode()


def unpacked(data: bytes, /) -> list[Any]:
    """Return the fragments that another process has written."""
    from lance import FragmentMetadata

    return [FragmentMetadata.from_json(json.dumps(each)) for each in json.loads(data)]
