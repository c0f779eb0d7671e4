"""The stored segments of the graph, see :mod:`casetrack.store.index.segment_files`."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from casetrack.base.errors import JobStopped, PipelineError
from casetrack.base.groups import in_batches
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

FORMAT = 11
"""Increased whenever the tables over all documents would come out differently."""
LARGEST = 65_536
"""Segments with at least half this many chunks are not merged again."""
_READ_TOGETHER = 4096
"""Maximum number of chunks whose texts are in memory at the same time."""


def stored_segments(home: Path, snapshot: Snapshot, /) -> list[GraphSegment]:
    """Return segments in *home* with all live revisions of *snapshot*, maybe also dead ones."""
    return segment_folder(home, snapshot).segments(snapshot)


def read_in_parts(
    home: Path,
    snapshot: Snapshot,
    progress: Callable[[str, int, int], None],
    cancel: threading.Event,
    /,
) -> None:
    """Build missing segments some documents at a time; each part is stored when it is complete.

    *progress* is called with the activity, the number of passages read, and their total.
    ``JobStopped`` if *cancel* is set.
    """
    folder = segment_folder(home, snapshot)
    lacking = folder.lacking(snapshot)
    done, total = 0, sum(lacking.values())
    for part in in_batches(lacking, lacking.__getitem__, _READ_TOGETHER):
        if cancel.is_set():
            raise JobStopped("Stopped.", hint="Completed parts are kept. Run it again.")
        progress("reading for the map", done, total)
        folder.segments(snapshot, only=part)
        done += sum(map(lacking.__getitem__, part))
    progress("joining", total, total)


def segment_folder(home: Path, snapshot: Snapshot, /) -> SegmentFolder[GraphSegment]:
    """Return the folder of the segments; parameters as in :func:`stored_segments`."""

    def build(revisions: Iterable[str]) -> Iterator[GraphSegment]:
        # Imported here: a search opens segments and builds none.
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
        for batch in in_batches(group, lambda part: part.size, LARGEST):
            yield segments.merge(batch, live)

    return SegmentFolder(home, segments.FORMAT, LARGEST, segments.load, save, build, merge)


# --- tables over all documents ---------------------------------------------------------------


def ordered(snapshot: Snapshot, /) -> tuple[Document, ...]:
    """Return all documents, ordered by name (lower case as in SQL), path and id."""
    import pyarrow.compute as pc

    documents = list(snapshot.documents.values())
    names = pc.utf8_lower(pa.array([d.name for d in documents], pa.string())).to_pylist()
    keys = [(name, d.path, d.document_id) for name, d in zip(names, documents, strict=True)]
    return tuple(d for _, d in sorted(zip(keys, documents, strict=True), key=lambda pair: pair[0]))


def state_key(snapshot: Snapshot, rules: JoinRules, marks: Marks, /) -> str:
    """Return a hash of everything that the tables over all documents depend on."""
    facts = [
        (d.document_id, d.revision, d.name, d.path, d.title, d.document_type, d.parent_id)
        for d in ordered(snapshot)
    ]
    parts = [FORMAT, segments.FORMAT, rules.fingerprint, snapshot.generation, facts]
    parts += [marks.fingerprint] if marks.fingerprint else []
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:20]


def remove_old_tables(home: Path, key: str, grace: float, /) -> bool:
    """Remove the tables of all states except *key* from the graph folder *home*.

    Tables younger than *grace* seconds stay for readers. Return whether all others are removed.
    """
    tables = home / "tables"
    others = [p for p in tables.iterdir() if p.name != key] if tables.is_dir() else []
    return remove_old(others, grace)


def purge(folder: Path, snapshot: Snapshot, /, *, grace: float, wait: float = 0.0) -> bool:
    """Rebuild segments with dead documents and remove the tables of other states.

    Parameters and result as in :meth:`casetrack.store.index.segment_files.SegmentFolder.purge`. If
    the segments cannot be written, the old ones stay.
    """
    home = folder / "views" / "graph"
    tables = remove_old_tables(home, tables_key(folder, snapshot), grace)
    done = [folder.purge(snapshot, grace=grace, wait=wait) for folder in _folders(home, snapshot)]
    return all(done) and tables


def _folders(home: Path, snapshot: Snapshot) -> list[SegmentFolder[Any]]:
    """Return the segment folders of the map and of the editions."""
    more = [make(home / name, snapshot) for name, make in registered("segments").items()]
    return [segment_folder(home / "segments", snapshot), *more]


def tables_key(folder: Path, snapshot: Snapshot, /) -> str:
    """Return the folder name of the newest state's tables; empty if no tables are usable."""
    from casetrack.ingest.pipeline.files import of_collection

    try:
        pipeline = of_collection(read_info(folder).pipeline, folder)
        return state_key(snapshot, pipeline.join_rules, read(folder))
    except PipelineError:
        # Without a pipeline no table is usable, so none is kept.
        return ""


def has_dead(folder: Path, snapshot: Snapshot, /) -> bool:
    """Return whether the stored segments contain a removed document."""
    home = folder / "views" / "graph"
    return any(each.has_dead(snapshot) for each in _folders(home, snapshot))
