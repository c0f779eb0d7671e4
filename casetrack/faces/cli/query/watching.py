"""Watches a statement at work: its memory, its time, and Ctrl-C.

DuckDB looks at limits and at signals between two pieces of work, and a piece may take minutes and
all memory: one call of ``repeat`` is one. What does not end when it is told to is therefore ended
with the process, which has nothing else to do.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from casetrack.faces.cli.output import line, write_json
from casetrack.faces.cli.query.waiting import Waiting
from casetrack.faces.cli.state import EXIT_INTERRUPTED, EXIT_USAGE

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from casetrack.base.errors import QueryError
    from casetrack.store.sql.control import Control

_T = TypeVar("_T")
_LOOK_SECONDS = 0.05
GRACE_SECONDS = 2.0
"""How long a statement may take to end once it was told to."""
_SOFT, _HARD = 1.5, 2.0
"""Times the memory of DuckDB: with the rows of an answer it is told to end, then it is ended."""


def watched(
    work: Callable[[Control], _T], /, *, memory_mb: int, stopped: str = "Stopped by Ctrl-C."
) -> _T:
    """Run a statement on a thread of its own, and see to it that it ends.

    Parameters
    ----------
    work
        Runs the statement under the control it is given.
    memory_mb
        MiB that DuckDB may take.
    stopped
        What is told where Ctrl-C can only end the statement with its process.

    Raises
    ------
    QueryError
        It failed, or was stopped.
    KeyboardInterrupt
        Ctrl-C stopped it.
    """
    from casetrack.store.sql.control import Control, too_large
    from casetrack.store.sql.thread import Running

    control = Control()
    running = Running(lambda: work(control))
    memory, interrupted, waiting = _Memory(), False, Waiting()
    while True:
        try:
            with waiting:
                while not running.wait(_LOOK_SECONDS):
                    waiting.tick()
                    taken = memory.taken_mb(control)
                    if taken > memory_mb * _SOFT:
                        control.stop(too_large(memory_mb))
                    if taken > memory_mb * _HARD or _is_stuck(control):
                        waiting.clear()
                        _end(stopped if interrupted else control.error)
        except KeyboardInterrupt:
            if interrupted:
                _end(stopped)
            interrupted = True
            control.stop()
            continue
        if interrupted:
            raise KeyboardInterrupt
        return running.result()


def _is_stuck(control: Control) -> bool:
    since = control.stopped_at
    return since is not None and time.monotonic() - since > GRACE_SECONDS


class _Memory:
    """The memory that a statement has taken: what this process has, less what it had before.

    Pages of files do not count, nor what is loaded to answer a search: the models have limits of
    their own.
    """

    def __init__(self) -> None:
        self._before = self._last = 0

    def taken_mb(self, control: Control) -> float:
        if not self._last and not control.counting:
            return 0.0  # most statements are over before there is something to look at
        now = _own_bytes()
        if not control.counting:
            self._before += now - self._last
        self._before = self._before or now
        self._last = now
        return (now - self._before) / (1 << 20)


def _own_bytes() -> int:
    """Return the resident memory of this process without that of files, as far as it is told."""
    import psutil

    info = psutil.Process().memory_info()
    return int(getattr(info, "private", info.rss - getattr(info, "shared", 0)))


def _end(why: QueryError | str | None) -> NoReturn:
    """Tell what happened as the command line does, and end the process.

    Parameters
    ----------
    why
        The error, or what is told of Ctrl-C.
    """
    code = EXIT_INTERRUPTED if isinstance(why, str) else EXIT_USAGE
    # A reader who takes nothing from the pipe must not keep the statement alive.
    late = threading.Timer(GRACE_SECONDS, os._exit, (code,))
    late.daemon = True
    late.start()
    with suppress(OSError, ValueError):
        if isinstance(why, str):
            line(why, err=True)
        elif why is not None:
            line(("Error: ", "bold red"), why.message, err=True)
            line(why.hint, err=True, indent=2)
            if "--json" in sys.argv:
                write_json({"error": why.as_dict()})
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)
