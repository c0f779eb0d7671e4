"""Adding the columns of a later version to the datasets of a collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base import schema
from casetrack.base.files import storage_errors
from casetrack.store.datasets import CHUNKS, DOCUMENTS, open_dataset

if TYPE_CHECKING:
    from pathlib import Path

TABLES = ((CHUNKS, "chunks"), (DOCUMENTS, "documents"))


def add_columns(folder: Path, version: int, dimension: int, /) -> None:
    """Add to both datasets the columns that *version* has and they lack; all rows have null there.

    One commit for each dataset. No row and no other column is written, so whoever reads the
    collection at this moment goes on undisturbed.

    Raises
    ------
    CollectionDamaged
        A dataset is missing or unreadable.
    DiskFull, NotWritable, StorageError
        It cannot be written.
    """
    for name, table in TABLES:
        dataset = open_dataset(folder, name)
        have = set(dataset.schema.names)
        declared = schema.table(table, version=version)
        lacking = [column for column in declared.names if column not in have]
        if lacking:
            with storage_errors(folder / name):
                dataset.add_columns(declared.arrow(lacking, dimension=dimension))
