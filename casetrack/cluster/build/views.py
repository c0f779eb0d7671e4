"""The search index and the map of a collection, made on a cluster.

What a document says by itself (words, vectors, names, dates, amounts, references, citations) is
most of the work, and depends on no other document: tasks read it, see
:mod:`casetrack.cluster.build.views`. What the collection says (who is one person, what a reference
means, edges) depends on all of them; it is made of the segments' tables by the functions that one
process uses, whatever made these, and is therefore the same.
"""

from __future__ import annotations

import contextlib
import logging
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from casetrack.base.errors import ClusterFailed, CollectionBusy
from casetrack.base.registry import registered
from casetrack.graph import stored_segments as graph
from casetrack.graph.opened import graph_of
from casetrack.store import mirror
from casetrack.store.datasets import open_snapshot
from casetrack.store.folders import local_folder
from casetrack.store.index import cells_build, matrices_build
from casetrack.store.index import stored_segments as index
from casetrack.store.lock import write_lock
from casetrack.store.place import place_of
from casetrack.store.scratch import working_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from pathlib import Path

    from casetrack.store.datasets import Snapshot
    from casetrack.store.index.segment_files import SegmentFolder
    from casetrack.store.place import Place
    from casetrack.store.published import Item
    from casetrack.store.workspace import Workspace

# Segments that are made in tasks on a cluster, and published together by who writes.
#
# A segment of the search index or of the map holds what it says of its documents and nothing of
# others. So segments that were made apart are published by one switch of the manifest, under the
# lock that every builder takes. What is there stays as it is: a batch more costs what it holds. A
# task whose machine is lost is done again; a driver that is killed leaves folders or objects behind
# that nobody names, and the next builder makes what is missing.
#
# The tasks share the collection's folder. Where the collection lies in object storage there is
# none: a task sends there what it made, and the driver fetches it, to publish it with the rest.

# Cuts the documents that something is to be made of into groups, one for each task.

_PILE = 8
"""So many small segments are merged into one as soon as they are published."""


def groups(
    sizes: Mapping[str, int], revisions: Iterable[str], largest: int, processors: int, /
) -> list[list[str]]:
    """Return the revisions in groups that take about as long, in the order of their names.

    A group fills at most one segment, so that little is made again where a machine is lost; and
    small groups are fewer than would be merged at once, which would be the same work again.

    Parameters
    ----------
    sizes
        Rows by revision.
    revisions
        Those to make something of.
    largest
        Rows of the largest segment.
    processors
        How many tasks run at a time.
    """
    wanted = sorted(revisions)
    rows = sum(sizes[revision] for revision in wanted)
    parts = max(1, processors)
    if rows < parts * (largest // 2):
        parts = min(parts, _PILE - 1)
    room = max(1, min(largest, -(-rows // parts)))
    found: list[list[str]] = []
    filled = room
    for revision in wanted:
        if filled and filled + sizes[revision] > room:
            found.append([])
            filled = 0
        found[-1].append(revision)
        filled += sizes[revision]
    return found


_RETRIES = 3


class Kind(NamedTuple):
    """A kind of segments.

    Attributes
    ----------
    name
        For people.
    home
        Their folder in that of the collection.
    largest
        Rows of the largest one.
    keeper
        Returns what keeps them, given their folder and what is live.
    """

    name: str
    home: str
    largest: int
    keeper: Callable[[Path, Snapshot], SegmentFolder[Any]]


INDEX = Kind(
    "search index",
    "views/index",
    index.MAX_CHUNKS,
    lambda home, snapshot: index.segment_folder(home, snapshot, snapshot.dimension),
)
MAP = Kind("map", "views/graph/segments", graph.LARGEST, graph.segment_folder)
MORE = tuple(
    Kind("map", f"views/graph/{name}", graph.LARGEST, keeper)
    for name, keeper in registered("segments").items()
)
_KINDS = {kind.home: kind for kind in (INDEX, MAP, *MORE)}


@dataclass(slots=True)
class Built:
    """What was made of one kind.

    Attributes
    ----------
    revisions
        Of the documents that are new in it.
    tasks, ordered
        In how many tasks, and the segments among them whose vectors were put in order for
        approximate search.
    segments
        That there are now.
    """

    revisions: frozenset[str] = frozenset()
    tasks: int = 0
    ordered: int = 0
    segments: int = 0


class Made(NamedTuple):
    """What a task made: segments by name, of which so many are in order, and what it sent."""

    names: list[str]
    ordered: int
    sent: dict[str, Item]


def build(folder: Path, kind: Kind, snapshot: Snapshot, processors: int, /) -> Built:
    """Make the segments that are missing on the connected cluster, and publish them.

    Parameters
    ----------
    folder
        The collection's folder, which all machines of the cluster see at this path; of one in
        object storage, who calls holds the write lock.
    kind
        Which.
    snapshot
        What is live.
    processors
        How many tasks run at a time.

    Raises
    ------
    CollectionBusy
        Another program is building them.
    ClusterFailed
        Tasks ended again and again without a word.
    CollectionDamaged, CollectionGone
        The collection cannot be read.
    """
    place, built = place_of(folder), Built()
    orders = (
        sum(snapshot.documents.chunk_counts.values()) * snapshot.dimension >= cells_build.PAYS_FROM
    )

    def make(missing: Collection[str]) -> Iterable[str]:
        shares = groups(snapshot.documents.chunk_counts, missing, kind.largest, processors)
        built.revisions, built.tasks = frozenset(missing), len(shares)
        names = list[str]()
        for made in in_tasks(place, kind.home, shares, orders):
            mirror.receive(folder, made.sent)
            built.ordered += made.ordered
            names += made.names
        return names

    keeper = kind.keeper(folder / kind.home, snapshot)
    keeper.segments(snapshot, made_by=make)
    if keeper.lacking(snapshot):
        raise CollectionBusy(
            f"Another program is making the {kind.name} of {folder.name}.",
            hint="Wait until it is done, then run this again: what is there already is kept.",
        )
    built.segments = len(keeper.stored(snapshot.generation))
    return built


def in_tasks(place: Place, home: str, shares: list[list[str]], orders: bool, /) -> list[Made]:
    """Have each share of the revisions made in a task of its own.

    Raises
    ------
    ClusterFailed
        A task ended again and again without a word.
    Exception
        Whatever :func:`make` raises.
    """
    import ray

    task = ray.remote(num_cpus=1, max_retries=_RETRIES)(make)
    try:
        made: list[Made] = ray.get([task.remote(place, home, share, orders) for share in shares])
    except ray.exceptions.RayTaskError as error:
        raise error.as_instanceof_cause() from None
    except ray.exceptions.RayError as error:
        raise ClusterFailed("a task ended again and again", error) from error
    return made


def make(place: Place, home: str, revisions: list[str], orders: bool, /) -> Made:
    """Make the segments of some revisions; runs in a task.

    Parameters
    ----------
    place
        Where the collection lies.
    home
        Which kind, by its folder.
    revisions
        Of which documents; those that were replaced since the work was shared out are left out.
    orders
        Whether the vectors of large segments are put in order.
    """
    kind = _KINDS[home]
    with working_folder() as own:
        folder = local_folder(place, own)
        snapshot = open_snapshot(folder)
        (folder / home).mkdir(parents=True, exist_ok=True)
        keeper = kind.keeper(folder / home, snapshot)
        names = keeper.make(revision for revision in revisions if revision in snapshot.revisions)
        ordered = 0
        if orders and kind is INDEX:
            made = [keeper.load(folder / home / name) for name in names]
            wanted = [
                s.folder and cells_build.build_one(s, s.folder) for s in cells_build.wanting(made)
            ]
            ordered = sum(map(bool, wanted))
        return Made(names, ordered, mirror.send(folder, (f"{home}/{name}" for name in names)))


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
