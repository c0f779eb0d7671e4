"""Progress of long work on standard error, and Ctrl-C that stops it without losing anything."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, NoReturn, Self

from casetrack.base.errors import CaseTrackError
from casetrack.faces.cli.output import byte_text, counted, is_terminal, line, one_line
from casetrack.faces.cli.state import EXIT_INTERRUPTED, Invocation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from rich.progress import Progress, TaskID

    from casetrack.api.collection import Collection
    from casetrack.base.jobs.running import R
    from casetrack.base.records import CollectionInfo, IngestProgress
    from casetrack.base.records.jobs import JobKind

logger = logging.getLogger("casetrack.cli")

QUIET_SECONDS = 2.0
"""Shorter work shows no progress."""
_LINE_SECONDS = 10.0
_STOPPING = (
    b"\nStopping after the current step; finished documents are kept. "
    b"Press Ctrl-C again to stop at once.\n"
)
_STOPPED = b"Stopped at once; finished documents are kept.\n"
_SHOW_CURSOR = b"\x1b[?25h"  # the bar hides it
_STOPPED_TERMINAL = b"\n" + _SHOW_CURSOR + _STOPPED


class Meter:
    """Progress of one piece of work: a bar on a terminal, an occasional plain line elsewhere.

    The unit ``"bytes"`` shows amounts of data; other units count items.
    """

    def __init__(self, title: str, *, unit: str = "files") -> None:
        self._title = title
        self._unit = unit
        self._started = self._told = time.monotonic()
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        """Start the bar if standard error is a terminal."""
        if is_terminal(sys.stderr):
            self._bar = _delayed_bar(self._unit)
            self._task = self._bar.add_task(self._title, total=None, note="")
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the bar; the final report has the result."""
        if self._bar is not None:
            self._bar.stop()

    def update(self, done: int, total: int | None, note: str = "") -> None:
        """Show *done* of *total*, and the current item *note*."""
        note = one_line(note)
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, total=total, note=note)
            return
        now = time.monotonic()
        if now - self._started < QUIET_SECONDS or now - self._told < _LINE_SECONDS:
            return
        self._told = now
        line(f"{self._title}: {self._amount(done, total)}{', ' if note else ''}{note}", err=True)

    def ingest(self, moment: IngestProgress) -> None:
        """Show a moment of a running ingest."""
        counts = [(moment.pages, "page"), (moment.chunks, "passage")]
        parts = [counted(count, name) for count, name in counts if count] + [_short(moment.file)]
        self.update(moment.done, moment.total, ", ".join(filter(None, parts)))

    def step(self, what: str, done: int, total: int | None, /) -> None:
        """Show a moment of work that names its parts."""
        self.update(done, total, what)

    def on_progress(self, *news: Any) -> None:
        """Show progress of a job: one record about files, or description, done, total."""
        if len(news) == 1:
            self.ingest(news[0])
        else:
            what, done, total = news
            self.step(what, done, total or None)

    def _amount(self, done: int, total: int | None) -> str:
        if self._unit == "bytes":
            return byte_text(done) + (f" of {byte_text(total)}" if total else "")
        return f"{done:,}" + (f" of {total:,}" if total else "") + f" {self._unit}"


def _short(path: str) -> str:
    name = path.replace("\\", "/").rpartition("/")[2]
    return name if len(name) <= 24 else name[:12] + "\u2026" + name[-11:]


def _delayed_bar(unit: str) -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column

    class DelayedProgress(Progress):
        started = time.monotonic()

        def get_renderables(self) -> Iterator[Any]:
            if time.monotonic() - self.started >= QUIET_SECONDS:
                yield from super().get_renderables()

    amount: ProgressColumn = DownloadColumn() if unit == "bytes" else MofNCompleteColumn()
    return DelayedProgress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        amount,
        TimeRemainingColumn(compact=True),
        TextColumn(
            "{task.fields[note]}",
            markup=False,
            table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1),
        ),
        console=Console(stderr=True),
        transient=True,
        expand=True,
    )


def long_work(
    state: Invocation,
    kind: JobKind,
    work: Callable[[Callable[..., None], threading.Event], R],
    /,
    *,
    title: str,
    collection: CollectionInfo | None,
    meter: Meter,
) -> R:
    """Run long work as a job with a progress bar, stopped by Ctrl-C, visible to other programs.

    A command ends with ``report = long_work(state, "export", work, title=…, collection=…,
    meter=Meter("Exporting"))``, where ``work(progress, cancel)`` returns a report.
    """
    with stoppable() as stop, meter:
        try:
            return state.library.run_job(
                kind,
                work,
                title=title,
                collection=collection,
                progress=meter.on_progress,
                cancel=stop,
            )
        finally:
            if stop.is_set() and not stop.by_hand:
                state.stopped_by = "another program"


class StopEvent(threading.Event):
    """Requests work to stop; *by_hand* means that Ctrl-C set it."""

    by_hand = False


@contextlib.contextmanager
def stoppable() -> Iterator[StopEvent]:
    """Turn Ctrl-C into an event: the first one requests the work to stop.

    Yields
    ------
    StopEvent
        Set by the first Ctrl-C. The second ends the process with exit code 130: committed work is
        kept, and other work is invisible.
    """
    stop = StopEvent()

    def on_interrupt(_number: int, _frame: FrameType | None) -> None:
        if stop.by_hand:
            _end_now()
        stop.by_hand = True
        stop.set()
        # The handler may run in the middle of a write to the same stream, which a second buffered
        # write would break; the system call cannot be.
        os.write(2, _STOPPING)

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def _end_now() -> NoReturn:
    """End the process and its workers without waiting for them."""
    import psutil

    os.write(2, _STOPPED_TERMINAL if is_terminal(sys.stderr) else _STOPPED)
    for worker in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            worker.kill()
    os._exit(EXIT_INTERRUPTED)


def keep_up(target: Collection, /) -> None:
    """Run the upkeep of a changed collection if it is due.

    Users of commands alone have no server that does it at quiet times. Errors wait for the next
    upkeep, because the command itself has succeeded.
    """
    try:
        target.admin.upkeep(if_needed=True)
    except CaseTrackError as error:
        logger.info("The upkeep of %s failed: %s", target.folder.name, error.message)
