"""Long work: done in a thread, told to the client as it goes, stopped when the client says so."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import anyio.to_thread
from mcp.shared.exceptions import MCPError
from mcp.types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult

from casetrack.base.errors import UsageError
from casetrack.faces.mcp.failures import Failure
from casetrack.faces.mcp.handlers import STATELESS
from casetrack.faces.mcp.texts import cut, sendable, visible

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from contextlib import AbstractAsyncContextManager

    from mcp.server.mcpserver import Context

    from casetrack.base.records import IngestProgress

logger = logging.getLogger("casetrack.mcp")

BEAT_SECONDS = 1.0
LIFE_SECONDS = 3.0
"""Seconds between two signs of life of a call that cannot say how far it is."""
_HALF_FILE_SECONDS = 30.0


class Stoppable(Protocol):
    """A report of long work."""

    @property
    def cancelled(self) -> bool:
        """Whether the work was stopped before its end."""
        ...


R = TypeVar("R", bound=Stoppable)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StepProgress:
    """A moment of work that is not about files: what is done, how much, and of how much."""

    what: str
    done: int
    total: int


class Reports(Protocol):
    """The part of a request's context that takes progress."""

    async def report_progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Tell the client how far the work is."""
        ...


class Teller:
    """Turns the worker's news into progress that rises strictly, also inside one long file.

    The whole part of the value is the number of files done. Within a file it creeps towards the
    next one without reaching it (half way after 30 seconds), so that a client which gives up on
    silent calls sees life, whatever the reader is busy with. So it does towards the end when all
    files are done and something remains to do. Another phase, which counts from the beginning,
    goes on where the last one ended.

    Parameters
    ----------
    context
        Where progress is reported.
    beat
        Seconds between two reports.
    """

    def __init__(self, context: Reports, /, *, beat: float = BEAT_SECONDS) -> None:
        self._context = context
        self._beat = beat
        self._news: IngestProgress | StepProgress | None = None
        self._done = 0
        self._before = 0
        self._from = 0.0
        self._since: float | None = None
        self._last = -1.0

    def hear(self, news: IngestProgress | StepProgress, /) -> None:
        """Take news from the worker thread."""
        self._news = news

    async def keep_telling(self, stop: threading.Event, /) -> None:
        """Report at every beat until cancelled, and then tell the worker to stop."""
        try:
            while True:
                await self.tell()
                await anyio.sleep(self._beat)
        finally:
            stop.set()

    async def tell(self) -> None:
        """Report where the work stands, unless the value would not rise."""
        news, now = self._news, time.monotonic()
        done = news.done if news is not None else 0
        if done < self._done:
            self._before += self._done + 1
        total = float(self._before + news.total) if news is not None and news.total else None
        next_one = float(self._before + done + 1)
        limit = next_one if total is None or next_one <= total else total
        if self._since is None or done != self._done:
            self._done, self._since = done, now
            self._from = max(limit - 1.0, self._last)
        elapsed = now - self._since
        value = self._from + (limit - self._from) * elapsed / (elapsed + _HALF_FILE_SECONDS)
        await self._report(value, total, _message(news))

    async def finish(self) -> None:
        """Report the end of the work."""
        amount = self._before + (self._news.total if self._news is not None else 0)
        total = max(float(amount), 1.0, self._last)
        await self._report(max(total, self._last + 0.001), total, "Finished")

    async def _report(self, value: float, total: float | None, message: str) -> None:
        if value <= self._last:
            return
        self._last = value
        await self._context.report_progress(value, total, message)


def _message(news: IngestProgress | StepProgress | None) -> str:
    if news is None:
        return "Starting"
    if isinstance(news, StepProgress):
        if not news.total:
            return news.what or "Starting"
        return f"{news.what}: {news.done:,} of {news.total:,}"
    amount = f"{news.pages} pages, {news.chunks} chunks so far"
    where = f", now {PurePath(news.file).name}" if news.file else ""
    return f"{news.done} of {news.total} files{where} ({amount})"


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

    When the call is cancelled, the event given to *work* is set and the thread is waited for: it
    keeps what is finished, and nobody writes after the call has ended. While it runs the event is
    in *running*, so that the process can stop it too.

    Parameters
    ----------
    stop
        The event to give to *work*, where somebody else may set it too.

    Raises
    ------
    Exception
        Whatever *work* raises.
    """
    stop = stop or threading.Event()
    teller = Teller(context, beat=beat)
    result: list[R] = []
    errors: list[Exception] = []

    async def attempt() -> None:
        # An exception that left the task group would arrive wrapped in a group.
        try:
            async with lock:
                running.add(stop)
                result.append(await anyio.to_thread.run_sync(partial(work, teller.hear, stop)))
        except Exception as error:  # noqa: BLE001 - raised again below
            errors.append(error)

    try:
        async with anyio.create_task_group() as group:
            group.start_soon(teller.keep_telling, stop)
            await attempt()
            group.cancel_scope.cancel()
    finally:
        running.discard(stop)
        if result and getattr(result[0], "cancelled", False):
            logger.info("stopped; what was finished is kept")
    if errors:
        raise errors[0]
    await teller.finish()
    return result[0]


async def kept_alive(
    work: Callable[[], Awaitable[T]], context: Reports, /, *, beat: float = LIFE_SECONDS
) -> T:
    """Await *work*, and report at every *beat* seconds that it goes on; return its result.

    For calls that are answered at once, except when a model is loaded or a large collection is
    looked at for the first time: a client that hears nothing would give up on them.

    Raises
    ------
    Exception
        Whatever *work* raises.
    """
    results: list[T] = []
    errors: list[Exception] = []

    async def signs_of_life() -> None:
        count = 0
        while True:
            await anyio.sleep(beat)
            count += 1
            await context.report_progress(float(count), None, "Still working")

    async with anyio.create_task_group() as group:
        group.start_soon(signs_of_life)
        # An exception that left the task group would arrive wrapped in a group.
        try:
            results.append(await work())
        except Exception as error:  # noqa: BLE001 - raised again below
            errors.append(error)
        group.cancel_scope.cancel()
    if errors:
        raise errors[0]
    return results[0]


# Asking the user before something is deleted, where the client can put a question to them.
#
# The argument ``confirm`` is the model's word. A client that offers elicitation lets the user give
# theirs: in the handshake protocol by a request of the server, in the stateless one by a result
# that asks, which the client answers by calling again (2026-07-28, Input Required).

ARGUMENT = "confirm"
"""The argument by which a call says that it is meant."""
_QUESTION = "confirm"
_FORM: dict[str, Any] = {"type": "object", "properties": {}}
"""Nothing to fill in: agreeing to the question is the answer."""

SAID_NO = Failure(
    "declined",
    "Nothing was deleted: the user was asked and said no. Do not ask again unless they want it.",
)
NO_ANSWER = Failure(
    "declined",
    "Nothing was deleted: the question to the user was closed without an answer. Ask them what "
    "they want, and call again if they want it deleted.",
)
NOT_ASKED = (
    "Nothing was deleted: this client offers to ask its user, and could not ({why}). The user can "
    "delete it in another client, or on the command line of CaseTrack."
)
_WHY_CHARS = 200


class Unconfirmed(UsageError):
    """A call that would delete something, without the word for it.

    Parameters
    ----------
    what
        What would go, as a sentence: ``This would remove "Lease.pdf" ... from Acme.``
    hint
        The next step.
    before
        What the message says before that.
    """

    def __init__(
        self, what: str, /, *, hint: str = "", before: str = "Nothing was deleted."
    ) -> None:
        super().__init__(f"{before} {what}", hint=hint)
        self.what = what


def can_ask(context: Context[Any, Any], /) -> bool:
    """Return whether the client offers to put a form before its user, and can be reached."""
    known = context.client_capabilities
    offered = None if known is None else known.elicitation
    # The first form of the capability, {}, means forms; only addresses are a mode without them.
    if offered is None or (offered.form is None and offered.url is not None):
        return False
    return _stateless(context) or context.session.can_send_request


async def asked(context: Context[Any, Any], what: str, /) -> InputRequiredResult | Failure | None:
    """Ask the user; return what the call answers, or ``None`` where they agreed.

    Parameters
    ----------
    what
        What would be done, as a sentence; see :class:`Unconfirmed`.
    """
    question = visible(sendable(f"{what}\n\nShall it be deleted?"))
    form = ElicitRequestFormParams(message=question, requested_schema=_FORM)
    if not _stateless(context):
        number = context.request_id
        ask = partial(context.session.elicit_form, question, _FORM, related_request_id=number)
        try:
            answer = await kept_alive(ask, context)
        except MCPError as error:
            return Failure("declined", NOT_ASKED.format(why=cut(error.message, _WHY_CHARS)))
        return _told(answer)
    given = (context.input_responses or {}).get(_QUESTION)
    # An answer counts only for the question that was put: more may be in a collection by now.
    print_of_it = hashlib.sha256(question.encode()).hexdigest()
    if isinstance(given, ElicitResult) and context.request_state == print_of_it:
        return _told(given)
    request = ElicitRequest(params=form)
    return InputRequiredResult(input_requests={_QUESTION: request}, request_state=print_of_it)


def _stateless(context: Context[Any, Any]) -> bool:
    return (context.protocol_version or "") >= STATELESS


def _told(answer: ElicitResult) -> Failure | None:
    if answer.action == "accept" and (answer.content or {}).get(_QUESTION, True) is True:
        return None
    return NO_ANSWER if answer.action == "cancel" else SAID_NO
