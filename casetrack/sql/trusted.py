"""Runs the program's own SQL over Arrow tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from casetrack.sql.connection import connect, sql_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa


def run(
    statement: str,
    tables: Mapping[str, Callable[[], Any]],
    /,
    params: Mapping[str, Any] | None = None,
    *,
    macros: Mapping[str, str] | None = None,
) -> pa.Table:
    """Run a SELECT whose text is the program's own; values come as ``$name`` parameters.

    Parameters
    ----------
    statement
        DuckDB SQL.
    tables
        What it may read, by name; only those that the statement names are made.
    params
        Values of the named parameters.
    macros
        Files of ``casetrack/sql`` by a pattern of names that stand for needing them.
    """
    needed, texts = statement, []
    for pattern, file in (macros or {}).items():
        if re.search(pattern, statement):
            texts.append(sql_text(file))
            needed += texts[-1]
    connection = connect()
    try:
        for name, make in tables.items():
            if re.search(rf"\b{name}\b", needed):
                connection.register(name, make())
        for text in texts:
            connection.execute(text)
        result = connection.sql(statement, params=dict(params) if params else None)
        found: pa.Table = result.to_arrow_table()
    finally:
        connection.close()
    return found
