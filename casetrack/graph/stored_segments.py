"""The stored segments of the graph, see :mod:`casetrack.store.index.segment_files`."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from casetrack.base.errors import JobStopped, PipelineError
from casetrack.base.registry import registered
from casetrack.graph import segment as segments
from casetrack.graph.segment import GraphSegment, save
from casetrack.store.index.segment_files import SegmentFolder, read_groups, remove_old
from casetrack.store.info import read_info
from casetrack.store.marks import read

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from casetrack.base.records import Document
    from casetrack.ingest.steps.join import JoinRules
    from casetrack.store.datasets import Snapshot
    from casetrack.store.marks import Marks

FORMAT = 6
"""Raised whenever the tables over all documents would come out in another way."""
LARGEST = 65_536
"""Segments of half this many chunks are merged no more."""
_READ_TOGETHER = 4096
"""Chunks that are in memory at once with their texts."""


def stored_segments(home: Path, snapshot: Snapshot, /) -> list[GraphSegment]:
    """Return segments that hold all live revisions of *snapshot*, and maybe dead ones.

    Parameters
    ----------
    home
        Folder of the segments.
    snapshot
        What is live.
    """
    return segment_folder(home, snapshot).segments(snapshot)


def read_in_parts(
    home: Path,
    snapshot: Snapshot,
    tell: Callable[[str, int, int], None],
    cancel: threading.Event,
    /,
) -> None:
    """Make the segments that are missing, some documents at a time, each part kept when it is done.

    Parameters
    ----------
    home, snapshot
        See :func:`stored_segments`.
    tell
        Called with what is done, and how many passages of how many have been read.
    cancel
        Set when it has to end.

    Raises
    ------
    JobStopped
        It was.
    """
    folder = segment_folder(home, snapshot)
    lacking = folder.lacking(snapshot)
    done, total = 0, sum(lacking.values())
    part: list[str] = []
    size = 0
    for revision, count in (*lacking.items(), ("", _READ_TOGETHER)):
        if part and size + count > _READ_TOGETHER:
            if cancel.is_set():
                raise JobStopped("Stopped.", hint="What was read is kept. The next try goes on.")
            tell("reading for the map", done, total)
            folder.segments(snapshot, only=part)
            done, part, size = done + size, [], 0
        part.append(revision)
        size += count
    tell("joining", total, total)


def segment_folder(home: Path, snapshot: Snapshot, /) -> SegmentFolder[GraphSegment]:
    """Return what keeps the segments; the parameters are those of :func:`stored_segments`."""

    def build(revisions: Iterable[str]) -> Iterator[GraphSegment]:
        # A search opens segments and makes none.
        from casetrack.graph.reading import build as read_rows

        by_revision = {d.revision: d for d in snapshot.documents.values()}
        made = [
            read_rows(rows, by_revision)
            for rows in read_groups(
                snapshot, revisions, segments.COLUMNS, _READ_TOGETHER, blank=True
            )
        ]
        yield from merge(made, snapshot.revisions)

    def merge(group: Sequence[GraphSegment], live: Mapping[str, str]) -> Iterator[GraphSegment]:
        batch, size = list[GraphSegment](), 0
        for part in group:
            if batch and size + part.size > LARGEST:
                yield segments.merge(batch, live)
                batch, size = [], 0
            batch.append(part)
            size += part.size
        if batch:
            yield segments.merge(batch, live)

    return SegmentFolder(home, segments.FORMAT, LARGEST, segments.load, save, build, merge)


# --- tables over all documents ---------------------------------------------------------------


def ordered(snapshot: Snapshot, /) -> tuple[Document, ...]:
    """Return all documents, ordered by name in small letters as SQL has them, path and id."""
    found = list(snapshot.documents.values())
    names = pc.utf8_lower(pa.array([d.name for d in found], pa.string())).to_pylist()
    keys = [(name, d.path, d.document_id) for name, d in zip(names, found, strict=True)]
    return tuple(d for _, d in sorted(zip(keys, found, strict=True), key=lambda pair: pair[0]))


def state_key(snapshot: Snapshot, rules: JoinRules, marks: Marks, /) -> str:
    """Return what stands for all that the tables over all documents depend on."""
    facts = [
        (d.document_id, d.revision, d.name, d.path, d.title, d.document_type, d.parent_id)
        for d in ordered(snapshot)
    ]
    parts = [FORMAT, segments.FORMAT, rules.fingerprint, snapshot.generation, facts]
    parts += [marks.fingerprint] if marks.fingerprint else []
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:20]


def remove_old_tables(home: Path, key: str, grace: float, /) -> bool:
    """Remove the tables of all states but the one of *key*, the youngest perhaps later.

    Parameters
    ----------
    home
        Folder of the graph.
    key
        See :func:`state_key`.
    grace
        Seconds that others are kept for readers.

    Returns
    -------
    bool
        Whether all are gone that were to be removed.
    """
    tables = home / "tables"
    others = [p for p in tables.iterdir() if p.name != key] if tables.is_dir() else []
    return remove_old(others, grace)


# Takes what the graph keeps of documents that are gone out of its files.


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
    from casetrack.ingest.pipeline.files import of_collection

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
