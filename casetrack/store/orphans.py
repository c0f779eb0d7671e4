"""Rows that no document names and no journal knows: what is left of damage, never of a crash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.store.datasets import CHUNKS, any_of, open_dataset, open_snapshot
from casetrack.store.files import storage_errors

if TYPE_CHECKING:
    from pathlib import Path

_TOGETHER = 500


def drop_orphan_rows(folder: Path, /) -> int:
    """Remove rows of ``chunks`` that belong to no document; the caller holds the write lock.

    Returns
    -------
    int
        Number of rows removed.

    Raises
    ------
    CollectionDamaged, StorageError
        The rows cannot be read, or not be removed.
    """
    import pyarrow.compute as pc

    snapshot = open_snapshot(folder)
    before, dead = snapshot.chunks.count_rows(), set[str]()
    with storage_errors(folder / CHUNKS):
        for batch in snapshot.chunks.scanner(columns=["revision"]).to_batches():
            dead.update(pc.unique(batch["revision"]).to_pylist())
        names = sorted(dead - snapshot.revisions.keys())
        for start in range(0, len(names), _TOGETHER):
            batch = names[start : start + _TOGETHER]
            open_dataset(folder, CHUNKS).delete(any_of("revision", batch))
    return int(before - open_dataset(folder, CHUNKS).count_rows())
