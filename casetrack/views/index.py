"""The search index of a collection: its segments, kept up with the ledger.

``views/index/manifest.json`` names the segment folders and the revisions in each. It is a cache:
what it lacks is built from Lance, what is dead is masked, and a damaged one is rebuilt. Whoever
holds the views lock publishes what was built; everyone else keeps it in memory.
"""

from __future__ import annotations

import contextlib
import json
import logging
import secrets
import shutil
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from casetrack.errors import StorageError
from casetrack.store.files import write_json
from casetrack.store.lock import try_lock
from casetrack.views import segment as segments

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from casetrack.store.datasets import Snapshot
    from casetrack.views.segment import Segment

_log = logging.getLogger(__name__)
FORMAT = 3
"""Layout of the segment files; another one on disk is rebuilt."""
_FANOUT = 8
_MAX_CHUNKS = 65_536
_GRACE_SECONDS = 900.0
"""Segment folders that no manifest names are kept this long for readers that still map them."""


@dataclass(frozen=True, slots=True)
class LiveSegment:
    """A segment and which of its rows are live at one moment.

    ``mask`` is ``None`` where every row is. ``documents`` gives the document id per revision code.
    """

    data: Segment
    mask: np.ndarray | None
    documents: tuple[str | None, ...]

    def rows_of(self, document_id: str, /) -> np.ndarray:
        """Return the mask of the live rows of one document."""
        codes = [i for i, d in enumerate(self.documents) if d == document_id]
        return np.isin(self.data.column("revision"), codes)


@dataclass(frozen=True, slots=True)
class Index:
    """All live segments of a snapshot.

    Attributes
    ----------
    chunk_count
        Live chunks.
    average_length
        Mean number of terms of a live chunk, for BM25.
    embedded_count
        Live chunks with a vector.
    """

    segments: tuple[LiveSegment, ...]
    chunk_count: int
    average_length: float
    embedded_count: int
    _norms: dict[int, np.ndarray] = field(default_factory=dict, repr=False)

    def norms(self, number: int, k1: float, b: float, /) -> np.ndarray:
        """Return BM25's length normalisation of every row of a segment (float32), kept."""
        if number not in self._norms:
            share = self.segments[number].data.column("length") / self.average_length
            self._norms[number] = (k1 * (1.0 - b + b * share)).astype(np.float32)
        return self._norms[number]


def open_index(folder: Path, snapshot: Snapshot, /) -> Index:
    """Return the index of *snapshot*, catching up with what the stored one lacks.

    Parameters
    ----------
    folder
        The collection's folder.
    snapshot
        What is live.
    """
    home = folder / "views" / "index"
    live = snapshot.revisions
    stored = _load(home)
    covered = {r for s in stored.values() for r in s.revisions}
    # A document without chunks has nothing to index.
    needed = {r for r, count in snapshot.documents.chunk_counts.items() if count}
    missing = needed - covered
    if missing or _wants_merge(stored, live):
        with contextlib.suppress(FileExistsError):
            home.mkdir(parents=True)
        with try_lock(home / ".lock") as locked:
            if locked:
                stored = _load(home)
                missing = needed - {r for s in stored.values() for r in s.revisions}
                stored = _publish(home, snapshot, stored, missing)
                return _live_index(list(stored.values()), live)
        return _live_index([*stored.values(), *_build(snapshot, missing)], live)
    return _live_index(list(stored.values()), live)


def _live_index(stored: list[Segment], live: dict[str, str]) -> Index:
    parts = []
    for data in stored:
        documents = tuple(live.get(r) for r in data.revisions)
        mask = None
        if None in documents:
            alive = np.array([d is not None for d in documents])
            mask = alive[data.column("revision")]
        if data.size and (mask is None or mask.any()):
            parts.append(LiveSegment(data, mask, documents))
    count = sum(_total(p, None) for p in parts)
    terms = sum(_total(p, "length") for p in parts)
    embedded = sum(_total(p, "embedded") for p in parts)
    return Index(tuple(parts), count, terms / count if count else 0.0, embedded)


def _total(part: LiveSegment, column: str | None) -> int:
    if column is None:
        return part.data.size if part.mask is None else int(part.mask.sum())
    values = part.data.column(column)
    return int((values if part.mask is None else values[part.mask]).sum(dtype=np.int64))


def _load(home: Path) -> dict[str, Segment]:
    """Map the published segments; an unreadable manifest or segment counts as absent."""
    try:
        manifest = json.loads((home / "manifest.json").read_text("utf-8"))
        if manifest["format"] != FORMAT:
            return {}
        names = list(manifest["segments"])
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    found = {}
    for name in names:
        with contextlib.suppress(OSError, ValueError, EOFError):
            found[name] = segments.load(home / name)
    return found


def _build(snapshot: Snapshot, revisions: Iterable[str]) -> list[Segment]:
    """Build segments of bounded size for *revisions*."""
    sizes = snapshot.documents.chunk_counts
    made, group, rows = [], list[str](), 0
    for revision in sorted(revisions):
        if group and rows + sizes[revision] > _MAX_CHUNKS:
            made.append(_build_one(snapshot, group))
            group, rows = [], 0
        group.append(revision)
        rows += sizes[revision]
    if group:
        made.append(_build_one(snapshot, group))
    return made


def _build_one(snapshot: Snapshot, revisions: list[str]) -> Segment:
    table = snapshot.scan(segments.COLUMNS, revisions=revisions, with_row_id=True)
    return segments.build(table)


def _publish(
    home: Path, snapshot: Snapshot, stored: dict[str, Segment], missing: Iterable[str]
) -> dict[str, Segment]:
    """Build what is missing, merge what has piled up, and switch the manifest."""
    live = snapshot.revisions
    kept = dict(stored)
    made = _build(snapshot, missing)
    group = _merge_group([*kept.values(), *made], live)
    if group:
        revisions = {r for s in group for r in s.revisions if r in live}
        kept = {n: s for n, s in kept.items() if not any(s is g for g in group)}
        made = [m for m in made if not any(m is g for g in group)]
        made += _build(snapshot, revisions)
    try:
        for built in made:
            name = f"{int(time.time()):010d}-{secrets.token_hex(6)}"
            _save(built, home, name)
            kept[name] = segments.load(home / name)
        write_json(home / "manifest.json", {"format": FORMAT, "segments": sorted(kept)})
    except (OSError, StorageError) as error:
        # The index is only a copy: with a full disk, searching goes on from memory.
        _log.warning("The search index cannot be stored in %s: %s", home, error)
        return {
            str(i): data for i, data in enumerate([*stored.values(), *_build(snapshot, missing)])
        }
    _remove_unused(home, set(kept))
    return kept


def _save(data: Segment, home: Path, name: str) -> None:
    temporary = home / f".{name}.tmp"
    try:
        segments.save(data, temporary)
        temporary.rename(home / name)
    except OSError:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _wants_merge(stored: dict[str, Segment], live: dict[str, str]) -> bool:
    return bool(_merge_group(list(stored.values()), live))


def _merge_group(candidates: Sequence[Segment], live: dict[str, str]) -> list[Segment]:
    """Return segments worth merging: eight of one order of size, or one that is mostly dead."""
    tiers: dict[int, list[Segment]] = {}
    for data in candidates:
        alive = [i for i, r in enumerate(data.revisions) if r in live]
        rows = int(np.isin(data.column("revision"), alive).sum()) if data.size else 0
        if rows < data.size / 2:
            tiers.setdefault(-1, []).append(data)
        elif data.size < _MAX_CHUNKS // 2:
            tiers.setdefault(data.size.bit_length() // 3, []).append(data)
    group = tiers.pop(-1, [])
    for tier in sorted(tiers):
        if len(tiers[tier]) >= _FANOUT:
            group += tiers[tier]
    return group


def _remove_unused(home: Path, names: set[str]) -> None:
    now = time.time()
    for path in home.iterdir():
        if not path.is_dir() or path.name in names:
            continue
        if now - path.stat().st_mtime > _GRACE_SECONDS:
            shutil.rmtree(path, ignore_errors=True)


def sql_tables(index: Index, /) -> dict[str, pa.Table]:
    """Return the index as the tables that ``casetrack/sql/bm25.sql`` works on.

    Integers as they lie in the segments, numbered on from one segment to the next; only
    ``_indexed`` is cut down to what is live.
    """
    parts: dict[str, list[pa.Table]] = {"_terms": [], "_postings": [], "_indexed": []}
    first_code = first_row = 0
    for part in index.segments:
        data = part.data
        codes = np.arange(first_code, first_code + data.terms.num_rows, dtype=np.int64)
        rows = np.arange(first_row, first_row + data.size, dtype=np.int64)
        parts["_terms"].append(pa.table({"term": data.terms["term"], "code": codes}))
        postings = {
            "code": np.repeat(codes, data.column("count")),
            "row": data.column("row") + np.int64(first_row),
            "tf": data.column("tf").astype(np.int32),
        }
        parts["_postings"].append(pa.table(postings))
        indexed = {"chunk_id": data.rows["chunk_id"], "length": data.rows["length"]}
        live = pa.table({"row": rows, **indexed})
        parts["_indexed"].append(live if part.mask is None else live.filter(pa.array(part.mask)))
        first_code, first_row = first_code + len(codes), first_row + data.size
    return {name: _joined(tables, name) for name, tables in parts.items()}


_EMPTY = {
    "_terms": pa.schema({"term": pa.string(), "code": pa.int64()}),
    "_postings": pa.schema({"code": pa.int64(), "row": pa.int64(), "tf": pa.int32()}),
    "_indexed": pa.schema({"row": pa.int64(), "chunk_id": pa.string(), "length": pa.int32()}),
}


def _joined(tables: list[pa.Table], name: str) -> pa.Table:
    return pa.concat_tables(tables) if tables else _EMPTY[name].empty_table()
