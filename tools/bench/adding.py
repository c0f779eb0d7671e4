"""Cost of one more document in an empty and in a large collection."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench import synthetic
from bench.report import Row, number, spread
from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.license import UNLIMITED
from casetrack.store.session import write_session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.report import Effort
    from bench.synthetic import Corpus

_REPEATS = 5
_CHUNKS = 4
_MOST_TIMES = 2.0


def add_rows(corpus: Corpus, _: Effort, /) -> Iterator[Row]:
    """Yield the cost of one more document, in an empty collection and in the large one."""
    with tempfile.TemporaryDirectory(dir=corpus.home) as scratch:
        empty = Library(load_settings(Path(scratch) / "empty"), tier=UNLIMITED)
        empty.create(synthetic.NAME)
        small = _additions(corpus, empty)
        large = _additions(corpus, synthetic.copy(corpus, Path(scratch) / "large"))
    size = f"{corpus.chunk_count:,} chunks"
    for name, taken in (("an empty collection", small), (size, large)):
        parts = {stage: statistics.median(t) for stage, t in taken.items()}
        total = spread(sum(stages) for stages in zip(*taken.values(), strict=True))
        slower = sum(parts.values()) / sum(statistics.median(t) for t in small.values())
        yield Row(
            "add",
            f"one more document of {_CHUNKS} chunks, vectors given, into {name}",
            f"{number(total.p50)} ms ("
            + ", ".join(f"{stage} {number(ms)}" for stage, ms in parts.items())
            + ")",
            aim="about the same" if taken is large else "",
            ratio=f"x {slower:.1f}" if taken is large else "",
            verdict=_verdict(slower) if taken is large else "",
            figures={"total_ms": total.p50, **{f"{s}_ms": ms for s, ms in parts.items()}},
        )


def _verdict(slower: float) -> str:
    return "aim reached" if slower <= _MOST_TIMES else "misses aim"


def _additions(corpus: Corpus, library: Library) -> dict[str, list[float]]:
    """Return milliseconds per step of several additions."""
    collection = library.get(synthetic.NAME)
    writer = synthetic.writer_of(corpus, 1)
    collection.search("warm", mode="keyword")
    taken: dict[str, list[float]] = {"store": [], "index": [], "first search": []}
    for repeat in range(_REPEATS):
        made, started = writer.seconds, time.perf_counter()
        with write_session(collection.folder) as session:
            writer.store(session, f"added-{repeat}.pdf", _CHUNKS)
        stored = time.perf_counter()
        _ = collection.workspace.state().index
        indexed = time.perf_counter()
        collection.search("warm", mode="keyword")
        ended = time.perf_counter()
        spans = (stored - started - (writer.seconds - made), indexed - stored, ended - indexed)
        for stage, span in zip(taken, spans, strict=True):
            taken[stage].append(span * 1000)
    return taken
