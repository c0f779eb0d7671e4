"""Measurements of a server: ``/metrics`` for Prometheus, and one log line for each call.

They contain no arguments or results, which are as confidential as the documents.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import anyio

from casetrack.base.dataclass import dataclass
from casetrack.base.errors import CaseTrackError
from casetrack.base.metrics import CALL_SECONDS, CALLS, CONTENT_TYPE, exposition, process_metrics
from casetrack.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    from casetrack.api.library import Library
    from casetrack.base.metrics import Sample

PATH = "/metrics"
calls = logging.getLogger("casetrack.calls")
"""One line per call at level INFO, for log formats that programs read."""
_FACTS = ("tool", "outcome", "seconds")
_running: dict[str, int] = {}


@dataclass(slots=True)
class Measured:
    """A call in progress; *outcome* is ``ok``, ``failed`` or ``stopped`` (the initial value)."""

    outcome: str = "stopped"


@contextlib.contextmanager
def measured(tool: str, /) -> Iterator[Measured]:
    """Count a call of a tool, and measure its time."""
    call, started = Measured(), time.perf_counter()
    _running[tool] = _running.get(tool, 0) + 1
    try:
        yield call
    finally:
        seconds = time.perf_counter() - started
        _running[tool] -= 1
        CALLS.add(tool=tool, outcome=call.outcome)
        CALL_SECONDS.observe(seconds, tool=tool)
        facts = {"tool": tool, "outcome": call.outcome, "seconds": round(seconds, 6)}
        calls.info("%s %s in %.3f s", tool, call.outcome, seconds, extra=facts)


class JsonLines(logging.Formatter):
    """Writes each record as one line of JSON, with the facts of a call as fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line: time (UTC), level, logger, message; tool, outcome, seconds; error."""
        moment = datetime.fromtimestamp(record.created, UTC)
        line = {
            "time": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {name: getattr(record, name) for name in _FACTS if hasattr(record, name)}
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=True)


def metrics_route(library: Library, /) -> Route:
    """Return the route of :data:`PATH`."""
    from starlette.responses import Response
    from starlette.routing import Route

    async def answer(_request: Request) -> Response:
        text = await anyio.to_thread.run_sync(written, library)
        return Response(text, media_type=CONTENT_TYPE)

    return Route(PATH, answer, methods=("GET", "HEAD"))


def written(library: Library, /) -> str:
    """Return all figures, as they are at this moment."""
    lines = [
        *exposition("casetrack_info", "gauge", "The version.", [({"version": __version__}, 1)]),
        *process_metrics(),
        *exposition(
            "casetrack_calls_running",
            "gauge",
            "Calls in progress.",
            [({"tool": tool}, count) for tool, count in sorted(_running.items())],
        ),
        *_holdings(library),
        *_work(library),
        *_process(),
    ]
    return "\n".join(lines) + "\n"


def _holdings(library: Library) -> list[str]:
    """Return the size of each collection, as its last writer stored it."""
    documents: list[Sample] = []
    passages: list[Sample] = []
    infos, damaged = library.listed()
    for info in infos:
        with contextlib.suppress(CaseTrackError):  # counted below
            stats = library.stats(info)
            labels = {"collection": info.id}
            documents.append((labels, stats.document_count))
            passages.append((labels, stats.chunk_count))
    unread = len(damaged) + len(infos) - len(documents)
    return [
        *exposition("casetrack_documents", "gauge", "Documents of a collection.", documents),
        *exposition("casetrack_passages", "gauge", "Passages of a collection.", passages),
        *exposition(
            "casetrack_collections_unreadable",
            "gauge",
            "Collections that cannot be read; casetrack doctor shows the reason.",
            [({}, unread)],
        ),
    ]


def _work(library: Library) -> list[str]:
    """Return the number of jobs by state."""
    numbers: dict[str, int] = {}
    for job in library.jobs.list():
        numbers[job.state] = numbers.get(job.state, 0) + 1
    samples: list[Sample] = [({"state": state}, n) for state, n in sorted(numbers.items())]
    return exposition("casetrack_jobs", "gauge", "Jobs by state.", samples)


def _process() -> list[str]:
    """Return the standard Prometheus metrics of this process."""
    import psutil

    process = psutil.Process(os.getpid())
    with process.oneshot():
        times = process.cpu_times()
        memory = process.memory_info().rss
        started = process.create_time()
        threads = process.num_threads()
    used = times.user + times.system
    figures = (
        ("process_cpu_seconds_total", "counter", "Processor time in seconds.", used),
        ("process_resident_memory_bytes", "gauge", "Memory in bytes.", memory),
        ("process_start_time_seconds", "gauge", "Start time in seconds since 1970.", started),
        ("process_threads", "gauge", "Threads.", threads),
    )
    lines: list[str] = []
    for name, kind, about, value in figures:
        lines += exposition(name, kind, about, [({}, value)])
    return lines
