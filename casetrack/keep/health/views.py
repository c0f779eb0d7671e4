"""Comparison of the search index and the graph with the stored rows, and repair.

Both consist of immutable segments. For each published segment, some documents (all in a deep check)
are computed again from the stored rows and compared row by row.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.base.errors import See
from casetrack.base.files import write_json
from casetrack.base.registry import registered
from casetrack.graph import segment as graph_segments
from casetrack.graph.reading import build as build_graph
from casetrack.graph.stored_segments import tables_key
from casetrack.keep.health.folder import verdict
from casetrack.store.datasets import Snapshot, open_snapshot
from casetrack.store.index import arrays
from casetrack.store.index import segment as segments
from casetrack.store.index.segment_files import Part, read_groups
from casetrack.store.index.stored_segments import FORMAT
from casetrack.store.lock import try_lock

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from casetrack.base.records import Check
    from casetrack.graph.segment import GraphSegment
    from casetrack.store.index.postings import Postings
    from casetrack.store.index.segment import Segment

_SAMPLE = 24
"""Number of documents to compare in a check that is not deep."""
_TOGETHER = 4096
_ERRORS = (OSError, ValueError, KeyError, EOFError, IndexError, TypeError, pa.ArrowException)
REMEDY = f"Run {See('doctor', repair=True)}: it rebuilds damaged parts from the stored rows."


class _Kind(Protocol):
    """The parts specific to segments of the index or of the graph."""

    name: str
    format: int
    columns: tuple[str, ...]

    def load(self, folder: Path, /) -> Part:
        """Map a published segment."""

    def differing(self, snapshot: Snapshot, part: Any, rows: pa.Table, /) -> set[str]:
        """Return the revisions of *rows* whose data in *part* differ."""


@dataclass(slots=True)
class ViewState:
    """Problems of one folder of segments; the next search adds the *lacking* documents."""

    name: str
    home: Path
    damaged: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    lacking: int = 0
    rows: int = 0

    def check(self, live: int, /) -> Check:
        """Return the check; *live* is the number of chunks of the collection."""
        good = f"{self.rows} of {live} chunks"
        if self.lacking:
            good += f"; the next search adds {self.lacking} documents"
        return verdict(self.name, self.problems, good, REMEDY)


def check_views(
    folder: Path, snapshot: Snapshot, counts: Mapping[str, int], /, *, deep: bool = False
) -> list[ViewState]:
    """Compare the search index and the graph with the stored rows, of all documents if *deep*."""
    home = folder / "views"
    index = _check_segments(_Index(), home / "index", snapshot, counts, deep=deep)
    graph = _check_segments(_Graph(), home / "graph" / "segments", snapshot, counts, deep=deep)
    graph.problems += [f"{p.name} is damaged" for p in _broken_tables(folder, snapshot)]
    return [index, graph]


def repair_views(folder: Path, states: Iterable[ViewState], /) -> list[str]:
    """Remove damaged segments, which the next search rebuilds; return the actions."""
    done = []
    for state in states:
        if not state.problems:
            continue
        with try_lock(state.home / ".lock") as locked:
            if not locked:
                continue
            manifest = _manifest(state.home)
            kept = [n for n in manifest.get("segments", ()) if n not in state.damaged]
            if manifest:
                write_json(state.home / "manifest.json", manifest | {"segments": kept})
            else:
                (state.home / "manifest.json").unlink(missing_ok=True)
        done.append(f"removed damaged parts of the {state.name}, to be rebuilt")
        if state.name == _Graph.name:
            for path in _broken_tables(folder, open_snapshot(folder)):
                path.unlink(missing_ok=True)
            if state.damaged:
                shutil.rmtree(folder / "views" / "graph" / "tables", ignore_errors=True)
                (folder / "views" / "graph" / "neighbours.bin").unlink(missing_ok=True)
    return done


def _check_segments(
    kind: _Kind, home: Path, snapshot: Snapshot, counts: Mapping[str, int], *, deep: bool
) -> ViewState:
    state = ViewState(kind.name, home)
    manifest = _manifest(home)
    if not manifest:
        if (home / "manifest.json").exists():
            state.problems.append("its list of parts cannot be read")
        state.lacking = sum(map(bool, counts.values()))
        return state
    known = manifest["format"], manifest.get("generation")
    if known != (kind.format, snapshot.generation):
        # It has another version, or replaced vectors, and is unused.
        state.lacking = len(snapshot.documents)
        return state
    parts = _loaded(kind, home, manifest["segments"])
    mine = {n: [r for r in part.revisions if r in snapshot.revisions] for n, part in parts.items()}
    wrong = _differing(kind, snapshot, parts, mine, counts, deep=deep)
    held = set[str]()
    for name in manifest["segments"]:
        if name not in wrong:
            state.damaged.add(name)
            state.problems.append(f"its part {name} cannot be read")
        elif wrong[name]:
            names = [snapshot.documents[snapshot.revisions[r]].name for r in sorted(wrong[name])]
            state.damaged.add(name)
            state.problems.append(f"its part {name} differs from the stored rows of {names[0]}")
        else:
            held.update(mine[name])
            state.rows += sum(counts[r] for r in mine[name])
    if not state.damaged:
        state.lacking = sum(1 for r, count in counts.items() if count and r not in held)
    return state


def _loaded(kind: _Kind, home: Path, names: Iterable[str]) -> dict[str, Part]:
    """Return the readable segments, by name."""
    parts = {}
    for name in names:
        with contextlib.suppress(*_ERRORS):  # the caller reports it as missing
            parts[name] = kind.load(home / name)
    return parts


def _differing(
    kind: _Kind,
    snapshot: Snapshot,
    parts: Mapping[str, Part],
    mine: Mapping[str, list[str]],
    counts: Mapping[str, int],
    *,
    deep: bool,
) -> dict[str, set[str]]:
    """Return for each readable segment the live revisions that differ from the stored rows."""
    wrong, chosen = dict[str, set[str]](), dict[str, pa.Array]()
    for name, part in parts.items():
        try:
            sizes = dict(zip(part.revisions, np.diff(part.starts).tolist(), strict=True))
        except _ERRORS:
            continue
        wrong[name] = {r for r in mine[name] if sizes[r] != counts[r]}
        # A hash selects the same documents each time, independent of their names and order.
        by_hash = sorted(mine[name], key=lambda r: hashlib.sha256(r.encode()).digest())
        chosen[name] = pa.array(by_hash if deep else by_hash[:_SAMPLE], pa.string())
    every = {revision for some in chosen.values() for revision in some.to_pylist()}
    # One scan of the stored rows serves all segments.
    for rows in read_groups(snapshot, every, kind.columns, _TOGETHER):
        for name in list(wrong):
            own = rows.filter(pc.is_in(rows["revision"], value_set=chosen[name]))
            try:
                wrong[name] |= kind.differing(snapshot, parts[name], own) if own.num_rows else set()
            except _ERRORS:
                del wrong[name]
    return wrong


def _manifest(home: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((home / "manifest.json").read_text("utf-8"))
        if {"format", "segments"} <= manifest.keys():
            return dict(manifest)
    except (OSError, ValueError, AttributeError):
        pass
    return {}


def _broken_tables(folder: Path, snapshot: Snapshot) -> list[Path]:
    """Return the damaged files with tables over all documents."""
    home = folder / "views" / "graph"
    # Those of other states are unused.
    state = tables_key(folder, snapshot)
    paths = sorted((home / "tables" / state).glob("*.arrow")) if state else []
    damaged = [path for path in paths if not arrays.is_whole(path)]
    for kind, make in registered("segments").items():
        manifest = _manifest(home / kind)
        # Those of an earlier version are rebuilt by the next question.
        is_read = manifest.get("format") == make(home / kind, snapshot).format
        names = manifest.get("segments", ()) if is_read else ()
        parts = [path for name in names for path in sorted((home / kind / name).glob("*.arrow"))]
        damaged += [path for path in parts if not arrays.is_whole(path)]
    near = home / "neighbours.bin"
    if near.exists() and not arrays.is_whole(near):
        damaged.append(near)
    return damaged


# --- the search index ------------------------------------------------------------------------


class _Index:
    """Segments of the search index."""

    name = "search index"
    format = FORMAT
    columns: tuple[str, ...] = segments.COLUMNS

    def load(self, folder: Path, /) -> Segment:
        """Map a published segment."""
        return segments.load(folder)

    def differing(self, _: Snapshot, part: Segment, rows: pa.Table, /) -> set[str]:
        """Return the revisions of *rows* whose data in *part* differ."""
        made = segments.build(rows)
        terms, sparse = _by_row(part.terms), _by_row(part.sparse)
        made_terms, made_sparse = _by_row(made.terms), _by_row(made.sparse)
        codes = {revision: code for code, revision in enumerate(part.revisions)}
        revisions = set[str]()
        for code, revision in enumerate(made.revisions):
            own = slice(int(made.starts[code]), int(made.starts[code + 1]))
            other = codes[revision]
            place = slice(int(part.starts[other]), int(part.starts[other + 1]))
            same = (
                _same_rows(part, place, made, own)
                and terms.cut(place) == made_terms.cut(own)
                and sparse.cut(place) == made_sparse.cut(own)
            )
            if not same:
                revisions.add(revision)
        return revisions


def _same_rows(part: Segment, place: slice, made: Segment, own: slice) -> bool:
    plain = ["chunk_id", "row_id", "chunk_index", "length", "scale"]
    mine = part.rows.select(plain).slice(place.start, place.stop - place.start)
    theirs = made.rows.select(plain).slice(own.start, own.stop - own.start)
    if not mine.equals(theirs.cast(mine.schema)):
        return False
    embedders = [part.embedders[c] for c in part.column("embedder")[place]]
    if embedders != [made.embedders[c] for c in made.column("embedder")[own]]:
        return False
    places = part.places.slice(place.start, place.stop - place.start)
    if not places.equals(made.places.slice(own.start, own.stop - own.start).cast(places.schema)):
        return False
    return np.array_equal(part.dense[place], made.dense[own])


@dataclass(frozen=True, slots=True)
class _ByRow:
    """Inverted postings: the keys of every row, ascending, and their values."""

    keys: pa.ChunkedArray
    codes: np.ndarray
    values: np.ndarray
    rows: np.ndarray

    def cut(self, place: slice, /) -> tuple[list[int], list[Any], list[Any]]:
        """Return the number of keys per row, the keys, and the values of some rows."""
        low, high = (int(i) for i in np.searchsorted(self.rows, [place.start, place.stop]))
        counts = np.bincount(
            self.rows[low:high].astype(np.int64) - place.start, minlength=place.stop - place.start
        )
        keys = self.keys.take(pa.array(self.codes[low:high])).to_pylist()
        return counts.tolist(), keys, self.values[low:high].tolist()


def _by_row(postings: Postings) -> _ByRow:
    order = np.argsort(postings.rows, kind="stable")
    codes = np.repeat(np.arange(len(postings.counts), dtype=np.int64), postings.counts)
    return _ByRow(postings.keys["key"], codes[order], postings.values[order], postings.rows[order])


# --- the graph -------------------------------------------------------------------------------


class _Graph:
    """Segments of the graph."""

    name = "graph"
    format = graph_segments.FORMAT
    columns: tuple[str, ...] = graph_segments.COLUMNS

    def load(self, folder: Path, /) -> GraphSegment:
        """Map a published segment."""
        return graph_segments.load(folder)

    def differing(self, snapshot: Snapshot, part: GraphSegment, rows: pa.Table, /) -> set[str]:
        """Return the revisions of *rows* whose data in *part* differ."""
        by_revision = {d.revision: d for d in snapshot.documents.values()}
        made = build_graph(rows, by_revision)
        if _tables(made, made.revisions) == _tables(part, made.revisions):
            return set()
        return {r for r in made.revisions if _tables(made, [r]) != _tables(part, [r])}


def _tables(part: GraphSegment, revisions: Iterable[str]) -> dict[str, list[Any]]:
    cut = graph_segments.merge([part], revisions)
    return {name: table.to_pylist() for name, table in cut.tables.items()}
