"""A database for statements over the same states, kept from one statement to the next."""

from __future__ import annotations

import threading
import weakref
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from casetrack.base.sql.views import GRAPH_VIEWS
from casetrack.graph.opened import graph_of
from casetrack.ingest.steps.identifiers import terms_of_question
from casetrack.search.query.functions import Functions
from casetrack.store.sound import sound_chunks
from casetrack.store.sql.connection import connect, sql_text
from casetrack.store.sql.graph import register_view, view_text
from casetrack.store.sql.scope import FILES, checked_schema, needed_by

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import duckdb

    from casetrack.search.query.functions import Calls
    from casetrack.search.query.reading import Reading
    from casetrack.store.workspace import State


class Database:
    """A DuckDB in memory with the views and functions of collections, for one statement at a time.

    A statement gets a cursor, which is a connection of its own: values, settings, variables,
    temporary tables, prepared statements and the seed of ``random()`` end with it. What all share
    no statement can change: the guard lets them read only, and the configuration is locked.

    Parameters
    ----------
    named
        What may be read by schema; see :func:`casetrack.store.sql.scope.by_schema`.
    memory_mb
        MiB that it may take.

    Raises
    ------
    QueryError
        The name of a collection cannot be a schema.
    """

    def __init__(self, named: Mapping[str | None, Reading], /, *, memory_mb: int) -> None:
        schemas = {name: checked_schema(name) for name in named}
        self.named = dict(named)
        self.memory_mb = memory_mb
        self._connection = connect(memory_mb=memory_mb)
        self.close = weakref.finalize(self, self._connection.close)
        self._defined: set[str] = set()
        self._functions = {
            name: Functions(number, name) for number, name in enumerate(named, start=1)
        }
        self._schemas = schemas
        for schema in schemas.values():
            if schema != "main":
                self._connection.execute(f"CREATE SCHEMA {schema}")
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")

    @contextmanager
    def cursor(self, statement: str, calls: Calls, /) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open a connection on which a statement finds what it names.

        Parameters
        ----------
        statement
            As DuckDB gets it.
        calls
            Keeps the answers of retrieval.
        """
        needed = needed_by(statement)
        cursor = self._connection.cursor()
        with ExitStack() as stack:
            stack.callback(cursor.close)
            for name, reading in self.named.items():
                stack.enter_context(self._functions[name].answering(reading, calls))
            self._define(cursor, needed, calls)
            if None not in self.named and len(self.named) == 1:
                (schema,) = self._schemas.values()
                cursor.execute("SET search_path = ?", [f"{schema},main"])
            yield cursor

    def _define(self, cursor: duckdb.DuckDBPyConnection, needed: set[str], calls: Calls) -> None:
        """Register tables, which each cursor has for itself, and define what is not there yet.

        A function lives as long as the connection on which it was registered, though all see it.
        """
        new = needed - self._defined
        for file in ("place", "bodies"):
            if file in new:
                cursor.execute(sql_text(file))
        if "terms" in new:
            self._connection.create_function(
                "query_terms", terms_of_question, ["VARCHAR"], "VARCHAR[]"
            )
        for number, (name, reading) in enumerate(self.named.items(), start=1):
            schema = self._schemas[name]
            _register(cursor, reading, calls, number, needed)
            self._functions[name].define(self._connection, new)
            for view in GRAPH_VIEWS:
                if view in new:
                    cursor.execute(view_text(view, schema=schema, number=number))
            for file in FILES:
                if file in new:
                    cursor.execute(sql_text(file, schema=schema, number=number))
        self._defined |= new


def _register(
    cursor: duckdb.DuckDBPyConnection, reading: Reading, calls: Calls, number: int, needed: set[str]
) -> None:
    """Put the tables that are needed under their internal names."""
    snapshot = reading.state.snapshot
    if needed & {"documents", "chunks"}:
        cursor.register(f"_ledger_{number}", snapshot.documents.table)
    if "chunks" in needed:
        stored = sound_chunks(snapshot, calls.withheld, calls.failed)
        cursor.register(f"_stored_chunks_{number}", stored)
    if "postings_of" in needed:
        cursor.register(f"_indexed_{number}", reading.keywords.rows)
    if "postings" in needed:
        cursor.register(f"_terms_{number}", reading.keywords.terms)
    for view in GRAPH_VIEWS:
        if view in needed:
            register_view(cursor, view, graph_of(reading.state), calls.failed, number=number)


def kept(_state: State, /) -> Kept:
    """Return what keeps the database of a state's statements; see ``State.once``."""
    return Kept()


class Kept:
    """Keeps a database from one statement to the next. May be used from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: Database | None = None

    @contextmanager
    def database(
        self, named: Mapping[str | None, Reading], /, *, memory_mb: int
    ) -> Iterator[Database]:
        """Give out a database that nobody else uses: the kept one, if it is over these readings.

        After an error it is not kept.

        Parameters
        ----------
        named, memory_mb
            See :class:`Database`.
        """
        idle = self._put(None)
        if idle is not None and _is_same(idle, named, memory_mb):
            database = idle
        else:
            if idle is not None:
                idle.close()
            database = Database(named, memory_mb=memory_mb)
        try:
            yield database
        except BaseException:
            database.close()
            raise
        other = self._put(database)
        if other is not None:
            other.close()

    def _put(self, database: Database | None) -> Database | None:
        """Keep a database, or none, and return the one that was kept."""
        with self._lock:
            before, self._idle = self._idle, database
        return before


def _is_same(database: Database, named: Mapping[str | None, Reading], memory_mb: int) -> bool:
    """Tell whether a database is over these very readings: another state has others."""
    return (
        database.memory_mb == memory_mb
        and list(database.named) == list(named)
        and all(database.named[name] is reading for name, reading in named.items())
    )
