"""Long work in a thread, with progress for the client and cancellation by it."""

from __future__ import annotations

import hashlib
import itertools
import logging
import threading
import time
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import anyio.to_thread
from mcp.shared.exceptions import MCPError
from mcp.types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult

from casetrack.base.dataclass import dataclass
from casetrack.base.errors import UsageError
from casetrack.faces.mcp.failures import Failure
from casetrack.faces.mcp.handlers import STATELESS
from casetrack.faces.mcp.texts import cut, sendable, visible

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine
    from contextlib import AbstractAsyncContextManager

    from mcp.server.mcpserver import Context

    from casetrack.base.records import IngestProgress

logger = logging.getLogger("casetrack.mcp")

BEAT_SECONDS = 1.0
KEEPALIVE_SECONDS = 3.0
"""Seconds between two progress messages of a call without known progress."""
_HALF_FILE_SECONDS = 30.0


class Stoppable(Protocol):
    """A report of long work."""

    @property
    def cancelled(self) -> bool:
        """Whether the work was stopped before its end."""


R = TypeVar("R", bound=Stoppable)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StepProgress:
    """Progress of work without files: description, completed amount and total."""

    what: str
    done: int
    total: int


class Reports(Protocol):
    """The progress method of a request's context."""

    async def report_progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Report progress to the client."""


class ProgressReporter:
    """Converts the worker's progress to values that rise strictly, also within one long file.

    The integer part is the number of completed files. Within a file, the value approaches the next
    integer (half way after 30 seconds), because clients end calls without progress. The same
    applies to remaining work after the last file. A further phase continues at the last value.

    *beat* is the number of seconds between two reports.
    """

    def __init__(self, context: Reports, /, *, beat: float = BEAT_SECONDS) -> None:
        self._context = context
        self._beat = beat
        self._latest: IngestProgress | StepProgress | None = None
        self._done = 0
        self._before = 0
        self._from = 0.0
        self._since: float | None = None
        self._last = -1.0

    def update(self, event: IngestProgress | StepProgress, /) -> None:
        """Store progress from the worker thread."""
        self._latest = event

    async def report_until_stopped(self, stop: threading.Event, /) -> None:
        """Report at every beat until cancelled, then set the worker's *stop* event."""
        try:
            while True:
                await self.report()
                await anyio.sleep(self._beat)
        finally:
            stop.set()

    async def report(self) -> None:
        """Report the current progress, unless the value would not rise."""
        event, now = self._latest, time.monotonic()
        done = event.done if event is not None else 0
        if done < self._done:
            self._before += self._done + 1
        total = float(self._before + event.total) if event is not None and event.total else None
        next_one = float(self._before + done + 1)
        limit = next_one if total is None or next_one <= total else total
        if self._since is None or done != self._done:
            self._done, self._since = done, now
            self._from = max(limit - 1.0, self._last)
        elapsed = now - self._since
        value = self._from + (limit - self._from) * elapsed / (elapsed + _HALF_FILE_SECONDS)
        await self._report(value, total, _message(event))

    async def finish(self) -> None:
        """Report the end of the work."""
        amount = self._before + (self._latest.total if self._latest is not None else 0)
        total = max(float(amount), 1.0, self._last)
        await self._report(max(total, self._last + 0.001), total, "Finished")

    async def _report(self, value: float, total: float | None, message: str) -> None:
        if value <= self._last:
            return
        self._last = value
        await self._context.report_progress(value, total, message)


def _message(event: IngestProgress | StepProgress | None) -> str:
    if event is None:
        return "Starting"
    if isinstance(event, StepProgress):
        if not event.total:
            return event.what or "Starting"
        return f"{event.what}: {event.done:,} of {event.total:,}"
    amount = f"{event.pages} pages, {event.chunks} chunks so far"
    where = f", now {PurePath(event.file).name}" if event.file else ""
    return f"{event.done} of {event.total} files{where} ({amount})"


async def run_long(
    work: Callable[[Callable[[Any], None], threading.Event], R],
    context: Reports,
    lock: AbstractAsyncContextManager[None],
    running: set[threading.Event],
    /,
    *,
    beat: float = BEAT_SECONDS,
    stop: threading.Event | None = None,
) -> R:
    """Run *work* in a thread under *lock*, with progress, and return its report.

    A cancelled call sets *stop* and waits for the thread: the work keeps its finished part, and
    nothing is written after the call. During the work, *running* contains *stop*, so that the
    process can set it, too.
    """
    stop = stop or threading.Event()
    reporter = ProgressReporter(context, beat=beat)

    async def attempt() -> R:
        async with lock:
            running.add(stop)
            return await anyio.to_thread.run_sync(partial(work, reporter.update, stop))

    try:
        result = await _beside(partial(reporter.report_until_stopped, stop), attempt)
    finally:
        running.discard(stop)
    if getattr(result, "cancelled", False):
        logger.info("stopped; what was finished is kept")
    await reporter.finish()
    return result


async def _beside(
    other: Callable[[], Coroutine[Any, Any, None]], work: Callable[[], Awaitable[T]]
) -> T:
    """Await *work* while *other* runs; its exception would leave the task group in a group."""
    results: list[T] = []
    errors: list[Exception] = []
    async with anyio.create_task_group() as group:
        group.start_soon(other)
        try:
            results.append(await work())
        except Exception as error:  # noqa: BLE001 - raised again below
            errors.append(error)
        group.cancel_scope.cancel()
    if errors:
        raise errors[0]
    return results[0]


async def keepalive(
    work: Callable[[], Awaitable[T]], context: Reports, /, *, beat: float = KEEPALIVE_SECONDS
) -> T:
    """Await *work*, report progress every *beat* seconds, and return the result.

    For calls that are usually fast: loading a model or opening a large collection for the first
    time takes longer than clients wait without progress.
    """

    async def send_beats() -> None:
        for beats in itertools.count(1):
            await anyio.sleep(beat)
            await context.report_progress(float(beats), None, "Still working")

    return await _beside(send_beats, work)


# Asking the user before something is deleted, where the client can put a question to them.
#
# The argument ``confirm`` is the model's word. A client that offers elicitation lets the user give
# theirs: in the handshake protocol by a request of the server, in the stateless one by a result
# that asks, which the client answers by calling again (2026-07-28, Input Required).

ARGUMENT = "confirm"
_QUESTION = "confirm"
_FORM: dict[str, Any] = {"type": "object", "properties": {}}
"""An empty form: accepting it is the confirmation."""

DECLINED = Failure(
    "declined",
    "Nothing was deleted: the user declined. Do not ask again unless the user requests it.",
)
NO_ANSWER = Failure(
    "declined",
    "Nothing was deleted: the user closed the question without an answer. Ask the user, and call "
    "again if the user wants the deletion.",
)
NOT_ASKED = (
    "Nothing was deleted: the client failed to ask the user ({why}). The user can delete it in "
    "another client, or on the command line."
)
_WHY_CHARS = 200


class Unconfirmed(UsageError):
    """A call that would delete something, without a confirmation.

    Parameters
    ----------
    what
        The effect, as a sentence: ``This would remove "Lease.pdf" ... from Acme.``
    before
        First sentence of the message.
    """

    code = "usage"

    def __init__(
        self, what: str, /, *, hint: str = "", before: str = "Deletion requires confirm=true."
    ) -> None:
        super().__init__(f"{before} {what}", hint=hint)
        self.what = what


def can_ask(context: Context[Any, Any], /) -> bool:
    """Return whether the client can show a form to its user, and can be reached."""
    known = context.client_capabilities
    offered = None if known is None else known.elicitation
    # The first form of the capability, {}, means forms; only addresses are a mode without them.
    if offered is None or (offered.form is None and offered.url is not None):
        return False
    return _stateless(context) or context.session.can_send_request


async def ask_user(
    context: Context[Any, Any], what: str, /
) -> InputRequiredResult | Failure | None:
    """Ask the user about *what* (a sentence); return a refusal, ``None`` after agreement."""
    question = visible(sendable(f"{what}\n\nDelete it?"))
    form = ElicitRequestFormParams(message=question, requested_schema=_FORM)
    if not _stateless(context):
        number = context.request_id
        ask = partial(context.session.elicit_form, question, _FORM, related_request_id=number)
        try:
            answer = await keepalive(ask, context)
        except MCPError as error:
            return Failure("declined", NOT_ASKED.format(why=cut(error.message, _WHY_CHARS)))
        return _refusal(answer)
    given = (context.input_responses or {}).get(_QUESTION)
    # An answer counts only for the question that was put: more may be in a collection by now.
    fingerprint = hashlib.sha256(question.encode()).hexdigest()
    if isinstance(given, ElicitResult) and context.request_state == fingerprint:
        return _refusal(given)
    request = ElicitRequest(params=form)
    return InputRequiredResult(input_requests={_QUESTION: request}, request_state=fingerprint)


def _stateless(context: Context[Any, Any]) -> bool:
    return (context.protocol_version or "") >= STATELESS


def _refusal(answer: ElicitResult) -> Failure | None:
    if answer.action == "accept" and (answer.content or {}).get(_QUESTION, True) is True:
        return None
    return NO_ANSWER if answer.action == "cancel" else DECLINED
