"""Takes what the graph keeps of documents that are gone out of its files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.base.errors import PipelineError
from casetrack.base.registry import registered
from casetrack.graph.stored_segments import remove_old_tables, segment_folder, state_key
from casetrack.ingest.pipeline.files import of_collection
from casetrack.store.info import read_info
from casetrack.store.marks import read

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.store.datasets import Snapshot
    from casetrack.store.index.segment_files import SegmentFolder


def purge(folder: Path, snapshot: Snapshot, /, *, grace: float, wait: float = 0.0) -> bool:
    """Make segments with dead documents anew, and remove the tables of other states.

    Parameters
    ----------
    folder
        The collection's folder.
    snapshot
        The newest state.
    grace, wait
        See :meth:`casetrack.store.index.segment_files.SegmentFolder.purge`.

    Returns
    -------
    bool
        Whether it was done; see :meth:`casetrack.store.index.segment_files.SegmentFolder.purge`.

    Raises
    ------
    DiskFull, NotWritable, StorageError
        It cannot be written; what was there stays.
    """
    home = folder / "views" / "graph"
    tables = remove_old_tables(home, tables_key(folder, snapshot), grace)
    done = [folder.purge(snapshot, grace=grace, wait=wait) for folder in _folders(home, snapshot)]
    return all(done) and tables


def _folders(home: Path, snapshot: Snapshot) -> list[SegmentFolder[Any]]:
    """Return the folders of segments: that of the map, and those of editions."""
    more = [make(home / name, snapshot) for name, make in registered("segments").items()]
    return [segment_folder(home / "segments", snapshot), *more]


def tables_key(folder: Path, snapshot: Snapshot, /) -> str:
    """Return the name of the folder with the tables of the newest state; empty where none count."""
    try:
        pipeline = of_collection(read_info(folder).pipeline, folder)
        return state_key(snapshot, pipeline.join_rules, read(folder))
    except PipelineError:
        # Nobody can use the tables until there is a pipeline again, so that none of them is kept.
        return ""


def has_dead(folder: Path, snapshot: Snapshot, /) -> bool:
    """Whether the stored segments hold a document that is gone."""
    home = folder / "views" / "graph"
    return any(each.has_dead(snapshot) for each in _folders(home, snapshot))
