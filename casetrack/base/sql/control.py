"""What ends a statement: its time, or somebody who watches it."""

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
    """Watches one statement from another thread, and stops it.

    Stopping asks DuckDB to give up. It looks at that between two pieces of work, and one call of a
    function is one piece: ``repeat('x', 1000000000)`` ends when it is done.

    Attributes
    ----------
    stopped
        Set once the statement is to end.
    error
        Why it is to end; what the statement raises then.
    stopped_at
        When it was told to, by :func:`time.monotonic`.

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
        """End the statement, also one that has not begun; the first reason is the one told.

        Parameters
        ----------
        error
            What it raises; that it was cancelled, if nothing is said.
        """
        with self._lock:
            if self.error is None:
                self.error = error or QueryError(
                    "The query was cancelled.", hint="Run it again if it is still wanted."
                )
                self.stopped_at = time.monotonic()
                self.stopped.set()

    @property
    def counting(self) -> bool:
        """Whether memory taken now is its own: it is at work, and loads no index and no model."""
        return self._at_work and not self._loading

    @contextmanager
    def loading(self) -> Iterator[None]:
        """Tell that what is done now may load indexes and models."""
        with self._lock:
            self._loading += 1
        try:
            yield
        finally:
            with self._lock:
                self._loading -= 1

    @contextmanager
    def over(self, connection: duckdb.DuckDBPyConnection, seconds: float, /) -> Iterator[None]:
        """Interrupt the connection once the block is to end, or takes too long.

        Parameters
        ----------
        connection
            Where the statement runs.
        seconds
            How long it may.
        """
        over = threading.Event()
        end = time.monotonic() + seconds

        def watch() -> None:
            while not over.wait(_LOOK_SECONDS):
                if time.monotonic() >= end:
                    self.stop(too_slow(seconds))
                if self.stopped.is_set():
                    # Again and again: what is asked between two steps of a statement is forgotten.
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
    """Return the error of a statement whose time is over."""
    return QueryError(
        f"The query was stopped after {seconds:g} second{'' if seconds == 1 else 's'}.",
        hint="Ask for less: filter earlier, or add a LIMIT.",
    )


def too_large(memory_mb: int, /) -> QueryError:
    """Return the error of a statement that needs more memory than it may have."""
    return QueryError(
        f"The query needs more than {size_text(memory_mb)} of memory.",
        hint="Ask for less: fewer columns, an earlier filter, or a LIMIT.",
    )


def size_text(mebibytes: int, /) -> str:
    """Return a size as people write it.

    Examples
    --------
    >>> size_text(1024), size_text(512), size_text(1536)
    ('1GB', '512MB', '1.5GB')
    """
    return f"{mebibytes}MB" if mebibytes < _GIB else f"{mebibytes / _GIB:.3g}GB"


# Work on a thread of its own, so that the thread that waits for it can still be interrupted.

T = TypeVar("T")


class Running(Generic[T]):
    """Some work, done once.

    Parameters
    ----------
    work
        What is done; it sees the context variables of the thread that makes this.

    Attributes
    ----------
    over
        Set at its end; ``Thread.join`` may take an interrupted wait for it.
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
        """Begin it if nobody has, and wait for its end; return whether that has come."""
        if not self._has_begun:
            # An interrupt may come in between: then another thread is started, and has nothing
            # to do if the first has.
            threading.Thread(target=self._perform, name="statement", daemon=True).start()
            self._has_begun = True
        return self.over.wait(seconds)

    def result(self) -> T:
        """Return what came of it once it is over, or raise what it raised."""
        if self._failed:
            raise self._failed[0]
        return self._done[0]


def interruptible(work: Callable[[], T], control: Control, /) -> T:
    """Do some work so that Ctrl-C, or the stop button of a notebook, stops its statement.

    DuckDB keeps the thread that calls it from seeing signals. Only the main thread is sent any; on
    another one the work is simply done.

    Parameters
    ----------
    work
        Runs a statement under *control*.
    control
        Is told to stop it.

    Raises
    ------
    KeyboardInterrupt
        It was interrupted, and has ended; a second interrupt does not wait for that.
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
