"""What statements are asked of: one collection, or several together."""

from __future__ import annotations

import contextvars
import threading
import time
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from casetrack.cli.query import saved

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from casetrack.cli.state import State
    from casetrack.collection import Collection
    from casetrack.records.queries import QueryReport, RetrievalCall

_T = TypeVar("_T")
_WAIT_SECONDS = 0.1
_STOPPING_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Answer:
    """The rows of a statement.

    Attributes
    ----------
    seconds
        How long it took.
    plan, calls
        DuckDB's plan and the calls of the search engine; empty unless they were asked for.
    """

    rows: pa.Table
    seconds: float
    plan: str = ""
    calls: tuple[RetrievalCall, ...] = ()


class Source:
    """One collection, or several whose views are told apart by their names."""

    def __init__(self, state: State, names: Sequence[str], /) -> None:
        self._state = state
        chosen = names or (None,)
        self.collections: tuple[Collection, ...] = tuple(state.collection(n) for n in chosen)

    @property
    def title(self) -> str:
        """The names of the collections."""
        return ", ".join(collection.name for collection in self.collections)

    @property
    def data_dir(self) -> Path:
        """The data folder."""
        return self._state.settings.data_dir

    @property
    def saved_places(self) -> tuple[tuple[saved.Origin, Path], ...]:
        """Where saved queries are looked up."""
        return saved.places([c.folder for c in self.collections], self.data_dir)

    @property
    def saving_folder(self) -> Path:
        """Where a query is saved: with its collection, or for several in the data folder."""
        home = self.collections[0].folder if len(self.collections) == 1 else self.data_dir
        return home / saved.FOLDER

    def run(self, statement: str, params: Mapping[str, Any], /, *, explain: bool = False) -> Answer:
        """Run a statement; Ctrl-C stops it.

        Raises
        ------
        QueryError
            The statement was refused, or failed.
        KeyboardInterrupt
            It was stopped.
        """
        start = time.perf_counter()
        if explain:
            report: QueryReport = _interruptible(lambda: self._sql(statement, params, explain=True))
            return Answer(report.table, report.seconds, report.plan, report.calls)
        rows = _interruptible(lambda: self._sql(statement, params))
        return Answer(rows, time.perf_counter() - start)

    def _sql(self, statement: str, params: Mapping[str, Any], **how: Any) -> Any:
        given = dict(params) or None
        if len(self.collections) == 1:
            return self.collections[0].sql(statement, params=given, **how)
        names = tuple(collection.name for collection in self.collections)
        return self._state.library.sql(statement, collections=names, params=given, **how)

    @cached_property
    def document_names(self) -> tuple[str, ...]:
        """The names of all documents, sorted."""
        found = {
            name
            for collection in self.collections
            for name in collection.sql("SELECT name FROM documents")["name"].to_pylist()
        }
        return tuple(sorted(found))


def _interruptible(work: Callable[[], _T], /) -> _T:
    """Do something on a thread of its own, so that Ctrl-C stops it while DuckDB is at work.

    DuckDB looks at signals between its tasks, and some tasks take minutes.

    Raises
    ------
    KeyboardInterrupt
        It was stopped; where even DuckDB did not stop within some seconds, it is left alone.
    """
    done: list[_T] = []
    failed: list[BaseException] = []
    over = threading.Event()  # Thread.join may take an interrupted wait for the thread's end
    context = contextvars.copy_context()

    def perform() -> None:
        try:
            done.append(context.run(work))
        except BaseException as error:  # noqa: BLE001 - raised again by the thread that waits
            failed.append(error)
        finally:
            over.set()

    threading.Thread(target=perform, name="statement", daemon=True).start()
    try:
        while not over.wait(_WAIT_SECONDS):
            pass
    except KeyboardInterrupt:
        end = time.monotonic() + _STOPPING_SECONDS
        while not over.is_set() and time.monotonic() < end:
            _stop_statements()
            over.wait(_WAIT_SECONDS)
        raise
    if failed:
        raise failed[0]
    return done[0]


def _stop_statements() -> None:
    """End the statements of this program now, as their clocks would when time is up."""
    from casetrack.sql.connection import StoppedAfter

    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            stop: Any = thread.function
            if isinstance(getattr(stop, "__self__", None), StoppedAfter):
                stop()
