"""Build the search index and the map of a collection on a cluster.

Tasks compute the data of single documents (words, vectors, names, dates, amounts, references),
which is most of the work. The map of the whole collection (persons, targets of references, edges)
is built from the segments' tables by the functions of a single process, so the result is equal.
"""

from __future__ import annotations

import contextlib
import logging
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from casetrack.base.errors import ClusterFailed, CollectionBusy
from casetrack.base.groups import in_batches
from casetrack.base.registry import registered
from casetrack.graph import stored_segments as graph
from casetrack.graph.opened import graph_of
from casetrack.store import mirror
from casetrack.store.datasets import Snapshot, open_snapshot
from casetrack.store.folders import local_folder
from casetrack.store.index import cells_build, matrices
from casetrack.store.index import stored_segments as index
from casetrack.store.lock import write_lock
from casetrack.store.place import Place, place_of
from casetrack.store.scratch import working_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from pathlib import Path

    from casetrack.store.index.segment_files import SegmentFolder
    from casetrack.store.published import Item
    from casetrack.store.workspace import Workspace

# Segments are built in tasks on a cluster, and published together by one writer. A segment of the
# search index or of the map depends only on its documents, so separately built segments are
# published by one switch of the manifest, under the lock of all builders. Existing segments are
# kept. A task whose machine is lost runs again; a killed driver leaves unreferenced folders or
# objects, and the next builder builds the missing segments. The tasks share the collection's
# folder. If the collection is in object storage, a task uploads its segments there, and the driver
# downloads them to publish all together.

# Divides documents into groups, one for each task.

_PILE = 8
"""This number of small segments is merged into one as soon as they are published."""


def groups(
    sizes: Mapping[str, int], revisions: Iterable[str], largest: int, processors: int, /
) -> list[list[str]]:
    """Return the revisions in groups of similar size, in the order of their names.

    A group fills at most one segment of *largest* rows, so that little work repeats if a machine is
    lost; small groups are fewer than a merge takes. *sizes* are rows by revision.
    """
    wanted = sorted(revisions)
    rows = sum(sizes[revision] for revision in wanted)
    parts = max(1, processors)
    if rows < parts * (largest // 2):
        parts = min(parts, _PILE - 1)
    room = max(1, min(largest, -(-rows // parts)))
    return list(in_batches(wanted, sizes.__getitem__, room))


_RETRIES = 3


class SegmentType(NamedTuple):
    """A type of segments: its *home* folder in the collection, and the largest number of rows.

    *keeper* returns the segment folder for a folder and a snapshot.
    """

    name: str
    home: str
    largest: int
    keeper: Callable[[Path, Snapshot], SegmentFolder[Any]]


INDEX = SegmentType(
    "search index",
    "views/index",
    index.MAX_CHUNKS,
    lambda home, snapshot: index.segment_folder(home, snapshot, snapshot.dimension),
)
MAP = SegmentType("map", "views/graph/segments", graph.LARGEST, graph.segment_folder)
MORE = tuple(
    SegmentType("map", f"views/graph/{name}", graph.LARGEST, keeper)
    for name, keeper in registered("segments").items()
)
_KINDS = {kind.home: kind for kind in (INDEX, MAP, *MORE)}


@dataclass(slots=True)
class TypeBuilt:
    """Result for one type: new *revisions*, *tasks*, *ordered* segments, and all *segments*."""

    revisions: frozenset[str] = frozenset()
    tasks: int = 0
    ordered: int = 0
    segments: int = 0


class Output(NamedTuple):
    """Result of a task: names of segments, how many have ordered vectors, and uploaded items."""

    names: list[str]
    ordered: int
    sent: dict[str, Item]


def build(folder: Path, kind: SegmentType, snapshot: Snapshot, processors: int, /) -> TypeBuilt:
    """Build the missing segments of a type on the connected cluster, and publish them.

    The caller holds the write lock of a collection in object storage. Raises ``CollectionBusy``,
    ``ClusterFailed``, ``CollectionDamaged`` or ``CollectionGone``.
    """
    place, built = place_of(folder), TypeBuilt()
    orders = (
        sum(snapshot.documents.chunk_counts.values()) * snapshot.dimension >= cells_build.PAYS_FROM
    )

    def build_missing(missing: Collection[str]) -> Iterable[str]:
        shares = groups(snapshot.documents.chunk_counts, missing, kind.largest, processors)
        built.revisions, built.tasks = frozenset(missing), len(shares)
        names = list[str]()
        for made in in_tasks(place, kind.home, shares, orders):
            mirror.receive(folder, made.sent)
            built.ordered += made.ordered
            names += made.names
        return names

    keeper = kind.keeper(folder / kind.home, snapshot)
    keeper.segments(snapshot, made_by=build_missing)
    if keeper.lacking(snapshot):
        raise CollectionBusy(
            f"Another program is building the {kind.name} of {folder.name}.",
            hint="Wait until it is done, then run this again. Existing parts are kept.",
        )
    built.segments = len(keeper.stored(snapshot.generation))
    return built


def in_tasks(place: Place, home: str, shares: list[list[str]], orders: bool, /) -> list[Output]:
    """Build each share of the revisions in a separate task; may raise ``ClusterFailed``."""
    import ray

    task = ray.remote(num_cpus=1, max_retries=_RETRIES)(build_segments)
    try:
        made: list[Output] = ray.get([task.remote(place, home, share, orders) for share in shares])
    except ray.exceptions.RayTaskError as error:
        raise error.as_instanceof_cause() from None
    except ray.exceptions.RayError as error:
        raise ClusterFailed("a task ended again and again", error) from error
    return made


def build_segments(place: Place, home: str, revisions: list[str], orders: bool, /) -> Output:
    """Build the segments of current *revisions* in a task; *orders* sorts vectors of large ones."""
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
                s.folder and cells_build.build_one(s, s.folder)
                for s in cells_build.without_cells(made)
            ]
            ordered = sum(map(bool, wanted))
        return Output(names, ordered, mirror.send(folder, (f"{home}/{name}" for name in names)))


MIN_CHUNKS = 4096
"""Minimum number of passages for tasks; fewer are read before tasks would start."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class MapBuilt:
    """Result for the map: documents read, tasks, and seconds of reading and joining."""

    documents: int
    tasks: int
    seconds_read: float
    seconds_joined: float


@dataclass(frozen=True, slots=True)
class ViewsBuilt:
    """Result of a build: new documents and chunks, *tasks*, all segments, and the map.

    *ordered* counts new segments with ordered vectors, *located* data files with located token
    matrices; *seconds* is the time for the index.
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
        """Return the JSON form."""
        return asdict(self)


def build_views(workspace: Workspace, processors: int, /) -> ViewsBuilt:
    """Build the missing parts of a collection's search index and map on the connected cluster.

    All machines must see its folder at the same path, unless it is in object storage. Raises
    ``CollectionBusy``, ``ClusterFailed``, ``CollectionDamaged`` or ``CollectionGone``.
    """
    folder = workspace.folder
    publishes = write_lock(folder) if place_of(folder).is_remote else contextlib.nullcontext()
    with publishes:
        return _build(workspace, processors)


def catch_up(workspace: Workspace, processors: int, /) -> None:
    """Update the views of a workspace, in tasks if many documents are missing.

    The caller holds the write lock. If the cluster fails, this process builds the views.
    """
    snapshot = open_snapshot(workspace.folder)
    lacking = MAP.keeper(workspace.folder / MAP.home, snapshot).lacking(snapshot)
    if sum(lacking.values()) >= MIN_CHUNKS:
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
    located = matrices.build_all(folder)
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
