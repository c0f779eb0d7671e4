"""What statements are asked of: one collection, or several together."""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from casetrack.api.sql import saved
from casetrack.base.records.cards import QueryReport
from casetrack.faces.cli.output import is_terminal, line
from casetrack.faces.cli.progress import QUIET_SECONDS
from casetrack.faces.cli.state import EXIT_INTERRUPTED, EXIT_USAGE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import NoReturn

    from rich.status import Status

    from casetrack.api.collection import Collection
    from casetrack.base.errors import QueryError
    from casetrack.base.sql.control import Control
    from casetrack.faces.cli.state import State

# Watches a statement at work: its memory, its time, and Ctrl-C.

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
    from casetrack.base.sql.control import Control, Running, too_large

    control = Control()
    running = Running(lambda: work(control))
    memory, interrupted = _Memory(), False
    while True:
        try:
            with _waiting() as tick:
                while not running.wait(_LOOK_SECONDS):
                    tick()
                    used = memory.used_mb(control)
                    if used > memory_mb * _SOFT:
                        control.stop(too_large(memory_mb))
                    late = time.monotonic() - (control.stopped_at or math.inf)
                    if used > memory_mb * _HARD or late > GRACE_SECONDS:
                        break
        except KeyboardInterrupt:
            if interrupted:
                _end(stopped)
            interrupted = True
            control.stop()
            continue
        if not running.over.is_set():
            _end(stopped if interrupted or control.error is None else control.error)
        if interrupted:
            raise KeyboardInterrupt
        return running.result()


@contextmanager
def _waiting() -> Iterator[Callable[[], None]]:
    """Yield a function that shows on a terminal how many seconds have passed.

    Nothing is shown for :data:`QUIET_SECONDS`, and at the end the line is erased.
    """
    started = time.monotonic()
    shown: list[Status] = []

    def tick() -> None:
        seconds = time.monotonic() - started
        if seconds < QUIET_SECONDS or not is_terminal(sys.stderr):
            return
        if not shown:
            from rich.console import Console

            shown.append(Console(file=sys.stderr, highlight=False).status("", spinner="line"))
            shown[0].start()
        shown[0].update(f"Running for {seconds:.0f} s; Ctrl-C stops it.")

    try:
        yield tick
    finally:
        for status in shown:
            status.stop()


class _Memory:
    """The memory that a statement has taken: what this process has, less what it had before.

    Pages of files do not count, nor what is loaded to answer a search: the models have limits of
    their own.
    """

    def __init__(self) -> None:
        self._before = self._last = 0

    def used_mb(self, control: Control) -> float:
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


def _end(reason: QueryError | str) -> NoReturn:
    """Report the reason as the command line does, and end the process.

    Parameters
    ----------
    reason
        The error, or a message for Ctrl-C.
    """
    from casetrack.faces.cli.program import show_error

    code = EXIT_INTERRUPTED if isinstance(reason, str) else EXIT_USAGE
    # A reader who takes nothing from the pipe must not keep the statement alive.
    late = threading.Timer(GRACE_SECONDS, os._exit, (code,))
    late.daemon = True
    late.start()
    with suppress(OSError, ValueError):
        if isinstance(reason, str):
            line(reason, err=True)
        else:
            show_error(reason, as_json="--json" in sys.argv)
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


class QueryTarget:
    """One collection, or several whose views are told apart by their names.

    Parameters
    ----------
    stopped
        What is told where Ctrl-C can only end a statement with its process.

    Attributes
    ----------
    state
        Of this invocation.
    named
        As the user named them; empty where the only collection is meant.
    """

    def __init__(
        self, state: State, names: Sequence[str], /, *, stopped: str = "Stopped by Ctrl-C."
    ) -> None:
        self.state = state
        self._stopped = stopped
        self.named = tuple(names)
        chosen = names or (None,)
        self.collections: tuple[Collection, ...] = tuple(state.collection(n) for n in chosen)

    @property
    def title(self) -> str:
        """The names of the collections."""
        return ", ".join(collection.name for collection in self.collections)

    @property
    def data_dir(self) -> Path:
        """The data folder."""
        return self.state.settings.data_dir

    @property
    def saved_places(self) -> tuple[tuple[saved.Origin, Path], ...]:
        """Where saved queries are looked up."""
        return saved.places([c.folder for c in self.collections], self.data_dir)

    @property
    def saving_folder(self) -> Path:
        """Where a query is saved: with its collection, or for several in the data folder."""
        home = self.collections[0].folder if len(self.collections) == 1 else self.data_dir
        return home / saved.FOLDER

    def run(
        self, statement: str, params: Mapping[str, Any], /, *, explain: bool = False
    ) -> QueryReport:
        """Run a statement; Ctrl-C and the limits of the settings stop it.

        Parameters
        ----------
        explain
            Ask for the plan and the calls as well.

        Raises
        ------
        QueryError
            The statement was refused, or failed.
        KeyboardInterrupt
            It was stopped.
        """
        start = time.perf_counter()
        asked: Any = self.state.library
        options: dict[str, Any] = {"params": dict(params) or None, "explain": explain}
        if len(self.collections) == 1:
            asked = self.collections[0]
        else:
            options["collections"] = tuple(collection.name for collection in self.collections)
        answer = watched(
            lambda control: asked.sql(statement, exact=True, control=control, **options),
            memory_mb=self.state.settings.sql.memory_mb,
            stopped=self._stopped,
        )
        return answer if explain else QueryReport(answer, "", (), time.perf_counter() - start)

    @cached_property
    def document_names(self) -> tuple[str, ...]:
        """The names of all documents, sorted."""
        found = {
            name
            for collection in self.collections
            for name in collection.sql("SELECT name FROM documents")["name"].to_pylist()
        }
        return tuple(sorted(found))
