"""Rows of ``chunks`` as files of their dataset, which no reader sees until a session commits them.

Whoever writes a collection may have others write such files for it, on other machines too: what
goes back to the writer is not the rows, but what a commit has to know of their files.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from casetrack.base import schema
from casetrack.base.errors import SchemaError
from casetrack.base.files import storage_errors
from casetrack.store.checksums import stamped
from casetrack.store.place import place_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pyarrow as pa

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
            hint="Choose the models for the whole collection with `casetrack reindex`.",
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
