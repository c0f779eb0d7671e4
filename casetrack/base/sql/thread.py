"""Work on a thread of its own, so that the thread that waits for it can still be interrupted."""

from __future__ import annotations

import contextvars
import threading
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.base.sql.control import Control

T = TypeVar("T")
_LOOK_SECONDS = 0.05


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
