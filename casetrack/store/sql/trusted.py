"""The program's own SQL over the views of one state, on a connection that stays open."""

from __future__ import annotations

import json
import re
import threading
import weakref
from typing import TYPE_CHECKING, Any

from casetrack.base.sql.views import GRAPH_VIEWS
from casetrack.store.sql.connection import connect, sql_text
from casetrack.store.sql.graph import register_view, view_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import duckdb
    import pyarrow as pa

    from casetrack.store.sql.graph import Graph

_COMMENT = re.compile(r"^\s*--.*", re.MULTILINE)
_REMEMBERED = 64
"""Statements with values that are kept as read, the last ones asked."""
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
        self._read: dict[tuple[str, str], duckdb.DuckDBPyRelation] = {}

    def run(
        self,
        statement: str,
        params: Mapping[str, Any] | None = None,
        /,
        *,
        tables: Mapping[str, pa.Table] | None = None,
    ) -> pa.Table:
        """Run a SELECT; values come as ``$name`` parameters, never inside the text.

        *tables* are what only this statement reads, by the names that it has for them.
        """
        import duckdb

        with self._lock:
            if self._connection is None:
                self._connection = connect()
                # At the end of the program, too: what is open then is reported as a leak.
                weakref.finalize(self, self._connection.close)
            self._define(self._connection, set(re.findall(r"\w+", _COMMENT.sub("", statement))))
            self._errors.clear()
            try:
                if tables:
                    return self._over(self._connection, statement, params, tables)
                found: pa.Table = self._relation(
                    self._connection, statement, params
                ).to_arrow_table()
            except duckdb.Error:
                if self._errors:
                    raise self._errors[-1] from None
                raise
            return found

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
            found: pa.Table = connection.sql(statement, params=values).to_arrow_table()
        finally:
            for name in tables:
                connection.unregister(name)
        return found

    def _relation(
        self,
        connection: duckdb.DuckDBPyConnection,
        statement: str,
        params: Mapping[str, Any] | None,
    ) -> duckdb.DuckDBPyRelation:
        """Return what a statement means with these values; it holds no rows.

        Reading a long statement takes milliseconds, and the same question comes again. Values are
        those of JSON: numbers, text, nothing, and lists of them.
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
