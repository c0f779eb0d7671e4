"""Runs a user's SQL: read-only, over the views of collections, with nothing else in reach."""

from __future__ import annotations

import logging
import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

from casetrack.errors import QueryError
from casetrack.records.queries import QueryReport
from casetrack.sql.connection import (
    MEMORY_LIMIT,
    TIMEOUT_SECONDS,
    StoppedAfter,
    connect,
    quoted,
    sql_text,
)
from casetrack.sql.functions import Calls, register
from casetrack.sql.guard import check, read_statement
from casetrack.sql.problems import Place, explain_error
from casetrack.sql.views import GRAPH_VIEWS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import duckdb
    import pyarrow as pa

    from casetrack.sql.functions import Retrieval
    from casetrack.sql.guard import Statement
    from casetrack.sql.views import GraphView

__all__ = ["MEMORY_LIMIT", "TIMEOUT_SECONDS", "Tables", "connect", "run_query", "sql_text"]

_NAMED_BY: dict[str, set[str]] = {
    "cite": {"cite_range", "column_letters"},
    "views": {"documents", "chunks", "pages"},
    "pages": {"pages"},
    "retrieval": {"search", "similar", "context", "cite"},
    "bm25": {"bm25", "postings"},
    "terms": {"query_terms"},
    "graph": {"neighbours", "shortest_path", "components"},
    **{view: {view} for view in GRAPH_VIEWS},
}
"""What stands for needing what; more often than is needed does no harm."""
_LOOKS_AROUND = re.compile(
    r"\b(show|duckdb_\w+|information_schema|pg_\w+|sqlite_\w+)\b", re.IGNORECASE
)
RESULT_LIMIT = 512 << 20
"""Bytes of an answer."""
_ROWS_AT_ONCE = 65_536
_TAKEN = {"main", "temp", "memory", "system", "information_schema", "pg_catalog"}
_log = logging.getLogger("casetrack.sql")
_UDF_FAILED = "Python exception occurred"


@dataclass(frozen=True, slots=True)
class Tables:
    """What a statement may read of one collection.

    Attributes
    ----------
    ledger
        Live documents.
    chunks
        The Lance dataset of all stored chunks.
    postings
        Returns the tables ``_terms``, ``_postings`` and ``_indexed`` that ``bm25.sql`` describes;
        called only for a statement that uses them.
    query_terms
        Turns a question into index terms.
    graph
        Returns one of :data:`casetrack.sql.views.GRAPH_VIEWS`; called only for those that a
        statement uses.
    retrieval
        Answers the functions of ``retrieval.sql``.
    """

    ledger: pa.Table
    chunks: Any
    postings: Callable[[], Mapping[str, pa.Table]]
    query_terms: Callable[[str], list[str]]
    graph: Callable[[GraphView], pa.Table]
    retrieval: Retrieval


@overload
def run_query(
    statement: str,
    tables: Tables | Mapping[str, Tables],
    /,
    *,
    params: Mapping[str, Any] | None = ...,
    timeout: float = ...,
    explain: Literal[False] = ...,
) -> pa.Table: ...
@overload
def run_query(
    statement: str,
    tables: Tables | Mapping[str, Tables],
    /,
    *,
    params: Mapping[str, Any] | None = ...,
    timeout: float = ...,
    explain: Literal[True],
) -> QueryReport: ...
@overload
def run_query(
    statement: str,
    tables: Tables | Mapping[str, Tables],
    /,
    *,
    params: Mapping[str, Any] | None = ...,
    timeout: float = ...,
    explain: bool,
) -> pa.Table | QueryReport: ...
def run_query(
    statement: str,
    tables: Tables | Mapping[str, Tables],
    /,
    *,
    params: Mapping[str, Any] | None = None,
    timeout: float = TIMEOUT_SECONDS,
    explain: bool = False,
) -> pa.Table | QueryReport:
    """Run one SELECT and return its rows.

    Parameters
    ----------
    statement
        DuckDB SQL over what :func:`casetrack.sql.catalog.catalog` lists. Named parameters are
        written ``$name``.
    tables
        What it may read; of several collections by their names, each then has a schema of that
        name. Of a single one in a mapping the schema may be left out.
    params
        Values of the named parameters.
    timeout
        Seconds until it is stopped, retrieval included.
    explain
        Return the plan and what was asked of the retrieval engine as well, with its notes; without
        it the notes, such as that no model is installed, are logged as warnings.

    Raises
    ------
    QueryError
        Not a single reading statement, a mistake in it, more time or memory than allowed, or
        collections whose names cannot be schemas.
    CaseTrackError
        Whatever a retrieval function raises: an unknown mode, a missing model, a limit of the tier.
    """
    import duckdb

    named = _named(tables)
    read = read_statement(statement)
    connection = connect()
    clock = StoppedAfter(connection, timeout)
    calls = Calls(clock.stopped)
    try:
        _define(connection, read.text, named, calls)
        kind = check(connection, read.text, params)
        with clock:
            return _answer(connection, read, params, calls, kind=kind, explain=explain)
    except duckdb.Error as error:
        if clock.stopped.is_set():
            raise QueryError(
                f"The query was stopped after {timeout:.0f} seconds.",
                hint="Ask for less: filter earlier, or add a LIMIT.",
            ) from error
        if isinstance(error, duckdb.InterruptException):
            raise
        if calls.error is not None and _UDF_FAILED in str(error):
            raise calls.error from None
        place = Place(read, tuple(name for name in named if name is not None))
        raise explain_error(error, place) from error
    finally:
        connection.close()


def _answer(
    connection: duckdb.DuckDBPyConnection,
    read: Statement,
    params: Mapping[str, Any] | None,
    calls: Calls,
    *,
    kind: str,
    explain: bool,
) -> pa.Table | QueryReport:
    import duckdb

    values = dict(params) if params else None
    started = time.perf_counter()
    try:
        table = _rows(connection.sql(read.text, params=values))
    except (duckdb.CatalogException, duckdb.BinderException) as error:
        raise _located(connection, read.text, error) from error
    if not explain:
        for note in dict.fromkeys(note for call in calls.made() for note in call.notes):
            _log.warning("%s", note)
        return table
    seconds, made = time.perf_counter() - started, calls.made()
    if kind != "EXPLAIN":
        drawn = connection.sql(f"EXPLAIN {read.text}", params=values).to_arrow_table()
    else:
        drawn = table
    plan = "\n".join(drawn[drawn.column_names[-1]].to_pylist())
    return QueryReport(table, plan, made, seconds)


def _rows(relation: duckdb.DuckDBPyRelation) -> pa.Table:
    """Return a statement's rows. Once handed over they no longer count in DuckDB's own limit."""
    import pyarrow as pa

    reader = relation.to_arrow_reader(_ROWS_AT_ONCE)
    batches, size = [], 0
    try:
        for batch in reader:
            size += batch.nbytes
            if size > RESULT_LIMIT:
                raise QueryError(
                    f"The answer is larger than {RESULT_LIMIT >> 20} MB.",
                    hint="Ask for less: fewer columns, a filter, or a LIMIT. A join without a "
                    "condition pairs every row with every other.",
                )
            batches.append(batch)
    except OSError as error:
        # What DuckDB cannot hand over, such as 2 GB of text in one batch, comes from pyarrow.
        import duckdb

        raise duckdb.OutOfMemoryException(str(error)) from error
    return pa.Table.from_batches(batches, schema=reader.schema)


def _located(
    connection: duckdb.DuckDBPyConnection, statement: str, error: duckdb.Error
) -> duckdb.Error:
    """Return an error with its place in the statement, as far as DuckDB tells it.

    A relation loses the text of its statement, and so the places of names that are not found.
    Asked for once more by its text it fails in the same way, before anything runs.
    """
    import duckdb

    try:
        connection.execute(statement)
    except (duckdb.CatalogException, duckdb.BinderException) as located:
        return located
    except duckdb.Error:
        return error
    return error


def _define(
    connection: duckdb.DuckDBPyConnection,
    statement: str,
    named: Mapping[str | None, Tables],
    calls: Calls,
) -> None:
    needed = _needed(statement)
    if "cite" in needed:
        connection.execute(sql_text("cite"))
    if "terms" in needed:
        terms = next(iter(named.values())).query_terms
        connection.create_function("query_terms", terms, ["VARCHAR"], "VARCHAR[]")
    for number, (name, tables) in enumerate(named.items(), start=1):
        schema = "main" if name is None else _new_schema(connection, name)
        _register(connection, tables, schema, number, needed)
        if "retrieval" in needed:
            register(connection, tables.retrieval, calls, number=number, collection=name)
        for file in ("views", "pages", "retrieval", "bm25", "graph"):
            if file in needed:
                connection.execute(sql_text(file, schema=schema, number=number))
    if None not in named and len(named) == 1:
        (name,) = named
        connection.execute("SET search_path = ?", [f"{quoted(name or '')},main"])
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _needed(statement: str) -> set[str]:
    """Return what a statement may need: files of this room, views of the graph, ``terms``.

    Each is defined only then, because that takes milliseconds or reads an index; all the cheap ones
    for a statement that looks around.
    """
    words = set(re.findall(r"\w+", statement.lower()))
    needed = {name for name, triggers in _NAMED_BY.items() if words & triggers}
    if _LOOKS_AROUND.search(statement):
        needed |= {"views", "pages", "retrieval"}
    if "graph" in needed:
        needed.add("edges")
    if "pages" in needed:
        needed.add("views")
    if "bm25" in needed:
        needed |= {"terms", "retrieval"}
    if needed & {"views", "retrieval"}:
        needed.add("cite")
    return needed


def _register(
    connection: duckdb.DuckDBPyConnection,
    tables: Tables,
    schema: str,
    number: int,
    needed: set[str],
) -> None:
    """Put the tables that are needed under their internal names, and the graph's as views."""
    if "views" in needed:
        connection.register(f"_ledger_{number}", tables.ledger)
        connection.register(f"_stored_chunks_{number}", tables.chunks)
    if "bm25" in needed:
        for name, table in tables.postings().items():
            connection.register(f"{name}_{number}", table)
    for view in GRAPH_VIEWS:
        if view in needed:
            connection.register(f"_{view}_{number}", tables.graph(view))
            connection.execute(f'CREATE VIEW {schema}."{view}" AS FROM "_{view}_{number}"')


def _named(tables: Tables | Mapping[str, Tables]) -> dict[str | None, Tables]:
    """Return what may be read by schema; ``None`` where there is but one, without a schema."""
    if isinstance(tables, Tables):
        return {None: tables}
    if len(tables) == 1:
        name, only = next(iter(tables.items()))
        return {None if name.lower() in _TAKEN else name: only}
    return dict(tables.items())


def _new_schema(connection: duckdb.DuckDBPyConnection, name: str) -> str:
    if name.lower() in _TAKEN:
        raise QueryError(
            f'A collection named "{name}" cannot be asked together with others: SQL has a meaning '
            "of its own for that name.",
            hint="Give the collection another name, or ask it alone.",
        )
    schema = quoted(name)
    connection.execute(f"CREATE SCHEMA {schema}")
    return schema
