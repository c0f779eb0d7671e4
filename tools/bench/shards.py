"""Processor time of a question over many shards: measured, fitted, and computed for larger ones.

``python -m bench.shards`` starts shards and their aggregators on this machine and asks the same
questions of three generated collections: few passages and many, small segments and very small
ones. It counts the processor time of the asking process, the aggregators and the shards, with 1, 8
and all shards, and with aggregators. Fitted by least squares without negative values:

- the asking process: a constant per collection + a time per process asked,
- an aggregator: a constant + a time per shard,
- a shard: a constant + a time per segment.

What depends on the size is measured on an index whose segments are those of the larger collection,
repeated: the asking process with as many passages as computed, of which only the first are searched
(elsewhere, not counted), and the scan of one shard's passages. A hop is the time by the clock of an
empty call (lower decile).

The computed time of a question assumes a processor for each process and data in memory. Repeated
segments share their pages; the larger ones have vector cells, as in a large collection.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import pickle
import shutil
import time
import uuid
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

import numpy as np
import psutil

from bench import synthetic
from casetrack.cluster.search import serving
from casetrack.cluster.search.coordinator import Coordinator
from casetrack.cluster.search.serving import RayShards, Wanted, shard_cluster
from casetrack.cluster.search.shard import Query, Shard, ShardAnswer, row_lists
from casetrack.store.index import cells_build, stored_segments
from casetrack.store.index.scope import scope_of
from casetrack.store.index.stored_segments import index_home

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.synthetic import Corpus
    from casetrack.api.collection import Collection
    from casetrack.base.records import SearchMode
    from casetrack.store.datasets import Snapshot
    from casetrack.store.index.segment import Segment

MODES: tuple[SearchMode, ...] = ("keyword", "hybrid", "full")
COMPUTED = ((16, 16_000_000), (100, 100_000_000))
"""Shards and passages of all of them, for which the time is computed."""
_WARM_UP = 8


@dataclass(frozen=True, slots=True)
class Run:
    """Mean processor time of a question in milliseconds; *clock* is the median by the clock."""

    mode: str
    passages: int
    segments: int
    shards: int
    aggregators: int
    asking: float
    aggregating: float
    searching: float
    clock: float

    @property
    def asked(self) -> int:
        """Number of processes that the asking process asks."""
        return self.aggregators or self.shards


@dataclass(frozen=True, slots=True)
class Large:
    """Milliseconds of a question with many passages: in the asking process, and in one shard."""

    mode: str
    shards: int
    passages: int
    segments: int
    asking: float
    scanning: float


def main() -> None:
    """Measure, and print the runs, the model and computed times."""
    options = _options()
    os.environ["CASETRACK_MODELS"] = str(options.models)
    if options.runs and options.runs.is_file():
        stored = json.loads(options.runs.read_text("utf-8"))
        runs, hop = [Run(**run) for run in stored["runs"]], stored["hop"]
    else:
        runs, hop = _measured(options)
    if options.runs:
        text = json.dumps({"runs": [asdict(run) for run in runs], "hop": hop}, indent=1)
        options.runs.write_text(text, encoding="utf-8")
    corpus = _corpora(options)[1]
    for mode in MODES:
        sizes = [_large(corpus, mode, *each, options.queries) for each in COMPUTED]
        those = [run for run in runs if run.mode == mode]
        print("\n".join(_report(mode, those, hop, sizes)), flush=True)


def _corpora(options: argparse.Namespace) -> list[Corpus]:
    return [
        synthetic.prepare(options.work, n, lambda _: None, models=options.models, tokens=True)
        for n in sorted(options.passages)
    ]


def _measured(options: argparse.Namespace) -> tuple[list[Run], float]:
    few, many = _corpora(options)
    home = options.work / f"shards-{few.chunk_count}-{many.chunk_count}-{options.shards}"
    smallest = few.chunk_count // (10 * options.shards)
    collections = [
        _with_segments(corpus, home / "data", rows)
        for corpus, rows in (
            (few, few.chunk_count // (2 * options.shards)),
            (few, smallest),
            (many, many.chunk_count // (2 * options.shards)),
        )
    ]
    runs: list[Run] = []
    with shard_cluster("local") as cluster:
        every = serving.start_shards(home / "data", Wanted(options.shards), cluster.cpus)
        hop = _hop(every)
        print(f"{options.shards} shards; an empty call: {hop:.2f} ms", flush=True)
        ways = [
            RayShards(every.names[:count], aggregators=every.aggregators if layered else ())
            for count, layered in _ways(options.shards)
        ]
        for corpus, collection in zip((few, few, many), collections, strict=True):
            for mode, way in itertools.product(MODES, ways):
                queries = corpus.queries("middling", count=options.queries)
                runs.append(_run(collection, way, queries, mode))
                print(runs[-1], flush=True)
    return runs, hop


def _ways(shards: int) -> Iterator[tuple[int, bool]]:
    """Yield numbers of shards, and whether aggregators ask them."""
    yield from ((1, False), (8, False), (shards, False), (8, True), (shards, True))


def _with_segments(corpus: Corpus, data_dir: Path, rows: int) -> Collection:
    """Return a copy of a collection whose segments have about *rows* passages, built once."""
    name = f"{corpus.chunk_count} in segments of {rows}"
    library = synthetic._library(data_dir.parent, Path(os.environ["CASETRACK_MODELS"]))
    library.encoders = corpus.collection.workspace.encoders
    if name not in {info.name for info in library.collections()}:
        key = str(uuid.uuid4())
        folder = data_dir / "collections" / key
        shutil.copytree(corpus.collection.folder, folder, copy_function=synthetic._link)
        shutil.rmtree(folder / "views" / "index")
        stated = json.loads((folder / "collection.json").read_text("utf-8"))
        (folder / "collection.json").unlink()  # a link to that of the original
        (folder / "collection.json").write_text(json.dumps(stated | {"id": key, "name": name}))
    stored_segments.MAX_CHUNKS, before = rows, stored_segments.MAX_CHUNKS
    collection = library.get(name)
    _ = collection.workspace.state().index
    stored_segments.MAX_CHUNKS = before
    return collection


def _run(collection: Collection, way: RayShards, queries: Sequence[str], mode: SearchMode) -> Run:
    collection.workspace.searched_by = Coordinator(way).lists
    processes = {name: psutil.Process(about.process) for name, about in way.about().items()}
    groups = [[processes[n] for n in names] for names in (way.aggregators, way.names)]
    for query in queries[:_WARM_UP]:
        collection.search(query, limit=10, mode=mode)
    before, asking, clock = [_spent(each) for each in groups], time.process_time(), []
    for query in queries:
        started = time.perf_counter()
        collection.search(query, limit=10, mode=mode)
        clock.append((time.perf_counter() - started) * 1000)
    asking = (time.process_time() - asking) * 1000 / len(queries)
    aggregating, searching = (
        (_spent(each) - spent) * 1000 / len(queries)
        for each, spent in zip(groups, before, strict=True)
    )
    index = collection.workspace.state().index
    return Run(
        mode,
        index.chunk_count,
        len(index.segments),
        way.count,
        len(way.aggregators),
        asking,
        aggregating,
        searching,
        float(np.median(clock)),
    )


def _spent(processes: Sequence[psutil.Process]) -> float:
    times = [process.cpu_times() for process in processes]
    return sum(each.user + each.system for each in times)


def _hop(shards: RayShards, calls: int = 200) -> float:
    one, taken = replace(shards, names=shards.names[:1], aggregators=()), []
    for _ in range(calls):
        started = time.perf_counter()
        one.about()
        taken.append((time.perf_counter() - started) * 1000)
    return float(np.percentile(taken, 10))


class _Alone:
    """Shards for the asking process alone: only the first parts are searched, which is timed."""

    def __init__(self, collections: Path, shards: int, searched: int) -> None:
        self.count, self._searched = shards, searched
        self._shard = Shard(collections)
        self.elsewhere = 0.0
        self.last: Query | None = None

    def ask(self, asked: Query, shards: Sequence[int], /) -> ShardAnswer:
        """Serialize the question for all processes asked, and search the first parts."""
        width = serving._aggregator_count(self.count) or self.count
        for _, query in asked.by_shard([each % width for each in shards]).values():
            pickle.dumps(query, protocol=5)
        self.last, started = asked, time.process_time()
        answer = self._shard.top(replace(asked, parts=asked.parts[: self._searched]))
        self.elsewhere += time.process_time() - started
        return answer


def _large(corpus: Corpus, mode: SearchMode, shards: int, passages: int, queries: int) -> Large:
    """Measure questions over repeated segments: the asking process, and the scan of one shard."""
    asked = corpus.queries("middling", count=queries)
    collection = corpus.collection
    cells_build.build_all(index_home(collection.folder))
    with _repeated(passages // corpus.chunk_count):
        collection.workspace.forget()
        index = collection.workspace.state().index
        searched = len(index.segments) * corpus.chunk_count // index.chunk_count
        alone = _Alone(collection.folder.parent, shards, searched)
        collection.workspace.searched_by = Coordinator(alone).lists
        for query in asked[:_WARM_UP]:
            collection.search(query, limit=10, mode=mode)
        alone.elsewhere, started = 0.0, time.process_time()
        for query in asked:
            collection.search(query, limit=10, mode=mode)
        asking = time.process_time() - started - alone.elsewhere
    with _repeated(passages // shards // corpus.chunk_count):
        collection.workspace.forget()
        part = collection.workspace.state().index
        scope, scanning = scope_of(replace(part, ranks=None)), 0.0
        numbers = np.arange(len(part.segments), dtype=np.int32)
        for query in asked:
            collection.search(query, limit=10, mode=mode)
            assert alone.last is not None
            started = time.process_time()
            row_lists(scope, alone.last, numbers)
            scanning += time.process_time() - started
    collection.workspace.forget()
    asking, scanning = (each * 1000 / len(asked) for each in (asking, scanning))
    return Large(mode, shards, index.chunk_count, len(index.segments), asking, scanning)


@contextlib.contextmanager
def _repeated(copies: int) -> Iterator[None]:
    """Repeat the segments of an index while it is opened; each has its own cache of terms."""

    def repeated(home: Path, snapshot: Snapshot, dimension: int, /) -> list[Segment]:
        once = stored_segments.stored_segments(home, snapshot, dimension)
        return [
            replace(
                data,
                terms=replace(data.terms, _known={}),
                folder=data.folder.with_name(f"{data.folder.name}+{n}") if n else data.folder,
            )
            for n in range(copies)
            for data in once
        ]

    opened = "casetrack.store.index.index"
    no_cells = mock.patch(f"{opened}.cells_build.request", return_value=False)
    with mock.patch(f"{opened}.stored_segments", repeated), no_cells:
        yield


def _fitted(values: Sequence[float], columns: Sequence[Sequence[float]]) -> list[float]:
    """Return the factors of *columns* by least squares, none negative."""
    table = np.array(columns, dtype=np.float64).T
    used = list(range(table.shape[1]))
    while True:
        factors = np.linalg.lstsq(table[:, used], np.array(values), rcond=None)[0]
        if (factors >= 0).all():
            return np.bincount(used, factors, minlength=table.shape[1]).tolist()
        used.pop(int(factors.argmin()))


def _report(mode: str, runs: Sequence[Run], hop: float, sizes: Sequence[Large]) -> Iterator[str]:
    collections = list(dict.fromkeys((r.passages, r.segments) for r in runs))
    which = [collections.index((r.passages, r.segments)) for r in runs]
    each_collection = np.eye(len(collections))[which].T.tolist()
    asking = _fitted([r.asking for r in runs], [*each_collection, [r.asked for r in runs]])
    columns = [[r.shards for r in runs], [r.segments for r in runs]]
    searching = _fitted([r.searching for r in runs], columns)
    layered = [r for r in runs if r.aggregators]
    columns = [[r.aggregators for r in layered], [r.shards for r in layered]]
    aggregating = _fitted([r.aggregating for r in layered], columns)
    constants = ", ".join(f"{each:.1f}" for each in asking[:-1])
    yield (
        f"\n{mode}: asking {constants} ms + {asking[-1]:.2f} per process asked; aggregator "
        f"{aggregating[0]:.1f} + {aggregating[1]:.2f} per shard; shard {searching[0]:.1f} + "
        f"{searching[1]:.3f} per segment; hop {hop:.2f}"
    )
    yield "| passages | segments | shards | aggregators | asking, model | between | shards, model |"
    yield "|---|---|---|---|---|---|---|"
    for r, number in zip(runs, which, strict=True):
        modelled = asking[number] + r.asked * asking[-1]
        theirs = r.shards * searching[0] + r.segments * searching[1]
        yield (
            f"| {r.passages:,} | {r.segments:,} | {r.shards} | {r.aggregators} | {r.asking:.1f}, "
            f"{modelled:.1f} | {r.aggregating:.1f} | {r.searching:.1f}, {theirs:.1f} |"
        )
    for large in sizes:
        one = searching[0] + large.scanning
        for layer in sorted({0, serving._aggregator_count(large.shards)}):
            own = large.asking + (layer or large.shards) * asking[-1]
            below = -(-large.shards // layer) if layer else 0
            between = aggregating[0] + below * aggregating[1] + hop if layer else 0.0
            yield (
                f"computed: {large.passages:,} passages, {large.segments:,} segments, "
                f"{large.shards} shards, {layer} aggregators: {own + between + one + hop:.0f} ms "
                f"(asking {own:.0f}, of it {large.asking:.0f} for the size; aggregator "
                f"{between:.0f}; shard {one:.0f})"
            )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.shards", description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--passages", type=int, nargs=2, default=[20_000, 100_000], help="of two collections")
    add("--shards", type=int, default=32)
    add("--queries", type=int, default=50)
    add("--runs", type=Path, help="file for the figures; if it exists, only the model is fitted")
    add("--work", type=Path, default=Path(".cache/bench"))
    add("--models", type=Path, default=Path(os.environ.get("CASETRACK_MODELS", ".cache/models")))
    return parser.parse_args()


if __name__ == "__main__":
    main()
