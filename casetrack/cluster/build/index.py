"""The search index, made on a cluster: each task makes the segments of some documents.

A segment holds postings, vectors and texts of its documents and nothing of others, so segments that
were made apart are published together by one switch of the manifest, under the lock that every
builder takes. What is there stays as it is: a batch more costs what it holds. A task whose machine
is lost is done again; a driver that is killed leaves folders behind that nobody names, and the next
builder makes what is missing.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.cluster.build.sharing import groups
from casetrack.errors import CollectionBusy, UsageError
from casetrack.store.datasets import open_snapshot
from casetrack.store.lock import try_lock
from casetrack.store.place import place_of
from casetrack.views import cells, cells_build, matrices_build
from casetrack.views.segment import load
from casetrack.views.stored_segments import MAX_CHUNKS, index_home, segment_folder

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from casetrack.store.datasets import Snapshot
    from casetrack.views.segment import Segment
    from casetrack.views.segment_files import SegmentFolder

_RETRIES = 3
_LOCK_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class IndexBuilt:
    """What was made.

    Attributes
    ----------
    documents, chunks
        How many are new in the index.
    tasks, segments
        In how many tasks, and the segments that the index has now.
    ordered
        Segments whose vectors were put in order for approximate search.
    located
        Data files whose token matrices were located.
    seconds
        How long it took.
    """

    documents: int
    chunks: int
    tasks: int
    segments: int
    ordered: int
    located: int
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON output."""
        return asdict(self)


def build_index(folder: Path, processors: int, /) -> IndexBuilt:
    """Make what is missing of a collection's search index on the connected cluster.

    Parameters
    ----------
    folder
        The collection's folder, which all machines of the cluster see at this path.
    processors
        How many tasks run at a time.

    Raises
    ------
    UsageError
        The collection lies in object storage.
    CollectionBusy
        Another program is building it.
    CollectionDamaged, CollectionGone
        The collection cannot be read.
    """
    if (place := place_of(folder)).is_remote:
        raise UsageError(
            f"{place.uri} lies in object storage, and its search index is made by who writes to "
            "it: its tasks share no folder.",
            hint="`casetrack ingest` and `casetrack reindex` make it with what they write.",
        )
    import ray

    started = time.monotonic()
    snapshot = open_snapshot(folder)
    keeper = _keeper(folder, snapshot)
    sizes = snapshot.documents.chunk_counts
    made: list[list[str]] = []
    task = ray.remote(num_cpus=1, max_retries=_RETRIES)(_make)

    def make(missing: Collection[str]) -> Iterable[str]:
        made.extend(groups(sizes, missing, MAX_CHUNKS, processors))
        running = [task.remote(str(folder), group) for group in made]
        try:
            return [name for names in ray.get(running) for name in names]
        except ray.exceptions.RayTaskError as error:
            raise error.as_instanceof_cause() from None

    segments = keeper.segments(snapshot, made_by=make)
    if any(segment.folder is None for segment in segments):
        raise CollectionBusy(
            f"Another program is building the search index of {folder.name}.",
            hint="Wait until it is done, then run this again: what is there already is kept.",
        )
    ordered = _order(folder, segments, snapshot.dimension)
    located = ray.get(ray.remote(num_cpus=1, max_retries=_RETRIES)(_locate).remote(str(folder)))
    new = [revision for group in made for revision in group]
    return IndexBuilt(
        len(new),
        sum(sizes[revision] for revision in new),
        len(made),
        len(segments),
        ordered,
        located,
        time.monotonic() - started,
    )


def _order(folder: Path, segments: list[Segment], dimension: int) -> int:
    """Put the vectors of large segments in order, one task for each; return how many were."""
    import ray

    if sum(segment.size for segment in segments) * dimension < cells.PAYS_FROM:
        return 0
    with try_lock(index_home(folder) / ".cells.lock", timeout=_LOCK_SECONDS) as locked:
        # Who is at it already, in the background, does the same.
        if not locked:
            return 0
        task = ray.remote(num_cpus=1, max_retries=_RETRIES)(_order_one)
        return sum(ray.get([task.remote(str(s.folder)) for s in cells.wanting(segments)]))


def _keeper(folder: Path, snapshot: Snapshot) -> SegmentFolder[Segment]:
    return segment_folder(index_home(folder), snapshot, snapshot.dimension)


# --- tasks ----------------------------------------------------------------------------------------


def _make(folder: str, revisions: list[str]) -> list[str]:
    """Make the segments of some revisions and return their names."""
    snapshot = open_snapshot(Path(folder))
    # What was replaced since the work was shared out is nobody's any more.
    live = [revision for revision in revisions if revision in snapshot.revisions]
    return _keeper(Path(folder), snapshot).make(live)


def _order_one(folder: str) -> bool:
    """Put the vectors of one segment in order."""
    return cells_build.build_one(load(Path(folder)), Path(folder))


def _locate(folder: str) -> int:
    """Note where the token matrices of new data files lie."""
    return matrices_build.build_all(Path(folder))
