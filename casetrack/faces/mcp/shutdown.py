"""Leaving on Ctrl-C and when the system asks: at a document's boundary, without hanging."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

GRACE_SECONDS = 5.0
_FLUSH_SECONDS = 0.1


def leave_on_signals(
    running: set[threading.Event],
    leave_jobs: Callable[[], None],
    /,
    *,
    answering: Callable[[], bool] | None = None,
) -> None:
    """Make SIGINT and SIGTERM stop what is *running* and then end the process.

    The thread that reads standard input cannot be interrupted, so the ordinary way out would wait
    for the client's next line. A second signal ends the process at once, and so does the end of a
    grace period: the store is whole whenever it happens.

    Parameters
    ----------
    running
        The stop event of all work that goes on; it changes as it begins and ends.
    leave_jobs
        Tells the jobs among it why they end.
    answering
        Returns whether calls are being answered, which is waited for as well. It is asked for the
        first time when the signal comes, so it may also refuse new ones from then on.
    """
    if threading.current_thread() is not threading.main_thread():
        return  # only the main thread may set handlers; whoever embeds the server has its own
    leaving = threading.Event()

    def leave(number: int, _frame: FrameType | None) -> None:
        code = 128 + number
        if leaving.is_set():
            os._exit(code)
        leaving.set()
        # A signal may come at any line of the thread that is in here; what it holds is not waited
        # for.
        arguments = (running, leave_jobs, answering, code)
        threading.Thread(target=_end_when_idle, args=arguments, daemon=True).start()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, leave)


def _end_when_idle(
    running: set[threading.Event],
    leave_jobs: Callable[[], None],
    answering: Callable[[], bool] | None,
    code: int,
) -> None:
    deadline = time.monotonic() + GRACE_SECONDS
    leave_jobs()
    for stop in tuple(running):
        stop.set()
    while time.monotonic() < deadline:
        if not running and not (answering and answering()):
            break
        time.sleep(0.02)
    if answering:
        time.sleep(_FLUSH_SECONDS)  # the last answer may still be on its way to the socket
    os._exit(code)
