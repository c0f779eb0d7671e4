"""Processor time of a question over many shards: measured, fitted, and computed for larger ones.

``python -m bench.shards`` starts shards and their aggregators on this machine and asks the same
questions of three generated collections: few passages and many, small segments and very small
ones. It counts the processor time of the asking process, the aggregators and the shards, with 1, 8
and all shards, and with aggregators. The model is linear, fitted by least squares without negative
values:

- the asking process: constant + per process asked + per segment + per passage,
- an aggregator: constant + per shard,
- a shard: constant + per segment + per passage.

A hop is the time by the clock of an empty call (lower decile), which includes its processor time.
The computed time of a question assumes a processor for each process, data in memory, segments of
65,536 passages, and the same costs per segment and passage as here: large segments have a vector
index, whose searches read fewer vectors, and are not measured here.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import time
import uuid
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import psutil

from bench import synthetic
from casetrack.cluster.search import serving
from casetrack.cluster.search.serving import Coordinator, RayShards, Wanted, shard_cluster
from casetrack.store.index import stored_segments

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.synthetic import Corpus
    from casetrack.api.collection import Collection
    from casetrack.base.records import SearchMode

MODES: tuple[SearchMode, ...] = ("keyword", "hybrid", "full")
SEGMENT = 65_536
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


def main() -> None:
    """Measure, and print the runs, the model and computed times."""
    options = _options()
    if options.runs and options.runs.is_file():
        stored = json.loads(options.runs.read_text("utf-8"))
        runs, hop = [Run(**run) for run in stored["runs"]], stored["hop"]
    else:
        runs, hop = _measured(options)
    if options.runs:
        text = json.dumps({"runs": [asdict(run) for run in runs], "hop": hop}, indent=1)
        options.runs.write_text(text, encoding="utf-8")
    for mode in MODES:
        print("\n".join(_report(mode, [run for run in runs if run.mode == mode], hop)))


def _measured(options: argparse.Namespace) -> tuple[list[Run], float]:
    os.environ["CASETRACK_MODELS"] = str(options.models)
    few, many = (
        synthetic.prepare(options.work, n, lambda _: None, models=options.models, tokens=True)
        for n in sorted(options.passages)
    )
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


def _fitted(values: Sequence[float], columns: Sequence[Sequence[float]]) -> list[float]:
    """Return the factors of *columns* by least squares, none negative."""
    table = np.array(columns, dtype=np.float64).T
    used = list(range(table.shape[1]))
    while True:
        factors = np.linalg.lstsq(table[:, used], np.array(values), rcond=None)[0]
        if (factors >= 0).all():
            return np.bincount(used, factors, minlength=table.shape[1]).tolist()
        used.pop(int(factors.argmin()))


def _report(mode: str, runs: Sequence[Run], hop: float) -> Iterator[str]:
    ones = [1.0] * len(runs)
    asking = _fitted(
        [r.asking for r in runs],
        [ones, *zip(*((r.asked, r.segments, r.passages) for r in runs), strict=True)],
    )
    searching = _fitted(
        [r.searching for r in runs],
        list(zip(*((r.shards, r.segments, r.passages) for r in runs), strict=True)),
    )
    layered = [r for r in runs if r.aggregators]
    aggregating = _fitted(
        [r.aggregating for r in layered],
        list(zip(*((r.aggregators, r.shards) for r in layered), strict=True)),
    )
    yield (
        f"\n{mode}: asking {asking[0]:.2f} ms + {asking[1]:.3f} per process asked + "
        f"{asking[2] * 1000:.2f} per 1,000 segments + {asking[3] * 1e6:.2f} per 10⁶ passages; "
        f"aggregator {aggregating[0]:.2f} + {aggregating[1]:.3f} per shard; shard "
        f"{searching[0]:.2f} + {searching[1] * 1000:.2f} per 1,000 segments + "
        f"{searching[2] * 1e6:.2f} per 10⁶ passages; hop {hop:.2f}"
    )
    yield "| passages | segments | shards | aggregators | asking, model | between | shards, model |"
    yield "|---|---|---|---|---|---|---|"
    for r in runs:
        modelled = np.dot(asking, (1, r.asked, r.segments, r.passages))
        theirs = np.dot(searching, (r.shards, r.segments, r.passages))
        yield (
            f"| {r.passages:,} | {r.segments:,} | {r.shards} | {r.aggregators} | {r.asking:.1f}, "
            f"{modelled:.1f} | {r.aggregating:.1f} | {r.searching:.1f}, {theirs:.1f} |"
        )
    for shards, passages in COMPUTED:
        segments, each = passages / SEGMENT, passages / shards
        one = np.dot(searching, (1, segments / shards, each))
        for layer in {0, serving._aggregator_count(shards)}:
            own = np.dot(asking, (1, layer or shards, segments, passages))
            between = np.dot(aggregating, (1, -(-shards // layer))) + hop if layer else 0.0
            yield (
                f"computed: {passages:,} passages, {shards} shards, {layer} aggregators: "
                f"{own + between + one + hop:.0f} ms (asking {own:.0f}, aggregator "
                f"{between:.0f}, shard {one:.0f})"
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
