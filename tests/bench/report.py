"""Rows of the table, how they are judged, and how they are printed."""

from __future__ import annotations

import os
import platform
import statistics
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import psutil

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Query = TypeVar("Query")
_HEADINGS = ("what", "required", "aim", "measured", "ratio", "verdict")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table.

    Attributes
    ----------
    group
        Name for ``--only``.
    what, required, aim, measured, ratio, verdict
        As printed; empty where there is nothing to say.
    figures
        The same as numbers, for ``--json``; the unit is the end of each name.
    """

    group: str
    what: str
    measured: str
    required: str = ""
    aim: str = ""
    ratio: str = ""
    verdict: str = ""
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
class Spread:
    """Median and 95th percentile, in milliseconds."""

    p50: float
    p95: float

    def __str__(self) -> str:
        """Return both, as the table shows them."""
        return f"p50 {number(self.p50)} / p95 {number(self.p95)} ms"

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

    Every engine first answers all queries once unmeasured; then they take turns pass by pass, so
    that a busy moment of the machine does not fall on one of them alone. A query counts with the
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


def machine() -> dict[str, Any]:
    """Return what the figures were measured on."""
    import duckdb
    import lance
    import numpy as np

    affinity = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "cpu": _cpu_name(),
        "cores": affinity,
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "load_1min": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "lance": lance.__version__,
        "duckdb": duckdb.__version__,
    }


def _cpu_name() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def render(facts: Mapping[str, Any], rows: Sequence[Row], /) -> str:
    """Return header and table as Markdown with aligned columns."""
    head = (
        f"{facts['cpu']}, {facts['cores']} cores, {facts['memory_gib']} GiB; {facts['system']}, "
        f"Python {facts['python']}, NumPy {facts['numpy']}, Lance {facts['lance']}, "
        f"DuckDB {facts['duckdb']}; load at start {facts['load_1min']}"
    )
    cells = [[getattr(row, name) for name in _HEADINGS] for row in rows]
    table = [list(_HEADINGS), *cells]
    widths = [max(len(line[i]) for line in table) for i in range(len(_HEADINGS))]
    lines = [
        "| " + " | ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) + " |"
        for line in table
    ]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join([head, "", *lines])
