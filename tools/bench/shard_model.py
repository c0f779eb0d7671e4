"""What a question over many shards costs: measured on one machine, and worked out for many.

``python -m bench.shard_model`` asks the same questions of made-up collections of two sizes, each
held by 1, 2 and 4 shards, and counts the processor time of whoever asks and of the shards. The
model: a shard spends ``a + b * passages`` on a question, whoever asks ``c + d * shards + e *
passages`` (what a question's words mean is looked up among all documents). ``a``, ``b`` and ``e``
are fitted to the runs with one shard, ``c`` and ``d`` to those of the larger collection with the
fewest and the most shards; what they say of all others is held against what was measured. Then it
is worked out for more passages than fit here, with a processor for each shard.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import psutil

from bench import synthetic
from bench.shards import processes, spent
from casetrack.cluster.connect import connected
from casetrack.cluster.search import actors
from casetrack.cluster.search.actors import Wanted
from casetrack.cluster.search.front import Front

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.synthetic import Corpus
    from casetrack.base.records import SearchMode

KINDS = ("middling", "very frequent")
MODES: tuple[SearchMode, ...] = ("keyword", "hybrid")
SHARDS = (1, 2, 4)
WORKED_OUT = ((1, 1_000_000), (10, 1_000_000), (100, 1_000_000), (1000, 100_000))
"""Shards and passages of each, of which the model is asked."""


@dataclass(frozen=True, slots=True)
class Run:
    """What questions took, on average, in milliseconds.

    Attributes
    ----------
    passages, shards
        Of how many; shards that hold nothing do not count.
    asking, searching
        Processor time of whoever asks, and of all shards together.
    median, slow
        By the clock: the median and the 95th percentile.
    memory
        Megabytes of a shard's own.
    """

    passages: int
    shards: int
    asking: float
    searching: float
    median: float
    slow: float
    memory: float


@dataclass(frozen=True, slots=True)
class Model:
    """What the processor time of a question is made of, in milliseconds.

    Attributes
    ----------
    shard, passage
        Of a shard: for any question, and for each of its passages.
    ask, each, growth
        Of whoever asks: for any question, for each shard, and for each passage of all.
    """

    shard: float
    passage: float
    ask: float
    each: float
    growth: float

    def searching(self, shards: int, passages: int, /) -> float:
        """Return what all shards spend that hold so many passages together."""
        return shards * self.shard + passages * self.passage

    def asking(self, shards: int, passages: int, /) -> float:
        """Return what whoever asks spends."""
        return self.ask + shards * self.each + passages * self.growth

    def clock(self, shards: int, passages: int, /, processors: int) -> float:
        """Return what a question takes that is alone on so many processors."""
        turns = -(-shards // processors)
        return self.asking(shards, passages) + turns * self.searching(shards, passages) / shards


def fitted(runs: Sequence[Run], /) -> Model:
    """Return the model of the runs with one shard, and of that with the most."""
    alone = sorted((r for r in runs if r.shards == 1), key=lambda run: run.passages)
    small, large = alone[0], alone[-1]
    passage = (large.searching - small.searching) / (large.passages - small.passages)
    growth = max(0.0, (large.asking - small.asking) / (large.passages - small.passages))
    widest = max((r for r in runs if r.passages == large.passages), key=lambda run: run.shards)
    each = max(0.0, (widest.asking - large.asking) / (widest.shards - large.shards))
    return Model(
        max(0.0, small.searching - small.passages * passage),
        passage,
        large.asking - each - large.passages * growth,
        each,
        growth,
    )


def measured(corpus: Corpus, count: int, queries: int, mode: SearchMode, kind: str, /) -> Run:
    """Ask questions of a collection that *count* shards of the connected cluster hold."""
    shards = actors.hold(corpus.data_dir, Wanted(count), float(psutil.cpu_count() or 1))
    asked = corpus.queries(kind, count=queries)
    collection = corpus.collection
    collection.workspace.searched_by = Front(shards).lists
    try:
        for query in asked:
            collection.search(query, limit=10, mode=mode)
        mine, *theirs = [psutil.Process(pid) for pid in processes(shards)]
        before, taken = (spent([mine]), spent(theirs)), []
        for query in asked:
            started = time.perf_counter()
            collection.search(query, limit=10, mode=mode)
            taken.append((time.perf_counter() - started) * 1000)
        asking = (spent([mine]) - before[0]) * 1000 / len(asked)
        searching = (spent(theirs) - before[1]) * 1000 / len(asked)
        memory = float(np.mean([process.memory_full_info().uss for process in theirs])) / 1e6
    finally:
        collection.workspace.searched_by = None
    median, slow = np.percentile(taken, [50, 95])
    # A shard without a segment is asked nothing.
    busy = min(count, len(collection.workspace.state().index.segments))
    return Run(corpus.chunk_count, busy, asking, searching, float(median), float(slow), memory)


def main() -> None:
    """Measure, hold the model against what was measured, and work out larger ones."""
    given = _arguments()
    runs: dict[tuple[str, str], list[Run]] = {}
    corpora = [
        synthetic.prepare(given.work, n, lambda _: None, models=given.models, tokens=False)
        for n in sorted(given.sizes)
    ]
    with connected("local"):
        for corpus, count in product(corpora, SHARDS):
            for mode, kind in product(MODES, KINDS):
                run = measured(corpus, count, given.queries, mode, kind)
                runs.setdefault((mode, kind), []).append(run)
                print(mode, kind, run, flush=True)
            actors.stop(corpus.data_dir)
    for (mode, kind), those in runs.items():
        _report(f"{mode}, {kind} terms", those)


def _report(title: str, runs: Sequence[Run]) -> None:
    model, processors = fitted(runs), psutil.cpu_count() or 1
    print(
        f"\n{title}: a shard {model.shard:.2f} ms + {model.passage * 1e6:.2f} ms a million "
        f"passages; whoever asks {model.ask:.2f} ms + {model.each:.3f} ms a shard + "
        f"{model.growth * 1e6:.2f} ms a million passages\n"
    )
    print("| passages | shards | asks: found / model | shards: found / model | clock p50 / model |")
    print("|---|---|---|---|---|")
    for run in runs:
        clock = model.clock(run.shards, run.passages, processors)
        asking = model.asking(run.shards, run.passages)
        print(
            f"| {run.passages:,} | {run.shards} | {run.asking:.1f} / {asking:.1f}"
            f" | {run.searching:.1f} / {model.searching(run.shards, run.passages):.1f}"
            f" | {run.median:.1f} / {clock:.1f} |"
        )
    for shards, each in WORKED_OUT:
        took = model.clock(shards, shards * each, shards)
        print(
            f"worked out: {shards * each:,} passages, {shards} shards of {each:,} with a processor "
            f"each: {took:.0f} ms, of which {model.asking(shards, shards * each):.0f} ms asking"
        )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--models", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
