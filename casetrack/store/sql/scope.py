"""Names available to a statement: the views and functions of each of its collections."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TypeVar

from casetrack.base.errors import QueryError
from casetrack.base.sql.catalog import GRAPH_VIEWS, VIEWS
from casetrack.store.sql.connection import quoted

T = TypeVar("T")

_NAMED_BY: dict[str, set[str]] = {
    "place": {"cite_range", "column_letters"},
    "bodies": {"is_public_body"},
    "documents": {"documents"},
    "chunks": {"chunks"},
    "pages": {"pages"},
    "postings": {"postings"},
    **{function: {function} for function in ("search", "similar", "context", "cite", "bm25")},
    "terms": {"query_terms"},
    "graph": {"neighbours", "shortest_path", "components"},
    **{view: {view} for view in GRAPH_VIEWS},
}
"""Words that require a definition; unnecessary matches do no harm."""
FILES = (
    *("documents", "chunks", "pages", "postings"),
    *("search", "similar", "context", "cite", "bm25", "graph"),
)
"""SQL files that define the names of one collection, in dependency order."""
_LOOKS_AROUND = re.compile(
    r"\b(show|duckdb_\w+|information_schema|pg_\w+|sqlite_\w+)\b", re.IGNORECASE
)
_SHOW_TABLES = re.compile(r"\s*show\s+(all\s+)?tables\s*;?\s*", re.IGNORECASE)
_TAKEN = {"main", "temp", "memory", "system", "information_schema", "pg_catalog"}


def needed_by(statement: str, /) -> set[str]:
    """Return the SQL files, graph views and functions that a statement may need.

    Others are not defined, because that takes milliseconds or reads an index. A statement that
    lists the available names gets all the cheap ones.
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
        needed |= {"terms", "cite", "chosen"}
    if needed & {"bm25", "postings"}:
        needed.add("postings_of")
    if needed & {"chunks", "cite"}:
        needed.add("place")
    return needed


def listing(statement: str, named: Iterable[str | None], /) -> str | None:
    """Return a replacement for ``SHOW TABLES``, without internal names; else ``None``."""
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


def by_schema(asked: T | Mapping[str, T], /) -> dict[str | None, T]:
    """Return the readable items by schema; a single one has the schema ``None``."""
    if not isinstance(asked, Mapping):
        return {None: asked}
    if len(asked) == 1:
        name, only = next(iter(asked.items()))
        return {None if name.lower() in _TAKEN else name: only}
    return dict(asked.items())


def checked_schema(name: str | None, /) -> str:
    """Return the schema of a collection, quoted."""
    if name is None:
        return "main"
    if name.lower() in _TAKEN:
        raise QueryError(
            f'A collection named "{name}" cannot be queried together with others: its name has '
            "another meaning in SQL.",
            hint="Rename the collection, or query it alone.",
        )
    return quoted(name)
