"""One shard: maps the segments it is asked about, and finds the best of their rows.

It knows no collection and no state: who asks says which segments and which of their rows count, and
what BM25 has counted over all shards. So it can be started, stopped and doubled at any moment.
"""

from __future__ import annotations

import os
import platform
import threading
import time
from collections import OrderedDict
from typing import TYPE_CHECKING

import numpy as np

from casetrack.base.blas import one_thread_each
from casetrack.base.errors import CaseTrackError
from casetrack.cluster.search.asked import About, Listed, Told
from casetrack.search.dense import dense_top
from casetrack.search.lexical import best_by
from casetrack.search.sparse import sparse_top
from casetrack.store import mirror
from casetrack.store.folders import attach_folder
from casetrack.store.index.index import Index, LiveSegment, embedded_in
from casetrack.store.index.scope import Scope
from casetrack.store.index.segment import load
from casetrack.store.index.stored_segments import index_home
from casetrack.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from casetrack.cluster.search.asked import Asked
    from casetrack.store.index.rows import Place
    from casetrack.store.index.segment import Segment

_UNUSED_SECONDS = 300.0
"""A segment that nobody asked about for so long is let go of: others have taken its place."""
_KEPT_INDEXES = 8


class Shard:
    """Finds the best rows of segments. May be asked from several threads.

    Parameters
    ----------
    collections
        The folder of the collections' folders.
    """

    def __init__(self, collections: Path, /) -> None:
        self._collections = collections
        self._segments: dict[tuple[str, str], tuple[Segment, float]] = {}
        self._indexes: OrderedDict[object, Index] = OrderedDict()
        self._lock = threading.Lock()

    def about(self) -> About:
        """Return what this shard is."""
        return About(__version__, self._collections.is_dir(), platform.node(), os.getpid())

    def holds(self, asked: Asked, /) -> bool:
        """Whether all segments that a question is about are mapped."""
        return all((asked.collection, part.name) in self._segments for part in asked.parts)

    def top(self, asked: Asked, /) -> Told:
        """Return the best rows by each signal of a question.

        A list holds at least its best *depth* rows and those that are as good as the last.
        """
        found, lacking = {}, {}
        for number, part in enumerate(asked.parts):
            try:
                found[number] = self._segment(asked, part.name)
            except (OSError, ValueError, CaseTrackError) as error:
                lacking[number] = str(error)
        if not found:
            return Told({}, lacking)
        numbers = np.array(list(found), dtype=np.int32)
        with one_thread_each():
            lists = {
                name: Listed(
                    numbers[[segment for segment, _ in places]]
                    if places
                    else np.empty(0, np.int32),
                    np.array([row for _, row in places], dtype=np.int64),
                    scores,
                )
                for name, places, scores in lists_in(self._scope(asked, found), asked)
            }
        return Told(lists, lacking)

    def _scope(self, asked: Asked, found: dict[int, Segment]) -> Scope:
        parts = [asked.parts[number] for number in found]
        rows = [part.unpacked() for part in parts]
        # BM25's norms of all rows are worked out once, not for each question.
        about = (asked.collection, tuple((p.name, p.rows, p.is_filtered) for p in parts))
        key = (about, asked.average_length, asked.live_count, asked.fingerprint)
        with self._lock:
            index = self._indexes.pop(key, None)
            if index is None:
                live = tuple(
                    LiveSegment(
                        data,
                        None if part.is_filtered or isinstance(inside, slice) else inside,
                        (),
                        embedded_in(data, asked.fingerprint),
                    )
                    for data, part, inside in zip(found.values(), parts, rows, strict=True)
                )
                index = Index(
                    live, asked.live_count, asked.average_length, 0, live[0].data.dimension
                )
            self._indexes[key] = index
            while len(self._indexes) > _KEPT_INDEXES:
                self._indexes.popitem(last=False)
        same = [
            inside if part.is_filtered else known.mask
            for known, part, inside in zip(index.segments, parts, rows, strict=True)
        ]
        return Scope(index, same, asked.chunk_count, asked.average_length)

    def _segment(self, asked: Asked, name: str) -> Segment:
        """Return a segment, mapped when it is first asked for."""
        now, key = time.monotonic(), (asked.collection, name)
        with self._lock:
            known = self._segments.get(key)
            data = known[0] if known else self._load(asked, name)
            self._segments[key] = data, now
            if known is None:
                old = [k for k, (_, at) in self._segments.items() if now - at > _UNUSED_SECONDS]
                for other in old:
                    del self._segments[other]
                if old:
                    self._indexes.clear()
            return data

    def _load(self, asked: Asked, name: str) -> Segment:
        """Map a segment; one of a collection in object storage is copied from there before."""
        for part in (asked.collection, name):
            if part in {"", ".", ".."} or "/" in part or "\\" in part:
                raise ValueError(f"{part!r} is no name of a folder")
        folder = self._collections / asked.collection
        home = index_home(folder) / name
        try:
            return load(home)
        except FileNotFoundError:
            if asked.address is None:
                raise
        if not folder.is_dir():
            folder = attach_folder(self._collections, asked.address, asked.endpoint)
        mirror.bring(folder, home.relative_to(folder).as_posix())
        return load(home)


def lists_in(
    scope: Scope, asked: Asked, /
) -> Iterator[tuple[str, list[Place], NDArray[np.float32]]]:
    """Yield the best rows of a scope by each signal; what terms weigh stands in the question."""
    if asked.weights is not None:
        yield "bm25", *best_by(scope, asked.weights, asked.depth)
    if asked.vector is not None:
        yield "semantic", *dense_top(scope.index, asked.vector, asked.depth, scope.rows)
    if asked.sparse is not None:
        yield "sparse", *sparse_top(scope.index, *asked.sparse, asked.depth, scope.rows)
