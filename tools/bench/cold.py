"""Processes started cold: the command line, and its first search."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from bench import synthetic
from bench.report import Row, judge
from bench.server import handshake_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from bench.report import Effort
    from bench.synthetic import Corpus

_PROGRAM = (sys.executable, "-m", "casetrack")
_SEARCH_AIM = 0.35


def cold_rows(corpus: Corpus, effort: Effort, /) -> Iterator[Row]:
    """Yield wall times of new processes."""
    bare = _median([sys.executable, "-c", "pass"], effort.repeats)
    yield Row("cold", "python -c pass, for comparison", f"{bare:.2f} s", figures={"s": bare})
    help_time = _median([*_PROGRAM, "--help"], effort.repeats)
    yield Row("cold", "casetrack --help", f"{help_time:.2f} s", figures={"s": help_time})
    yield from first_query_rows(corpus, effort, group="cold")
    yield from handshake_rows(corpus, effort)


def first_query_rows(corpus: Corpus, effort: Effort, /, *, group: str) -> Iterator[Row]:
    """Yield the time of one search in a new process, per mode, with warm and with cold files."""
    query = corpus.queries("middling")[0]
    where = ["-c", synthetic.NAME, "--data-dir", str(corpus.data_dir)]
    for mode in corpus.modes:
        command = [*_PROGRAM, "search", query, "--mode", mode, "--json", *where]
        yield _search_row(corpus, group, mode, _median(command, effort.repeats), "")
    if hasattr(os, "posix_fadvise"):
        taken = _median(command, effort.repeats, before=lambda: _forget(corpus.data_dir))
        what = ", the collection's files not in the system's cache"
        yield _search_row(corpus, group, mode, taken, what)


def _search_row(corpus: Corpus, group: str, mode: str, taken: float, what: str) -> Row:
    return Row(
        group,
        f"{corpus.chunk_count:,} chunks: casetrack search --mode {mode}, new process{what}",
        f"{taken:.2f} s",
        aim=f"<= {_SEARCH_AIM} s" if not what else "",
        verdict=judge(taken, aim=_SEARCH_AIM) if not what else "",
        figures={"s": taken},
    )


def _forget(folder: Path) -> None:
    """Ask the system to drop the files below *folder* from its cache."""
    for path in folder.rglob("*"):
        if path.is_file():
            number = os.open(path, os.O_RDONLY)
            try:
                os.fsync(number)  # pages that are not written yet cannot be dropped from the cache
                os.posix_fadvise(number, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(number)


def _median(
    command: Sequence[str], repeats: int, *, before: Callable[[], object] = lambda: None
) -> float:
    taken = []
    for _ in range(repeats):
        before()
        started = time.perf_counter()
        ended = subprocess.run(
            command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        taken.append(time.perf_counter() - started)
        if ended.returncode:
            raise RuntimeError(f"{' '.join(command)} failed:\n{ended.stderr[-2000:]}")
    return statistics.median(taken)
