"""What a statement may name: the views and functions of each collection that it was given."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.errors import QueryError
from casetrack.sql.connection import quoted, sql_text
from casetrack.sql.functions import register
from casetrack.sql.views import GRAPH_VIEWS, VIEWS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import duckdb
    import pyarrow as pa

    from casetrack.sql.functions import Calls, Retrieval
    from casetrack.sql.views import GraphView

_NAMED_BY: dict[str, set[str]] = {
    "place": {"cite_range", "column_letters"},
    "documents": {"documents"},
    "chunks": {"chunks"},
    "pages": {"pages"},
    **{function: {function} for function in ("search", "similar", "context", "cite")},
    "bm25": {"bm25", "postings"},
    "terms": {"query_terms"},
    "graph": {"neighbours", "shortest_path", "components"},
    **{view: {view} for view in GRAPH_VIEWS},
}
"""What stands for needing what; more often than is needed does no harm."""
_FILES = (
    *("documents", "chunks", "pages"),
    *("search", "similar", "context", "cite", "bm25", "graph"),
)
"""Files of this room that define names of one collection, in the order in which they build on each
other."""
_LOOKS_AROUND = re.compile(
    r"\b(show|duckdb_\w+|information_schema|pg_\w+|sqlite_\w+)\b", re.IGNORECASE
)
_SHOW_TABLES = re.compile(r"\s*show\s+(all\s+)?tables\s*;?\s*", re.IGNORECASE)
_TAKEN = {"main", "temp", "memory", "system", "information_schema", "pg_catalog"}


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
        Answers ``search``, ``similar``, ``context`` and ``cite``.
    """

    ledger: pa.Table
    chunks: Any
    postings: Callable[[], Mapping[str, pa.Table]]
    query_terms: Callable[[str], list[str]]
    graph: Callable[[GraphView], pa.Table]
    retrieval: Retrieval


def define(
    connection: duckdb.DuckDBPyConnection,
    statement: str,
    named: Mapping[str | None, Tables],
    calls: Calls,
    /,
) -> None:
    """Define what a statement may name, as far as it does, and lock the connection.

    Parameters
    ----------
    connection
        Where.
    statement
        As DuckDB gets it.
    named
        See :func:`by_schema`.
    calls
        Keeps the answers of retrieval.

    Raises
    ------
    QueryError
        The name of a collection cannot be a schema.
    """
    needed = _needed(statement)
    if "place" in needed:
        connection.execute(sql_text("place"))
    if "terms" in needed:
        terms = next(iter(named.values())).query_terms
        connection.create_function("query_terms", terms, ["VARCHAR"], "VARCHAR[]")
    for number, (name, tables) in enumerate(named.items(), start=1):
        schema = "main" if name is None else _new_schema(connection, name)
        _register(connection, tables, schema, number, needed)
        register(connection, tables.retrieval, calls, number=number, collection=name, names=needed)
        for file in _FILES:
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
        needed |= {"documents", "pages", "search", "similar", "context", "cite"}
    if "graph" in needed:
        needed.add("edges")
    if "pages" in needed:
        needed.add("chunks")
    if "bm25" in needed:
        needed |= {"terms", "cite"}
    if needed & {"chunks", "cite"}:
        needed.add("place")
    return needed


def _register(
    connection: duckdb.DuckDBPyConnection,
    tables: Tables,
    schema: str,
    number: int,
    needed: set[str],
) -> None:
    """Put the tables that are needed under their internal names, and the graph's as views."""
    if needed & {"documents", "chunks"}:
        connection.register(f"_ledger_{number}", tables.ledger)
    if "chunks" in needed:
        connection.register(f"_stored_chunks_{number}", tables.chunks)
    if "bm25" in needed:
        for name, table in tables.postings().items():
            connection.register(f"{name}_{number}", table)
    for view in GRAPH_VIEWS:
        if view in needed:
            connection.register(f"_{view}_{number}", tables.graph(view))
            connection.execute(f'CREATE VIEW {schema}."{view}" AS FROM "_{view}_{number}"')


def listing(statement: str, named: Iterable[str | None], /) -> str | None:
    """Return a statement in the place of ``SHOW TABLES``; ``None`` for every other.

    DuckDB's own list names what the views stand on as well.
    """
    if not _SHOW_TABLES.fullmatch(statement):
        return None
    schemas = [name for name in named if name is not None]
    rows = [(name, view) for name in schemas or [""] for view in sorted(VIEWS)]
    texts = ", ".join(f"({_text(name)}, {_text(view)})" for name, view in rows)
    columns = "collection, name" if len(schemas) > 1 else "name"
    return f"SELECT {columns} FROM (VALUES {texts}) AS v(collection, name)"  # noqa: S608 - quoted


def _text(value: str) -> str:
    doubled = value.replace("'", "''")
    return f"'{doubled}'"


def by_schema(tables: Tables | Mapping[str, Tables], /) -> dict[str | None, Tables]:
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
