"""Rows of the table, how they are judged and timed."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Query = TypeVar("Query")


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table; ``group`` is its name for ``--only``.

    ``equal`` states which conditions are equal to those of a compared engine. ``figures`` are the
    numbers for ``--json``; each name ends with its unit.
    """

    group: str
    what: str
    measured: str
    required: str = ""
    aim: str = ""
    ratio: str = ""
    verdict: str = ""
    equal: str = ""
    figures: Mapping[str, float] = field(default_factory=dict)


def judge(value: float, /, *, required: float | None = None, aim: float | None = None) -> str:
    """Return the verdict on *value*, where less is better."""
    if aim is not None and value <= aim:
        return "aim reached"
    if required is not None and value > required:
        return "MISSES REQUIREMENT"
    if aim is not None:
        return "misses aim" + (", meets requirement" if required is not None else "")
    return "meets requirement" if required is not None else ""


@dataclass(frozen=True, slots=True)
class Effort:
    """Amount of measurement.

    Attributes
    ----------
    queries
        Queries per class.
    passes
        Measured passes per query, after one warm-up pass.
    repeats
        Repetitions of whole processes.
    written_files
        PDF files that the writer adds while searches run.
    encoded
        Texts for the time of the encoder alone.
    """

    queries: int = 120
    passes: int = 3
    repeats: int = 5
    written_files: int = 24
    encoded: int = 120


QUICK = Effort(queries=8, passes=1, repeats=1, written_files=2, encoded=8)
"""Enough to see that everything runs; its figures mean nothing."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Median and 95th percentile, in milliseconds."""

    p50: float
    p95: float

    def __str__(self) -> str:
        """Return both, as the table shows them."""
        return f"p50 {number(self.p50)} / p95 {number(self.p95)} ms"

    def ratio(self, own: Spread, /) -> str:
        """Return how many times as long as *own* this takes."""
        return f"p50 x {self.p50 / own.p50:.2f}, p95 x {self.p95 / own.p95:.2f}"

    @property
    def figures(self) -> dict[str, float]:
        """Both, rounded to a microsecond."""
        return {"p50_ms": round(self.p50, 3), "p95_ms": round(self.p95, 3)}


def spread(milliseconds: Iterable[float], /) -> Spread:
    """Return median and 95th percentile (nearest rank) of *milliseconds*."""
    ordered = sorted(milliseconds)
    rank = max(0, -(-len(ordered) * 95 // 100) - 1)
    return Spread(statistics.median(ordered), ordered[rank])


def number(value: float, /) -> str:
    """Return *value* with about three digits that count."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def compete(
    engines: Mapping[str, Callable[[Query], object]], queries: Sequence[Query], *, passes: int = 3
) -> dict[str, list[float]]:
    """Return milliseconds per query of several engines on the same queries, warm.

    Each engine answers all queries once unmeasured. Then the engines alternate pass by pass, so
    that a busy moment of the machine does not affect one engine only. The time of a query is the
    median of its passes.
    """
    for ask in engines.values():
        for query in queries:
            ask(query)
    taken: dict[str, list[list[float]]] = {name: [[] for _ in queries] for name in engines}
    for _ in range(passes):
        for name, ask in engines.items():
            for place, query in enumerate(queries):
                started = time.perf_counter()
                ask(query)
                taken[name][place].append((time.perf_counter() - started) * 1000)
    return {n: [statistics.median(t) for t in times] for n, times in taken.items()}
