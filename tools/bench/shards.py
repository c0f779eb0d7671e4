"""Search over shards beside one process: the same answers, and what they take.

``python -m bench.shards --chunks 1000000 --shards 8`` makes the collection where it is not there,
starts a cluster on this machine, and asks every question of both. Processor time counts all
processes that answer; a machine with other work on it says nothing by the clock.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import psutil

from bench import synthetic
from casetrack.cluster.connect import connected
from casetrack.cluster.search import actors
from casetrack.cluster.search.actors import Wanted
from casetrack.cluster.search.front import Front
from casetrack.search.dense import dense_top
from casetrack.store.index.recall import Question
from casetrack.store.index.scope import scope_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.synthetic import Corpus
    from casetrack.api.collection import Collection
    from casetrack.base.records import SearchMode, SearchResults
    from casetrack.cluster.search.actors import RayShards

AIMS = {"keyword": 60.0, "hybrid": 150.0}
"""Milliseconds at the 95th percentile, a million chunks in 8 shards on 2 cores."""
_RECALL = 0.97
_DEEP = 100


def main() -> None:
    """Measure, and print a table."""
    given = _arguments()
    corpus = synthetic.prepare(
        given.work, given.chunks, lambda _: None, models=given.models, tokens=False
    )
    collection = corpus.collection
    index = collection.workspace.state().index
    print(f"{index.chunk_count:,} chunks in {len(index.segments)} segments, {given.shards} shards")
    with connected("local") as cluster:
        started = time.perf_counter()
        shards = actors.hold(corpus.data_dir, Wanted(given.shards), cluster.cpus)
        print(f"shards ready after {time.perf_counter() - started:.1f} s")
        for kind in synthetic.CLASSES:
            queries = corpus.queries(kind, count=given.queries)
            for mode in AIMS:
                print(_compared(collection, shards, queries, mode, kind), flush=True)
        print(_recalled(corpus, shards))
        print(_memory(shards))
        collection.workspace.searched_by = None


def _compared(
    collection: Collection, shards: RayShards, queries: Sequence[str], mode: SearchMode, kind: str
) -> str:
    """Ask each question of both, in turn, and return a line of the table."""
    front, answers = Front(shards).lists, []
    taken: dict[bool, list[float]] = {False: [], True: []}
    work: dict[bool, list[float]] = {False: [], True: []}
    workers = [psutil.Process(pid) for pid in processes(shards)]
    for number, query in enumerate([*queries[:10], *queries]):
        found: dict[bool, SearchResults] = {}
        for over in (number % 2 == 0, number % 2 != 0):
            collection.workspace.searched_by = front if over else None
            before, started = spent(workers), time.perf_counter()
            found[over] = collection.search(query, limit=10, mode=mode)
            if number >= len(queries[:10]):
                taken[over].append((time.perf_counter() - started) * 1000)
                work[over].append((spent(workers) - before) * 1000)
        answers.append(_alike(found[False], found[True]))
    same, recalled = (np.mean(values) for values in zip(*answers, strict=True))
    one, many = (np.percentile(taken[over], [50, 95]) for over in (False, True))
    ones, manys = (np.percentile(work[over], [50, 95]) for over in (False, True))
    verdict = "reached" if many[1] <= AIMS[mode] else "missed"
    return (
        f"{mode}, {kind} terms: one process p50 {one[0]:.1f} / p95 {one[1]:.1f} ms "
        f"(processor {ones[0]:.0f} / {ones[1]:.0f}); shards p50 {many[0]:.1f} / p95 {many[1]:.1f} "
        f"ms (processor {manys[0]:.0f} / {manys[1]:.0f}); same to the last digit {same:.3f}, "
        f"top 10 in common {recalled:.4f}; <= {AIMS[mode]:.0f} ms {verdict}"
    )


def _alike(one: SearchResults, many: SearchResults) -> tuple[bool, float]:
    """Return whether two answers are the same, and the share of the first that the other has."""
    first, second = ([(r.chunk_id, r.score) for r in found] for found in (one, many))
    ids = {chunk for chunk, _ in first}
    shared = len(ids & {chunk for chunk, _ in second}) / max(1, len(ids))
    return first == second, shared


def _recalled(corpus: Corpus, shards: RayShards) -> str:
    """Return how many of the nearest vectors the shards find, of those that a look at all finds."""
    state = corpus.collection.workspace.state()
    index, scope = state.index, scope_of(state.index)
    shares = []
    for query in corpus.queries("middling", count=50):
        vector = corpus.space.query(query)
        exact, _ = dense_top(index, vector, _DEEP, approximate=False)
        ((_, near, _),) = Front(shards).lists(state).top(scope, Question(vector=vector), _DEEP)
        shares.append(len(set(exact) & set(near)) / len(exact))
    verdict = "reached" if np.mean(shares) >= _RECALL else "missed"
    return (
        f"vectors, recall@{_DEEP} against a look at all: mean {np.mean(shares):.4f}, least "
        f"{min(shares):.3f}; >= {_RECALL} {verdict}"
    )


def processes(shards: RayShards) -> list[int]:
    """Return the processes of this program and of the shards."""
    return [psutil.Process().pid, *(about.process for about in shards.about())]


def spent(processes: Sequence[psutil.Process]) -> float:
    times = [process.cpu_times() for process in processes]
    return sum(each.user + each.system for each in times)


def _memory(shards: RayShards) -> str:
    _, *pids = processes(shards)
    told = [psutil.Process(pid).memory_full_info() for pid in pids]
    mean = np.mean([[each.uss, each.rss] for each in told], axis=0) / 1e6
    return f"memory of a shard: {mean[0]:.0f} MB of its own, {mean[1]:.0f} MB with pages of files"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=1_000_000)
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--models", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
