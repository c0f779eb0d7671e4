"""Long tools as jobs: the call waits as long as its client does, the work goes on without it.

A tool that may take long ends with::

    return await run_as_job(
        self._session,
        ctx,
        Task("sync", f"Sync of {path}", found.info, work, finish),
        wait_seconds,
    )

``work(progress, cancel)`` runs in a thread and returns a report with ``as_dict`` and
``cancelled``; its ``progress`` takes an :class:`IngestProgress` or what, done
and total. ``finish(report)`` is awaited and returns the tool's own answer, which is what the call
gives if it is still waiting, and what get_job_status gives otherwise. The tool takes the parameter
``wait_seconds: WaitSeconds = None``; its result has an entry ``job`` while the work goes on.
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
from casetrack.faces.mcp.live_jobs import CALL
from casetrack.faces.mcp.outputs import JOB_KEPT
from casetrack.faces.mcp.progress import BEAT_SECONDS, StepProgress
from casetrack.faces.mcp.results import answer
from casetrack.faces.mcp.steps import here

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context
    from mcp.types import CallToolResult

    from casetrack.base.jobs import RunningJob
    from casetrack.base.records.jobs import Job
    from casetrack.faces.mcp.live_jobs import LiveJob, Task
    from casetrack.faces.mcp.outputs import Facts
    from casetrack.faces.mcp.progress import Reports
    from casetrack.faces.mcp.session import Session

logger = logging.getLogger("casetrack.mcp")

SILENT_WAIT = 50
"""Seconds that a call waits whose client gave no progress token: such clients end a call after 60
seconds of silence."""
TOLD_WAIT = 600
"""Seconds that a call waits whose client hears of progress, which it counts as life. Not for ever:
some clients end any call after a while, and the model may have better things to do."""
ASK_STATUS = (
    f"Ask {See('jobs list')} with job_id {{id}} (wait_seconds: {SILENT_WAIT} waits for the end). "
    f"{See('jobs cancel')} stops it."
)
"""How to learn more of work that goes on."""
LONGEST_WAIT = 1500
"""Some clients end a call after 30 minutes in any case."""

WaitSeconds = Annotated[int | None, Field(ge=0, le=LONGEST_WAIT, description="Then a job comes")]


async def run_as_job(
    session: Session,
    context: Context,
    task: Task[Any],
    wait_seconds: int | None,
    /,
    ask: str = ASK_STATUS,
) -> CallToolResult:
    """Do long work as a job, and answer when it ends or when the call has waited long enough.

    A client that cancels its call stops the work, and the call ends when the work has. One that
    only goes away leaves it interrupted, or at work where the server stays: see :func:`_parted`.

    Parameters
    ----------
    wait_seconds
        How long to wait at most; ``None`` means as long as the client is likely to.
    ask
        How to learn more of work that goes on; ``{id}`` stands for the job.

    Raises
    ------
    Exception
        Whatever the work raises.
    """
    call = CALL.get()
    goes_on = call is not None and call.again is not None
    live = await session.jobs.start(task)
    if goes_on:  # nobody is there who waits
        return still_working(live.running.job, ask)
    seconds = default_wait(context) if wait_seconds is None else wait_seconds
    try:
        await live.wait(context, seconds)
    except BaseException:
        with anyio.CancelScope(shield=True):
            if await _parted(context, live.running):
                await live.ended.wait()
        raise
    if live.error is not None:
        raise live.error
    return live.answer or still_working(live.running.job, ask)


async def _parted(context: Context, running: RunningJob, /) -> bool:
    """Decide what becomes of work whose call ended before it did; return whether it has to end.

    - A client that cancelled the call wants it to stop.
    - A session over HTTP that ended is no wish: the server stays, and so does the work.
    - A closed connection of the stateless protocol over HTTP cancels the call (2026-07-28,
      Cancellation), though it may as well be that the client is gone: it is interrupted.
    - Over standard input the server ends with its client: it is interrupted, and goes on later.
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
    """Return how long a call may wait when it does not say so itself."""
    meta: Any = context.request_context.meta or {}
    return SILENT_WAIT if meta.get("progress_token") is None else TOLD_WAIT


def still_working(job: Job, ask: str = ASK_STATUS, /) -> CallToolResult:
    """Return the answer of a tool whose work goes on; *ask* is how to learn more."""
    more = here(ask.format(id=job.id))
    text = f"Still working: {progress_text(job)}.\n\n{job.title} goes on in the background. {more}"
    return answer(text, {"collection": job.collection, "job": job_facts(job), "more": more})


def job_facts(job: Job, /) -> Facts:
    """Return what is told of a job."""
    told = {key: value for key, value in job.as_dict().items() if key not in JOB_KEPT}
    return {"job_id": job.id} | told


async def known_job(session: Session, job_id: str, /) -> tuple[Job, LiveJob | None]:
    """Return a job of this server, or of any other program on the same data folder.

    Raises
    ------
    JobNotFound, UsageError
        See :meth:`casetrack.base.jobs.JobStore.get`.
    """
    live = session.jobs.find(job_id)
    if live is not None:
        return live.running.job, live
    job = await anyio.to_thread.run_sync(session.library.jobs.get, job_id, abandon_on_cancel=True)
    live = session.jobs.find(job.id)  # the beginning of its id was given
    return (job, None) if live is None else (live.running.job, live)


async def wait_for_other(session: Session, context: Reports, job: Job, seconds: float, /) -> Job:
    """Wait for a job of another program, at most so many seconds, and return it as it is then."""
    from casetrack.faces.mcp.progress import Teller

    teller = Teller(context)
    with anyio.move_on_after(seconds):
        while job.active:
            teller.hear(StepProgress(job.what, job.done, job.total))
            await teller.tell()
            await anyio.sleep(BEAT_SECONDS)
            try:
                job, _ = await known_job(session, job.id)
            except JobNotFound:  # its collection was deleted meanwhile
                break
    return job
