"""The program's own SQL over the views of one state, on a persistent connection."""

from __future__ import annotations

import json
import re
import threading
import weakref
from operator import methodcaller
from typing import TYPE_CHECKING, Any, Protocol

from casetrack.base.dataclass import dataclass
from casetrack.base.schema import table as declared
from casetrack.base.sql.catalog import EDGE_KINDS, GRAPH_VIEWS, EdgeKind, GraphView
from casetrack.store.sql.connection import connect, sql_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import duckdb
    import pyarrow as pa


# The views of the graph in DuckDB; of ``edges``, only the rows that a statement reads are computed.


class Graph(Protocol):
    """The source of the graph views."""

    def table(self, name: GraphView, /) -> pa.Table:
        """Return a table as ``schemas`` declares it."""

    def edges(self, kind: EdgeKind, /) -> pa.Table:
        """Return the rows of ``edges`` between nodes of one kind; computes only these."""

    def nodes(self) -> pa.Table:
        """Return the nodes of edges: ``id`` and ``place``, in an order that ignores random ids."""


@dataclass(eq=False)
class _Lazy:
    """A table computed when DuckDB reads its first row; it refers weakly to the graph."""

    _graph: weakref.ref[Graph]
    _columns: pa.Schema
    _make: Callable[[Graph], pa.Table]
    _failed: Callable[[Exception], None]

    def __arrow_c_schema__(self) -> Any:
        return self._columns.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        graph = self._graph()
        if graph is None:
            raise ReferenceError("the graph of this connection is gone")
        try:
            return self._make(graph).__arrow_c_stream__(requested_schema)
        except Exception as error:
            # DuckDB passes on only the text of the error.
            self._failed(error)
            raise


def register_view(
    connection: duckdb.DuckDBPyConnection,
    name: GraphView,
    graph: Graph,
    failed: Callable[[Exception], None],
    /,
    *,
    number: int = 1,
) -> None:
    """Register the tables of a graph view under their internal names, see :func:`view_text`.

    *failed* gets the error of a failed computation, before DuckDB replaces it by its own.
    """
    if name != "edges":
        connection.register(f"_{name}_{number}", graph.table(name))
        return
    import pyarrow as pa

    columns = declared("edges").arrow()
    for kind in EDGE_KINDS:
        edges = _Lazy(weakref.ref(graph), columns, methodcaller("edges", kind), failed)
        connection.register(f"_edges_{kind}_{number}", edges)
    columns = pa.schema([("id", pa.string()), ("place", pa.int64())])
    connection.register(
        f"_nodes_{number}", _Lazy(weakref.ref(graph), columns, methodcaller("nodes"), failed)
    )


def view_text(name: GraphView, /, *, schema: str = "main", number: int = 1) -> str:
    """Return the statement that creates a view of the graph in the quoted *schema*."""
    rows = f'FROM "_{name}_{number}"'
    if name == "edges":
        # Constants, so that a statement on edges of one kind does not compute the others.
        kinds = "'{0}' AS source_kind, '{0}' AS target_kind"
        rows = " UNION ALL ".join(
            f'SELECT * REPLACE ({kinds.format(kind)}) FROM "_edges_{kind}_{number}"'  # noqa: S608
            for kind in EDGE_KINDS
        )
    return f'CREATE VIEW {schema}."{name}" AS {rows}'


_COMMENT = re.compile(r"^\s*--.*", re.MULTILINE)
_REMEMBERED = 64
"""Number of parsed statements that are cached."""
_WALKS = {"neighbours", "shortest_path", "components"}
"""Names that ``graph.sql`` defines."""


class OwnSql:
    """Runs the program's own statements over ``documents`` and the graph's views.

    A view is created when the first statement names it. Safe for use from several threads: one
    statement runs at a time.
    """

    def __init__(self, documents: Callable[[], pa.Table], graph: Graph, /) -> None:
        self._documents = documents
        self._graph = graph
        self._lock = threading.Lock()
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._defined: set[str] = set()
        self._errors: list[Exception] = []
        self._read: dict[tuple[str, str], duckdb.DuckDBPyRelation] = {}

    def run(
        self,
        statement: str,
        params: Mapping[str, Any] | None = None,
        /,
        *,
        tables: Mapping[str, pa.Table] | None = None,
    ) -> pa.Table:
        """Run a SELECT with ``$name`` parameters, and additional *tables* by name."""
        import duckdb

        with self._lock:
            if self._connection is None:
                self._connection = connect()
                # Also at the end of the program: open connections are reported as leaks.
                weakref.finalize(self, self._connection.close)
            self._define(self._connection, set(re.findall(r"\w+", _COMMENT.sub("", statement))))
            self._errors.clear()
            try:
                if tables:
                    return self._over(self._connection, statement, params, tables)
                rows: pa.Table = self._relation(
                    self._connection, statement, params
                ).to_arrow_table()
            except duckdb.Error:
                if self._errors:
                    raise self._errors[-1] from None
                raise
            return rows

    def _over(
        self,
        connection: duckdb.DuckDBPyConnection,
        statement: str,
        params: Mapping[str, Any] | None,
        tables: Mapping[str, pa.Table],
    ) -> pa.Table:
        for name, table in tables.items():
            connection.register(name, table)
        try:
            values = dict(params) if params else None
            rows: pa.Table = connection.sql(statement, params=values).to_arrow_table()
        finally:
            for name in tables:
                connection.unregister(name)
        return rows

    def _relation(
        self,
        connection: duckdb.DuckDBPyConnection,
        statement: str,
        params: Mapping[str, Any] | None,
    ) -> duckdb.DuckDBPyRelation:
        """Return the relation of a statement with these values; it contains no rows.

        Parsing a long statement takes milliseconds, and statements repeat. Values are those of
        JSON: numbers, text, null, and lists of them.
        """
        key = (statement, json.dumps(params))
        relation = self._read.pop(key, None)
        if relation is None:
            relation = connection.sql(statement, params=dict(params) if params else None)
            if len(self._read) >= _REMEMBERED:
                del self._read[next(iter(self._read))]
        self._read[key] = relation
        return relation

    def _define(self, connection: duckdb.DuckDBPyConnection, words: set[str]) -> None:
        """Create the missing views and functions that a statement with these words may name."""
        walks = words & _WALKS
        for view in GRAPH_VIEWS:
            if (view in words or (walks and view == "edges")) and view not in self._defined:
                register_view(connection, view, self._graph, self._errors.append)
                connection.execute(view_text(view))
                self._defined.add(view)
        if "documents" in words and "documents" not in self._defined:
            connection.register("documents", self._documents())
            self._defined.add("documents")
        if "is_public_body" in words and "bodies" not in self._defined:
            connection.execute(sql_text("bodies"))
            self._defined.add("bodies")
        if walks and "walks" not in self._defined:
            connection.execute(sql_text("graph"))
            self._defined.add("walks")
