"""Commits to the two datasets: each certain to be made by the writer, and to be made once.

In a folder that is what Lance does. In object storage two things are added. Before a commit the
writer makes sure that it still is the writer, after it has opened what the commit is based on (see
:mod:`casetrack.store.lock`). And a commit whose answer was lost on the way may have been made: so
what lies there is looked at before it is tried again.
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
    """Add fragments that were written to the chunks; the caller is the writer.

    Raises
    ------
    DiskFull, NotWritable, StorageError
        They cannot be added.
    WriterReplaced
        Another writer took over.
    """
    import lance

    place = place_of(folder)
    wanted = {file.path for part in fragments for file in part.files}

    def commit(dataset: Any) -> None:
        lance.LanceDataset.commit(
            place.dataset(CHUNKS),
            lance.LanceOperation.Append(fragments),
            read_version=dataset.version,
            storage_options=place.options,
        )

    def is_done(dataset: Any) -> bool:
        found = (f.path for part in dataset.get_fragments() for f in part.metadata.files)
        return not wanted.isdisjoint(found)

    _do(folder, CHUNKS, commit, is_done)


def switch(folder: Path, rows: pa.Table, gone: str | None = None, /) -> None:
    """Replace or add rows of the ledger; see :func:`append`.

    Parameters
    ----------
    folder, rows
        The collection, and the new rows by document.
    gone
        An SQL condition: other rows that it holds for are removed in the same commit.
    """

    def commit(ledger: Any) -> None:
        upsert = ledger.merge_insert("document_id").when_matched_update_all()
        upsert = upsert.when_not_matched_insert_all()
        if gone is not None:
            upsert = upsert.when_not_matched_by_source_delete(gone)
        upsert.execute(rows)

    _do(folder, DOCUMENTS, commit)


def remove(folder: Path, name: str, condition: str, /) -> None:
    """Remove the rows of a dataset for which an SQL condition holds; see :func:`append`."""
    _do(folder, name, lambda dataset: dataset.delete(condition))


def replace(folder: Path, fragments: Sequence[Any], layout: pa.Schema, base: int, /) -> None:
    """Let fragments that were written take the place of all chunks; see :func:`append`.

    Parameters
    ----------
    folder, fragments
        As there.
    layout
        Their columns.
    base
        The version of the chunks that they were made of, which has to be the newest.
    """
    import lance

    place = place_of(folder)
    wanted = {file.path for part in fragments for file in part.files}

    def commit(dataset: Any) -> None:
        if dataset.version != base:
            raise StorageError(
                f"The passages at {place.uri} were changed while they were made anew.",
                hint="Run the command again: what models have made is kept.",
            )
        lance.LanceDataset.commit(
            place.dataset(CHUNKS),
            lance.LanceOperation.Overwrite(layout, fragments),
            read_version=base,
            storage_options=place.options,
            # Else Lance would let it go past any other commit.
            max_retries=0,
        )

    def is_done(dataset: Any) -> bool:
        found = (f.path for part in dataset.get_fragments() for f in part.metadata.files)
        return not wanted.isdisjoint(found)

    _do(folder, CHUNKS, commit, is_done)


def _do(
    folder: Path,
    name: str,
    commit: Callable[[Any], object],
    is_done: Callable[[Any], bool] | None = None,
) -> None:
    """Commit to a dataset; what may be done twice without harm has no *is_done*."""
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
            said = error.__cause__ or error
            if _OVERTAKEN in str(said):
                raise WriterReplaced(place_of(folder).uri) from error
            is_elsewhere = isinstance(error, ObjectStorageError)
            if not is_elsewhere or fault_of(said).kind not in _LATER or not left:
                raise
        time.sleep(seconds)
        seconds *= 2


# Rows of ``chunks`` as files of their dataset, which no reader sees until a session commits
# them.
#
# Whoever writes a collection may have others write such files for it, on other machines too: what
# goes back to the writer is not the rows, but what a commit has to know of their files.

_CHUNKS = "chunks.lance"


def rows_of_chunks(table: pa.Table, dimension: int, /) -> pa.Table:
    """Return a table as rows of ``chunks`` with vectors of this length.

    Raises
    ------
    SchemaError
        It is not one of ``chunks``, or its vectors have another length.
    """
    declared = schema.table("chunks")
    declared.check(table.schema, where="storing chunks")
    found = table.schema.field("dense").type.list_size
    if found != dimension:
        raise SchemaError(
            f"Vectors of {found} numbers do not fit this collection; it has {dimension}.",
            hint=f"Choose the models for the whole collection with {See('reindex')}.",
        )
    return table.select(list(declared.names)).cast(declared.arrow(dimension=dimension))


def write_files(folder: Path, tables: Sequence[pa.Table], /) -> list[Any]:
    """Write rows of ``chunks`` with their checksums; return what a commit has to know of them.

    Parameters
    ----------
    folder
        The collection's folder, or one that stands for it.
    tables
        As :func:`rows_of_chunks` returns them.

    Raises
    ------
    DiskFull, NotWritable, StorageError
        They cannot be written.
    """
    import pyarrow as pa
    from lance.fragment import write_fragments

    table = stamped(pa.concat_tables(tables), "chunks")
    place = place_of(folder)
    where = place.dataset(_CHUNKS)
    with storage_errors(where):
        found: list[Any] = write_fragments(
            table, where, mode="append", storage_options=place.options
        )
    return found


def packed(fragments: Sequence[Any], /) -> bytes:
    """Return what :func:`unpacked` takes, for the way from one machine to another."""
    return json.dumps([fragment.to_json() for fragment in fragments]).encode()


def unpacked(data: bytes, /) -> list[Any]:
    """Return what another process knows of files that it has written."""
    from lance import FragmentMetadata

    return [FragmentMetadata.from_json(json.dumps(each)) for each in json.loads(data)]
