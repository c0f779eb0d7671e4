"""How much a collection holds: as its last writer has counted it, or counted anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.records import CollectionStats
from casetrack.store import heads
from casetrack.store.place import stored_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.store.datasets import Snapshot


def counted_stats(folder: Path, snapshot: Snapshot, /) -> CollectionStats:
    """Return the counts of a state, and the bytes of everything in the folder."""
    documents = snapshot.documents.values()
    return CollectionStats(
        document_count=len(documents),
        page_count=sum(d.page_count for d in documents),
        chunk_count=sum(d.chunk_count for d in documents),
        storage_bytes=stored_bytes(folder),
    )


def noted_documents(folder: Path, /) -> int | None:
    """Return how many documents the newest state has, as its writer noted; nothing is opened."""
    noted = heads.counted(folder)
    return None if noted is None else noted.rows


def noted_stats(folder: Path, /) -> CollectionStats | None:
    """Return the counts of the newest state as its writer noted them; nothing is opened.

    ``None`` where no note speaks of that state.
    """
    noted = heads.counted(folder)
    if noted is None:
        return None
    return CollectionStats(noted.rows, noted.pages, noted.passages, stored_bytes(folder))
