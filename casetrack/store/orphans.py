"""Rows that no document names and no journal knows: what is left of damage, never of a crash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.files import storage_errors
from casetrack.store import heads
from casetrack.store.datasets import CHUNKS, DOCUMENTS, any_of, open_dataset, open_snapshot
from casetrack.store.lock import write_lock
from casetrack.store.place import dataset_at, place_of

if TYPE_CHECKING:
    from collections.abc import Iterable
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
    with storage_errors(dataset_at(folder, CHUNKS)):
        for batch in snapshot.chunks.scanner(columns=["revision"]).to_batches():
            dead.update(pc.unique(batch["revision"]).to_pylist())
        names = sorted(dead - snapshot.revisions.keys())
        for start in range(0, len(names), _TOGETHER):
            batch = names[start : start + _TOGETHER]
            open_dataset(folder, CHUNKS).delete(any_of("revision", batch))
    return int(before - open_dataset(folder, CHUNKS).count_rows())


def drop_files(folder: Path, numbers: Iterable[int], /, *, timeout: float) -> None:
    """Take data files out of ``chunks``, whatever lies in them; earlier states keep them a while.

    Raises
    ------
    CollectionBusy
        Somebody else writes for longer than *timeout* seconds.
    DiskFull, NotWritable, StorageError
        It cannot be written.
    """
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
