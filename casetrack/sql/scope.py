"""What a statement may name: the views and functions of each collection that it was given."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.errors import QueryError
from casetrack.sql.connection import quoted
from casetrack.sql.views import GRAPH_VIEWS, VIEWS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import pyarrow as pa

    from casetrack.sql.functions import Keywords, Retrieval
    from casetrack.sql.graph import Graph

_NAMED_BY: dict[str, set[str]] = {
    "place": {"cite_range", "column_letters"},
    "documents": {"documents"},
    "chunks": {"chunks"},
    "pages": {"pages"},
    "postings": {"postings"},
    **{function: {function} for function in ("search", "similar", "context", "cite", "bm25")},
    "terms": {"query_terms"},
    "graph": {"neighbours", "shortest_path", "components"},
    **{view: {view} for view in GRAPH_VIEWS},
}
"""What stands for needing what; more often than is needed does no harm."""
FILES = (
    *("documents", "chunks", "pages", "postings"),
    *("search", "similar", "context", "cite", "bm25", "graph"),
)
"""SQL files that define names of one collection, in the order in which they build on each other."""
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
    keywords
        Returns the keyword index; called only for a statement that uses it.
    query_terms
        Turns a question into index terms.
    graph
        The tables of the graph; asked only for those that a statement reads.
    retrieval
        Answers ``search``, ``similar``, ``context`` and ``cite``.
    """

    ledger: pa.Table
    chunks: Any
    keywords: Callable[[], Keywords]
    query_terms: Callable[[str], list[str]]
    graph: Graph
    retrieval: Retrieval


def needed_by(statement: str, /) -> set[str]:
    """Return what a statement may need: SQL files, views of the graph, functions.

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
    if needed & {"bm25", "postings"}:
        needed.add("postings_of")
    if needed & {"chunks", "cite"}:
        needed.add("place")
    return needed


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


def checked_schema(name: str | None, /) -> str:
    """Return the schema of a collection, quoted.

    Raises
    ------
    QueryError
        SQL has a meaning of its own for its name.
    """
    if name is None:
        return "main"
    if name.lower() in _TAKEN:
        raise QueryError(
            f'A collection named "{name}" cannot be asked together with others: SQL has a meaning '
            "of its own for that name.",
            hint="Give the collection another name, or ask it alone.",
        )
    return quoted(name)
