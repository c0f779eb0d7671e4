"""Leaving where the system asks, and going on with what servers before left unfinished."""

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
from casetrack.faces.mcp.session import in_thread

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from casetrack.base.records.jobs import Job
    from casetrack.faces.mcp.catalogue import Catalogue
    from casetrack.faces.mcp.handlers import Caller
    from casetrack.faces.mcp.session import Session

# Going on with the work of servers that were told to end before it was done.
#
# An AI program ends its servers with itself, also in the middle of an ingest of hours. What was
# finished is kept; the next server makes the same call again, under the id of the same job.

logger = logging.getLogger("casetrack.mcp")

DELAY_SECONDS = 3.0
"""A server that is only asked for its tools, and ends, begins nothing."""


async def go_on(call_tool: Caller, tools: Catalogue, session: Session, /) -> None:
    """Begin again what earlier servers left unfinished, as far as this one has the tools."""
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
            told = "".join(getattr(part, "text", "") for part in getattr(result, "content", ()))
            error = UsageError(f"It could not go on. {told}".strip())
            await anyio.to_thread.run_sync(partial(running.end, error))


def _call_of(tools: Catalogue, session: Session, job: Job, /) -> tuple[str, dict[str, Any]] | None:
    """Return the call that goes on with a job; ``None`` where this server is not to make it.

    What a record says is not believed: only tools that add or renew are called, never one that
    deletes.
    """
    said = job.call or {}
    name, arguments = said.get("tool"), said.get("arguments")
    spec = tools.specs.get(name) if isinstance(name, str) else None
    if spec is None or not isinstance(arguments, dict) or said.get("edition") != session.edition:
        return None
    if spec.hints.read_only or spec.hints.destructive:
        return None
    return str(name), arguments


GRACE_SECONDS = 5.0
_FLUSH_SECONDS = 0.1


def leave_on_signals(
    running: set[threading.Event],
    leave_jobs: Callable[[], None],
    /,
    *,
    answering: Callable[[], bool] | None = None,
) -> None:
    """Make SIGINT and SIGTERM stop what is *running* and then end the process.

    The thread that reads standard input cannot be interrupted, so the ordinary way out would wait
    for the client's next line. A second signal ends the process at once, and so does the end of a
    grace period: the store is whole whenever it happens.

    Parameters
    ----------
    running
        The stop event of all work that goes on; it changes as it begins and ends.
    leave_jobs
        Tells the jobs among it why they end.
    answering
        Returns whether calls are being answered, which is waited for as well. It is asked for the
        first time when the signal comes, so it may also refuse new ones from then on.
    """
    if threading.current_thread() is not threading.main_thread():
        return  # only the main thread may set handlers; whoever embeds the server has its own
    leaving = threading.Event()

    def leave(number: int, _frame: FrameType | None) -> None:
        code = 128 + number
        if leaving.is_set():
            os._exit(code)
        leaving.set()
        # A signal may come at any line of the thread that is in here; what it holds is not waited
        # for.
        arguments = (running, leave_jobs, answering, code)
        threading.Thread(target=_end_when_idle, args=arguments, daemon=True).start()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, leave)


def _end_when_idle(
    running: set[threading.Event],
    leave_jobs: Callable[[], None],
    answering: Callable[[], bool] | None,
    code: int,
) -> None:
    deadline = time.monotonic() + GRACE_SECONDS
    leave_jobs()
    for stop in tuple(running):
        stop.set()
    while time.monotonic() < deadline:
        if not running and not (answering and answering()):
            break
        time.sleep(0.02)
    if answering:
        time.sleep(_FLUSH_SECONDS)  # the last answer may still be on its way to the socket
    os._exit(code)
