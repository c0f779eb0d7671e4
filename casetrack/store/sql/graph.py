"""The views of the graph in DuckDB; of ``edges``, only what a statement reads is made."""

from __future__ import annotations

import weakref
from operator import methodcaller
from typing import TYPE_CHECKING, Any, Protocol

from casetrack.base.schema import table as declared
from casetrack.base.sql.views import EDGE_KINDS

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb
    import pyarrow as pa

    from casetrack.base.sql.views import EdgeKind, GraphView


class Graph(Protocol):
    """What the views are made of."""

    def table(self, name: GraphView, /) -> pa.Table:
        """Return a table as ``schemas`` declares it."""

    def edges(self, kind: EdgeKind, /) -> pa.Table:
        """Return those rows of ``edges`` that connect nodes of one kind; the rest is not made."""

    def nodes(self) -> pa.Table:
        """Return what edges may connect: ``id`` and ``place``; the order ignores random ids."""


class _Lazy:
    """A table, made when DuckDB asks for the first row: never, if a filter drops it.

    A connection that stays open is not to keep the graph alive, which it belongs to.
    """

    def __init__(
        self,
        graph: Graph,
        columns: pa.Schema,
        make: Callable[[Graph], pa.Table],
        failed: Callable[[Exception], None],
    ) -> None:
        self._graph = weakref.ref(graph)
        self._columns = columns
        self._make = make
        self._failed = failed

    def __arrow_c_schema__(self) -> Any:
        return self._columns.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        graph = self._graph()
        if graph is None:
            raise ReferenceError("the graph of this connection is gone")
        try:
            return self._make(graph).__arrow_c_stream__(requested_schema)
        except Exception as error:
            # DuckDB passes on nothing but its text.
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
    """Put what a view of the graph stands on under its internal names, see :func:`view_text`.

    Parameters
    ----------
    graph
        Held weakly.
    failed
        Gets the error where edges cannot be made, before DuckDB reports it as one of its own.
    number
        Of the collection among those that the statement may read.
    """
    if name != "edges":
        connection.register(f"_{name}_{number}", graph.table(name))
        return
    import pyarrow as pa

    columns = declared("edges").arrow()
    for kind in EDGE_KINDS:
        edges = _Lazy(graph, columns, methodcaller("edges", kind), failed)
        connection.register(f"_edges_{kind}_{number}", edges)
    columns = pa.schema([("id", pa.string()), ("place", pa.int64())])
    connection.register(f"_nodes_{number}", _Lazy(graph, columns, methodcaller("nodes"), failed))


def view_text(name: GraphView, /, *, schema: str = "main", number: int = 1) -> str:
    """Return the statement that creates a view of the graph.

    Parameters
    ----------
    schema
        Where, quoted if need be.
    number
        As it was registered.
    """
    rows = f'FROM "_{name}_{number}"'
    if name == "edges":
        # As constants, so that a statement on edges of one kind leaves the other parts alone.
        kinds = "'{0}' AS source_kind, '{0}' AS target_kind"
        rows = " UNION ALL ".join(
            f'SELECT * REPLACE ({kinds.format(kind)}) FROM "_edges_{kind}_{number}"'  # noqa: S608
            for kind in EDGE_KINDS
        )
    return f'CREATE VIEW {schema}."{name}" AS {rows}'
