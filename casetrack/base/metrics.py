"""Metrics of the process in Prometheus' text format: counters, gauges, histograms.

Only sums are kept, so no metric reveals the content of a request. Format: text version 0.0.4,
https://prometheus.io/docs/instrumenting/exposition_formats.
"""

from __future__ import annotations

import bisect
import math
import threading
from collections.abc import Iterable, Mapping

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)
"""Upper bounds of the buckets in which times are counted."""

Labels = tuple[tuple[str, str], ...]
Sample = tuple[Mapping[str, str], float]


class Counter:
    """A counter for each set of labels; its *name* ends in ``_total``."""

    def __init__(self, name: str, about: str, /) -> None:
        self.name, self.about = name, about
        self._values: dict[Labels, float] = {}
        self._lock = threading.Lock()

    def add(self, amount: float = 1.0, /, **labels: str) -> None:
        """Add *amount* to the counter of these labels."""
        key = tuple(sorted(labels.items()))
        with self._lock:
            self._values[key] = self._values.get(key, 0.0) + amount

    def lines(self) -> list[str]:
        """Return the counter in the text format."""
        with self._lock:
            values = sorted(self._values.items())
        return exposition(self.name, "counter", self.about, [(dict(k), v) for k, v in values])


class Histogram:
    """Durations in buckets of :data:`SECONDS`, and their sum; *name* ends in ``_seconds``."""

    def __init__(self, name: str, about: str, /) -> None:
        self.name, self.about = name, about
        self._counts: dict[Labels, list[int]] = {}
        self._sums: dict[Labels, float] = {}
        self._lock = threading.Lock()

    def observe(self, seconds: float, /, **labels: str) -> None:
        """Count one more."""
        key = tuple(sorted(labels.items()))
        with self._lock:
            counts = self._counts.setdefault(key, [0] * (len(SECONDS) + 1))
            counts[bisect.bisect_left(SECONDS, seconds)] += 1
            self._sums[key] = self._sums.get(key, 0.0) + seconds

    def lines(self) -> list[str]:
        """Return the histogram in the text format; buckets are cumulative."""
        with self._lock:
            rows = [(k, list(c), self._sums[k]) for k, c in sorted(self._counts.items())]
        lines = _head(self.name, "histogram", self.about)
        for key, counts, total in rows:
            below = 0
            for bound, count in zip((*SECONDS, math.inf), counts, strict=True):
                below += count
                upper = "+Inf" if math.isinf(bound) else f"{bound:g}"
                lines.append(_line(f"{self.name}_bucket", {**dict(key), "le": upper}, below))
            lines += [
                _line(f"{self.name}_sum", dict(key), total),
                _line(f"{self.name}_count", dict(key), below),
            ]
        return lines


CALLS = Counter("casetrack_calls_total", "Calls of tools, by tool and outcome.")
CALL_SECONDS = Histogram("casetrack_call_seconds", "Seconds that a call of a tool took.")
UNSEARCHED = Counter(
    "casetrack_shards_unsearched_total", "Questions that a shard did not answer, by shard."
)


def process_metrics() -> list[str]:
    """Return the lines of all metrics of this process."""
    return [line for figure in (CALLS, CALL_SECONDS, UNSEARCHED) for line in figure.lines()]


def exposition(name: str, kind: str, about: str, samples: Iterable[Sample], /) -> list[str]:
    """Return the lines of one metric (``counter`` or ``gauge``), empty without samples."""
    lines = [_line(name, labels, value) for labels, value in samples]
    return [*_head(name, kind, about), *lines] if lines else []


def _head(name: str, kind: str, about: str) -> list[str]:
    return [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]


def _line(name: str, labels: Mapping[str, str], value: float) -> str:
    inner = ",".join(f'{key}="{_escaped(text)}"' for key, text in sorted(labels.items()))
    number = str(int(value)) if float(value).is_integer() else repr(float(value))
    return f"{name}{{{inner}}} {number}" if inner else f"{name} {number}"


def _escaped(text: str) -> str:
    text = text.encode("utf-8", "replace").decode("utf-8")  # a name of a file need not be Unicode
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
