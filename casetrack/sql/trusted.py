"""The program's own SQL over the views of one state, on a connection that stays open."""

from __future__ import annotations

import re
import threading
import weakref
from typing import TYPE_CHECKING, Any

from casetrack.sql.connection import connect, sql_text
from casetrack.sql.graph import register_view, view_text
from casetrack.sql.views import GRAPH_VIEWS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import duckdb
    import pyarrow as pa

    from casetrack.sql.graph import Graph

_WALKS = {"neighbours", "shortest_path", "components"}
"""What ``graph.sql`` defines."""


class OwnSql:
    """Runs statements whose text is the program's own, over ``documents`` and the graph's views.

    A view is created when the first statement names it. Safe to use from several threads: one
    statement runs at a time.

    Parameters
    ----------
    documents
        Returns the ledger's live rows.
    graph
        The tables of the graph.
    """

    def __init__(self, documents: Callable[[], pa.Table], graph: Graph, /) -> None:
        self._documents = documents
        self._graph = graph
        self._lock = threading.Lock()
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._defined: set[str] = set()
        self._errors: list[Exception] = []

    def run(self, statement: str, params: Mapping[str, Any] | None = None, /) -> pa.Table:
        """Run a SELECT; values come as ``$name`` parameters, never inside the text."""
        import duckdb

        with self._lock:
            if self._connection is None:
                self._connection = connect()
                # At the end of the program, too: what is open then is reported as a leak.
                weakref.finalize(self, self._connection.close)
            self._define(self._connection, set(re.findall(r"\w+", statement)))
            self._errors.clear()
            try:
                found: pa.Table = self._connection.sql(
                    statement, params=dict(params) if params else None
                ).to_arrow_table()
            except duckdb.Error:
                if self._errors:
                    raise self._errors[-1] from None
                raise
            return found

    def _define(self, connection: duckdb.DuckDBPyConnection, words: set[str]) -> None:
        """Create what a statement of these words may name and what is not there yet."""
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
