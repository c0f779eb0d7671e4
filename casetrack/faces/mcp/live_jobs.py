"""The jobs that a server has started: long work that goes on without the call that began it."""

from __future__ import annotations

import contextlib
import threading
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import anyio
import anyio.to_thread

from casetrack.base.dataclass import dataclass, field
from casetrack.base.errors import JobStopped
from casetrack.base.jobs.running import CLIENT_LEFT
from casetrack.faces.mcp.progress import Reports, StepProgress, run_long
from casetrack.faces.mcp.steps import name_tools_in

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from anyio.abc import TaskGroup
    from mcp.types import CallToolResult

    from casetrack.api.library import Library
    from casetrack.base.jobs import RunningJob
    from casetrack.base.records import CollectionInfo
    from casetrack.base.records.jobs import JobKind

KEPT_ANSWERS = 20
_LOOK_SECONDS = 0.1
_PASS_SECONDS = 0.25

R = TypeVar("R", bound=Any)


@dataclass(frozen=True, slots=True)
class Task(Generic[R]):
    """Long work of a tool; see :meth:`casetrack.base.jobs.JobStore.run` and :mod:`jobs`."""

    kind: JobKind
    title: str
    collection: CollectionInfo
    work: Callable[[Callable[..., None], threading.Event], R]
    finish: Callable[[R], Awaitable[CallToolResult]]


@dataclass(frozen=True, slots=True)
class Call:
    """The current call of a tool, as a record from which it can be repeated.

    Attributes
    ----------
    collection
        The argument that names the collection.
    again
        The interrupted job that this call resumes.
    """

    edition: str
    tool: str
    arguments: dict[str, Any]
    collection: str
    again: RunningJob | None = None

    def record(self, collection_id: str, /) -> dict[str, Any] | None:
        """Return the call for a later server; ``None`` if it contains a password."""
        if self.arguments.get("password") is not None:
            return None
        arguments = self.arguments | {self.collection: collection_id}
        return {"edition": self.edition, "tool": self.tool, "arguments": arguments}


CALL: ContextVar[Call | None] = ContextVar("casetrack_call", default=None)
"""The call of work that starts now."""


class _Relay:
    """Stores the latest progress for waiting calls."""

    def __init__(self) -> None:
        self.last: tuple[float, float | None, str] = (0.0, None, "Starting")

    async def report_progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Store progress."""
        self.last = (progress, total, message or "")


@dataclass(slots=True)
class LiveJob:
    """A running job of this server.

    Attributes
    ----------
    stop
        Set it to end the job.
    ended
        Set when the record of the job contains its end.
    answer, error
        The answer of the tool, or its failure.
    """

    running: RunningJob
    stop: threading.Event
    ended: anyio.Event
    relay: _Relay = field(default_factory=_Relay)
    answer: CallToolResult | None = None
    error: Exception | None = None

    async def wait(self, context: Reports, seconds: float, /) -> None:
        """Wait a limited number of seconds for the end, and report progress to the client."""
        last_value = -1.0
        with anyio.move_on_after(seconds):
            while not self.ended.is_set():
                last_value = await self._pass_on(context, last_value)
                with anyio.move_on_after(_PASS_SECONDS):
                    await self.ended.wait()
        if self.ended.is_set() and self.error is None:
            await self._pass_on(context, last_value)

    async def _pass_on(self, context: Reports, last_value: float) -> float:
        value, total, message = self.relay.last
        if value <= last_value:
            return last_value
        job = self.running.job
        if job.state == "queued" and job.what:
            message = job.what
        await context.report_progress(value, total, message)
        return value


@dataclass(eq=False)
class LiveJobs:
    """The jobs that one server has started; they end with the server.

    Parameters
    ----------
    library
        Stores the records of jobs.
    running
        Stop events of all waiting or running jobs.
    writing
        Returns the lock that queues the writers of a collection, by its id.
    """

    library: Library
    running: set[threading.Event]
    writing: Callable[[str], anyio.Lock]
    _group: TaskGroup | None = field(default=None, init=False)
    _live: dict[str, LiveJob] = field(default_factory=dict, init=False)

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Accept jobs while the block runs; then stop them, and wait for their end."""
        before = self._group
        async with anyio.create_task_group() as group:
            self._group = group
            try:
                yield
            finally:
                self._group = before
                self.leave()

    def leave(self) -> None:
        """Make all jobs end because the server does; may be called from any thread."""
        for live in tuple(self._live.values()):
            live.running.interrupt(CLIENT_LEFT)

    def find(self, job_id: str, /) -> LiveJob | None:
        """Return the job of this server with this id, or ``None``."""
        wanted = job_id.strip().lower()
        return self._live.get(wanted) or self._live.get(f"j-{wanted}")

    async def start(self, task: Task[Any], /) -> LiveJob:
        """Start work that no longer needs its call."""
        if self._group is None:
            raise RuntimeError("the server is not running")
        call = CALL.get()
        again = call.again if call is not None else None
        stop = threading.Event() if again is None else again.cancel
        self.running.add(stop)
        try:
            begin = partial(
                self.library.jobs.start,
                task.kind,
                title=task.title,
                collection=task.collection,
                cancel=stop,
                call=None if call is None else call.record(task.collection.id),
            )
            running = await anyio.to_thread.run_sync(begin) if again is None else again
            live = LiveJob(running, stop, anyio.Event())
        except BaseException:
            self.running.discard(stop)
            raise
        self._keep(live)
        self._group.start_soon(self._work, task, live)
        return live

    def _keep(self, live: LiveJob) -> None:
        """Store a job, and remove the oldest ended ones."""
        self._live[live.running.id] = live
        ended = [job_id for job_id, old in self._live.items() if old.ended.is_set()]
        for job_id in ended[: max(0, len(ended) - KEPT_ANSWERS)]:
            del self._live[job_id]

    async def _work(self, task: Task[Any], live: LiveJob) -> None:
        """Run the work of a job in its turn; only a cancellation is raised."""
        failure: BaseException | None = None

        def work(update: Callable[[Any], None], _stop: threading.Event) -> Any:
            def progress(*news: Any) -> None:
                update(news[0] if len(news) == 1 else StepProgress(*news))

            return live.running.do(task.work, progress)

        try:
            report = await run_long(
                work,
                live.relay,
                _acquired(self.writing(task.collection.id), live.stop),
                set(),
                stop=live.stop,
            )
            live.answer = await task.finish(name_tools_in(report))
        except Exception as error:  # noqa: BLE001 - stored for waiting calls
            live.error = failure = error
        except BaseException as error:
            failure = error
            raise
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(live.running.end, failure)
            # Do this last: a stopping server ends as soon as nothing is running.
            self.running.discard(live.stop)
            live.ended.set()


@contextlib.asynccontextmanager
async def _acquired(lock: anyio.Lock, stop: threading.Event, /) -> AsyncIterator[None]:
    """Hold *lock*, but stop waiting for it when *stop* is set."""
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
        raise JobStopped("Stopped before it started; nothing was done.")
    try:
        yield
    finally:
        lock.release()
