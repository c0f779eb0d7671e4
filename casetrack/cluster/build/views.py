"""The search index and the map of a collection, made on a cluster.

What a document says by itself (words, vectors, names, dates, amounts, references, citations) is
most of the work, and depends on no other document: tasks read it, see
:mod:`casetrack.cluster.build.parts`. What the collection says (who is one person, what a reference
means, edges) depends on all of them; it is made of the segments' tables by the functions that one
process uses, whatever made these, and is therefore the same.
"""

from __future__ import annotations

import contextlib
import logging
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import ClusterFailed, CollectionBusy
from casetrack.cluster.build.parts import INDEX, MAP, MORE, build
from casetrack.graph.opened import graph_of
from casetrack.store.datasets import open_snapshot
from casetrack.store.index import matrices_build
from casetrack.store.lock import write_lock
from casetrack.store.place import place_of

if TYPE_CHECKING:
    from casetrack.store.workspace import Workspace

PAYS_FROM = 4096
"""Passages for which tasks are started; fewer are read while the tasks would still begin."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class MapBuilt:
    """What was made of the map.

    Attributes
    ----------
    documents
        How many were read.
    tasks
        In how many tasks, citations counted apart.
    seconds_read, seconds_joined
        How long reading them took, and joining what they say.
    """

    documents: int
    tasks: int
    seconds_read: float
    seconds_joined: float


@dataclass(frozen=True, slots=True)
class ViewsBuilt:
    """What was made.

    Attributes
    ----------
    documents, chunks
        How many are new in the index.
    tasks, segments
        In how many tasks, and the segments that the index has now.
    ordered
        New segments whose vectors were put in order for approximate search.
    located
        Data files whose token matrices were located.
    seconds
        How long the index took.
    map
        What was made of the map.
    """

    documents: int
    chunks: int
    tasks: int
    segments: int
    ordered: int
    located: int
    seconds: float
    map: MapBuilt

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON output."""
        return asdict(self)


def build_views(workspace: Workspace, processors: int, /) -> ViewsBuilt:
    """Make what is missing of a collection's search index and map on the connected cluster.

    Parameters
    ----------
    workspace
        The collection; all machines of the cluster see its folder at the same path, or it lies in
        object storage.
    processors
        How many tasks run at a time.

    Raises
    ------
    CollectionBusy
        Another program is making them, or writes to the collection in object storage.
    ClusterFailed
        Tasks ended again and again without a word.
    CollectionDamaged, CollectionGone
        The collection cannot be read.
    """
    folder = workspace.folder
    publishes = write_lock(folder) if place_of(folder).is_remote else contextlib.nullcontext()
    with publishes:
        return _build(workspace, processors)


def catch_up(workspace: Workspace, processors: int, /) -> None:
    """Do what :meth:`catch_up` does, in tasks where there is much.

    Called while the write lock is held. Where the cluster fails, this process does it.
    """
    snapshot = open_snapshot(workspace.folder)
    lacking = MAP.keeper(workspace.folder / MAP.home, snapshot).lacking(snapshot)
    if sum(lacking.values()) >= PAYS_FROM:
        try:
            _build(workspace, processors)
        except (ClusterFailed, CollectionBusy) as error:
            _log.warning("The views are made by one process: %s", error.message)
    workspace.catch_up()


def _build(workspace: Workspace, processors: int) -> ViewsBuilt:
    started = time.monotonic()
    folder = workspace.folder
    snapshot = open_snapshot(folder)
    index = build(folder, INDEX, snapshot, processors)
    located = matrices_build.build_all(folder)
    indexed = time.monotonic()
    parts = [build(folder, kind, snapshot, processors) for kind in (MAP, *MORE)]
    read = time.monotonic()
    graph_of(workspace.state()).catch_up()
    counts = snapshot.documents.chunk_counts
    return ViewsBuilt(
        len(index.revisions),
        sum(counts[revision] for revision in index.revisions),
        index.tasks,
        index.segments,
        index.ordered,
        located,
        indexed - started,
        MapBuilt(
            len(frozenset().union(*(part.revisions for part in parts))),
            sum(part.tasks for part in parts),
            read - indexed,
            time.monotonic() - read,
        ),
    )
