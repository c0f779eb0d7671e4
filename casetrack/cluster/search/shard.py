"""A shard: maps the requested segments, and finds their best rows.

It knows no state of collections: the caller specifies segments, rows and the BM25 counts over all
shards. A shard can therefore be started, stopped and replicated at any time.
"""

from __future__ import annotations

import os
import platform
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from casetrack.base.errors import CaseTrackError
from casetrack.base.machine import one_thread_each
from casetrack.search.scores import best_by, dense_top, sparse_top
from casetrack.store import mirror
from casetrack.store.folders import attach_folder
from casetrack.store.index.index import Index, LiveSegment, embedded_in
from casetrack.store.index.scope import Place, Rows, Scope, nth_best
from casetrack.store.index.segment import Segment, load
from casetrack.store.index.stored_segments import index_home
from casetrack.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from casetrack.base.objects.address import Address

# Questions to a shard, and its answers: small records and arrays.


@dataclass(frozen=True, slots=True)
class Part:
    """A segment to search: its *name*, *size* in rows, and the *rows* to consider.

    *rows* is ``None`` for all, first and end, or one bit per row; *is_filtered* means fewer than
    the live ones. Segments never change, so a name and rows have the same meaning in every process.
    """

    name: str
    size: int
    rows: tuple[int, int] | bytes | None
    is_filtered: bool

    @classmethod
    def of(cls, name: str, size: int, rows: Rows, /, *, is_filtered: bool) -> Part:
        """Pack the rows of a segment."""
        if isinstance(rows, slice):
            return cls(name, size, (rows.start, rows.stop), is_filtered)
        packed = None if rows is None else np.packbits(rows).tobytes()
        return cls(name, size, packed, is_filtered)

    def unpacked(self) -> Rows:
        """Return the rows."""
        if isinstance(self.rows, bytes):
            bits = np.unpackbits(np.frombuffer(self.rows, np.uint8), count=self.size)
            return bits.astype(np.bool_)
        return None if self.rows is None else slice(*self.rows)


@dataclass(frozen=True, slots=True)
class Query:
    """A question to a shard: the best *depth* rows of *parts* by each signal.

    *weights* are those of the terms over all shards, the heaviest first (``None`` without words);
    *chunk_count*, *average_length* and *live_count* are those of all shards. *address* and
    *endpoint* locate a collection in object storage.
    """

    collection: str
    parts: Sequence[Part]
    depth: int
    weights: Mapping[str, np.float32] | None
    vector: NDArray[np.float32] | None
    sparse: tuple[NDArray[np.int32], NDArray[np.float32]] | None
    chunk_count: int
    average_length: float
    live_count: int
    fingerprint: str | None
    address: Address | None = None
    endpoint: str | None = None

    def by_shard(self, shards: Sequence[int], /) -> dict[int, tuple[NDArray[np.int32], Query]]:
        """Return the part numbers of each shard, and the question with these parts.

        *shards* has the shard of each part.
        """
        numbers: dict[int, list[int]] = {}
        for number, shard in enumerate(shards):
            numbers.setdefault(shard, []).append(number)
        return {
            shard: (np.array(those, np.int32), replace(self, parts=[self.parts[n] for n in those]))
            for shard, those in numbers.items()
        }


@dataclass(frozen=True, slots=True)
class RowList:
    """The best rows by one signal, unordered: part number, row and score of each."""

    parts: NDArray[np.int32]
    rows: NDArray[np.int64]
    scores: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ShardAnswer:
    """Answer of one or several shards: lists by signal, and reasons by number of unreadable parts.

    *silent* has the reasons by number of shards that did not answer.
    """

    lists: Mapping[str, RowList] = field(default_factory=dict)
    lacking: Mapping[int, str] = field(default_factory=dict)
    silent: Mapping[int, str] = field(default_factory=dict)


NO_ROWS = RowList(np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0, np.float32))


def merged(depth: int, answers: Iterable[tuple[NDArray[np.int32], ShardAnswer]]) -> ShardAnswer:
    """Return one answer from several, each with the numbers of its parts.

    Each list has the best *depth* rows and all equal to the last: only the asking process knows the
    order of ties.
    """
    lists: dict[str, list[RowList]] = {}
    lacking, silent = dict[int, str](), dict[int, str]()
    for numbers, answer in answers:
        lacking |= {int(numbers[n]): reason for n, reason in answer.lacking.items()}
        silent |= answer.silent
        for name, each in answer.lists.items():
            lists.setdefault(name, []).append(replace(each, parts=numbers[each.parts]))
    return ShardAnswer({name: _best(each, depth) for name, each in lists.items()}, lacking, silent)


def _best(lists: Sequence[RowList], depth: int) -> RowList:
    parts, rows, scores = (
        np.concatenate([getattr(each, name) for each in lists])
        for name in ("parts", "rows", "scores")
    )
    near = scores >= nth_best(scores, depth)
    return RowList(parts[near], rows[near], scores[near])


@dataclass(frozen=True, slots=True)
class ShardInfo:
    """State of a shard; *sees_data* means that it finds the data folder."""

    version: str
    sees_data: bool
    machine: str
    process: int


_UNUSED_SECONDS = 300.0
"""Seconds after which an unused segment is released."""
_KEPT_INDEXES = 8


class Shard:
    """Finds the best rows of segments; thread-safe. *collections* contains their folders."""

    def __init__(self, collections: Path, /) -> None:
        self._collections = collections
        self._segments: dict[tuple[str, str], tuple[Segment, float]] = {}
        self._indexes: OrderedDict[object, Index] = OrderedDict()
        self._lock = threading.Lock()

    def about(self) -> ShardInfo:
        """Return the state of this shard."""
        return ShardInfo(__version__, self._collections.is_dir(), platform.node(), os.getpid())

    def has_segments(self, asked: Query, /) -> bool:
        """Return whether all segments of a question are mapped."""
        return all((asked.collection, part.name) in self._segments for part in asked.parts)

    def top(self, asked: Query, /) -> ShardAnswer:
        """Return the best rows by each signal: at least *depth* rows, and all equal to the last."""
        segments, lacking = {}, {}
        for number, part in enumerate(asked.parts):
            try:
                segments[number] = self._segment(asked, part.name)
            except (OSError, ValueError, CaseTrackError) as error:
                lacking[number] = str(error)
        if not segments:
            return ShardAnswer({}, lacking)
        numbers = np.array(list(segments), dtype=np.int32)
        with one_thread_each():
            lists = row_lists(self._scope(asked, segments), asked, numbers)
        return ShardAnswer(lists, lacking)

    def _scope(self, asked: Query, segments: dict[int, Segment]) -> Scope:
        parts = [asked.parts[number] for number in segments]
        rows = [part.unpacked() for part in parts]
        # BM25's norms of all rows are computed once, not for each question.
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
                    for data, part, inside in zip(segments.values(), parts, rows, strict=True)
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

    def _segment(self, asked: Query, name: str) -> Segment:
        """Return a segment, and map it on first use."""
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

    def _load(self, asked: Query, name: str) -> Segment:
        """Map a segment; download it first from object storage if necessary."""
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
        mirror.pull_view(folder, home.relative_to(folder).as_posix())
        return load(home)


def row_lists(scope: Scope, asked: Query, numbers: NDArray[np.int32], /) -> dict[str, RowList]:
    """Return the best rows of a scope by each signal; *numbers* has the part of each segment."""
    lists = {}
    for name, places, scores in _lists_in(scope, asked):
        segments, rows = np.array(places, np.int64).reshape(-1, 2).T
        lists[name] = RowList(numbers[segments], rows, scores)
    return lists


def _lists_in(scope: Scope, asked: Query) -> Iterator[tuple[str, list[Place], NDArray[np.float32]]]:
    if asked.weights is not None:
        yield "bm25", *best_by(scope, asked.weights, asked.depth)
    if asked.vector is not None:
        yield "semantic", *dense_top(scope.index, asked.vector, asked.depth, scope.rows)
    if asked.sparse is not None:
        yield "sparse", *sparse_top(scope.index, *asked.sparse, asked.depth, scope.rows)
