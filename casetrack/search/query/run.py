"""Runs a user's SQL: read-only, over the views of collections, without any other access."""

from __future__ import annotations

import logging
import threading
import time
import weakref
from collections.abc import Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from casetrack.base.arrow_values import beyond_python
from casetrack.base.errors import QueryError, withheld
from casetrack.base.records.cards import QueryReport
from casetrack.base.sql.catalog import GRAPH_VIEWS
from casetrack.base.sql.control import Control, interruptible, size_text, too_large
from casetrack.graph.opened import graph_of
from casetrack.ingest.steps.words import terms_of_question
from casetrack.search.query.functions import Calls, Functions
from casetrack.search.query.reading import Reading
from casetrack.store.rows import intact_chunks
from casetrack.store.sql.connection import (
    MEMORY_MB,
    TIMEOUT_SECONDS,
    connect,
    each_named,
    faithful,
    plain,
    refused,
    sql_text,
    whole_numbers,
)
from casetrack.store.sql.guard import check, read_statement
from casetrack.store.sql.problems import Place, explain_error
from casetrack.store.sql.scope import FILES, by_schema, checked_schema, listing, needed_by
from casetrack.store.sql.trusted import register_view, view_text
from casetrack.store.workspace import retry_once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from casetrack.base.config import SqlLimits
    from casetrack.store.sql.guard import Statement
    from casetrack.store.workspace import State

# A database for statements over the same states, kept between statements.


class Database:
    """An in-memory DuckDB with the views and functions of collections, for one statement at a time.

    Each statement gets a cursor, which is a separate connection: values, settings, variables,
    temporary tables, prepared statements and the seed of ``random()`` end with it. No statement can
    change shared data: the guard only allows reading, and the configuration is locked. *named* has
    readings by schema, see :func:`casetrack.store.sql.scope.by_schema`.
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
        """Open a connection with all that a statement names; *calls* keeps retrieved answers."""
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
        """Register the tables of this cursor, and define missing functions and views.

        A function lives as long as the connection that registered it, although all see it.
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
    """Register the needed tables under their internal names."""
    snapshot = reading.state.snapshot
    if needed & {"documents", "chunks"}:
        cursor.register(f"_ledger_{number}", snapshot.documents.table)
    if "chunks" in needed:
        stored = intact_chunks(snapshot, calls.withheld, calls.failed)
        cursor.register(f"_stored_chunks_{number}", stored)
    if "postings_of" in needed:
        cursor.register(f"_indexed_{number}", reading.keywords.rows)
    if "postings" in needed:
        cursor.register(f"_terms_{number}", reading.keywords.terms)
    for view in GRAPH_VIEWS:
        if view in needed:
            register_view(cursor, view, graph_of(reading.state), calls.failed, number=number)


def kept(_state: State, /) -> Kept:
    """Return the cache for the database of a state's statements; see ``State.once``."""
    return Kept()


class Kept:
    """Keeps a database between statements. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: Database | None = None

    @contextmanager
    def database(
        self, named: Mapping[str | None, Reading], /, *, memory_mb: int
    ) -> Iterator[Database]:
        """Yield a database over these readings for exclusive use; not kept after an error."""
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
        """Keep a database, or none, and return the previous one."""
        with self._lock:
            before, self._idle = self._idle, database
        return before


def _is_same(database: Database, named: Mapping[str | None, Reading], memory_mb: int) -> bool:
    """Return whether a database is over exactly these readings."""
    return (
        database.memory_mb == memory_mb
        and list(database.named) == list(named)
        and all(database.named[name] is reading for name, reading in named.items())
    )


_ROWS_AT_ONCE = 65_536
_log = logging.getLogger("casetrack.sql")
_CALLBACK_ERRORS = (
    "Python exception occurred",
    "exporting a stream from the object",
    "Detail: Python exception",
)
"""DuckDB messages after an error in a CaseTrack function or table."""


def ask(
    newest: Callable[[], State | Mapping[str, State]],
    limits: SqlLimits,
    statement: str,
    /,
    **given: Any,
) -> pa.Table | QueryReport:
    """Run SQL over the *newest* committed states, which cache its database; see `run_query`."""

    def once() -> pa.Table | QueryReport:
        states = newest()
        return run_query(
            statement,
            {name: state.once(Reading) for name, state in states.items()}
            if isinstance(states, Mapping)
            else states.once(Reading),
            timeout=limits.timeout_seconds,
            memory_mb=limits.memory_mb,
            **given,
        )

    return retry_once(once)


def run_query(
    statement: str,
    asked: Reading | Mapping[str, Reading],
    /,
    *,
    params: Mapping[str, Any] | None = None,
    timeout: float = TIMEOUT_SECONDS,
    memory_mb: int = MEMORY_MB,
    control: Control | None = None,
    explain: bool = False,
    exact: bool = False,
) -> pa.Table | QueryReport:
    """Run one SELECT over the tables of :func:`casetrack.base.sql.catalog.catalog`.

    Arguments and errors as in ``Collection.sql``. *asked* has several readings by name of the
    collection, which are schemas of that name; the schema may be omitted if there is only one. With
    *explain* the plan and the retrieval calls are returned as well, with their notes; without it
    the notes, for example about a missing model, are logged as warnings. *exact* also returns dates
    and times that have no Python type, as Arrow values. *memory_mb* is for DuckDB; the rows may
    have half as much.

    DuckDB checks time and memory between pieces of work, and one function call is one piece. A call
    such as ``repeat('x', 1000000000)`` or a list of ``range(200000000)`` runs to its end regardless
    of the limits. Only a program that owns its process can stop it, as ``casetrack query`` does.
    """
    named = by_schema(asked)
    databases = next(iter(named.values())).state.once(kept)
    read = needs = read_statement(statement)
    if views := listing(needs.text, named):
        read, needs = read_statement(views), read_statement("")  # which needs no tables
    values = {name: plain(value) for name, value in (params or {}).items()}
    control = control or Control()

    def run() -> pa.Table | QueryReport:
        calls = Calls(control)
        try:
            with (
                databases.database(named, memory_mb=memory_mb) as database,
                database.cursor(needs.text, calls) as cursor,
                control.over(cursor, timeout),
            ):
                if control.error is not None:
                    raise control.error
                kind = check(cursor, read.text, values)
                size = memory_mb // 2
                result = _answer(cursor, read, values, calls, kind=kind, size=size, explain=explain)
                if not exact:
                    _refuse_beyond(result if isinstance(result, pa.Table) else result.table)
                return result
        except duckdb.Error as error:
            if control.error is not None:
                raise control.error from None
            if isinstance(error, duckdb.InterruptException):
                raise
            if isinstance(error, duckdb.OutOfMemoryException):
                raise too_large(memory_mb) from None
            if unfit := refused(values, str(error)):
                raise unfit from None
            if calls.error is not None and any(text in str(error) for text in _CALLBACK_ERRORS):
                raise calls.error from None
            place = Place(read, tuple(name for name in named if name is not None))
            raise explain_error(error, place) from None

    return interruptible(run, control)


def _answer(
    connection: duckdb.DuckDBPyConnection,
    read: Statement,
    values: Mapping[str, Any],
    calls: Calls,
    *,
    kind: str,
    size: int,
    explain: bool,
) -> pa.Table | QueryReport:
    started = time.perf_counter()
    try:
        table = _rows(connection.sql(read.text, params=values or None), size)
    except (duckdb.CatalogException, duckdb.BinderException) as error:
        raise _located(connection, read.text, values, error) from error
    for note in withheld(list(calls.withheld.values())):
        _log.warning("%s", note)
    if not explain:
        for note in dict.fromkeys(note for call in calls.made() for note in call.notes):
            _log.warning("%s", note)
        return table
    seconds, made = time.perf_counter() - started, calls.made()
    if kind != "EXPLAIN":
        drawn = connection.sql(f"EXPLAIN {read.text}", params=values or None).to_arrow_table()
    else:
        drawn = table
    plan = "\n".join(drawn[drawn.column_names[-1]].to_pylist())
    return QueryReport(table, plan, made, seconds)


def _refuse_beyond(table: pa.Table) -> None:
    """Reject rows with values that would fail later, outside of the statement."""
    names = beyond_python(table)
    if names:
        which = f"the column{'' if len(names) == 1 else 's'} {', '.join(names[:5])}"
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        raise QueryError(
            f"Python has no type for days outside of the years 1 to 9999 and for 24:00 o'clock, "
            f"which {which}{more} hold{'s' if len(names) == 1 else ''}.",
            hint=f'Select them as text, such as "{names[0]}"::VARCHAR; or take the rows as Arrow '
            "has them, with exact=True.",
        )


def _rows(relation: duckdb.DuckDBPyRelation, most_mb: int) -> pa.Table:
    """Return a statement's rows, which then no longer count in DuckDB's memory limit."""
    reader = faithful(relation).to_arrow_reader(_ROWS_AT_ONCE)
    batches, size = [], 0
    try:
        for batch in reader:
            size += batch.nbytes
            if size > most_mb << 20:
                raise QueryError(
                    f"The answer is larger than {size_text(most_mb)}.",
                    hint="Select fewer columns, or add a filter or a LIMIT. A join without a "
                    "condition pairs every row with every other.",
                )
            batches.append(batch)
    except OSError as error:
        # Results that DuckDB cannot export, such as 2 GB of text in one batch, raise in pyarrow.
        raise duckdb.OutOfMemoryException(str(error)) from error
    table = pa.Table.from_batches(batches, schema=reader.schema)
    return each_named(whole_numbers(table, relation.types))


def _located(
    connection: duckdb.DuckDBPyConnection,
    statement: str,
    values: Mapping[str, Any],
    error: duckdb.Error,
) -> duckdb.Error:
    """Return an error with its position in the statement, as far as DuckDB reports it.

    A relation loses the text of its statement, and so the positions of unknown names. Running the
    text itself fails in the same way, before anything runs.
    """
    try:
        connection.execute(statement, values or None)
    except (duckdb.CatalogException, duckdb.BinderException) as located:
        return located
    except duckdb.Error:
        return error
    return error
