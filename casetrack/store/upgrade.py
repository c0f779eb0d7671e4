"""Brings a collection of an earlier schema version to the present one, in place.

Later versions only add columns that may be empty, so nothing that is stored changes. What the new
columns would say of older documents is unknown until they are ingested again; what models say of
them (token matrices) comes with ``casetrack reindex`` as well.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack import schema
from casetrack.resources import SCHEMA_VERSION
from casetrack.store.datasets import CHUNKS, DOCUMENTS, marks, open_dataset
from casetrack.store.files import storage_errors
from casetrack.store.info import read_info, write_info
from casetrack.store.lock import write_lock

if TYPE_CHECKING:
    from pathlib import Path


def upgrade(folder: Path, /) -> bool:
    """Add the columns that a collection lacks; returns whether there was anything to do.

    Killed at any moment, it is completed by the next call.

    Raises
    ------
    CollectionBusy
        Somebody is writing to the collection.
    StorageError
        It cannot be written.
    """
    if read_info(folder).schema_version >= SCHEMA_VERSION:
        return False
    with write_lock(folder, timeout=60.0):
        info = read_info(folder)
        if info.schema_version >= SCHEMA_VERSION:
            return False
        dimension = info.dimension
        for name, table in ((CHUNKS, "chunks"), (DOCUMENTS, "documents")):
            dataset = open_dataset(folder, name)
            have = set(dataset.schema.names)
            lacking = [c for c in schema.table(table).names if c not in have]
            if lacking:
                with storage_errors(folder / name):
                    dataset.add_columns(schema.table(table).arrow(lacking, dimension=dimension))
        _mark(folder, info.profile)
        write_info(folder, replace(info, schema_version=SCHEMA_VERSION))
    return True


def _mark(folder: Path, profile: str) -> None:
    """Note in the chunks themselves whose vectors they hold."""
    chunks = open_dataset(folder, CHUNKS)
    with storage_errors(folder / CHUNKS):
        chunks.update_schema_metadata(marks(profile))
