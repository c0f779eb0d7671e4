"""What statements are asked of: one collection, or several together."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from casetrack.faces.cli.query import saved
from casetrack.faces.cli.query.watching import watched

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from casetrack.api.collection import Collection
    from casetrack.base.records.queries import QueryReport, RetrievalCall
    from casetrack.faces.cli.state import State
    from casetrack.store.sql.control import Control


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

    def run(self, statement: str, params: Mapping[str, Any], /, *, explain: bool = False) -> Answer:
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

        found = watched(work, memory_mb=self.state.settings.sql.memory_mb, stopped=self._stopped)
        if not explain:
            return Answer(found, time.perf_counter() - start)
        report: QueryReport = found
        return Answer(report.table, report.seconds, report.plan, report.calls)

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
