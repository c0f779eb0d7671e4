"""Work on a thread of its own, so that the thread that waits for it can still be interrupted."""

from __future__ import annotations

import contextvars
import threading
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.sql.control import Control

T = TypeVar("T")
_LOOK_SECONDS = 0.05


class Running(Generic[T]):
    """Some work that has begun.

    Parameters
    ----------
    work
        What is done; it sees the context variables of the thread that begins it.

    Attributes
    ----------
    over
        Set at its end; ``Thread.join`` may take an interrupted wait for it.
    """

    def __init__(self, work: Callable[[], T], /) -> None:
        self.over = threading.Event()
        self._done: list[T] = []
        self._failed: list[BaseException] = []
        context = contextvars.copy_context()

        def perform() -> None:
            try:
                self._done.append(context.run(work))
            except BaseException as error:  # noqa: BLE001 - raised by the thread that waits
                self._failed.append(error)
            finally:
                self.over.set()

        threading.Thread(target=perform, name="statement", daemon=True).start()

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
        while not running.over.wait(_LOOK_SECONDS):
            pass
    except KeyboardInterrupt:
        control.stop()
        running.over.wait()
        raise
    return running.result()
