"""Stop on a signal, and resumption of work that earlier servers left unfinished."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from casetrack.base.errors import UsageError
from casetrack.faces.mcp.session import Session, in_thread

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from casetrack.base.records.jobs import Job
    from casetrack.faces.mcp.catalogue import Catalogue
    from casetrack.faces.mcp.handlers import Caller

# An AI program stops its servers when it ends, also during an ingest of hours. The finished part is
# kept, and the next server repeats the same call under the id of the same job.

logger = logging.getLogger("casetrack.mcp")

DELAY_SECONDS = 3.0
"""A server that only lists its tools and ends resumes no jobs."""


async def resume_jobs(call_tool: Caller, tools: Catalogue, session: Session, /) -> None:
    """Resume the unfinished work of earlier servers for which this one has the tools."""
    await anyio.sleep(DELAY_SECONDS)
    for job in await in_thread(session.library.jobs.resumable):
        call = _call_of(tools, session, job)
        if call is None:
            continue
        running = await anyio.to_thread.run_sync(partial(session.library.jobs.resume, job))
        if running is None:  # another server was faster
            continue
        logger.info("%s goes on: %s", job.id, job.title)
        result = await call_tool(*call, again=running)
        if session.jobs.find(job.id) is None:  # it did not even begin
            message = "".join(getattr(part, "text", "") for part in getattr(result, "content", ()))
            error = UsageError(f"It could not be resumed. {message}".strip())
            await anyio.to_thread.run_sync(partial(running.end, error))


def _call_of(tools: Catalogue, session: Session, job: Job, /) -> tuple[str, dict[str, Any]] | None:
    """Return the call that resumes a job; ``None`` if this server must not make it.

    The record is not trusted: only tools that add or rebuild are called, never one that deletes.
    """
    record = job.call or {}
    name, arguments = record.get("tool"), record.get("arguments")
    spec = tools.specs.get(name) if isinstance(name, str) else None
    if spec is None or not isinstance(arguments, dict) or record.get("edition") != session.edition:
        return None
    if spec.hints.read_only or spec.hints.destructive:
        return None
    return str(name), arguments


GRACE_SECONDS = 5.0
_FLUSH_SECONDS = 0.1


def stop_on_signals(
    running: set[threading.Event],
    interrupt_jobs: Callable[[], None],
    /,
    *,
    answering: Callable[[], bool] | None = None,
) -> None:
    """On SIGINT and SIGTERM, stop the *running* work and then end the process.

    The thread that reads standard input cannot be interrupted, so a normal exit would wait for the
    client's next line. A second signal ends the process at once, as does the end of a grace
    period: the store is consistent at any time.

    Parameters
    ----------
    running
        Stop events of all running work; the set changes over time.
    interrupt_jobs
        Stores in the running jobs why they end.
    answering
        Returns whether calls are in progress; they are awaited as well. Its first call comes with
        the signal, so it may also refuse further calls.
    """
    if threading.current_thread() is not threading.main_thread():
        return  # Only the main thread may set signal handlers.
    leaving = threading.Event()

    def leave(number: int, _frame: FrameType | None) -> None:
        code = 128 + number
        if leaving.is_set():
            os._exit(code)
        leaving.set()
        # The signal may interrupt any line of this thread, so do not wait for its locks.
        arguments = (running, interrupt_jobs, answering, code)
        threading.Thread(target=_end_when_idle, args=arguments, daemon=True).start()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, leave)


def _end_when_idle(
    running: set[threading.Event],
    interrupt_jobs: Callable[[], None],
    answering: Callable[[], bool] | None,
    code: int,
) -> None:
    deadline = time.monotonic() + GRACE_SECONDS
    interrupt_jobs()
    for stop in tuple(running):
        stop.set()
    while time.monotonic() < deadline:
        if not running and not (answering and answering()):
            break
        time.sleep(0.02)
    if answering:
        time.sleep(_FLUSH_SECONDS)  # the last answer may still be on its way to the socket
    os._exit(code)
