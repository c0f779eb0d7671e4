"""What statements are asked of: one collection, or several together."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar

from casetrack.api.sql import saved
from casetrack.base.records.cards import QueryReport
from casetrack.faces.cli.output import is_terminal, line, write_json
from casetrack.faces.cli.progress import QUIET_SECONDS
from casetrack.faces.cli.state import EXIT_INTERRUPTED, EXIT_USAGE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from typing import NoReturn

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


class Waiting:
    """A line on standard error with the seconds that a statement has taken, while it runs.

    It is shown on a terminal only, after :data:`QUIET_SECONDS`, and leaves
    nothing behind.
    """

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._is_terminal = is_terminal(sys.stderr)
        self._shown = ""

    def __enter__(self) -> Self:
        """Begin to count."""
        return self

    def __exit__(self, *_: object) -> None:
        """Take the line away."""
        self.clear()

    def tick(self) -> None:
        """Show the time again where a second has passed."""
        taken = time.monotonic() - self._started
        if not self._is_terminal or taken < QUIET_SECONDS:
            return
        text = f"Running for {taken:.0f} s; Ctrl-C stops it."
        if text != self._shown:
            self._shown = text
            self._write(text)

    def clear(self) -> None:
        """Take the line away; the next tick would show it again."""
        if self._shown:
            self._write(" " * len(self._shown))
            self._shown = ""

    def _write(self, text: str) -> None:
        # What anything else writes meanwhile takes the place of the line.
        sys.stderr.write(f"\r{text}\r")
        sys.stderr.flush()


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

        def work(control: Control) -> Any:
            return self._sql(statement, params, explain=explain, control=control)

        limit = self.state.settings.sql.memory_mb
        found: Any = watched(work, memory_mb=limit, stopped=self._stopped)
        return found if explain else QueryReport(found, "", (), time.perf_counter() - start)

    def _sql(self, statement: str, params: Mapping[str, Any], **how: Any) -> Any:
        given = dict(params) or None
        if len(self.collections) == 1:
            return self.collections[0].sql(statement, params=given, exact=True, **how)
        names = tuple(collection.name for collection in self.collections)
        return self.state.library.sql(statement, collections=names, params=given, exact=True, **how)

    @cached_property
    def document_names(self) -> tuple[str, ...]:
        """The names of all documents, sorted."""
        found = {
            name
            for collection in self.collections
            for name in collection.sql("SELECT name FROM documents")["name"].to_pylist()
        }
        return tuple(sorted(found))
