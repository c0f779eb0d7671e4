"""Long work: done in a thread, told to the client as it goes, stopped when the client says so."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import anyio
import anyio.to_thread

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from contextlib import AbstractAsyncContextManager

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

    async def finish(self, amount: int, /) -> None:
        """Report the end of work on *amount* things."""
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
    amount: Callable[[R], int],
    kept: Callable[[R], str],
    beat: float = BEAT_SECONDS,
    stop: threading.Event | None = None,
) -> R:
    """Run *work* in a thread under *lock*, with progress, and return its report.

    When the call is cancelled, the event given to *work* is set and the thread is waited for: it
    keeps what is finished, and nobody writes after the call has ended. While it runs the event is
    in *running*, so that the process can stop it too.

    Parameters
    ----------
    amount
        Returns how much was done in all, for the last progress.
    kept
        Says for the log what a cancelled run has kept.
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
            logger.info("stopped; %s kept", kept(result[0]))
    if errors:
        raise errors[0]
    await teller.finish(amount(result[0]))
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
