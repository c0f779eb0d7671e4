"""Long tools as jobs: the work continues when its call stops waiting.

A long tool ends with ``return await run_as_job(session, ctx, Task(…), wait_seconds)`` and has the
parameter ``wait_seconds: WaitSeconds = None``. ``work(progress, cancel)`` of the task runs in a
thread and returns a report with ``as_dict`` and ``cancelled``; ``finish(report)`` makes the tool's
answer, for the call or for get_job_status. While the work continues, the result has a ``job``.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Annotated, Any

import anyio
import anyio.to_thread
from pydantic import Field

from casetrack.api.text.collections import progress_text
from casetrack.base.errors import JobNotFound, See
from casetrack.base.jobs.running import CLIENT_LEFT, DISCONNECTED
from casetrack.faces.mcp.handlers import STATELESS
from casetrack.faces.mcp.live_jobs import CALL, LiveJob, Task
from casetrack.faces.mcp.outputs import JOB_KEPT, Facts
from casetrack.faces.mcp.progress import BEAT_SECONDS, Reports, StepProgress
from casetrack.faces.mcp.results import answer
from casetrack.faces.mcp.steps import if_offered

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context
    from mcp.types import CallToolResult

    from casetrack.base.jobs import RunningJob
    from casetrack.base.records.jobs import Job
    from casetrack.faces.mcp.session import Session

logger = logging.getLogger("casetrack.mcp")

DEFAULT_WAIT = 50
"""Seconds that a call without a progress token waits: such clients end a call after 60 seconds
without a message.
"""
PROGRESS_WAIT = 600
"""Seconds that a call with a progress token waits. The limit exists because some clients end every
call after a while, and the model may have other work.
"""
ASK_STATUS = (
    f"Ask {See('jobs list')} with job_id {{id}} (wait_seconds: {DEFAULT_WAIT} waits for the end). "
    f"{See('jobs cancel')} stops it."
)
LONGEST_WAIT = 1500
"""Some clients end every call after 30 minutes."""

WaitSeconds = Annotated[int | None, Field(ge=0, le=LONGEST_WAIT, description="Then a job comes")]


async def run_as_job(
    session: Session,
    context: Context,
    task: Task[Any],
    wait_seconds: int | None,
    /,
    ask: str = ASK_STATUS,
) -> CallToolResult:
    """Run long work as a job; return its answer, or the job once the call has waited long enough.

    A client that cancels its call stops the work, and the call ends after the work. A client that
    disconnects interrupts it, or leaves it running if the server stays: see
    :func:`_after_disconnect`.

    Parameters
    ----------
    wait_seconds
        Longest wait; ``None`` is the time limit that the client probably has.
    ask
        How to get the state of running work; ``{id}`` is replaced by the job's id.
    """
    call = CALL.get()
    resumes_jobs = call is not None and call.again is not None
    live = await session.jobs.start(task)
    if resumes_jobs:  # No client is waiting.
        return still_working(live.running.job, ask)
    seconds = default_wait(context) if wait_seconds is None else wait_seconds
    try:
        await live.wait(context, seconds)
    except BaseException:
        with anyio.CancelScope(shield=True):
            if await _after_disconnect(context, live.running):
                await live.ended.wait()
        raise
    if live.error is not None:
        raise live.error
    return live.answer or still_working(live.running.job, ask)


async def _after_disconnect(context: Context, running: RunningJob, /) -> bool:
    """Handle a call that ended before its work; return whether the work must end.

    - A cancelled call stops the work.
    - The end of an HTTP session leaves the work running, because the server stays.
    - A closed connection of the stateless protocol over HTTP cancels the call (2026-07-28,
      Cancellation), but the client may also have disconnected: the work is interrupted.
    - Over standard input the server ends with its client: the work is interrupted and resumed
      later.
    """
    request = context.request_context
    # Handlers are cancelled in either case; only the SDK's own channel knows which one it is.
    channel: Any = request.session._request_outbound
    if channel.cancel_requested.is_set():
        running.request_stop()
        return True
    over_http, stateless = request.request is not None, request.protocol_version >= STATELESS
    if over_http and not stateless:
        return False
    await anyio.to_thread.run_sync(running.interrupt, DISCONNECTED if over_http else CLIENT_LEFT)
    return True


def default_wait(context: Context, /) -> int:
    """Return how long a call without ``wait_seconds`` may wait."""
    meta: Any = context.request_context.meta or {}
    return DEFAULT_WAIT if meta.get("progress_token") is None else PROGRESS_WAIT


def still_working(job: Job, ask: str = ASK_STATUS, /) -> CallToolResult:
    """Return the answer of a tool whose work continues; *ask* describes how to get its state."""
    more = if_offered(ask.format(id=job.id))
    text = (
        f"Still working: {progress_text(job)}.\n\n{job.title} continues in the background. {more}"
    )
    return answer(text, {"collection": job.collection, "job": job_facts(job), "more": more})


def job_facts(job: Job, /) -> Facts:
    """Return the facts of a job."""
    facts = {key: value for key, value in job.as_dict().items() if key not in JOB_KEPT}
    return {"job_id": job.id} | facts


async def known_job(session: Session, job_id: str, /) -> tuple[Job, LiveJob | None]:
    """Return a job of this server or of another program on the same data folder."""
    live = session.jobs.find(job_id)
    if live is not None:
        return live.running.job, live
    job = await anyio.to_thread.run_sync(session.library.jobs.get, job_id, abandon_on_cancel=True)
    live = session.jobs.find(job.id)  # the beginning of its id was given
    return (job, None) if live is None else (live.running.job, live)


async def wait_for_other(session: Session, context: Reports, job: Job, seconds: float, /) -> Job:
    """Wait a limited number of seconds for a job of another program, and return its new state."""
    from casetrack.faces.mcp.progress import ProgressReporter

    reporter = ProgressReporter(context)
    with anyio.move_on_after(seconds):
        while job.active:
            reporter.update(StepProgress(job.what, job.done, job.total))
            await reporter.report()
            await anyio.sleep(BEAT_SECONDS)
            try:
                job, _ = await known_job(session, job.id)
            except JobNotFound:  # its collection was deleted meanwhile
                break
    return job
