"""Long tools as jobs: the call waits as long as its client does, the work goes on without it.

A tool that may take long ends with::

    return await run_as_job(
        self._session,
        ctx,
        Task("sync", f"Sync of {path}", found.info, work, finish, amount=..., kept=...),
        wait_seconds,
    )

``work(progress, cancel)`` runs in a thread and returns a report with ``as_dict`` and
``cancelled``; its ``progress`` takes an :class:`~casetrack.records.IngestProgress` or what, done
and total. ``finish(report)`` is awaited and returns the tool's own answer, which is what the call
gives if it is still waiting, and what get_job_status gives otherwise. The tool takes the parameter
``wait_seconds: WaitSeconds = None``, and its output type is ``total=False`` with an entry ``job``,
see :class:`~casetrack.mcp.outputs.jobs.JobOutput`.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

import anyio
import anyio.to_thread
from pydantic import Field

from casetrack.errors import JobNotFound, JobStopped
from casetrack.mcp import render
from casetrack.mcp.progress import BEAT_SECONDS, StepProgress, run_long
from casetrack.mcp.results import answer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from anyio.abc import TaskGroup
    from mcp.server.mcpserver import Context
    from mcp.types import CallToolResult

    from casetrack.jobs import RunningJob
    from casetrack.mcp.outputs.jobs import JobOutput
    from casetrack.mcp.progress import Reports
    from casetrack.mcp.session import Session
    from casetrack.records import CollectionInfo
    from casetrack.records.jobs import Job, JobKind

logger = logging.getLogger("casetrack.mcp")

SILENT_WAIT = 50
"""Seconds that a call waits whose client gave no progress token: such clients end a call after 60
seconds of silence."""
TOLD_WAIT = 600
"""Seconds that a call waits whose client hears of progress, which it counts as life. Not for ever:
some clients end any call after a while, and the model may have better things to do."""
LONGEST_WAIT = 1500
"""Some clients end a call after 30 minutes in any case."""
KEPT_ANSWERS = 20
_LOOK_SECONDS = 0.1
_PASS_SECONDS = 0.25

WaitSeconds = Annotated[
    int | None,
    Field(
        ge=0,
        le=LONGEST_WAIT,
        description="Seconds to wait before a job is returned",
    ),
]
_DROPPED = ("id", "collection_id", "updated_at", "result", "pid", "process_started", "host")

R = TypeVar("R", bound=Any)


@dataclass(frozen=True, slots=True)
class Task(Generic[R]):
    """Long work of a tool.

    Attributes
    ----------
    kind, title, collection
        See :meth:`casetrack.jobs.JobBook.run`.
    work, finish
        See the module.
    amount
        Returns how much was done in all, for the last progress.
    kept
        Says for the log what a stopped run has kept.
    """

    kind: JobKind
    title: str
    collection: CollectionInfo
    work: Callable[[Callable[..., None], threading.Event], R]
    finish: Callable[[R], Awaitable[CallToolResult]]
    amount: Callable[[R], int]
    kept: Callable[[R], str]


class _Relay:
    """Keeps the newest progress for whoever waits at the moment."""

    def __init__(self) -> None:
        self.last: tuple[float, float | None, str] = (0.0, None, "Starting")

    async def report_progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Take progress."""
        self.last = (progress, total, message or "")


@dataclass(slots=True)
class LiveJob:
    """A job of this server: what its calls wait for.

    Attributes
    ----------
    stop
        Set it to end the job.
    ended
        Set when the job's record says how it ended.
    answer, error
        What the tool answers, or why it cannot.
    """

    running: RunningJob
    stop: threading.Event
    ended: anyio.Event
    relay: _Relay = field(default_factory=_Relay)
    answer: CallToolResult | None = None
    error: Exception | None = None

    async def wait(self, context: Reports, seconds: float, /) -> None:
        """Wait for the end, at most so many seconds, and pass progress on to a call's client."""
        told = -1.0
        with anyio.move_on_after(seconds):
            while not self.ended.is_set():
                told = await self._pass_on(context, told)
                with anyio.move_on_after(_PASS_SECONDS):
                    await self.ended.wait()
        if self.ended.is_set() and self.error is None:
            await self._pass_on(context, told)

    async def _pass_on(self, context: Reports, told: float) -> float:
        value, total, message = self.relay.last
        if value <= told:
            return told
        job = self.running.job
        if job.state == "queued" and job.what:
            message = job.what
        await context.report_progress(value, total, message)
        return value


class JobDesk:
    """The jobs that one server has started. They end with the server."""

    def __init__(self) -> None:
        self._group: TaskGroup | None = None
        self._live: dict[str, LiveJob] = {}

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Take jobs as long as the block lasts; then stop them, and wait until they have."""
        before = self._group
        async with anyio.create_task_group() as group:
            self._group = group
            try:
                yield
            finally:
                self._group = before
                for live in self._live.values():
                    live.stop.set()

    def find(self, job_id: str, /) -> LiveJob | None:
        """Return the job of this server that has this id, or ``None``."""
        wanted = job_id.strip().lower()
        return self._live.get(wanted) or self._live.get(f"j-{wanted}")

    async def start(self, session: Session, task: Task[Any], /) -> LiveJob:
        """Begin work that does not need its call any more."""
        if self._group is None:
            raise RuntimeError("the server is not running")
        stop = threading.Event()
        session.running.add(stop)
        try:
            begin = partial(
                session.library.jobs.start,
                task.kind,
                title=task.title,
                collection=task.collection,
                cancel=stop,
            )
            live = LiveJob(await anyio.to_thread.run_sync(begin), stop, anyio.Event())
        except BaseException:
            session.running.discard(stop)
            raise
        self._keep(live)
        self._group.start_soon(_work, session, task, live)
        return live

    def _keep(self, live: LiveJob) -> None:
        """Remember a job, and forget the oldest of those that have ended."""
        self._live[live.running.id] = live
        ended = [job_id for job_id, old in self._live.items() if old.ended.is_set()]
        for job_id in ended[: max(0, len(ended) - KEPT_ANSWERS)]:
            del self._live[job_id]


async def _work(session: Session, task: Task[Any], live: LiveJob) -> None:
    """Do the work of a job, in its turn; nothing leaves this but a cancellation."""
    failure: BaseException | None = None

    def work(hear: Callable[[Any], None], _stop: threading.Event) -> Any:
        def tell(*news: Any) -> None:
            hear(news[0] if len(news) == 1 else StepProgress(*news))

        return live.running.do(task.work, tell)

    try:
        report = await run_long(
            work,
            live.relay,
            _turn(session.writing(task.collection.id), live.stop),
            set(),
            amount=task.amount,
            kept=task.kept,
            stop=live.stop,
        )
        live.answer = await task.finish(report)
    except Exception as error:  # noqa: BLE001 - told to whoever asks
        live.error = failure = error
    except BaseException as error:
        failure = error
        raise
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(live.running.end, failure)
        # Last of all: a server that was told to leave does so when nothing is running.
        session.running.discard(live.stop)
        live.ended.set()


@contextlib.asynccontextmanager
async def _turn(lock: anyio.Lock, stop: threading.Event, /) -> AsyncIterator[None]:
    """Hold *lock*, but stop waiting for it when *stop* is set.

    Raises
    ------
    JobStopped
        It was, before the lock was free.
    """
    held = False
    async with anyio.create_task_group() as group:

        async def give_up() -> None:
            while not stop.is_set():
                await anyio.sleep(_LOOK_SECONDS)
            group.cancel_scope.cancel()

        group.start_soon(give_up)
        await lock.acquire()
        held = True
        group.cancel_scope.cancel()
    if not held:
        raise JobStopped("Stopped before it had begun; nothing was done.")
    try:
        yield
    finally:
        lock.release()


async def run_as_job(
    session: Session, context: Context, task: Task[Any], wait_seconds: int | None, /
) -> CallToolResult:
    """Do long work as a job, and answer when it ends or when the call has waited long enough.

    A call that is cancelled while it waits stops the work, and ends when the work has.

    Parameters
    ----------
    wait_seconds
        How long to wait at most; ``None`` means as long as the client is likely to.

    Raises
    ------
    Exception
        Whatever the work raises.
    """
    live = await session.jobs.start(session, task)
    seconds = default_wait(context) if wait_seconds is None else wait_seconds
    try:
        await live.wait(context, seconds)
    except BaseException:
        live.stop.set()
        with anyio.CancelScope(shield=True):
            await live.ended.wait()
        raise
    if live.error is not None:
        raise live.error
    return live.answer or still_working(live.running.job)


def default_wait(context: Context, /) -> int:
    """Return how long a call may wait when it does not say so itself."""
    meta: Any = context.request_context.meta or {}
    return SILENT_WAIT if meta.get("progress_token") is None else TOLD_WAIT


def still_working(job: Job, /) -> CallToolResult:
    """Return the answer of a tool whose work goes on."""
    more = (
        f"Ask get_job_status with job_id {job.id} (wait_seconds: {SILENT_WAIT} waits for the "
        "end); cancel_job stops it."
    )
    text = f"Still working: {progress_text(job)}.\n\n{job.title} goes on in the background. {more}"
    return answer(text, {"collection": job.collection, "job": job_facts(job), "more": more})


def job_facts(job: Job, /) -> JobOutput:
    """Return what is told of a job."""
    raw = job.as_dict()
    facts: Any = {"job_id": job.id} | {k: v for k, v in raw.items() if k not in _DROPPED}
    result: JobOutput = facts
    return result


def progress_text(job: Job, /) -> str:
    """Return how far a job is: ``120 of 340 (reading a.pdf), about 4 minutes left``."""
    if not job.total or job.state == "queued":
        return job.what or "not begun yet"
    what = f" ({job.what})" if job.what else ""
    left = job.remaining_seconds
    about = f", about {render.duration(left)} left" if left is not None else ""
    return f"{job.done:,} of {job.total:,}{what}{about}"


async def known_job(session: Session, job_id: str, /) -> tuple[Job, LiveJob | None]:
    """Return a job of this server, or of any other program on the same data folder.

    Raises
    ------
    JobNotFound, UsageError
        See :meth:`casetrack.jobs.JobBook.get`.
    """
    live = session.jobs.find(job_id)
    if live is not None:
        return live.running.job, live
    job = await anyio.to_thread.run_sync(session.library.jobs.get, job_id, abandon_on_cancel=True)
    live = session.jobs.find(job.id)  # the beginning of its id was given
    return (job, None) if live is None else (live.running.job, live)


async def wait_for_other(session: Session, context: Reports, job: Job, seconds: float, /) -> Job:
    """Wait for a job of another program, at most so many seconds, and return it as it is then."""
    from casetrack.mcp.progress import Teller

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
