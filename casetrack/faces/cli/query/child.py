"""Runs the statements of the dialogue in a process of its own, so that the dialogue outlives it.

DuckDB looks at limits and at signals between two pieces of work, and a piece may take minutes and
all memory. What does not end when it is told to is ended with its process (see
:mod:`casetrack.faces.cli.query.watching`); the next statement then gets another one.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from casetrack.base.errors import QueryError
from casetrack.faces.cli.query.told import AlreadyTold, told
from casetrack.faces.cli.state import EXIT_INTERRUPTED, EXIT_USAGE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from casetrack.faces.cli.query.running import How
    from casetrack.faces.cli.query.source import QueryTarget
    from casetrack.faces.cli.state import State

_LOOK_SECONDS = 0.05
_GRACE_SECONDS = 3.0
"""How long a statement may take to end after Ctrl-C; a little longer than its own process waits."""


class Child:
    """The process that runs statements, from the first one on.

    Parameters
    ----------
    state
        Of this invocation.
    """

    def __init__(self, state: State, /) -> None:
        self._state = replace(state, _library=None)
        self._process: SpawnProcess | None = None
        self._connection: Connection[Any, Any] | None = None

    def __enter__(self) -> Self:
        """Start it, so that it is ready for the first statement."""
        self._started()
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self.end()

    def _started(self) -> Connection[Any, Any]:
        """Start the process if there is none, and return the way to it."""
        if self._process is not None and not self._process.is_alive():
            self.end()
        if self._connection is None:
            context = multiprocessing.get_context("spawn")
            self._connection, its_end = context.Pipe()
            self._process = context.Process(target=serve, args=(its_end, self._state), daemon=True)
            self._process.start()
            its_end.close()
        return self._connection

    def run(
        self, source: QueryTarget, statement: str, values: Mapping[str, Any], how: How, /
    ) -> None:
        """Run a statement and write its rows; see :func:`casetrack.faces.cli.query.running.run`.

        Raises
        ------
        AlreadyTold
            It did not come to its end.
        QueryError
            The process was ended by somebody else.
        KeyboardInterrupt
            Ctrl-C came, and the process had to be ended.
        """
        names = tuple(collection.info.id for collection in source.collections)
        connection = self._started()
        connection.send((names, statement, dict(values), how))
        if not self._answer(connection):
            raise AlreadyTold

    def end(self) -> int | None:
        """End the process, and return its exit code."""
        code = None
        if self._process is not None and self._connection is not None:
            self._connection.close()
            self._process.join(_LOOK_SECONDS)
            self._process.kill()
            self._process.join()
            code = self._process.exitcode
        self._process = self._connection = None
        return code

    def _answer(self, connection: Connection[Any, Any]) -> bool:
        """Return whether the statement came to its end.

        Ctrl-C reaches the process itself as well, which tells of it.
        """
        last = float("inf")
        while True:
            try:
                if connection.poll(_LOOK_SECONDS):
                    done: bool = connection.recv()
                    return done
                if time.monotonic() > last:
                    raise KeyboardInterrupt
            except KeyboardInterrupt:
                if last < float("inf"):
                    self.end()
                    raise
                last = time.monotonic() + _GRACE_SECONDS
            except (EOFError, ConnectionError):
                if (code := self.end()) in (EXIT_USAGE, EXIT_INTERRUPTED):
                    return False
                raise QueryError(
                    f"The process of the statement was ended from outside (exit code {code}).",
                    hint="Ask for less, if the computer ran out of memory.",
                ) from None


def serve(connection: Connection[Any, Any], state: State, /) -> None:
    """Run one statement after the other, as the process of a :class:`Child`."""
    # Between two statements Ctrl-C is for the dialogue.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from casetrack.faces.cli.notes import show_repairs
    from casetrack.faces.cli.output import prepare_streams
    from casetrack.faces.cli.query.running import run
    from casetrack.faces.cli.query.source import QueryTarget

    prepare_streams()
    show_repairs()
    sources: dict[tuple[str, ...], QueryTarget] = {}

    def work(names: tuple[str, ...], statement: str, values: dict[str, Any], how: How) -> None:
        if names not in sources:
            sources[names] = QueryTarget(state, names, stopped="Cancelled.")
        run(sources[names], statement, values, how)

    with suppress(EOFError, BrokenPipeError):
        while True:
            request = connection.recv()
            signal.signal(signal.SIGINT, signal.default_int_handler)
            done = told(lambda: work(*request))  # noqa: B023 - called at once
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            sys.stdout.flush()
            connection.send(done)
