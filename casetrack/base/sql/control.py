"""Time limit and cancellation of a statement."""

from __future__ import annotations

import contextvars
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, TypeVar

from casetrack.base.errors import QueryError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import duckdb

_LOOK_SECONDS = 0.05
_GIB = 1024


class Control:
    """Stops one statement from another thread.

    DuckDB checks for interrupts between work units, and one function call is one unit:
    ``repeat('x', 1000000000)`` cannot be interrupted.

    Attributes
    ----------
    stopped
        Set once the statement must end.
    error
        The error that the statement then raises.
    stopped_at
        Time of the stop, by :func:`time.monotonic`.

    Examples
    --------
    >>> control = Control()
    >>> threading.Timer(5, control.stop).start()  # doctest: +SKIP
    >>> collection.sql("FROM chunks", control=control)  # doctest: +SKIP
    """

    def __init__(self) -> None:
        self.stopped = threading.Event()
        self.error: QueryError | None = None
        self.stopped_at: float | None = None
        self._at_work = False
        self._loading = 0
        self._lock = threading.Lock()

    def stop(self, error: QueryError | None = None, /) -> None:
        """End the statement, even before its start, with *error*; only the first call counts."""
        with self._lock:
            if self.error is None:
                self.error = error or QueryError(
                    "The query was cancelled.", hint="Run it again if you still need it."
                )
                self.stopped_at = time.monotonic()
                self.stopped.set()

    @property
    def counting(self) -> bool:
        """Whether memory counts as the statement's: it runs and loads no index or model."""
        return self._at_work and not self._loading

    @contextmanager
    def loading(self) -> Iterator[None]:
        """Mark a block that may load indexes and models."""
        with self._lock:
            self._loading += 1
        try:
            yield
        finally:
            with self._lock:
                self._loading -= 1

    @contextmanager
    def over(self, connection: duckdb.DuckDBPyConnection, seconds: float, /) -> Iterator[None]:
        """Interrupt the connection when the statement is stopped or exceeds *seconds*."""
        over = threading.Event()
        end = time.monotonic() + seconds

        def watch() -> None:
            while not over.wait(_LOOK_SECONDS):
                if time.monotonic() >= end:
                    self.stop(too_slow(seconds))
                if self.stopped.is_set():
                    # Repeated, because DuckDB forgets an interrupt between two steps of a
                    # statement.
                    connection.interrupt()

        watching = threading.Thread(target=watch, name="statement-clock", daemon=True)
        watching.start()
        self._at_work = True
        try:
            yield
        finally:
            self._at_work = False
            over.set()
            watching.join()


def too_slow(seconds: float, /) -> QueryError:
    """Return the error of a statement over its time limit."""
    return QueryError(
        f"The query was stopped after {seconds:g} second{'' if seconds == 1 else 's'}.",
        hint="Reduce the query: filter earlier, or add a LIMIT.",
    )


def too_large(memory_mb: int, /) -> QueryError:
    """Return the error of a statement over its memory limit."""
    return QueryError(
        f"The query needs more than {size_text(memory_mb)} of memory.",
        hint="Reduce the query: fewer columns, an earlier filter, or a LIMIT.",
    )


def size_text(mebibytes: int, /) -> str:
    """Return a size for display.

    Examples
    --------
    >>> size_text(1024), size_text(512), size_text(1536)
    ('1GB', '512MB', '1.5GB')
    """
    return f"{mebibytes}MB" if mebibytes < _GIB else f"{mebibytes / _GIB:.3g}GB"


# Work in a separate thread, so that the waiting thread can be interrupted.

T = TypeVar("T")


class Running(Generic[T]):
    """Work that runs once, with the context variables of the creating thread.

    *over* is set at its end; ``Thread.join`` may treat an interrupted wait as the end.
    """

    def __init__(self, work: Callable[[], T], /) -> None:
        self.over = threading.Event()
        self._done: list[T] = []
        self._failed: list[BaseException] = []
        self._has_begun = False
        first = threading.Lock()
        context = contextvars.copy_context()

        def perform() -> None:
            if not first.acquire(blocking=False):
                return
            try:
                self._done.append(context.run(work))
            except BaseException as error:  # noqa: BLE001 - raised by the thread that waits
                self._failed.append(error)
            finally:
                self.over.set()

        self._perform = perform

    def wait(self, seconds: float | None = None, /) -> bool:
        """Start the work if necessary and wait; return whether it has ended."""
        if not self._has_begun:
            # An interrupt may occur between the two lines; the second thread then has nothing to
            # do.
            threading.Thread(target=self._perform, name="statement", daemon=True).start()
            self._has_begun = True
        return self.over.wait(seconds)

    def result(self) -> T:
        """Return the result of finished work, or raise its exception."""
        if self._failed:
            raise self._failed[0]
        return self._done[0]


def interruptible(work: Callable[[], T], control: Control, /) -> T:
    """Run *work* so that Ctrl-C, or the stop button of a notebook, stops its statement.

    The thread that calls DuckDB receives no signals, and only the main thread receives any; other
    threads run *work* directly. Raises ``KeyboardInterrupt``: after the statement has ended; a
    second interrupt does not wait for it.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    running = Running(work)
    try:
        while not running.wait(_LOOK_SECONDS):
            pass
    except KeyboardInterrupt:
        control.stop()
        running.wait()
        raise
    return running.result()
