"""The map, made on a cluster: each task reads what some documents say, one process joins it.

What a document says by itself (names, dates, amounts, references, citations) is most of the work,
and depends on no other document: tasks read it, each into segments of its own, published together
as those of the search index are (:mod:`casetrack.cluster.build.index`). What the collection says
(who is one person, what a reference means, edges) depends on all of them; it is made of the
segments' tables by the functions that one process uses, whatever made these, and is therefore the
same.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.cluster.build.sharing import groups
from casetrack.errors import CollectionBusy
from casetrack.graph.legal.reading import LARGEST as MOST_CITATIONS
from casetrack.graph.legal.reading import legal_folder
from casetrack.graph.stored_segments import LARGEST, segment_folder
from casetrack.store.datasets import open_snapshot

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from casetrack.store.datasets import Snapshot
    from casetrack.views.segment_files import SegmentFolder
    from casetrack.workspace import Workspace

_RETRIES = 3
_KINDS = {"segments": LARGEST, "legal": MOST_CITATIONS}
"""Folders of segments in that of the graph, and the chunks that one holds at most."""


@dataclass(frozen=True, slots=True)
class GraphBuilt:
    """What was made.

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

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON output."""
        return asdict(self)


def build_graph(workspace: Workspace, processors: int, /) -> GraphBuilt:
    """Make what is missing of a collection's map on the connected cluster.

    Parameters
    ----------
    workspace
        The collection; all machines of the cluster see its folder at the same path.
    processors
        How many tasks run at a time.

    Raises
    ------
    CollectionBusy
        Another program is making it.
    CollectionDamaged, CollectionGone
        The collection cannot be read.
    """
    import ray

    started = time.monotonic()
    folder = workspace.folder
    snapshot = open_snapshot(folder)
    task = ray.remote(num_cpus=1, max_retries=_RETRIES)(_make)
    read, tasks = set[str](), 0
    for kind, largest in _KINDS.items():
        made: list[list[str]] = []

        def make(
            missing: Collection[str],
            made: list[list[str]] = made,
            kind: str = kind,
            largest: int = largest,
        ) -> Iterable[str]:
            made.extend(groups(snapshot.documents.chunk_counts, missing, largest, processors))
            running = [task.remote(str(folder), kind, group) for group in made]
            try:
                return [name for names in ray.get(running) for name in names]
            except ray.exceptions.RayTaskError as error:
                raise error.as_instanceof_cause() from None

        keeper = _keeper(folder, kind, snapshot)
        keeper.segments(snapshot, made_by=make)
        _require_published(keeper, snapshot, folder)
        read |= {revision for group in made for revision in group}
        tasks += len(made)
    between = time.monotonic()
    workspace.state().graph.catch_up()
    return GraphBuilt(len(read), tasks, between - started, time.monotonic() - between)


def _require_published(keeper: SegmentFolder[Any], snapshot: Snapshot, folder: Path) -> None:
    stored = keeper.stored(snapshot.generation)
    there = {revision for segment in stored.values() for revision in segment.revisions}
    if {r for r, count in snapshot.documents.chunk_counts.items() if count} - there:
        raise CollectionBusy(
            f"Another program is making the map of {folder.name}.",
            hint="Wait until it is done, then run this again: what is there already is kept.",
        )


def _keeper(folder: Path, kind: str, snapshot: Snapshot) -> SegmentFolder[Any]:
    home = folder / "views" / "graph" / kind
    return legal_folder(home, snapshot) if kind == "legal" else segment_folder(home, snapshot)


# --- tasks ----------------------------------------------------------------------------------------


def _make(folder: str, kind: str, revisions: list[str]) -> list[str]:
    """Read what some documents say, and return the names of the segments that hold it."""
    snapshot = open_snapshot(Path(folder))
    # What was replaced since the work was shared out is nobody's any more.
    live = [revision for revision in revisions if revision in snapshot.revisions]
    return _keeper(Path(folder), kind, snapshot).make(live)
