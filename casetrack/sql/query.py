"""Runs a user's SQL: read-only, over the collection's views, with nothing else in reach."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from casetrack.errors import QueryError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import duckdb
    import pyarrow as pa

TIMEOUT_SECONDS = 60.0
MEMORY_LIMIT = "1GB"
_READING = {"SELECT", "EXPLAIN"}
GraphView = Literal[
    "entities", "mentions", "dates", "amounts", "references", "citations", "edges", "topics"
]
GRAPH_VIEWS: tuple[GraphView, ...] = get_args(GraphView)
"""Views of the graph; see ``schemas``."""
_GRAPH_MACROS = re.compile(r"\b(neighbours|shortest_path|components)\b", re.IGNORECASE)
_KNOWN = ", ".join(["documents", "chunks", *GRAPH_VIEWS])
_REFERENCES = re.compile(rb"references\b", re.IGNORECASE)
_INTERNAL = re.compile(r"\b_(ledger|stored_chunks|indexed|postings|terms|ways)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Tables:
    """What a statement may read.

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
        Returns one of :data:`GRAPH_VIEWS`; called only for those that a statement uses.
    """

    ledger: pa.Table
    chunks: Any
    postings: Callable[[], Mapping[str, pa.Table]]
    query_terms: Callable[[str], list[str]]
    graph: Callable[[GraphView], pa.Table]


@cache
def sql_text(name: str, /) -> str:
    """Return the text of ``casetrack/sql/NAME.sql``."""
    return (Path(__file__).parent / f"{name}.sql").read_text(encoding="utf-8")


def run_query(
    statement: str,
    tables: Tables,
    /,
    *,
    params: Mapping[str, Any] | None = None,
    timeout: float = TIMEOUT_SECONDS,
) -> pa.Table:
    """Run one SELECT and return its rows.

    Parameters
    ----------
    statement
        DuckDB SQL over ``documents``, ``chunks``, the views of the graph and, for keyword search,
        ``bm25(question, k)`` and ``postings``. Named parameters are written ``$name``.
    tables
        What it may read.
    params
        Values of the named parameters.
    timeout
        Seconds until it is stopped.

    Raises
    ------
    QueryError
        Not a single reading statement, a mistake in it, or more time or memory than allowed.
    """
    import duckdb

    statement = _quoted(statement)
    connection = connect()
    try:
        _define(connection, statement, tables)
        _check(connection, statement)
        with _stopped_after(connection, timeout) as stopped:
            try:
                result = connection.sql(statement, params=dict(params) if params else None)
                table: pa.Table = result.to_arrow_table()
            except duckdb.InterruptException as error:
                if not stopped.is_set():
                    raise
                raise QueryError(
                    f"The query was stopped after {timeout:.0f} seconds.",
                    hint="Ask for less: filter earlier, or add a LIMIT.",
                ) from error
        return table
    except duckdb.Error as error:
        raise _explain(error) from error
    finally:
        connection.close()


def connect() -> duckdb.DuckDBPyConnection:
    """Open an in-memory DuckDB in UTC with limits; the one place that does."""
    import duckdb

    connection = duckdb.connect(
        ":memory:",
        config={
            "threads": 2,
            "memory_limit": MEMORY_LIMIT,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "python_enable_replacements": "false",
            "temp_directory": "",
        },
    )
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def _define(connection: duckdb.DuckDBPyConnection, statement: str, tables: Tables) -> None:
    connection.register("_ledger", tables.ledger)
    connection.register("_stored_chunks", tables.chunks)
    connection.execute(sql_text("cite"))
    connection.execute(sql_text("views"))
    if re.search(r"\b(bm25|postings|query_terms)\b", statement, re.IGNORECASE):
        for name, table in tables.postings().items():
            connection.register(name, table)
        connection.create_function("query_terms", tables.query_terms, ["VARCHAR"], "VARCHAR[]")
        connection.execute(sql_text("bm25"))
    _define_graph(connection, statement, tables)
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _define_graph(connection: duckdb.DuckDBPyConnection, statement: str, tables: Tables) -> None:
    macros = sql_text("graph") if _GRAPH_MACROS.search(statement) else ""
    for name in GRAPH_VIEWS:
        if re.search(rf"\b{name}\b", statement + macros, re.IGNORECASE):
            connection.register(name, tables.graph(name))
    if macros:
        connection.execute(macros)


def _quoted(statement: str) -> str:
    """Return a statement with the view ``references`` in quotation marks: SQL keeps the word."""
    import duckdb

    try:
        data = statement.encode()
    except UnicodeEncodeError as error:
        raise QueryError(
            "The statement holds half a character, which is no text.",
            hint="Type it anew instead of pasting it.",
        ) from error
    # DuckDB counts bytes.
    tokens = duckdb.tokenize(statement)
    for start in reversed([at for at, kind in tokens if kind == duckdb.token_type.keyword]):
        found = _REFERENCES.match(data, start)
        if found:
            data = data[:start] + b'"references"' + data[found.end() :]
    return data.decode()


def _check(connection: duckdb.DuckDBPyConnection, statement: str) -> None:
    parsed = connection.extract_statements(statement)
    if len(parsed) != 1:
        raise QueryError(
            f"One statement at a time, please; this text has {len(parsed)}.",
            hint="Run the statements one after the other.",
        )
    kind = str(parsed[0].type).rpartition(".")[2]
    if kind not in _READING:
        raise QueryError(
            f"Only reading is allowed here, and this is a {kind} statement.",
            hint="Use SELECT. To change a collection, use the ingest and delete commands.",
        )
    internal = _INTERNAL.search(statement)
    if internal:
        raise QueryError(f"Table {internal.group()} is internal.", hint=f"Use the views {_KNOWN}.")


def _explain(error: duckdb.Error) -> QueryError:
    import duckdb

    text = str(error).strip()
    if isinstance(error, duckdb.PermissionException) or "disabled" in text:
        return QueryError(
            "This statement reaches outside the collection, which is not allowed: "
            + text.splitlines()[0],
            hint="A query reads the views of its collection, and nothing else: "
            "no files, no network, no extensions.",
        )
    if isinstance(error, duckdb.OutOfMemoryException):
        return QueryError(
            f"The query needs more than {MEMORY_LIMIT} of memory.",
            hint="Ask for less: fewer columns, an earlier filter, or a LIMIT.",
        )
    hint = f"Views: {_KNOWN}. `casetrack schema` lists their columns."
    return QueryError(f"SQL error: {text}", hint=hint)


class _stopped_after:  # noqa: N801 - reads as what it does: with _stopped_after(...)
    """Interrupts the connection when the block takes too long; yields the event that says so."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, seconds: float) -> None:
        self._stopped = threading.Event()
        self._connection = connection
        self._timer = threading.Timer(seconds, self._stop)
        self._timer.daemon = True

    def _stop(self) -> None:
        self._stopped.set()
        self._connection.interrupt()

    def __enter__(self) -> threading.Event:
        self._timer.start()
        return self._stopped

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
